// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/segment/segmentation_merge.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <queue>
#include <tuple>
#include <utility>

#include "sinew/geometry/mesh/union_find.h"

namespace sinew::binding {
namespace {

bool comes_before(const Vec3& p, const Vec3& q) {
  return std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3);
}

// A fragment's edges to others, counted twice so that half an edge is a whole number. The other may have grown
// meanwhile.
struct Contact {
  Index other;
  std::uint32_t weight;
};

struct Fragment {
  Index owner = kNone;
  Index shell = kNone;
  Index size = 0;
  Index first = kNone;  // The vertex whose position comes first.
  bool stays = false;
  std::vector<Contact> contacts;
};

class Merger {
 public:
  Merger(const geometry::Lists& rings, std::span<const Vec3> positions, std::span<const Index> shell,
         std::span<const char> weak, std::vector<Index>& owner, std::span<const Index> kin)
      : rings_(rings), positions_(positions), shell_(shell), weak_(weak), owner_(owner), kin_(kin), sets_(0) {
    find_fragments();
    choose_staying();
  }

  Merged counts() const { return counts_; }

  void run() {
    if (counts_.merged_fragments == 0) return;
    find_contacts();
    sets_ = geometry::UnionFind(fragments_.size());
    std::priority_queue<Entry, std::vector<Entry>, Later> queue{Later{this}};
    for (Index f = 0; f < fragments_.size(); ++f)
      if (!fragments_[f].stays) queue.push({fragments_[f].size, fragments_[f].first, f});
    while (!queue.empty()) {
      const Entry top = queue.top();
      queue.pop();
      // Entries of fragments that have grown since, or gone, are out of date.
      if (sets_.find(top.fragment) != top.fragment || fragments_[top.fragment].size != top.size ||
          fragments_[top.fragment].stays)
        continue;
      const Index whole = give_away(top.fragment);
      if (whole != kNone && !fragments_[whole].stays)
        queue.push({fragments_[whole].size, fragments_[whole].first, whole});
    }
    for (Index v = 0; v < owner_.size(); ++v) {
      const Index owner = fragments_[sets_.find(of_vertex_[v])].owner;
      if (owner != owner_[v]) ++counts_.merged_vertices;
      owner_[v] = owner;
    }
  }

 private:
  struct Entry {
    Index size, first, fragment;
  };
  struct Later {
    const Merger* merger;
    bool operator()(const Entry& a, const Entry& b) const {
      if (a.size != b.size) return a.size > b.size;
      const Vec3 &p = merger->positions_[a.first], &q = merger->positions_[b.first];
      if (p != q) return comes_before(q, p);
      return a.first > b.first;
    }
  };

  void find_fragments() {
    const auto count = static_cast<Index>(owner_.size());
    geometry::UnionFind joined(count);
    for (Index v = 0; v < count; ++v)
      for (const Index u : rings_[v])
        if (u < v && owner_[u] == owner_[v]) joined.join(u, v);
    of_vertex_.resize(count);
    for (Index v = 0; v < count; ++v) {
      const Index lowest = joined.find(v);
      if (lowest == v) {
        of_vertex_[v] = static_cast<Index>(fragments_.size());
        fragments_.push_back({owner_[v], shell_[v], 0, v, false, {}});
      } else {
        of_vertex_[v] = of_vertex_[lowest];
      }
      Fragment& fragment = fragments_[of_vertex_[v]];
      ++fragment.size;
      if (comes_before(positions_[v], positions_[fragment.first])) fragment.first = v;
    }
    counts_.fragments = static_cast<Index>(fragments_.size());
  }

