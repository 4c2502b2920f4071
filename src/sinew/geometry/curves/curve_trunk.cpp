// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/curve_measure.h"
#include "sinew/geometry/curves/curve_builder.h"

namespace sinew::geometry {
namespace {

constexpr std::size_t kLeastTrunkRings = 2;
constexpr Index kTrunkLevels = 24;

}  // namespace

/// Vertices from which what is between limbs can be reached, and per vertex its limb.
std::vector<Index> CurveBuilder::limb_borders(std::vector<Index>& limb) const {
  std::vector<Index> borders;
  const auto add = [&](Index v, Index t) {
    if (limb[v] == kNone) limb[v] = t, borders.push_back(v);
  };
  bool leveled = false;
  for (Index t = 0; t < set_.limbs.size(); ++t) {
    const std::vector<Index>& ids = set_.limbs[t].curves;
    leveled = leveled || set_.limbs[t].level_sets;
    if (ids.empty() || set_.limbs[t].level_sets) continue;
    // Rings between the first and the last have each other beside them.
    for (const Index id : {ids.front(), ids.back()})
      for (const CurvePoint& p : set_.of(set_.curves[id])) add(p.a, t);
  }
  for (Index v = 0; leveled && v < limb.size(); ++v)
    if (leveled_[v]) add(v, set_.curves[taken_[v]].chain);
  return borders;
}

/// Vertices on the shortest ways between limbs, a few of each.
std::vector<Index> CurveBuilder::between_limbs() const {
  const Index n = s_.mesh.vertex_count();
  const std::size_t limbs = set_.limbs.size();
  std::vector<Index> limb(n, kNone), parent(n, kNone), depth(n, 0), queue = limb_borders(limb);
  /// Of two limbs: the edge in the middle of the shortest way, and how long that is.
  struct Meeting {
    Index u = kNone, v = kNone, steps = kNone;
  };
  std::vector<Meeting> meetings(limbs * limbs);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const Index v = queue[i];
    for (Index k = in_.graph.offsets[v]; k < in_.graph.offsets[v + 1]; ++k) {
      const Index u = in_.graph.neighbours[k];
      if (in_.graph.across[k]) continue;
      if (limb[u] == kNone) {
        if (taken_[u] != kNone) continue;
        limb[u] = limb[v], parent[u] = v, depth[u] = depth[v] + 1;
        queue.push_back(u);
      } else if (limb[u] != limb[v]) {
        Meeting& meeting = meetings[std::min(limb[u], limb[v]) * limbs + std::max(limb[u], limb[v])];
        if (depth[u] + depth[v] < meeting.steps) meeting = {u, v, depth[u] + depth[v]};
      }
    }
  }
  std::vector<Index> candidates;
  for (const Meeting& meeting : meetings)
    for (const Index end : {meeting.u, meeting.v}) {
      std::vector<Index> path;
      for (Index v = end; v != kNone && taken_[v] == kNone; v = parent[v]) path.push_back(v);
      for (std::size_t k = 0; k < 3 && !path.empty(); ++k) candidates.push_back(path[k * (path.size() - 1) / 3]);
    }
  std::vector<Index> unique;
  for (const Index v : candidates)
    if (std::find(unique.begin(), unique.end(), v) == unique.end()) unique.push_back(v);
  return unique;
}

/// Whether there is a tip on either side.
bool CurveBuilder::separates_tips(const EdgeWalk& ring) {
  const auto& tips = in_.tips.tips;
  const Index part = s_.component[s_.from(ring.edges.front())];
  const auto in_part = [&](const LimbTip& tip) { return s_.component[tip.vertex] == part; };
  const auto first = std::find_if(tips.begin(), tips.end(), in_part);
  if (first == tips.end()) return false;
  const Index mark = ++floods_;
  for (const Index h : ring.edges) flooded_[s_.from(h)] = mark;
  queue_.assign(1, first->vertex);
  if (flooded_[queue_.front()] == mark) return false;
  flooded_[queue_.front()] = mark;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const Index v = queue_[i];
    for (Index k = in_.graph.offsets[v]; k < in_.graph.offsets[v + 1]; ++k) {
      const Index u = in_.graph.neighbours[k];
      if (in_.graph.across[k] || flooded_[u] == mark) continue;
      flooded_[u] = mark;
      queue_.push_back(u);
    }
  }
  return std::any_of(first, tips.end(),
                     [&](const LimbTip& tip) { return in_part(tip) && flooded_[tip.vertex] != mark; });
}

