// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/crawler_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/rigging/anatomy/limb.h"
#include "sinew/rigging/plans/body_ends.h"
#include "sinew/rigging/plans/trunk.h"

namespace sinew::rigging {
namespace {

constexpr std::array<double, 3> kLegShares = {0.0, 0.375, 0.7};  // Of a spider's three bones.

/// The middle of a leg from the body to its foot.
struct CrawlerLeg {
  std::vector<Vec3> points;
  double length = 0;

  Vec3 at(double share) const {
    double s = share * length;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double step = (points[i] - points[i - 1]).norm();
      if (s <= step) return points[i - 1] + s / std::max(step, 1e-12) * (points[i] - points[i - 1]);
      s -= step;
    }
    return points.back();
  }
};

/// Follows a leg from its foot inwards until it is as thick as the body, or near the mirror plane.
CrawlerLeg follow_leg(const BodyVoxels& body, const std::vector<float>& from_body, const Leg& leg,
                      double trunk_radius) {
  const Index foot = body.ways.nearest(body.frame.from_body(leg.sections.front().center));
  const LimbProfile profile = limb_profile(body.ways, from_body, foot, from_body[foot]);
  CrawlerLeg result;
  double widest = 0;
  for (const LimbProfile::Slice& slice : profile.slices) {
    const Vec3 p = body.frame.to_body(slice.center);
    const bool first_half = slice.s < 0.5 * profile.length();
    if (first_half) widest = std::max(widest, slice.area);
    else if (slice.area > 3 * widest || std::abs(p.x()) < 0.5 * trunk_radius) break;
    result.points.push_back(p);
  }
  std::reverse(result.points.begin(), result.points.end());
  for (std::size_t i = 1; i < result.points.size(); ++i)
    result.length += (result.points[i] - result.points[i - 1]).norm();
  return result;
}

class CrawlerReader {
 public:
  CrawlerReader(const BodyVoxels& body, std::vector<LegPair> pairs) : body_(body), pairs_(std::move(pairs)) {}

  PlanReading read() {
    find_trunk();
    place_legs();
    place_body();
    reading_.template_name = pairs_.size() == 3 ? "insect" : "spider";
    return std::move(reading_);
  }

 private:
  static Vec3 on_plane(Vec3 p) {
    p.x() = 0;
    return p;
  }

  /// The thickest place in the mirror plane between the first and the last legs.
  void find_trunk() {
    const double rear = pairs_.front()[0].at(pairs_.front()[0].top).z(),
                 front = pairs_.back()[0].at(pairs_.back()[0].top).z();
    const double middle = 0.5 * (rear + front), reach = std::max(0.25 * (front - rear), 4 * body_.cell);
    for (Index v = 0; v < body_.places.size(); ++v) {
      const Vec3& p = body_.places[v];
      if (std::abs(p.x()) > 1.5 * body_.cell || std::abs(p.z() - middle) > reach) continue;
      if (body_.ways.depth(v) > radius_) radius_ = body_.ways.depth(v), trunk_ = p;
    }
    trunk_.x() = 0;
  }

  void place_legs() {
    const std::vector<float> from_body = body_.ways.from(body_.frame.from_body(trunk_));
    // Legs are counted from the front.
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const LegPair& pair = pairs_[pairs_.size() - 1 - k];
      const CrawlerLeg left = follow_leg(body_, from_body, pair[0], radius_);
      const CrawlerLeg right = follow_leg(body_, from_body, pair[1], radius_);
      if (left.points.size() < 2 || right.points.size() < 2) {
        reading_.doubts.push_back("leg");
        continue;
      }
      for (std::size_t n = 0; n < kLegShares.size(); ++n)
        reading_.places.set_pair(fmt::format("leg{}_{}", k + 1, n + 1), left.at(kLegShares[n]),
                                 right.at(kLegShares[n]));
      reading_.places.end_pair(fmt::format("leg{}_3", k + 1), left.points.back(), right.points.back());
    }
  }

