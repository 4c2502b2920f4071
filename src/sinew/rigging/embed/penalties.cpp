// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/penalties.h"

#include <algorithm>
#include <cmath>

#include "sinew/geometry/mesh/union_find.h"

namespace sinew::rigging {

namespace {

constexpr double kThin = 0.02;  ///< A way may not be doubled where the body is thinner.

double squared(double x) { return x * x; }
double cubed(double x) { return x * x * x; }

/// From `a` at `z0` to `b` at `z1`, constant beyond.
double ramp(double z, double z0, double a, double z1, double b) {
  return a + (b - a) * std::clamp((z - z0) / (z1 - z0), 0.0, 1.0);
}

/// Of the angle between two vectors; `otherwise` if one has no length.
double cosine(const Vec3& a, const Vec3& b, double otherwise) {
  const double lengths = a.squaredNorm() * b.squaredNorm();
  return lengths > 0 ? a.dot(b) / std::sqrt(lengths) : otherwise;
}

std::vector<Index> common_ancestors(const ReducedTemplate& reduced) {
  const auto count = static_cast<Index>(reduced.joints.size());
  std::vector<Index> ancestor(std::size_t{count} * count, kNone);
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < count; ++b) {
      Index i = a, j = b;
      while (i != j) {  // Parents come first: the later of two is never above the other.
        if (i > j) i = reduced.joints[i].parent;
        else j = reduced.joints[j].parent;
      }
      ancestor[std::size_t{a} * count + b] = i;
    }
  }
  return ancestor;
}

}  // namespace

const std::array<const char*, kPenalties>& penalty_names() {
  static const std::array<const char*, kPenalties> names = {"length",          "global_direction", "asymmetry",
                                                            "doubled_path",    "foot_height",      "zero_length",
                                                            "local_direction", "extremity",        "disjointness"};
  return names;
}

PenaltyModel::PenaltyModel(const SphereGraph& graph, const ReducedTemplate& reduced, const Mat3& turn,
                           const PenaltyWeights& weights, int fat_candidates)
    : graph_(graph), reduced_(reduced), weights_(weights), ancestor_(common_ancestors(reduced)) {
  for (const Sphere& sphere : graph.spheres) centers_.push_back(turn * sphere.center);
  find_body();
  find_candidates(fat_candidates);
  siblings_.resize(reduced.joints.size());
  for (Index i = 0; i < reduced.joints.size(); ++i) {
    for (Index m = 0; m < reduced.joints.size(); ++m) {
      if (m != i && reduced.joints[i].parent != kNone && reduced.joints[m].parent == reduced.joints[i].parent) {
        siblings_[i].push_back(m);
      }
    }
  }
}

void PenaltyModel::find_body() {
  const Index count = graph_.size();
  geometry::UnionFind sets(count);
  for (Index u = 0; u < count; ++u) {
    for (const Index v : graph_.neighbours[u]) sets.join(u, v);
  }
  std::vector<double> volume(count, 0);
  for (Index u = 0; u < count; ++u) volume[sets.find(u)] += cubed(graph_.spheres[u].radius);
  const auto largest = std::max_element(volume.begin(), volume.end());  // The first: it holds the largest sphere.
  lowest_ = std::numeric_limits<double>::infinity();
  for (Index u = 0; u < count; ++u) {
    if (sets.find(u) != static_cast<Index>(largest - volume.begin())) continue;
    body_.push_back(u);
    lowest_ = std::min(lowest_, centers_[u].y());
  }
}

bool PenaltyModel::ends_here(Index v) const {
  const std::span<const Index> around = graph_.neighbours[v];
  return std::any_of(around.begin(), around.end(), [&](Index from) {
    return std::none_of(around.begin(), around.end(), [&](Index w) {
      return w != from && 2 * graph_.spheres[w].radius >= graph_.spheres[v].radius &&
             cosine(centers_[w] - centers_[v], centers_[v] - centers_[from], 0) > 0.8;
    });
  });
}

void PenaltyModel::find_candidates(int fat_candidates) {
  std::vector<Index> fat = body_, tips;
  std::stable_sort(fat.begin(), fat.end(),
                   [&](Index a, Index b) { return graph_.spheres[a].radius > graph_.spheres[b].radius; });
  fat.resize(std::min(fat.size(), static_cast<std::size_t>(std::max(fat_candidates, 0))));
  std::sort(fat.begin(), fat.end());
  std::copy_if(body_.begin(), body_.end(), std::back_inserter(tips), [&](Index v) { return ends_here(v); });
  for (const ReducedTemplate::Joint& joint : reduced_.joints) {
    candidates_.push_back(joint.fat ? fat : joint.leaf ? tips : body_);
  }
}