  void choose_staying() {
    std::vector<Index> order(fragments_.size());
    for (Index f = 0; f < order.size(); ++f) order[f] = f;
    const auto key = [&](Index f) { return std::pair(fragments_[f].shell, fragments_[f].owner); };
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
      const Fragment &f = fragments_[a], &g = fragments_[b];
      if (key(a) != key(b)) return key(a) < key(b);
      if (f.size != g.size) return f.size > g.size;
      const Vec3 &p = positions_[f.first], &q = positions_[g.first];
      if (p != q) return comes_before(p, q);
      return a < b;
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i == 0 || key(order[i]) != key(order[i - 1])) fragments_[order[i]].stays = true;
      else ++counts_.merged_fragments;
    }
  }

  // Only of fragments that go: those that stay are never asked.
  void find_contacts() {
    for (Index v = 0; v < owner_.size(); ++v) {
      Fragment& fragment = fragments_[of_vertex_[v]];
      if (fragment.stays) continue;
      for (const Index u : rings_[v])
        if (of_vertex_[u] != of_vertex_[v]) fragment.contacts.push_back({of_vertex_[u], weak_[u] != 0 ? 1U : 2U});
    }
  }

  // Returns what the fragment has become part of; kNone if it has no neighbours.
  Index give_away(Index f) {
    Fragment& fragment = fragments_[f];
    std::vector<std::pair<Index, std::uint64_t>> votes;
    for (Contact& contact : fragment.contacts) {
      contact.other = sets_.find(contact.other);
      if (contact.other != f) votes.emplace_back(fragments_[contact.other].owner, contact.weight);
    }
    if (votes.empty()) {
      fragment.stays = true;
      return kNone;
    }
    const Index best = elect(votes, fragment.owner);
    fragment.owner = best;
    const std::vector<Contact> contacts = std::exchange(fragment.contacts, {});
    Index whole = f;
    std::vector<Contact> rest;
    for (const Contact& contact : contacts) {
      const Index other = sets_.find(contact.other);
      if (other == sets_.find(f)) continue;
      if (fragments_[other].owner == best) whole = unite(whole, other);
      else rest.push_back(contact);
    }
    Fragment& united = fragments_[whole];
    if (!united.stays) united.contacts.insert(united.contacts.end(), rest.begin(), rest.end());
    return whole;
  }

  // The owner with most votes: of the same kin as the fragment's, if any is, and of equal ones the lowest.
  Index elect(std::vector<std::pair<Index, std::uint64_t>>& votes, Index former) const {
    std::sort(votes.begin(), votes.end());
    Index best = kNone;
    std::pair<bool, std::uint64_t> most(false, 0);
    for (std::size_t i = 0; i < votes.size();) {
      const Index owner = votes[i].first;
      std::pair<bool, std::uint64_t> sum(!kin_.empty() && kin_[owner] == kin_[former], 0);
      for (; i < votes.size() && votes[i].first == owner; ++i) sum.second += votes[i].second;
      if (sum > most) most = sum, best = owner;
    }
    return best;
  }

  Index unite(Index a, Index b) {
    sets_.join(a, b);
    const Index whole = sets_.find(a);
    Fragment &kept = fragments_[whole], &gone = fragments_[whole == a ? b : a];
    kept.size += gone.size;
    kept.stays = kept.stays || gone.stays;
    if (comes_before(positions_[gone.first], positions_[kept.first])) kept.first = gone.first;
    if (kept.stays) {
      kept.contacts.clear();
    } else {
      if (kept.contacts.size() < gone.contacts.size()) std::swap(kept.contacts, gone.contacts);
      kept.contacts.insert(kept.contacts.end(), gone.contacts.begin(), gone.contacts.end());
    }
    gone.contacts = {};
    return whole;
  }

  const geometry::Lists& rings_;
  std::span<const Vec3> positions_;
  std::span<const Index> shell_;
  std::span<const char> weak_;
  std::vector<Index>& owner_;
  std::span<const Index> kin_;
  std::vector<Index> of_vertex_;  // Fragment before merging.
  std::vector<Fragment> fragments_;
  geometry::UnionFind sets_;  // Fragments that have become one.
  Merged counts_;
};

}  // namespace

Merged merge_fragments(const geometry::Lists& rings, std::span<const Vec3> positions, std::span<const Index> shell,
                       std::span<const char> weak, std::vector<Index>& owner, std::span<const Index> kin) {
  Merger merger(rings, positions, shell, weak, owner, kin);
  merger.run();
  return merger.counts();
}

}  // namespace sinew::binding
