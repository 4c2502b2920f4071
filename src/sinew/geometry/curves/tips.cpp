// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/curves/tips.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/curves/tip_curvature.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::geometry {
namespace {

constexpr int kSamples = 12;
constexpr double kLeastPart = 0.05;   // Of the area.
constexpr double kLeastRange = 0.25;  // Of the field before it is scaled: (max − min) / max. A sphere has 0.1.
constexpr double kAbove = 0.02;       // A region ends this much above the level where it meets another.

class TipFinder {
 public:
  TipFinder(const CurveSurface& surface, const SurfaceGraph& graph, const TipOptions& options)
      : s_(surface), graph_(graph), options_(options), n_(surface.mesh.vertex_count()) {}

  LimbTips run() {
    result_.field.assign(n_, 0);
    result_.middle.assign(s_.part_area.size(), kNone);
    double area = 0;
    for (const double part : s_.part_area) area += part;
    for (Index part = 0; part < s_.part_area.size(); ++part)
      if (s_.part_area[part] >= kLeastPart * area) find_in(part);
    std::vector<Index> sources;
    for (const LimbTip& tip : result_.tips) sources.push_back(tip.vertex);
    if (sources.empty())
      for (const Index v : result_.middle)
        if (v != kNone) sources.push_back(v);
    result_.from_tip = graph_distances(graph_, sources);
    return std::move(result_);
  }

 private:
  void find_in(Index part) {
    order_.clear();
    for (Index v = 0; v < n_; ++v)
      if (s_.component[v] == part) order_.push_back(v);
    const double range = make_field();
    const auto& field = result_.field;
    std::sort(order_.begin(), order_.end(),
              [&](Index a, Index b) { return field[a] > field[b] || (field[a] == field[b] && a < b); });
    result_.middle[part] = order_.back();
    std::vector<LimbTip> tips = chosen(part, range);
    if (tips.empty()) return;
    find_extents(tips);
    parallel_for(
        tips.size(), [&](std::size_t t) { describe(tips[t]); }, 1);
    result_.tips.insert(result_.tips.end(), tips.begin(), tips.end());
  }

  std::vector<LimbTip> chosen(Index part, double range) const {
    std::vector<LimbTip> tips;
    for (const Index v : options_.by_hand) {
      if (v >= s_.welding.welded.size())
        throw Error(fmt::format("The option 'tips' names vertex {}, but the mesh has {} vertices.", v,
                                s_.welding.welded.size()));
      LimbTip tip;
      tip.vertex = s_.welding.welded[v];
      tip.persistence = 1;
      if (s_.component[tip.vertex] == part) tips.push_back(tip);
    }
    if (!options_.by_hand.empty() || range < kLeastRange) return tips;
    return options_.curvature ? curvature_tips(s_, graph_, order_) : persistent_tips();
  }

  /// Returns how much the field varies.
  double make_field() {
    Vec3 middle = Vec3::Zero();
    for (const Index v : order_) middle += s_.position(v);
    middle /= static_cast<double>(order_.size());
    const auto farthest = [&](auto&& value) {
      Index best = order_.front();
      for (const Index v : order_)
        if (value(v) > value(best)) best = v;
      return best;
    };
    // The first sample is arbitrary and does not count.
    const Index start = farthest([&](Index v) { return (s_.position(v) - middle).norm(); });
    std::vector<double> nearest = graph_distances(graph_, std::span(&start, 1));
    std::vector<double> sum(n_, 0);
    for (int k = 0; k < kSamples; ++k) {
      const Index sample = farthest([&](Index v) { return nearest[v]; });
      const std::vector<double> distance = graph_distances(graph_, std::span(&sample, 1));
      for (const Index v : order_) {
        sum[v] += distance[v] / kSamples;
        nearest[v] = k == 0 ? distance[v] : std::min(nearest[v], distance[v]);
      }
    }
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const Index v : order_) low = std::min(low, sum[v]), high = std::max(high, sum[v]);
    if (!std::isfinite(high) || high <= low) return 0;
    for (const Index v : order_) result_.field[v] = (sum[v] - low) / (high - low);
    return (high - low) / high;
  }

  /// Maxima by the merge tree of superlevel sets.
  std::vector<LimbTip> persistent_tips() const {
    const auto& field = result_.field;
    UnionFind sets(n_);
    std::vector<Index> top(n_, kNone);  // Per set: its highest vertex.
    std::vector<LimbTip> tips;
    const auto add = [&](Index v, double persistence) {
      LimbTip tip;
      tip.vertex = v;
      tip.persistence = persistence;
      if (persistence >= options_.persistence) tips.push_back(tip);
    };
    const auto higher = [&](Index a, Index b) { return field[a] > field[b] || (field[a] == field[b] && a < b); };
    for (const Index v : order_) {
      top[v] = v;
      for (Index i = graph_.offsets[v]; i < graph_.offsets[v + 1]; ++i) {
        const Index u = graph_.neighbours[i];
        if (top[u] == kNone || sets.find(u) == sets.find(v)) continue;
        Index a = top[sets.find(u)], b = top[sets.find(v)];
        if (higher(b, a)) std::swap(a, b);
        add(b, field[b] - field[v]);
        sets.join(u, v);
        top[sets.find(v)] = a;
      }
    }
    add(order_.front(), field[order_.front()] - field[order_.back()]);
    std::sort(tips.begin(), tips.end(), [](const LimbTip& a, const LimbTip& b) {
      return a.persistence > b.persistence || (a.persistence == b.persistence && a.vertex < b.vertex);
    });
    return tips;
  }

