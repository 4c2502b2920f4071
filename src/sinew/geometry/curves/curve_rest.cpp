// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>
#include <queue>
#include <tuple>

#include "sinew/geometry/curves/curve_builder.h"

namespace sinew::geometry {
namespace {

/// A vertex beside a curve, and the half-edge that leads there: the nearest to a tip first.
using RestSeed = std::tuple<double, Index, Index>;

}  // namespace

/// The arc through the end of a half-edge that crosses a curve, parallel to that curve: to both sides until it meets
/// what is taken.
std::vector<Index> CurveBuilder::arc_through(Index half_edge, bool& all_round) {
  const Index u = s_.to(half_edge);
  const Vec3 normal = (s_.position(u) - s_.position(s_.from(half_edge))).normalized();
  const Index most = s_.mesh.vertex_count();
  const Index first = s_.edges.next[half_edge];
  std::vector<Index> vertices = {u};
  EdgeWalk ahead = walker_.walk(first, normal, taken_, rule_, most);
  for (const Index h : ahead.edges)
    if (s_.to(h) != u) vertices.push_back(s_.to(h));
  all_round = !ahead.edges.empty() && s_.to(ahead.edges.back()) == u;
  if (all_round) return vertices;
  // Backwards, with what was found taken, so that the arc does not meet itself.
  for (const Index v : vertices) taken_[v] = kNone - 1;
  taken_[u] = kNone;
  const Index other = s_.edges.twin[half_edge] == kNone ? kNone : s_.edges.prev[s_.edges.twin[half_edge]];
  std::vector<Index> back;
  if (other != kNone && s_.edges.twin[other] != kNone) {
    const EdgeWalk behind = walker_.walk(s_.edges.twin[other], normal, taken_, rule_, most);
    for (const Index h : behind.edges)
      if (s_.to(h) != u) back.push_back(s_.to(h));
  }
  std::reverse(back.begin(), back.end());
  back.insert(back.end(), vertices.begin(), vertices.end());
  return back;
}

void CurveBuilder::walk_rest() {
  std::priority_queue<RestSeed, std::vector<RestSeed>, std::greater<>> queue;
  const auto& distance = in_.tips.from_tip;
  const auto push_around = [&](Index v) {
    Index h = s_.out[v];
    for (Index k = 0; h != kNone && k < s_.valence[v]; ++k) {
      const Index u = s_.to(h);
      if (taken_[u] == kNone) queue.emplace(distance[u], u, h);
      h = s_.edges.twin[s_.edges.prev[h]];
    }
  };
  const auto drain = [&] {
    while (!queue.empty()) {
      const auto [d, u, h] = queue.top();
      queue.pop();
      if (taken_[u] != kNone) continue;
      bool all_round = false;
      const std::vector<Index> arc = arc_through(h, all_round);
      // Where limbs come first, what closes here runs around the end of a limb, not around a tube.
      commit(arc, all_round && rule_ == WalkRule::kFixedPlane, Curve::Kind::kRest);
      for (const Index v : arc) push_around(v);
    }
  };
  for (Index v = 0; v < s_.mesh.vertex_count(); ++v)
    if (taken_[v] != kNone) push_around(v);
  drain();
  // Components without any ring, and places that only boundaries reach.
  for (Index v = 0; v < s_.mesh.vertex_count(); ++v) {
    if (taken_[v] != kNone || s_.component[v] == kNone || in_.tips.middle[s_.component[v]] == kNone) continue;
    commit(std::vector<Index>{v}, false, Curve::Kind::kRest);
    push_around(v);
    drain();
  }
}

void CurveBuilder::walk_wave() {
  for (Index t = 0; t < in_.tips.tips.size(); ++t) {
    const LimbTip& tip = in_.tips.tips[t];
    for (const Index v : seed_path(tip)) {
      const Index h = quad_edge_at(v);
      if (h == kNone || taken_[v] != kNone) continue;
      const std::optional<RoundDirection> round = round_direction(s_, in_.scene, h);
      if (!round) continue;
      EdgeWalk ring = walker_.walk(round->half_edge, round->normal, taken_, rule_, s_.mesh.vertex_count());
      if (!ring.closed) continue;
      commit(ring, Curve::Kind::kLimb);
      set_.curves.back().chain = t;
      set_.limbs[t].curves.push_back(static_cast<Index>(set_.curves.size() - 1));
      break;
    }
  }
  walk_rest();
}

CurveSet CurveBuilder::finish() {
  // Curves that were dropped have no points.
  std::vector<Index> renamed(set_.curves.size(), kNone);
  CurveSet result;
  const auto& first = s_.welding.first;
  for (Index c = 0; c < set_.curves.size(); ++c) {
    Curve curve = set_.curves[c];
    if (curve.count == 0) continue;
    renamed[c] = static_cast<Index>(result.curves.size());
    const auto points = set_.of(curve);
    curve.first = static_cast<Index>(result.points.size());
    for (const CurvePoint& p : points) result.points.push_back({first[p.a], first[p.b], p.t});
    result.curves.push_back(curve);
  }
  result.limbs = std::move(set_.limbs);
  result.trunks = std::move(set_.trunks);
  result.findings = std::move(set_.findings);
  for (CurveLimb& limb : result.limbs) {
    limb.tip = first[limb.tip];
    for (Index& id : limb.curves) id = renamed[id];
  }
  for (std::vector<Index>& trunk : result.trunks)
    for (Index& id : trunk) id = renamed[id];
  for (const Index v : s_.welding.welded) {
    const Index c = taken_[v] == kNone ? kNone : renamed[taken_[v]];
    result.curve_of.push_back(c);
    result.uncovered += c == kNone ? 1 : 0;
  }
  return result;
}

}  // namespace sinew::geometry
