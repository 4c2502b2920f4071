// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/open_part.h"

#include <algorithm>
#include <utility>

#include "sinew/geometry/mesh/union_find.h"

namespace sinew::deform {
namespace {

constexpr double kBandReach = 2.5;       ///< Radii of a border, within which the skin beyond it counts.
constexpr double kSharedHole = 0.1;      ///< Of the main neighbour's skin, from which on another one shares a hole.
constexpr double kLeastAdjacent = 0.05;  ///< Mean weight of neighbours beyond a border that is one of a joint.
constexpr int kMostAutomaticRings = 2;
constexpr double kMostPeeled = 0.3;  ///< Of the triangles of a part, that peeling may remove by itself.

using Edge = std::pair<Index, Index>;
using Triangle = std::array<Index, 3>;

/// The triangle at the left of each directed edge. Triangles that would share one are left out: they are not manifold.
std::map<Edge, Index> edge_map(std::vector<Triangle>& triangles) {
  std::map<Edge, Index> edges;
  std::vector<Triangle> kept;
  for (const Triangle& t : triangles) {
    bool free = true;
    for (std::size_t k = 0; k < 3; ++k) free = free && !edges.contains({t[k], t[(k + 1) % 3]});
    if (!free) continue;
    for (std::size_t k = 0; k < 3; ++k) edges[{t[k], t[(k + 1) % 3]}] = static_cast<Index>(kept.size());
    kept.push_back(t);
  }
  triangles = std::move(kept);
  return edges;
}

Index third(const Triangle& t, Index a, Index b) {
  for (const Index v : t)
    if (v != a && v != b) return v;
  return kNone;
}

/// The border edge after a → b, around the fan of triangles at b.
Edge next_border(const std::vector<Triangle>& triangles, const std::map<Edge, Index>& edges, Edge at) {
  const Index b = at.second;
  Index t = edges.at(at), from = at.first;
  for (std::size_t guard = 0; guard <= triangles.size(); ++guard) {
    const Index c = third(triangles[t], from, b);
    const auto twin = edges.find({c, b});
    if (twin == edges.end()) return {b, c};
    t = twin->second, from = c;
  }
  return at;
}

/// Loops that pass no vertex twice.
std::vector<std::vector<Index>> simple_loops(const std::vector<Index>& loop) {
  std::vector<std::vector<Index>> result;
  std::vector<Index> stack;
  for (const Index v : loop) {
    const auto seen = std::find(stack.begin(), stack.end(), v);
    if (seen != stack.end()) {
      result.emplace_back(seen, stack.end());
      stack.erase(seen, stack.end());
    }
    stack.push_back(v);
  }
  result.push_back(std::move(stack));
  return result;
}

}  // namespace

/// Triangles by vertices of the skin, with the loops around them.
struct PartCutter::Cut {
  std::vector<Triangle> triangles;
  std::vector<char> member;
  std::vector<std::vector<Index>> loops;
  std::vector<PartHole> holes;
  std::map<Index, int> peeled;  ///< Rings, by the part at the other side.
};

PartCutter::PartCutter(const SkinSurface& surface, const Partition& partition, std::span<const PartBones> bones,
                       std::span<const Mat4> bind)
    : surface_(surface), partition_(partition), bones_(bones), bind_(bind), owner_(surface.size(), kNone) {
  for (Index p = 0; p < partition.parts.size(); ++p)
    for (const Index v : partition.parts[p].vertices)
      if (owner_[v] == kNone) owner_[v] = p;
}

HoleBone PartCutter::bone_to(Index part, Index partner) const {
  HoleBone bone{partner, Vec3::Zero(), Vec3::Zero()};
  if (partition_.parts[partner].parent == part) {
    bone.joint = place(partner);
    bone.far = place(part);
  } else {
    Vec3 mean = Vec3::Zero();
    for (const auto& [a, b] : bones_[part].segments)
      mean += (b - a) / static_cast<double>(bones_[part].segments.size());
    bone.joint = place(part);
    bone.far = bone.joint + mean;
  }
  return bone;
}

void PartCutter::find_loops(Cut& cut) const {
  const std::map<Edge, Index> edges = edge_map(cut.triangles);
  std::map<Edge, char> done;
  cut.loops.clear();
  for (const auto& [edge, triangle] : edges) {
    if (edges.contains({edge.second, edge.first}) || done.contains(edge)) continue;
    std::vector<Index> loop;
    for (Edge at = edge; !done.contains(at); at = next_border(cut.triangles, edges, at)) {
      done[at] = 1;
      loop.push_back(at.first);
    }
    for (std::vector<Index>& simple : simple_loops(loop))
      if (simple.size() >= 3) cut.loops.push_back(std::move(simple));
  }
}

void PartCutter::assign(Index part, Cut& cut, std::vector<Index>& loop, PartHole& hole) const {
  Vec3 middle = Vec3::Zero();
  for (const Index v : loop) middle += surface_.positions[v] / static_cast<double>(loop.size());
  double reach = 0;
  for (const Index v : loop)
    reach += kBandReach * (surface_.positions[v] - middle).norm() / static_cast<double>(loop.size());
  std::map<Index, double> votes;
  std::vector<Index> queue = loop;
  std::map<Index, char> seen;
  for (const Index v : loop) seen[v] = 1;
  double reached = 0;
  for (std::size_t q = 0; q < queue.size(); ++q)
    for (const Index v : surface_.rings[queue[q]]) {
      if (cut.member[v] != 0 || seen.contains(v) || (surface_.positions[v] - middle).norm() > reach) continue;
      seen[v] = 1;
      reached += 1;
      for (const Influence& influence : surface_.rows[v]) {
        const Index other = partition_.part_of_joint[influence.joint];
        if (other == kNone || other == part) continue;
        if (partition_.parts[other].parent == part || partition_.parts[part].parent == other)
          votes[other] += static_cast<double>(influence.weight);
      }
      if (owner_[v] == kNone || owner_[v] == part) queue.push_back(v);
    }
  double most = 0;
  Index main = kNone;
  for (const auto& [other, votes_of] : votes)
    if (votes_of > most) most = votes_of, main = other;
  if (main == kNone || most < kLeastAdjacent * reached) {
    hole.reason = "no neighbouring part moves the skin beyond it";
    return;
  }
  hole.bones.push_back(bone_to(part, main));
  for (const auto& [other, votes_of] : votes)
    if (other != main && votes_of > kSharedHole * most) hole.bones.push_back(bone_to(part, other));
  for (const Index v : loop) {
    const double distance = (surface_.positions[v] - foot_on(hole.bones.front(), surface_.positions[v]).point).norm();
    hole.radius = std::max(hole.radius, distance);
    hole.mean_radius += distance / static_cast<double>(loop.size());
  }
}

void PartCutter::find_holes(Index part, Cut& cut) const {
  find_loops(cut);
  cut.holes.clear();
  for (std::vector<Index>& loop : cut.loops) {
    cut.holes.emplace_back();
    assign(part, cut, loop, cut.holes.back());
  }
}

bool PartCutter::peel_ring(Cut& cut, const std::map<Index, int>& peel, std::size_t whole) const {
  std::vector<char> remove(surface_.size(), 0);
  bool any = false;
  for (std::size_t h = 0; h < cut.holes.size(); ++h) {
    if (!cut.holes[h].at_joint()) continue;
    const HoleBone& bone = cut.holes[h].bones.front();
    double ahead = 0;
    for (const Index v : cut.loops[h])
      ahead += (surface_.positions[v] - bone.joint).dot(bone.outward()) / static_cast<double>(cut.loops[h].size());
    const auto asked = peel.find(bone.partner);
    const bool room = static_cast<double>(cut.triangles.size()) > (1 - kMostPeeled) * static_cast<double>(whole);
    const int done = cut.peeled[bone.partner];
    if (asked != peel.end() ? done >= asked->second : !(ahead > 0 && room && done < kMostAutomaticRings)) continue;
    for (const Index v : cut.loops[h]) remove[v] = 1;
    ++cut.peeled[bone.partner];
    any = true;
  }
  if (!any) return false;
  std::vector<Triangle> less;
  for (const Triangle& t : cut.triangles)
    if (remove[t[0]] == 0 && remove[t[1]] == 0 && remove[t[2]] == 0) less.push_back(t);
  if (less.empty()) return false;
  cut.triangles = std::move(less);
  for (std::size_t v = 0; v < remove.size(); ++v)
    if (remove[v] != 0) cut.member[v] = 0;
  return true;
}

ClosedPart PartCutter::largest_piece(Cut& cut) const {
  geometry::UnionFind sets(surface_.size());
  for (const Triangle& t : cut.triangles) sets.join(t[0], t[1]), sets.join(t[0], t[2]);
  std::map<Index, double> areas;
  for (std::size_t h = 0; h < cut.holes.size(); ++h)
    if (cut.holes[h].at_joint()) areas[sets.find(cut.loops[h].front())] = 0;
  for (const Triangle& t : cut.triangles)
    if (const auto area = areas.find(sets.find(t[0])); area != areas.end()) {
      const Vec3& a = surface_.positions[t[0]];
      area->second += (surface_.positions[t[1]] - a).cross(surface_.positions[t[2]] - a).norm();
    }
  ClosedPart result;
  if (areas.empty()) return result;
  const auto smaller = [](const auto& a, const auto& b) { return a.second < b.second; };
  const Index chosen = std::max_element(areas.begin(), areas.end(), smaller)->first;
  std::map<Index, Index> number;
  for (const Triangle& t : cut.triangles) {
    if (sets.find(t[0]) != chosen) continue;
    Triangle own{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [at, added] = number.emplace(t[k], static_cast<Index>(result.positions.size()));
      if (added) result.positions.push_back(surface_.positions[t[k]]), result.source.push_back(t[k]);
      own[k] = at->second;
    }
    result.triangles.push_back(own);
  }
  for (std::size_t h = 0; h < cut.holes.size(); ++h) {
    if (sets.find(cut.loops[h].front()) != chosen) continue;
    PartHole hole = std::move(cut.holes[h]);
    for (const Index v : cut.loops[h]) hole.loop.push_back(number.at(v));
    if (hole.at_joint()) hole.peeled = cut.peeled[hole.bones.front().partner];
    result.holes.push_back(std::move(hole));
  }
  result.fixed_vertices = static_cast<Index>(result.positions.size());
  result.fixed_triangles = static_cast<Index>(result.triangles.size());
  return result;
}

ClosedPart PartCutter::cut(Index part, const std::map<Index, int>& peel) const {
  Cut cut;
  cut.member.assign(surface_.size(), 0);
  for (const Index v : partition_.parts[part].vertices) cut.member[v] = 1;
  for (const Triangle& t : surface_.triangles)
    if (cut.member[t[0]] != 0 && cut.member[t[1]] != 0 && cut.member[t[2]] != 0) cut.triangles.push_back(t);
  const std::size_t whole = cut.triangles.size();
  do find_holes(part, cut);
  while (peel_ring(cut, peel, whole));
  return largest_piece(cut);
}

}  // namespace sinew::deform
