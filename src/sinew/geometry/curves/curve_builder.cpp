// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/curves/curve_builder.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sinew/core/curve_measure.h"

namespace sinew::geometry {
namespace {

constexpr std::size_t kMostSeeds = 8;
constexpr double kMostDoubt = 0.7;
constexpr double kMostGrowth = 1.6;
constexpr std::size_t kRemembered = 5;  // Rings whose median the growth refers to.
constexpr std::size_t kLeastRings = 3;  // Heads of coarse figures have no more.
// Regions reach into the body, so that a limb is shorter than its region. With five rings and 60 %, limbs of coarse
// figures on wide bodies would lose their rings.
constexpr double kLeastSpan = 0.4;
constexpr double kLeastShare = 0.25;  // Of the region: rings around a beak alone are not those of a neck.
constexpr Index kTrial = kNone - 1;   // The curve of vertices that are taken for a trial only.

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

CurveBuilder::CurveBuilder(const CurveInput& input, const CurveOptions& options)
    : in_(input),
      s_(input.surface),
      walker_(input.surface),
      rule_(options.walk == CurveWalk::kPaper ? WalkRule::kFixedPlane : WalkRule::kStraight),
      taken_(input.surface.mesh.vertex_count(), kNone),
      flooded_(input.surface.mesh.vertex_count(), 0),
      leveled_(input.surface.mesh.vertex_count(), 0) {
  for (const LimbTip& tip : in_.tips.tips) {
    CurveLimb limb;
    limb.tip = tip.vertex;
    limb.length = tip.length;
    limb.radius = tip.radius;
    limb.persistence = tip.persistence;
    set_.limbs.push_back(limb);
  }
  set_.points.reserve(input.surface.mesh.vertex_count());
}

void CurveBuilder::take(const EdgeWalk& way, Index id) {
  for (const Index h : way.edges) taken_[s_.from(h)] = id;
}

Index CurveBuilder::begin_curve(std::size_t count, bool closed, Curve::Kind kind) {
  Curve curve;
  curve.first = static_cast<Index>(set_.points.size());
  curve.count = static_cast<Index>(count);
  curve.closed = closed;
  curve.kind = kind;
  set_.curves.push_back(curve);
  return static_cast<Index>(set_.curves.size() - 1);
}

void CurveBuilder::add_vertex(Index v, Index id) {
  set_.points.push_back({v, v, 0});
  taken_[v] = id;
}

Index CurveBuilder::commit(const EdgeWalk& way, Curve::Kind kind) {
  const Index id = begin_curve(way.edges.size(), way.closed, kind);
  for (const Index h : way.edges) add_vertex(s_.from(h), id);
  return id;
}

Index CurveBuilder::commit(const std::vector<Index>& vertices, bool closed, Curve::Kind kind) {
  const Index id = begin_curve(vertices.size(), closed, kind);
  for (const Index v : vertices) add_vertex(v, id);
  return id;
}

double CurveBuilder::perimeter(const EdgeWalk& way) const {
  double sum = 0;
  for (const Index h : way.edges) sum += (s_.position(s_.to(h)) - s_.position(s_.from(h))).norm();
  return sum;
}

/// Down the field from the tip, from where the limb is wide enough for rings to be clear.
std::vector<Index> CurveBuilder::seed_path(const LimbTip& tip) const {
  const double begin = std::max(1.2 * tip.radius, 0.08 * tip.length);
  std::vector<Index> path;
  Index v = tip.vertex;
  while (path.size() < kMostSeeds * 3) {
    if (in_.tips.from_tip[v] >= begin) path.push_back(v);
    Index lowest = v;
    for (Index i = in_.graph.offsets[v]; i < in_.graph.offsets[v + 1]; ++i) {
      const Index u = in_.graph.neighbours[i];
      if (in_.tips.field[u] < in_.tips.field[lowest]) lowest = u;
    }
    if (lowest == v || in_.tips.field[lowest] < tip.extent) break;
    v = lowest;
  }
  return path;
}

Index CurveBuilder::quad_edge_at(Index vertex) const {
  Index h = s_.out[vertex];
  if (h == kNone) return kNone;
  for (Index k = 0; k < s_.valence[vertex]; ++k) {
    if (s_.quad(s_.edges.face[h])) return h;
    h = s_.edges.twin[s_.edges.prev[h]];
    if (h == kNone) return kNone;
  }
  return kNone;
}

/// Whether a ring separates two vertices and, if `alone`, leaves no other tip on the side of the first.
std::optional<CurveBuilder::Seed> CurveBuilder::separating(EdgeWalk ring, Index from, Index goal, bool alone) {
  if (!ring.around_tube()) return {};
  ++floods_;
  for (const Index h : ring.edges) flooded_[s_.from(h)] = floods_;
  if (flooded_[from] == floods_ || flooded_[goal] == floods_) return {};
  const Index mark = ++floods_;
  queue_.assign(1, from);
  flooded_[from] = mark;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const Index v = queue_[i];
    for (Index k = in_.graph.offsets[v]; k < in_.graph.offsets[v + 1]; ++k) {
      const Index u = in_.graph.neighbours[k];
      if (in_.graph.across[k] || flooded_[u] >= mark - 1) continue;
      if (u == goal) return {};
      flooded_[u] = mark;
      queue_.push_back(u);
    }
  }
  if (alone)
    for (const LimbTip& tip : in_.tips.tips)
      if (tip.vertex != from && flooded_[tip.vertex] == mark) return {};
  Seed seed;
  const Index beside = s_.from(s_.edges.prev[ring.edges.front()]);
  seed.tip_left = flooded_[beside] == mark;
  seed.ring = std::move(ring);
  return seed;
}

std::optional<CurveBuilder::Seed> CurveBuilder::seed_at(Index vertex, const LimbTip& tip) {
  const Index h = quad_edge_at(vertex);
  if (h == kNone || taken_[vertex] != kNone) return {};
  const Index goal = in_.tips.middle[s_.component[vertex]];
  const auto most = static_cast<Index>(tip.region.size() + 4);
  const auto attempt = [&](Index start, const Vec3& normal) {
    return separating(walker_.walk(start, normal, taken_, WalkRule::kStraight, most), tip.vertex, goal, true);
  };
  const std::optional<RoundDirection> round = round_direction(s_, in_.scene, h);
  if (!round || round->doubt > kMostDoubt) return {};
  if (std::optional<Seed> seed = attempt(round->half_edge, round->normal)) return seed;
  const Vec3 along = s_.position(s_.to(round->half_edge)) - s_.position(vertex);
  return attempt(round->other, along.normalized());
}

std::optional<CurveBuilder::Seed> CurveBuilder::seed_ring(Index t) {
  const LimbTip& tip = in_.tips.tips[t];
  const std::vector<Index> path = seed_path(tip);
  for (const Index v : path)
    if (std::optional<Seed> seed = seed_at(v, tip)) return seed;
  // Sections were doubtful everywhere: what closes and separates the tip from the body is a ring.
  const auto most = static_cast<Index>(tip.region.size() + 4);
  for (const Index v : path) {
    const Index h = quad_edge_at(v);
    if (h == kNone) continue;
    const Index b = s_.edges.twin[s_.edges.prev[h]];
    for (const Index start : {h, b}) {
      if (start == kNone) continue;
      const Vec3 other = s_.position(s_.to(start == h ? (b == kNone ? h : b) : h)) - s_.position(v);
      EdgeWalk ring = walker_.walk(start, other.normalized(), taken_, WalkRule::kStraight, most);
      if (auto seed = separating(std::move(ring), tip.vertex, in_.tips.middle[s_.component[v]], true)) return seed;
    }
  }
  return {};
}

std::optional<EdgeWalk> CurveBuilder::next_ring(const EdgeWalk& ring, bool left) {
  const HalfEdges& e = s_.edges;
  const Vec3 normal = newell_normal(s_, ring.edges);
  const auto most = static_cast<Index>(4 * ring.edges.size());
  // A regular ring has one neighbour, wherever it starts; an irregular vertex can block some starts.
  constexpr std::size_t kStarts = 4;
  for (std::size_t k = 0; k < kStarts; ++k) {
    const Index h = ring.edges[k * ring.edges.size() / kStarts];
    const Index side = left ? h : e.twin[h];
    if (side == kNone || !s_.quad(e.face[side])) continue;
    const Index facing = e.next[e.next[side]];
    const Index start = left ? e.twin[facing] : facing;
    if (start == kNone) continue;
    EdgeWalk next = walker_.walk(start, normal, taken_, WalkRule::kStraight, most);
    if (next.around_tube() && next.edges.size() >= 4) return next;
  }
  return {};
}

void CurveBuilder::RingSizes::add(double length, double count) {
  if (lengths.size() == kRemembered) lengths.erase(lengths.begin()), counts.erase(counts.begin());
  lengths.push_back(length), counts.push_back(count);
}

bool CurveBuilder::RingSizes::outgrown_by(double length, double count) const {
  return length > kMostGrowth * median_of(lengths) || count > kMostGrowth * median_of(counts);
}

std::vector<EdgeWalk> CurveBuilder::march(const EdgeWalk& first, bool left) {
  std::vector<EdgeWalk> rings;
  RingSizes sizes;
  sizes.add(perimeter(first), static_cast<double>(first.edges.size()));
  const EdgeWalk* last = &first;
  while (std::optional<EdgeWalk> next = next_ring(*last, left)) {
    const double length = perimeter(*next);
    const auto count = static_cast<double>(next->edges.size());
    if (sizes.outgrown_by(length, count)) break;
    sizes.add(length, count);
    take(*next, kTrial);
    rings.push_back(*std::move(next));
    last = &rings.back();
  }
  return rings;
}

CurveBuilder::Rings CurveBuilder::march_both(const EdgeWalk& ring) {
  take(ring, kTrial);
  Rings rings;
  rings.left = march(ring, true);
  rings.right = march(ring, false);
  return rings;
}

void CurveBuilder::name_chain(const std::vector<Index>& ids, Index chain) {
  for (Index i = 0; i < ids.size(); ++i) set_.curves[ids[i]].chain = chain, set_.curves[ids[i]].order = i;
}

void CurveBuilder::add_trunk(const EdgeWalk& first, const Rings& rings) {
  std::vector<Index> ids;
  for (auto way = rings.left.rbegin(); way != rings.left.rend(); ++way)
    ids.push_back(commit(*way, Curve::Kind::kTrunk));
  ids.push_back(commit(first, Curve::Kind::kTrunk));
  for (const EdgeWalk& way : rings.right) ids.push_back(commit(way, Curve::Kind::kTrunk));
  name_chain(ids, static_cast<Index>(set_.trunks.size()));
  set_.trunks.push_back(std::move(ids));
}

/// A ring around the same limb, beyond a place where rings do not close.
std::optional<CurveBuilder::Seed> CurveBuilder::ring_beyond(Index t, const EdgeWalk& last, const RingSizes& sizes) {
  const LimbTip& tip = in_.tips.tips[t];
  // Forelegs of animals meet each other in the field before they meet the chest.
  constexpr double kBelow = 0.1;
  std::vector<Index> path;
  for (Index v = s_.from(last.edges.front());;) {
    Index lowest = v;
    for (Index i = in_.graph.offsets[v]; i < in_.graph.offsets[v + 1]; ++i) {
      const Index u = in_.graph.neighbours[i];
      if (in_.tips.field[u] < in_.tips.field[lowest]) lowest = u;
    }
    if (lowest == v || in_.tips.field[lowest] < tip.extent - kBelow) break;
    v = lowest;
    if (taken_[v] == kNone) path.push_back(v);
  }
  constexpr std::size_t kMostPlaces = 6;
  const auto most = static_cast<Index>(4 * last.edges.size());
  const Vec3 normal = newell_normal(s_, last.edges);
  for (std::size_t k = 0; k < std::min(kMostPlaces, path.size()); ++k) {
    const Index v = path[path.size() <= kMostPlaces ? k : k * (path.size() - 1) / (kMostPlaces - 1)];
    const Index h = quad_edge_at(v);
    if (h == kNone) continue;
    for (const Index start : {h, s_.edges.twin[s_.edges.prev[h]]}) {
      if (start == kNone) continue;
      EdgeWalk ring = walker_.walk(start, normal, taken_, WalkRule::kStraight, most);
      if (!ring.around_tube() || sizes.outgrown_by(perimeter(ring), static_cast<double>(ring.edges.size()))) continue;
      auto seed = separating(std::move(ring), tip.vertex, in_.tips.middle[s_.component[v]], true);
      if (seed) return seed;
    }
  }
  return {};
}

/// Appends the rings of a limb that are beyond breaks in its grid. \param rings from the tip to the body.
void CurveBuilder::extend_limb(Index t, std::vector<EdgeWalk>& rings) {
  constexpr int kMostBreaks = 4;
  for (int k = 0; k < kMostBreaks; ++k) {
    RingSizes sizes;
    for (std::size_t i = rings.size() - std::min(rings.size(), kRemembered); i < rings.size(); ++i)
      sizes.add(perimeter(rings[i]), static_cast<double>(rings[i].edges.size()));
    std::optional<Seed> seed = ring_beyond(t, rings.back(), sizes);
    if (!seed) return;
    Rings found = march_both(seed->ring);
    auto& before = seed->tip_left ? found.left : found.right;
    auto& after = seed->tip_left ? found.right : found.left;
    std::move(before.rbegin(), before.rend(), std::back_inserter(rings));
    rings.push_back(std::move(seed->ring));
    std::move(after.begin(), after.end(), std::back_inserter(rings));
  }
}

/// The length of the middle line through curves.
double CurveBuilder::ring_span(const std::vector<Index>& ids) const {
  double span = 0;
  std::optional<Vec3> last;
  for (const Index id : ids) {
    const Vec3 centre = curve_centre(set_.of(set_.curves[id]), s_.mesh.positions, true).position;
    if (last) span += (centre - *last).norm();
    last = centre;
  }
  return span;
}

bool CurveBuilder::walk_limb(Index t) {
  std::optional<Seed> seed = seed_ring(t);
  if (!seed) return false;
  Rings found = march_both(seed->ring);
  std::vector<EdgeWalk> rings = std::move(seed->tip_left ? found.left : found.right);
  std::reverse(rings.begin(), rings.end());
  rings.push_back(std::move(seed->ring));
  auto& after = seed->tip_left ? found.right : found.left;
  std::move(after.begin(), after.end(), std::back_inserter(rings));
  extend_limb(t, rings);
  std::vector<Index> ids;
  for (const EdgeWalk& ring : rings) ids.push_back(commit(ring, Curve::Kind::kLimb));
  name_chain(ids, t);
  set_.limbs[t].curves = std::move(ids);
  if (rings.size() < kLeastRings) return false;
  // The end of the limb and where it joins the body have no rings; each is about as long as the limb is wide.
  const LimbTip& tip = in_.tips.tips[t];
  const double tube = std::max(0.4 * tip.tube, tip.tube - 2 * tip.radius);
  return ring_span(set_.limbs[t].curves) >= std::max(kLeastSpan * tube, kLeastShare * tip.length);
}

bool CurveBuilder::level_limb(Index t, const LevelSurface& surface) {
  const LevelSets found = limb_level_sets(surface, in_.graph, in_.tips, in_.tips.tips[t]);
  if (found.curves.size() < kLeastRings) return false;
  CurveLimb& limb = set_.limbs[t];
  // Rings that were found before are dropped; their points stay behind, unused, until `finish`.
  for (const Index id : limb.curves) {
    for (const CurvePoint& p : set_.of(set_.curves[id])) taken_[p.a] = kNone;
    set_.curves[id].count = 0;
  }
  limb.curves.clear();
  limb.level_sets = true;
  for (const LevelCurve& level : found.curves) {
    Curve curve;
    curve.first = static_cast<Index>(set_.points.size());
    curve.count = static_cast<Index>(level.points.size());
    curve.closed = level.closed;
    curve.kind = Curve::Kind::kLimb;
    curve.chain = t;
    curve.order = static_cast<Index>(limb.curves.size());
    set_.points.insert(set_.points.end(), level.points.begin(), level.points.end());
    limb.curves.push_back(static_cast<Index>(set_.curves.size()));
    set_.curves.push_back(curve);
  }
  for (std::size_t i = 0; i < found.vertices.size(); ++i) {
    const Index v = found.vertices[i];
    if (found.values[i] >= 1 || (taken_[v] != kNone && !leveled_[v])) continue;
    const auto above = std::lower_bound(found.curves.begin(), found.curves.end(), found.values[i],
                                        [](const LevelCurve& c, double value) { return c.level < value; });
    auto k = static_cast<std::size_t>(above - found.curves.begin());
    if (k == found.curves.size() ||
        (k > 0 && found.values[i] - found.curves[k - 1].level < found.curves[k].level - found.values[i]))
      --k;
    taken_[v] = limb.curves[k];
    leveled_[v] = 1;
  }
  return true;
}

}  // namespace sinew::geometry
