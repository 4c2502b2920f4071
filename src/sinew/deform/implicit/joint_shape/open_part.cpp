// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/open_part.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "sinew/geometry/mesh/union_find.h"

namespace sinew::deform {
namespace {

constexpr double kBandReach = 2.5;       ///< Radii of a border, within which the skin beyond it counts.
constexpr double kSharedHole = 0.1;      ///< Of the main neighbour's skin, from which on another one shares a hole.
constexpr double kLeastAdjacent = 0.05;  ///< Mean weight of neighbours beyond a border that is one of a joint.
constexpr double kJointWithin = 1;       ///< Radii from the middle of a border, of a joint that it is at.
constexpr int kMostAutomaticRings = 2;
constexpr double kMostPeeled = 0.3;    ///< Of the triangles of a part, that peeling may remove by itself.
constexpr std::size_t kOwnBorder = 5;  ///< Vertices of a border that a joint can be fitted at.
constexpr std::array kMargins = {0.3, 0.15, 0.0};
/// Cuts keep this share of an edge from its ends: weights that are equal at a vertex would make edges without length.
constexpr double kEdgeEnd = 0.1;

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

/// A piece of the skin with the loops around it.
struct PartCutter::Cut {
  /// A vertex of the piece: one of the skin, or a point of an edge of it.
  struct Vertex {
    Vec3 position;
    Index inside, outside;  ///< Of the skin; the vertex itself is `inside`, without `outside`.
  };
  std::vector<Vertex> vertices;
  std::vector<Triangle> triangles;
  std::vector<char> member;  ///< Of the skin.
  std::vector<std::vector<Index>> loops;
  std::vector<PartHole> holes;
  std::map<Index, int> peeled;  ///< Rings, by the part at the other side.
};

PartCutter::PartCutter(const SkinSurface& surface, const Partition& partition, std::span<const PartBones> bones,
                       std::span<const Mat4> bind, std::span<const Index> owners)
    : surface_(surface),
      partition_(partition),
      bones_(bones),
      bind_(bind),
      owner_(surface.size(), kNone),
      shares_(surface.size()),
      owned_(!owners.empty()) {
  for (Index p = 0; p < partition.parts.size(); ++p)
    for (const Index v : partition.parts[p].vertices)
      if (owner_[v] == kNone) owner_[v] = p;
  for (Index v = 0; v < surface.size(); ++v) {
    std::map<Index, double> sums;
    for (const Influence& influence : surface.rows[v])
      if (const Index part = partition.part_of_joint[influence.joint]; part != kNone)
        sums[part] += static_cast<double>(influence.weight);
    shares_[v].assign(sums.begin(), sums.end());
  }
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

/// By how much a part moves each vertex more than any other part does.
std::vector<double> PartCutter::margins_of(Index part) const {
  std::vector<double> margins(surface_.size(), -1);
  for (Index v = 0; v < surface_.size(); ++v) {
    if (owned_) {
      margins[v] = owner_[v] == part ? 1 : -1;
      continue;
    }
    double own = 0, other = 0;
    for (const auto& [p, weight] : shares_[v]) {
      if (p == part) own = weight;
      else other = std::max(other, weight);
    }
    if (own > 0) margins[v] = own - other;
  }
  return margins;
}

PartCutter::Cut PartCutter::clip(const std::vector<double>& margins, double least) const {
  Cut cut;
  cut.member.assign(surface_.size(), 0);
  for (Index v = 0; v < surface_.size(); ++v) cut.member[v] = margins[v] > least ? 1 : 0;
  std::map<Edge, Index> number;
  const auto vertex = [&](Index inside, Index outside) {
    const auto [at, added] = number.emplace(Edge(inside, outside), static_cast<Index>(cut.vertices.size()));
    if (added) {
      Vec3 p = surface_.positions[inside];
      if (outside != kNone) {
        const double t = (margins[inside] - least) / (margins[inside] - margins[outside]);
        p += std::clamp(t, kEdgeEnd, 1 - kEdgeEnd) * (surface_.positions[outside] - p);
      }
      cut.vertices.push_back({p, inside, outside});
    }
    return at->second;
  };
  for (const Triangle& t : surface_.triangles) {
    const int inside = cut.member[t[0]] + cut.member[t[1]] + cut.member[t[2]];
    if (inside == 0) continue;
    // Turned such that the corner that differs from both others is the first.
    std::size_t k = 0;
    while (inside != 3 && (cut.member[t[k]] != 0) != (inside == 1)) ++k;
    const Index a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
    if (inside == 3) cut.triangles.push_back({vertex(a, kNone), vertex(b, kNone), vertex(c, kNone)});
    if (inside == 1) cut.triangles.push_back({vertex(a, kNone), vertex(a, b), vertex(a, c)});
    if (inside != 2) continue;
    const Index vb = vertex(b, kNone), vc = vertex(c, kNone), ba = vertex(b, a), ca = vertex(c, a);
    const auto gap = [&](Index x, Index y) {
      return (cut.vertices[x].position - cut.vertices[y].position).squaredNorm();
    };
    if (gap(vb, ca) < gap(vc, ba)) cut.triangles.insert(cut.triangles.end(), {{vb, vc, ca}, {vb, ca, ba}});
    else cut.triangles.insert(cut.triangles.end(), {{vb, vc, ba}, {vc, ca, ba}});
  }
  return cut;
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

/// Weights of neighbouring parts on the skin beyond a border, as far as no other part begins, and how many vertices
/// that skin has.
std::map<Index, double> PartCutter::votes_beyond(Index part, const Cut& cut, const std::vector<Index>& loop,
                                                 double& reached) const {
  Vec3 middle = Vec3::Zero();
  for (const Index v : loop) middle += cut.vertices[v].position / static_cast<double>(loop.size());
  double reach = 0;
  for (const Index v : loop)
    reach += kBandReach * (cut.vertices[v].position - middle).norm() / static_cast<double>(loop.size());
  std::map<Index, double> votes;
  std::vector<Index> queue;
  std::map<Index, char> seen;
  const auto visit = [&](Index v) {
    if (cut.member[v] != 0 || seen.contains(v) || (surface_.positions[v] - middle).norm() > reach) return;
    seen[v] = 1;
    reached += 1;
    for (const auto& [other, weight] : shares_[v])
      if (partition_.parts[other].parent == part || partition_.parts[part].parent == other) votes[other] += weight;
    if (owner_[v] == kNone || owner_[v] == part) queue.push_back(v);
  };
  for (const Index v : loop) {
    if (cut.vertices[v].outside != kNone) visit(cut.vertices[v].outside);
    else
      for (const Index next : surface_.rings[cut.vertices[v].inside]) visit(next);
  }
  for (std::size_t q = 0; q < queue.size(); ++q)
    for (const Index v : surface_.rings[queue[q]]) visit(v);
  return votes;
}

/// The neighbour whose joint is close to the middle of a border, where the skin of two parts is not connected, as of a
/// sleeve and an arm; kNone if there is none.
Index PartCutter::joint_within(Index part, const Cut& cut, const std::vector<Index>& loop) const {
  Vec3 middle = Vec3::Zero();
  for (const Index v : loop) middle += cut.vertices[v].position / static_cast<double>(loop.size());
  double least = 0;
  for (const Index v : loop)
    least += kJointWithin * (cut.vertices[v].position - middle).norm() / static_cast<double>(loop.size());
  Index best = kNone;
  for (Index other = 0; other < partition_.parts.size(); ++other) {
    if (partition_.parts[other].parent != part && partition_.parts[part].parent != other) continue;
    const double distance = (bone_to(part, other).joint - middle).norm();
    if (distance < least) least = distance, best = other;
  }
  return best;
}

void PartCutter::assign(Index part, const Cut& cut, const std::vector<Index>& loop, PartHole& hole) const {
  double reached = 0;
  const std::map<Index, double> votes = votes_beyond(part, cut, loop, reached);
  double most = 0;
  Index main = kNone;
  for (const auto& [other, votes_of] : votes)
    if (votes_of > most) most = votes_of, main = other;
  const bool votes_count = main != kNone && most >= kLeastAdjacent * reached;
  if (!votes_count) main = joint_within(part, cut, loop);
  if (main == kNone) {
    hole.reason = "no neighbouring part moves the skin beyond it";
    return;
  }
  hole.bones.push_back(bone_to(part, main));
  for (const auto& [other, votes_of] : votes)
    if (votes_count && other != main && votes_of > kSharedHole * most) hole.bones.push_back(bone_to(part, other));
  for (const Index v : loop) {
    const Vec3& p = cut.vertices[v].position;
    const double distance = (p - foot_on(hole.bones.front(), p).point).norm();
    hole.radius = std::max(hole.radius, distance);
    hole.mean_radius += distance / static_cast<double>(loop.size());
  }
}

void PartCutter::find_holes(Index part, Cut& cut) const {
  find_loops(cut);
  cut.holes.clear();
  for (const std::vector<Index>& loop : cut.loops) {
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
      ahead += (cut.vertices[v].position - bone.joint).dot(bone.outward()) / static_cast<double>(cut.loops[h].size());
    const auto asked = peel.find(bone.partner);
    const bool room = static_cast<double>(cut.triangles.size()) > (1 - kMostPeeled) * static_cast<double>(whole);
    const int done = cut.peeled[bone.partner];
    if (asked != peel.end() ? done >= asked->second : !(ahead > 0 && room && done < kMostAutomaticRings)) continue;
    // With the triangles that were cut goes the vertex of the skin that they begin at.
    for (const Index v : cut.loops[h]) remove[cut.vertices[v].inside] = 1;
    ++cut.peeled[bone.partner];
    any = true;
  }
  if (!any) return false;
  std::vector<Triangle> less;
  for (const Triangle& t : cut.triangles)
    if (std::none_of(t.begin(), t.end(), [&](Index v) { return remove[cut.vertices[v].inside] != 0; }))
      less.push_back(t);
  if (less.empty()) return false;
  cut.triangles = std::move(less);
  for (std::size_t v = 0; v < remove.size(); ++v)
    if (remove[v] != 0) cut.member[v] = 0;
  return true;
}

int PartCutter::rings_peeled(const Cut& cut, Index partner) {
  const auto found = cut.peeled.find(partner);
  return found == cut.peeled.end() ? 0 : found->second;
}

/// The piece with borders of its own for the most neighbours; of several the largest.
ClosedPart PartCutter::best_piece(const Cut& cut) {
  geometry::UnionFind sets(static_cast<Index>(cut.vertices.size()));
  for (const Triangle& t : cut.triangles) sets.join(t[0], t[1]), sets.join(t[0], t[2]);
  std::map<Index, std::pair<std::size_t, double>> pieces;  // Neighbours and area.
  std::map<Index, std::map<Index, char>> partners;
  for (std::size_t h = 0; h < cut.holes.size(); ++h) {
    if (!cut.holes[h].at_joint()) continue;
    auto& of_piece = partners[sets.find(cut.loops[h].front())];
    if (cut.loops[h].size() >= kOwnBorder) of_piece[cut.holes[h].bones.front().partner] = 1;
  }
  for (const auto& [piece, own] : partners) pieces[piece] = {own.size(), 0};
  for (const Triangle& t : cut.triangles)
    if (const auto piece = pieces.find(sets.find(t[0])); piece != pieces.end()) {
      const Vec3& a = cut.vertices[t[0]].position;
      piece->second.second += (cut.vertices[t[1]].position - a).cross(cut.vertices[t[2]].position - a).norm();
    }
  ClosedPart result;
  if (pieces.empty()) return result;
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const Index chosen = std::max_element(pieces.begin(), pieces.end(), less)->first;
  std::map<Index, Index> number;
  for (const Triangle& t : cut.triangles) {
    if (sets.find(t[0]) != chosen) continue;
    Triangle own{};
    for (std::size_t k = 0; k < 3; ++k) {
      const Cut::Vertex& vertex = cut.vertices[t[k]];
      const auto [at, added] = number.emplace(t[k], static_cast<Index>(result.positions.size()));
      if (added) {
        result.positions.push_back(vertex.position);
        result.source.push_back(vertex.outside == kNone ? vertex.inside : kNone);
      }
      own[k] = at->second;
    }
    result.triangles.push_back(own);
  }
  for (std::size_t h = 0; h < cut.holes.size(); ++h) {
    if (sets.find(cut.loops[h].front()) != chosen) continue;
    PartHole hole = cut.holes[h];
    for (const Index v : cut.loops[h]) hole.loop.push_back(number.at(v));
    if (hole.at_joint()) hole.peeled = rings_peeled(cut, hole.bones.front().partner);
    result.holes.push_back(std::move(hole));
  }
  result.fixed_vertices = static_cast<Index>(result.positions.size());
  result.fixed_triangles = static_cast<Index>(result.triangles.size());
  return result;
}

std::size_t own_borders(const ClosedPart& part) {
  std::map<Index, char> partners;
  for (const PartHole& hole : part.holes)
    if (hole.at_joint() && hole.loop.size() >= kOwnBorder) partners[hole.bones.front().partner] = 1;
  return partners.size();
}

ClosedPart PartCutter::cut(Index part, const std::map<Index, int>& peel) const {
  std::size_t neighbours = partition_.parts[part].parent == kNone ? 0 : 1;
  for (const Partition::Part& other : partition_.parts) neighbours += other.parent == part ? 1 : 0;
  const std::vector<double> margins = margins_of(part);
  ClosedPart best;
  std::vector<double> levels = {std::max(0.0, 2 * partition_.parts[part].threshold - 1)};
  for (const double level : kMargins)
    if (level < levels.front()) levels.push_back(level);
  if (owned_) levels = {0};
  for (const double level : levels) {
    Cut cut = clip(margins, level);
    const std::size_t whole = cut.triangles.size();
    ClosedPart piece;
    do {
      find_holes(part, cut);
      ClosedPart peeled = best_piece(cut);
      // What nobody asked for must not cost a border.
      if (!piece.empty() && peel.empty() && own_borders(peeled) < own_borders(piece)) break;
      piece = std::move(peeled);
    } while (peel_ring(cut, peel, whole));
    piece.margin = level;
    if (best.empty() || own_borders(piece) > own_borders(best)) best = std::move(piece);
    if (own_borders(best) == neighbours) break;
  }
  return best;
}

}  // namespace sinew::deform