  /// The level at which the set of each tip first meets that of another.
  void find_extents(std::vector<LimbTip>& tips) const {
    const auto& field = result_.field;
    std::vector<Index> tip_of(n_, kNone), in_set(n_, kNone);
    std::vector<char> met(tips.size(), 0), passed(n_, 0);
    for (Index t = 0; t < tips.size(); ++t) tip_of[tips[t].vertex] = t;
    UnionFind sets(n_);
    for (const Index v : order_) {
      passed[v] = 1;
      in_set[v] = tip_of[v];
      for (Index i = graph_.offsets[v]; i < graph_.offsets[v + 1]; ++i) {
        const Index u = graph_.neighbours[i];
        if (!passed[u] || sets.find(u) == sets.find(v)) continue;
        const Index a = in_set[sets.find(u)], b = in_set[sets.find(v)];
        if (a != kNone && b != kNone)
          for (const Index t : {a, b})
            if (!met[t]) met[t] = 1, tips[t].extent = field[v];
        sets.join(u, v);
        in_set[sets.find(v)] = a != kNone ? a : b;
      }
    }
  }

  /// Region, length and radius. Faces are shared between their corners.
  void describe(LimbTip& tip) const {
    const double rise = result_.field[tip.vertex] - tip.extent;
    const double level = tip.extent + std::min(kAbove, 0.2 * rise);
    std::vector<char> inside(n_, 0);
    for (const Index v : order_) inside[v] = result_.field[v] > level ? 1 : 0;
    inside[tip.vertex] = 1;
    const std::vector<double> distance = graph_distances(graph_, std::span(&tip.vertex, 1), &inside);
    for (const Index v : order_) {
      if (!std::isfinite(distance[v])) continue;
      tip.region.push_back(v);
      tip.length = std::max(tip.length, distance[v]);
    }
    if (tip.length <= 0) return;
    // Area by distance: how wide the limb is there.
    constexpr double kMostBins = 20;
    const auto bins =
        static_cast<std::size_t>(std::clamp(std::sqrt(0.5 * static_cast<double>(tip.region.size())), 4.0, kMostBins));
    std::vector<double> widths(bins, 0);
    double area = 0;
    for (const Index v : tip.region) {
      const double part = vertex_area(v);
      const double at = static_cast<double>(bins) * distance[v] / tip.length;
      widths[std::min(bins - 1, static_cast<std::size_t>(at))] += part;
      area += part;
    }
    tip.radius = area / (2 * kPi * tip.length);
    tip.tube = tip.length * tube_share(widths);
  }

  /// The share of the bins before the limb is half as wide again as it was in the middle of those.
  static double tube_share(const std::vector<double>& widths) {
    constexpr double kWider = 1.5;
    std::vector<double> before = {widths[0], widths[1]};
    for (std::size_t i = 2; i < widths.size(); ++i) {
      std::vector<double> sorted = before;
      std::sort(sorted.begin(), sorted.end());
      const bool wide = widths[i] > kWider * sorted[sorted.size() / 2];
      const bool stays = i + 1 == widths.size() || widths[i + 1] > kWider * sorted[sorted.size() / 2];
      if (wide && stays && 3 * i > widths.size()) return static_cast<double>(i) / static_cast<double>(widths.size());
      before.push_back(widths[i]);
    }
    return 1;
  }

  double vertex_area(Index v) const {
    double area = 0;
    if (s_.out[v] == kNone) return 0;
    Index h = s_.out[v];
    for (Index k = 0; k < s_.valence[v]; ++k) {
      const Vec3 a = s_.position(s_.to(h)) - s_.position(v);
      const Vec3 b = s_.position(s_.from(s_.edges.prev[h])) - s_.position(v);
      area += a.cross(b).norm() / (s_.quad(s_.edges.face[h]) ? 4 : 6);
      const Index back = s_.edges.twin[s_.edges.prev[h]];
      if (back == kNone || back == s_.out[v]) break;
      h = back;
    }
    return area;
  }

  const CurveSurface& s_;
  const SurfaceGraph& graph_;
  const TipOptions& options_;
  Index n_;
  std::vector<Index> order_;  // Vertices of the component; by falling field once there is one.
  LimbTips result_;
};

}  // namespace

LimbTips limb_tips(const CurveSurface& surface, const SurfaceGraph& graph, const TipOptions& options) {
  return TipFinder(surface, graph, options).run();
}

}  // namespace sinew::geometry