  void place_body() {
    auto& joints = reading_.places.joints;
    joints["hips"] = trunk_;
    std::vector<std::uint8_t> ahead(body_.places.size(), 0), behind(body_.places.size(), 0);
    for (Index v = 0; v < ahead.size(); ++v) {
      const bool central = std::abs(body_.places[v].x()) < 2 * radius_;
      ahead[v] = central && body_.places[v].z() > trunk_.z() ? 1 : 0;
      behind[v] = central && body_.places[v].z() < trunk_.z() ? 1 : 0;
    }
    if (const std::optional<Vec3> nose = farthest_end(body_, trunk_, ahead, 1)) {
      joints["head"] = trunk_ + 0.5 * (*nose - trunk_);
      reading_.places.ends["head"] = *nose;
    }
    if (const std::optional<Vec3> tip = farthest_end(body_, trunk_, behind, -1)) {
      const CenterLine line = center_line(body_, trunk_, *tip, behind);
      joints["tail_1"] = on_plane(line.at(0.35 * line.length));
      joints["tail_2"] = on_plane(line.at(0.65 * line.length));
      reading_.places.ends["tail_2"] = *tip;
    }
  }

  const BodyVoxels& body_;
  std::vector<LegPair> pairs_;
  Vec3 trunk_ = Vec3::Zero();
  double radius_ = 0;
  PlanReading reading_;
};

/// The body in the mirror plane, ahead or behind where the legs leave it: how heavy it is, and how high what is heavy.
double weight_of_end(const BodyVoxels& body, double z, double sign) {
  double sum = body.cell;
  for (const Vec3& p : body.places)
    if (sign * (p.z() - z) > 0 && std::abs(p.x()) < 0.24 * body.half_width) sum += p.y();
  return std::log(sum);
}

/// Claws and feelers may touch the ground as well: what is not of the two sides' four foremost pairs counts least.
std::vector<LegPair> walking_pairs(std::vector<LegPair> pairs) {
  if (pairs.size() <= 4) return pairs;
  // The shortest ones are no legs.
  std::vector<std::size_t> order(pairs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto lowest = [&](std::size_t i) {
    return std::max(pairs[i][0].sections.front().y, pairs[i][1].sections.front().y);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lowest(a) < lowest(b); });
  order.resize(4);
  std::sort(order.begin(), order.end());
  std::vector<LegPair> kept;
  for (const std::size_t i : order) kept.push_back(pairs[i]);
  return kept;
}

}  // namespace

std::optional<PlanReading> read_crawler(const BodyWays& ways, const BodyAxes& frame, bool facing_known) {
  std::optional<BodyVoxels> seen(std::in_place, ways, frame);
  std::vector<LegPair> pairs = walking_pairs(leg_pairs(*seen, find_legs(*seen)));
  if (pairs.size() != 3 && pairs.size() != 4) return {};
  double middle = 0;
  for (const LegPair& pair : pairs) middle += pair[0].at(0.5 * pair[0].top).z() / static_cast<double>(pairs.size());
  const double facing = weight_of_end(*seen, middle, -1) - weight_of_end(*seen, middle, 1);
  if (!facing_known && facing < 0) {
    seen.emplace(ways, frame.reversed());
    pairs = walking_pairs(leg_pairs(*seen, find_legs(*seen)));
    if (pairs.size() != 3 && pairs.size() != 4) return {};
  }
  const std::size_t count = pairs.size();
  PlanReading reading = CrawlerReader(*seen, std::move(pairs)).read();
  reading.frame = seen->frame;
  reading.evidence["pairs"] = count;
  reading.facing = facing_known ? 1 : std::abs(facing);
  reading.evidence["facing"] = reading.facing;
  if (reading.places.joints.count("head") == 0) reading.doubts.push_back("head");
  reading.cost = 0.05 + 0.05 * static_cast<double>(reading.doubts.size()) + 0.5 * std::max(0.0, 0.9 - frame.symmetry);
  return reading;
}

}  // namespace sinew::rigging
