// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>
#include <queue>
#include <tuple>

#include "sinew/geometry/curves/curve_builder.h"

namespace sinew::geometry {
namespace {

/// A vertex beside a curve, and the half-edge that leads there: the nearest to a tip first. Of the half-edges to one
/// vertex that from the nearest, so that arcs do not depend on how vertices are numbered.
using RestSeed = std::tuple<double, Index, double, Index>;

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
      if (taken_[u] == kNone) queue.emplace(distance[u], u, distance[v], h);
      h = s_.edges.twin[s_.edges.prev[h]];
    }
  };
  const auto drain = [&] {
    while (!queue.empty()) {
      const auto [d, u, from, h] = queue.top();
      queue.pop();
      if (taken_[u] != kNone) continue;
      bool all_round = false;
      const std::vector<Index> arc = arc_through(h, all_round);
      // Where limbs come first, what closes here runs around the end of a limb, not around a tube.
      const Index id = commit(arc, all_round && rule_ == WalkRule::kFixedPlane, Curve::Kind::kRest);
      set_.curves[id].before = taken_[s_.from(h)];
      for (const Index v : arc) push_around(v);
    }
  };
  for (Index u = 0; u < s_.mesh.vertex_count(); ++u) {
    Index out = taken_[u] == kNone ? s_.out[u] : kNone;
    for (Index k = 0; out != kNone && k < s_.valence[u]; ++k) {
      const Index arriving = s_.edges.prev[out];
      const Index v = s_.from(arriving);
      if (taken_[v] != kNone) queue.emplace(distance[u], u, distance[v], arriving);
      out = s_.edges.twin[arriving];
    }
  }
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

/// Neighbours in chains, by their order.
static void link_chains(CurveSet& set) {
  const auto link = [&](const std::vector<Index>& ids) {
    for (std::size_t i = 1; i < ids.size(); ++i)
      set.curves[ids[i - 1]].after = ids[i], set.curves[ids[i]].before = ids[i - 1];
  };
  for (const CurveLimb& limb : set.limbs) link(limb.curves);
  for (const std::vector<Index>& trunk : set.trunks) link(trunk);
}

CurveSet CurveBuilder::finish() {
  // Curves that were dropped have no points.
  std::vector<Index> renamed(set_.curves.size(), kNone);
  const auto new_name = [&](Index id) { return id == kNone ? kNone : renamed[id]; };
  CurveSet result;
  result.points.reserve(set_.points.size());
  result.curves.reserve(set_.curves.size());
  const auto& first = s_.welding.first;
  std::vector<Index> point_at(first.size(), kNone);
  for (Index c = 0; c < set_.curves.size(); ++c) {
    Curve curve = set_.curves[c];
    if (curve.count == 0) continue;
    renamed[c] = static_cast<Index>(result.curves.size());
    const auto points = set_.of(curve);
    curve.first = static_cast<Index>(result.points.size());
    curve.before = new_name(curve.before);
    for (const CurvePoint& p : points) {
      if (p.a == p.b) point_at[p.a] = static_cast<Index>(result.points.size());
      result.points.push_back({first[p.a], first[p.b], p.t});
    }
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
  link_chains(result);
  result.curve_of.reserve(s_.welding.welded.size());
  result.point_of.reserve(s_.welding.welded.size());
  for (const Index v : s_.welding.welded) {
    const Index c = new_name(taken_[v]);
    result.curve_of.push_back(c);
    result.point_of.push_back(point_at[v]);
    result.uncovered += c == kNone ? 1 : 0;
  }
  return result;
}

}  // namespace sinew::geometry