double PenaltyModel::weighed(Penalty which, double value) const {
  const double gamma = weights_.gamma[static_cast<std::size_t>(which)];
  return gamma == 0 ? 0 : gamma * value;
}

double PenaltyModel::length(Index joint, Index u, Index v) const {
  const double reach = graph_.way(u, v) + play(u, v);
  const double wanted = reduced_.joints[joint].length;
  if (reach < 0.5 * wanted) return kRejected;
  return cubed(ramp(wanted / reach, 0.5, 0, 2, 3));
}

double PenaltyModel::parent_direction(Index joint, Index u, Index v) const {
  const ReducedTemplate::Joint& j = reduced_.joints[joint];
  const double g = cosine(centers_[v] - centers_[u], j.position - reduced_.joints[j.parent].position, 1);
  return g < 0 ? kRejected : 0.5 * std::max(0.0, squared(4 * (1 - g)) - 0.1);
}

double PenaltyModel::sibling_direction(std::span<const Index> match, Index joint, Index v) const {
  double sum = 0;
  for (const Index m : siblings_[joint]) {
    if (m >= match.size()) break;
    const double g =
        cosine(centers_[v] - centers_[match[m]], reduced_.joints[joint].position - reduced_.joints[m].position, 1);
    if (g < -0.5) return kRejected;
    sum += 0.5 * std::max(0.0, squared(2 * (1 - g)) - 0.5);
  }
  return sum;
}

double PenaltyModel::asymmetry(std::span<const Index> match, Index joint, Index u, Index v) const {
  const Index partner = reduced_.joints[joint].partner;
  if (partner == kNone || partner >= match.size()) return 0;
  const Index partner_u = match[reduced_.joints[partner].parent], partner_v = match[partner];
  const double own = graph_.way(u, v), other = graph_.way(partner_u, partner_v);
  const double longer = std::max(own, other), shorter = std::min(own, other);
  const double ratio = longer == 0 ? 1 : shorter == 0 ? 2 : std::min(2.0, longer / shorter);
  const double with_play = std::max(other / (own + play(u, v)), own / (other + play(partner_u, partner_v)));
  return std::max(0.0, cubed(0.2 * ratio + 0.8 * with_play) - 1.2);
}

double PenaltyModel::doubled_path(const std::vector<std::uint8_t>& used, Index u, Index v) const {
  double sum = 0;
  bool any = false;
  double place = 1;
  for (Index w = v; w != u; w = before(u, w), place += 1) {
    if (!used[w]) continue;
    if (graph_.spheres[w].radius < kThin) return kRejected;
    sum += 0.5 / squared(place);
    any = true;
  }
  return any ? sum + 0.5 : 0;
}

double PenaltyModel::foot_height(Index v) const { return centers_[v].y() - lowest_; }

double PenaltyModel::local_direction(Index joint, Index u, Index v) const {
  if (u == v) return 0;
  const ReducedTemplate::Joint& j = reduced_.joints[joint];
  const double whole = graph_.way(u, v);
  double sum = 0, share = 1;
  Vec3 end = centers_[v];
  Index after = v, first = before(u, v);  // The edge of the way on which the beginning of the bone lies.
  for (std::size_t k = j.bones.size(); k-- > 0;) {
    share -= j.shares[k];
    Vec3 begin = centers_[u];
    if (k > 0) {
      const double target = share * whole;
      while (first != u && graph_.way(u, first) > target) after = first, first = before(u, first);
      const double low = graph_.way(u, first), high = graph_.way(u, after);
      const double at = high > low ? std::clamp((target - low) / (high - low), 0.0, 1.0) : 0.0;
      begin = centers_[first] + at * (centers_[after] - centers_[first]);
    }
    const double g = cosine(end - begin, j.bones[k], 1);
    sum += 50 * j.bones[k].squaredNorm() * squared((1 - g) * ramp(g, -0.5, 6, 0, 1));
    end = begin;
  }
  return sum;
}

double PenaltyModel::extremity(Index u, Index v) const {
  const Vec3 out = centers_[v] - centers_[u];
  for (const Index w : graph_.neighbours[v]) {
    if (2 * graph_.spheres[w].radius < graph_.spheres[v].radius) continue;
    if (cosine(centers_[w] - centers_[v], out, 0) > 0.8 && cosine(centers_[w] - centers_[u], out, 0) > 0.95) return 1;
  }
  return 0;
}

