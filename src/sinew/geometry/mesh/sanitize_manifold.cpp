// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Half-edges get partners; corners whose half-edges are partners share a vertex, all others do not. From there on
// partners are only ever parted, so that the end is reached: no edge of more than two triangles, none of two that
// disagree.

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/sanitize_triangles.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::geometry {
namespace {

class ManifoldCutter {
 public:
  ManifoldCutter(const SanitizeTriangles& soup, SanitizeCounts& counts)
      : soup_(soup), counts_(counts), twin_(soup.vertex.size(), kNone), flip_(soup.size(), 0) {}

  ManifoldCut run() {
    pair_all();
    flood();
    ManifoldCut cut;
    do number(cut);
    while (part_bad_edges(cut));
    cut.flip = std::move(flip_);
    return cut;
  }

 private:
  void pair(Index a, Index b) { twin_[a] = b, twin_[b] = a; }
  void part(Index a) {
    if (twin_[a] == kNone) return;
    twin_[twin_[a]] = kNone;
    twin_[a] = kNone;
  }
  // Whether the half-edge runs from the lower to the higher welded vertex.
  bool upward(Index c) const { return soup_.vertex[c] < soup_.vertex[SanitizeTriangles::next(c)]; }
  bool upward_now(Index c) const { return upward(c) != (flip_[c / 3] != 0); }

  void pair_all() {
    const EdgeTable edges = soup_.edges(soup_.vertex, static_cast<Index>(soup_.positions.size()));
    for (Index e = 0; e < edges.size(); ++e) {
      const auto around = edges.around(e);
      if (around.size() == 2) pair(around[0], around[1]);
      if (around.size() <= 2) continue;
      ++counts_.nonmanifold_edges;
      const auto ups = std::count_if(around.begin(), around.end(), [&](Index c) { return upward(c); });
      if (2 * static_cast<std::size_t>(ups) == around.size()) pair_solids(edges.ends[e], around);
      else pair_flattest(edges.ends[e], around);
    }
  }

  // The direction from the edge into the triangle, square to the edge, of unit length.
  Vec3 inward(const std::array<Index, 2>& ends, Index c) const {
    const Vec3 along = (soup_.positions[ends[1]] - soup_.positions[ends[0]]).normalized();
    const Vec3 to = soup_.at(SanitizeTriangles::prev(c)) - soup_.positions[ends[0]];
    return (to - along * along.dot(to)).normalized();
  }

  // Going round the edge, the solid lies between a triangle that runs downward and the next that runs upward: like
  // brackets.
  void pair_solids(const std::array<Index, 2>& ends, std::span<const Index> around) {
    const Vec3 along = (soup_.positions[ends[1]] - soup_.positions[ends[0]]).normalized();
    const Vec3 x = inward(ends, around[0]), y = along.cross(x);
    std::vector<std::pair<double, Index>> order;
    for (const Index c : around) {
      const Vec3 to = inward(ends, c);
      order.emplace_back(std::atan2(to.dot(y), to.dot(x)), c);
    }
    std::sort(order.begin(), order.end());
    std::vector<Index> waiting;
    for (std::size_t i = 0; i < 2 * order.size(); ++i) {  // Twice: brackets may close round the corner.
      const Index c = order[i % order.size()].second;
      if (twin_[c] != kNone) continue;
      if (!upward(c)) {
        if (i < order.size()) waiting.push_back(c);
      } else if (!waiting.empty()) {
        pair(c, waiting.back());
        waiting.pop_back();
      }
    }
  }

  void pair_flattest(const std::array<Index, 2>& ends, std::span<const Index> around) {
    struct Bend {
      double cosine;
      Index a, b;
    };
    std::vector<Vec3> directions;
    for (const Index c : around) directions.push_back(inward(ends, c));
    std::vector<Bend> bends;
    // An edge of very many triangles is no surface; the first ones stand for all.
    const std::size_t count = std::min<std::size_t>(around.size(), 64);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j) bends.push_back({directions[i].dot(directions[j]), around[j], around[i]});
    std::stable_sort(bends.begin(), bends.end(), [](const Bend& p, const Bend& q) { return p.cosine < q.cosine; });
    for (const Bend& bend : bends)
      if (twin_[bend.a] == kNone && twin_[bend.b] == kNone) pair(bend.a, bend.b);
  }

  // Neighbours agree, or are no neighbours any more.
  void flood() {
    std::vector<char> seen(soup_.size(), 0);
    std::vector<Index> queue;
    for (Index start = 0; start < soup_.size(); ++start) {
      if (seen[start]) continue;
      seen[start] = 1;
      queue.assign(1, start);
      for (std::size_t i = 0; i < queue.size(); ++i)
        for (Index c = 3 * queue[i]; c < 3 * queue[i] + 3; ++c) {
          if (twin_[c] == kNone) continue;
          const Index other = twin_[c] / 3;
          const bool agree = upward_now(c) != upward_now(twin_[c]);
          if (!seen[other]) {
            seen[other] = 1;
            if (!agree) flip_[other] = !flip_[other];
            queue.push_back(other);
          } else if (!agree) {
            ++counts_.twisted_edges;
            part(c);
          }
        }
    }
  }

  // Clean vertices: corners of one welded vertex, linked by partners.
  void number(ManifoldCut& cut) const {
    UnionFind sets(twin_.size());
    for (Index c = 0; c < twin_.size(); ++c) {
      const Index other = twin_[c];
      if (other == kNone || other < c) continue;
      const bool same_way = soup_.vertex[c] == soup_.vertex[other];
      sets.join(c, same_way ? other : SanitizeTriangles::next(other));
      sets.join(SanitizeTriangles::next(c), same_way ? SanitizeTriangles::next(other) : other);
    }
    std::vector<std::uint64_t> order;
    for (Index c = 0; c < twin_.size(); ++c)
      if (sets.find(c) == c) order.push_back((std::uint64_t{soup_.vertex[c]} << 32) | c);
    parallel_sort(order);
    cut.vertex.assign(twin_.size(), kNone);
    cut.vertex_count = 0;
    for (const std::uint64_t key : order) cut.vertex[static_cast<Index>(key)] = cut.vertex_count++;
    for (Index c = 0; c < twin_.size(); ++c) cut.vertex[c] = cut.vertex[sets.find(c)];
  }

  // Says whether anything was parted.
  bool part_bad_edges(const ManifoldCut& cut) {
    const EdgeTable edges = soup_.edges(cut.vertex, cut.vertex_count);
    bool changed = false;
    const auto detach = [&](Index triangle) {
      for (Index c = 3 * triangle; c < 3 * triangle + 3; ++c) part(c);
      changed = true;
    };
    for (Index e = 0; e < edges.size(); ++e) {
      const auto around = edges.around(e);
      if (around.size() == 2 && upward_now(around[0]) == upward_now(around[1])) detach(around[1] / 3);
      if (around.size() <= 2) continue;
      bool parted = false;
      for (const Index c : around) {
        parted |= twin_[c] != kNone;
        part(c);
      }
      changed |= parted;
      if (!parted)
        for (const Index c : around.subspan(2)) detach(c / 3);
    }
    return changed;
  }

  const SanitizeTriangles& soup_;
  SanitizeCounts& counts_;
  std::vector<Index> twin_;
  std::vector<char> flip_;
};

}  // namespace

ManifoldCut cut_to_manifold(const SanitizeTriangles& soup, SanitizeCounts& counts) {
  return ManifoldCutter(soup, counts).run();
}

}  // namespace sinew::geometry