std::optional<std::pair<EdgeWalk, CurveBuilder::Rings>> CurveBuilder::best_trunk(const std::vector<Index>& candidates) {
  std::optional<std::pair<EdgeWalk, Rings>> best;
  std::size_t most = kLeastTrunkRings - 1;
  std::vector<char> tried(s_.edges.size(), 0);  // Half-edges of rings that were found from earlier candidates.
  const auto remember = [&](const EdgeWalk& way) {
    for (const Index h : way.edges) tried[h] = tried[s_.edges.twin[h]] = 1;
  };
  for (const Index v : candidates) {
    const Index h = quad_edge_at(v);
    if (h == kNone || s_.edges.twin[s_.edges.prev[h]] == kNone) continue;
    for (const Index start : {h, s_.edges.twin[s_.edges.prev[h]]}) {
      const Vec3 normal = (s_.position(s_.to(start == h ? s_.edges.twin[s_.edges.prev[h]] : h)) - s_.position(v));
      if (tried[start]) continue;
      EdgeWalk ring = walker_.walk(start, normal.normalized(), taken_, WalkRule::kStraight, s_.mesh.vertex_count());
      if (!ring.around_tube() || ring.edges.size() < 4) continue;
      remember(ring);
      if (!separates_tips(ring)) continue;
      Rings rings = march_both(ring);
      take(ring, kNone);
      for (const auto* side : {&rings.left, &rings.right})
        for (const EdgeWalk& way : *side) take(way, kNone), remember(way);
      const std::size_t count = 1 + rings.left.size() + rings.right.size();
      if (count <= most) continue;
      most = count;
      best.emplace(std::move(ring), std::move(rings));
    }
  }
  return best;
}

void CurveBuilder::walk_trunk() {
  constexpr int kMostChains = 16;
  for (int chain = 0; chain < kMostChains; ++chain) {
    const auto best = best_trunk(between_limbs());
    if (!best) return;
    add_trunk(best->first, best->second);
  }
}

/// For each limb the vertices of it that the given ones touch.
std::vector<std::vector<Index>> CurveBuilder::touched_limbs(const std::vector<Index>& vertices) const {
  std::vector<std::vector<Index>> seams(set_.limbs.size());
  std::vector<char> in_seam(s_.mesh.vertex_count(), 0);
  for (const Index v : vertices)
    for (Index k = in_.graph.offsets[v]; k < in_.graph.offsets[v + 1]; ++k) {
      const Index u = in_.graph.neighbours[k];
      if (taken_[u] == kNone || in_seam[u]) continue;
      const Curve& curve = set_.curves[taken_[u]];
      if (curve.kind != Curve::Kind::kLimb) continue;
      in_seam[u] = 1;
      seams[curve.chain].push_back(u);
    }
  return seams;
}

void CurveBuilder::add_trunk_levels(const LevelSets& found) {
  std::vector<Index> ids;
  std::vector<double> levels;
  for (const LevelCurve& level : found.curves) {
    if (!level.closed) continue;
    Curve curve;
    curve.first = static_cast<Index>(set_.points.size());
    curve.count = static_cast<Index>(level.points.size());
    curve.closed = true;
    curve.kind = Curve::Kind::kTrunk;
    curve.chain = 0;
    curve.order = static_cast<Index>(ids.size());
    set_.points.insert(set_.points.end(), level.points.begin(), level.points.end());
    ids.push_back(static_cast<Index>(set_.curves.size()));
    levels.push_back(level.level);
    set_.curves.push_back(curve);
  }
  if (ids.empty()) return;
  for (std::size_t i = 0; i < found.vertices.size(); ++i) {
    const Index v = found.vertices[i];
    if (taken_[v] != kNone) continue;
    std::size_t best = 0;
    for (std::size_t k = 1; k < levels.size(); ++k)
      if (std::abs(levels[k] - found.values[i]) < std::abs(levels[best] - found.values[i])) best = k;
    taken_[v] = ids[best];
  }
  set_.trunks.push_back(std::move(ids));
}

void CurveBuilder::level_trunk(const LevelSurface& surface) {
  if (!set_.trunks.empty()) return;
  std::vector<Index> domain;
  Vec3 middle = Vec3::Zero();
  for (Index v = 0; v < s_.mesh.vertex_count(); ++v)
    if (taken_[v] == kNone && s_.component[v] != kNone && in_.tips.middle[s_.component[v]] != kNone)
      domain.push_back(v), middle += s_.position(v);
  if (domain.size() < 16 || set_.limbs.size() < 2) return;
  middle /= static_cast<double>(domain.size());
  Mat3 spread = Mat3::Zero();
  for (const Index v : domain) spread += (s_.position(v) - middle) * (s_.position(v) - middle).transpose();
  const Vec3 axis = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors().col(2);
  const std::vector<std::vector<Index>> seams = touched_limbs(domain);
  std::vector<double> along(seams.size(), 0);
  double low_end = std::numeric_limits<double>::infinity(), high_end = -low_end;
  for (std::size_t t = 0; t < seams.size(); ++t) {
    for (const Index v : seams[t]) along[t] += axis.dot(s_.position(v) - middle) / static_cast<double>(seams[t].size());
    if (!seams[t].empty()) low_end = std::min(low_end, along[t]), high_end = std::max(high_end, along[t]);
  }
  // Limbs at the two ends of the trunk hold the function; those between them, such as arms, leave it free.
  std::vector<Index> low, high;
  for (std::size_t t = 0; t < seams.size(); ++t) {
    const double at = (along[t] - low_end) / std::max(high_end - low_end, 1e-12 * s_.size);
    auto* side = at < 0.2 ? &low : (at > 0.8 ? &high : nullptr);
    if (!side) continue;
    side->insert(side->end(), seams[t].begin(), seams[t].end());
    domain.insert(domain.end(), seams[t].begin(), seams[t].end());
  }
  if (low.empty() || high.empty()) return;
  add_trunk_levels(level_sets(surface, domain, low, high, kTrunkLevels));
}

}  // namespace sinew::geometry