double PenaltyModel::disjointness(std::span<const Index> match, Index joint, Index v) const {
  const std::size_t joints = reduced_.joints.size();
  double sum = 0;
  for (Index m = 0; m < match.size(); ++m) {
    if (m == reduced_.joints[joint].parent) continue;
    const Index common = match[ancestor_[joint * joints + m]];
    const double radii = graph_.spheres[v].radius + graph_.spheres[match[m]].radius;
    const double through = double{graph_.way(v, common)} + graph_.way(common, match[m]) + radii;
    if (through > 2 * (graph_.way(v, match[m]) + radii)) sum += 1;
  }
  return sum;
}

std::optional<PenaltyModel::Terms> PenaltyModel::terms(std::span<const Index> match, Index v) const {
  return terms(match, static_cast<Index>(match.size()), v);
}

std::optional<PenaltyModel::Terms> PenaltyModel::terms(std::span<const Index> match, Index joint, Index v) const {
  const ReducedTemplate::Joint& j = reduced_.joints[joint];
  Terms out = {};
  const auto set = [&](Penalty which, double value) { out[static_cast<std::size_t>(which)] = weighed(which, value); };
  if (j.foot) set(Penalty::kFootHeight, foot_height(v));
  if (j.parent != kNone) {
    const Index u = match[j.parent];
    if (graph_.way(u, v) == SphereGraph::kUnreachable) return std::nullopt;
    Placed placed;
    placed.match.assign(match.begin(), match.end());
    mark_used(placed);
    set(Penalty::kLength, length(joint, u, v));
    set(Penalty::kGlobalDirection, parent_direction(joint, u, v) + sibling_direction(match, joint, v));
    set(Penalty::kAsymmetry, asymmetry(match, joint, u, v));
    set(Penalty::kDoubledPath, doubled_path(placed.used, u, v));
    set(Penalty::kZeroLength, u == v ? 1 : 0);
    set(Penalty::kLocalDirection, local_direction(joint, u, v));
    if (j.leaf) set(Penalty::kExtremity, extremity(u, v));
    set(Penalty::kDisjointness, disjointness(match, joint, v));
  }
  double sum = 0;
  for (const double term : out) sum += term;
  if (!(sum < 1)) return std::nullopt;
  return out;
}

double PenaltyModel::fixed(Index joint, Index u, Index v, double enough) const {
  const ReducedTemplate::Joint& j = reduced_.joints[joint];
  double sum = j.foot ? weighed(Penalty::kFootHeight, foot_height(v)) : 0;
  if (j.parent == kNone) return sum < enough ? sum : kRejected;
  if (graph_.way(u, v) == SphereGraph::kUnreachable) return kRejected;
  if (u == v) sum += weighed(Penalty::kZeroLength, 1);
  sum += weighed(Penalty::kLength, length(joint, u, v));
  if (!(sum < enough)) return kRejected;
  sum += weighed(Penalty::kGlobalDirection, parent_direction(joint, u, v));
  if (!(sum < enough)) return kRejected;
  sum += weighed(Penalty::kLocalDirection, local_direction(joint, u, v));
  if (!(sum < enough)) return kRejected;
  if (j.leaf) sum += weighed(Penalty::kExtremity, extremity(u, v));
  return sum < enough ? sum : kRejected;
}

void PenaltyModel::mark_used(Placed& placed) const {
  placed.used.assign(graph_.spheres.size(), 0);
  for (std::size_t i = 0; i < placed.match.size(); ++i) {
    const Index parent = reduced_.joints[i].parent;
    const Index u = parent == kNone ? placed.match[i] : placed.match[parent];
    placed.used[u] = 1;
    for (Index w = placed.match[i]; w != u; w = before(u, w)) placed.used[w] = 1;
  }
}

double PenaltyModel::moving(const Placed& placed, Index joint, Index v, double enough) const {
  const Index parent = reduced_.joints[joint].parent;
  if (parent == kNone) return 0;
  const Index u = placed.match[parent];
  double sum = weighed(Penalty::kGlobalDirection, sibling_direction(placed.match, joint, v));
  if (!(sum < enough)) return kRejected;
  sum += weighed(Penalty::kAsymmetry, asymmetry(placed.match, joint, u, v));
  if (!(sum < enough)) return kRejected;
  sum += weighed(Penalty::kDisjointness, disjointness(placed.match, joint, v));
  if (!(sum < enough)) return kRejected;
  sum += weighed(Penalty::kDoubledPath, doubled_path(placed.used, u, v));
  return sum < enough ? sum : kRejected;
}

}  // namespace sinew::rigging
