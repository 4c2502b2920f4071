// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/quadruped_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/rigging/anatomy/anatomy.h"
#include "sinew/rigging/plans/body_ends.h"
#include "sinew/rigging/plans/trunk.h"
#include "sinew/rigging/plans/wings.h"

namespace sinew::rigging {
namespace {

// Proportions of artists' skeletons (docs/methods/body-plans.md): heights in heights of the back, lengths in trunks,
// from the hip joints to the shoulder joints.
constexpr double kHipHeight = 0.76, kShoulderHeight = 0.67;
constexpr double kFrontLegAhead = 0.88;  // Of the hips.
constexpr double kRumpBehind = 0.2;      // Of the hips, at least.
constexpr double kElbowShare = 0.32, kWristShare = 0.72, kStifleShare = 0.33, kHockShare = 0.69;
constexpr double kPawHeight = 0.08;
constexpr double kHeadLength = 0.46;  // From its joint to the nose.
constexpr double kTailHeight = 0.91, kTailBehind = 0.11;

double mean_z(const LegPair& pair, double y) { return 0.5 * (pair[0].at(y).z() + pair[1].at(y).z()); }
double quarter_z(const LegPair& pair) { return mean_z(pair, 0.25 * std::min(pair[0].top, pair[1].top)); }
double mean_x(const LegPair& pair, double y) { return 0.5 * (pair[0].at(y).x() - pair[1].at(y).x()); }

/// How far the middle of a hind leg is ahead of the hip joint, by height: paw, hock, stifle.
double hind_leg_ahead(double y) {
  if (y <= 0.34) return -0.08 - 0.05 * y / 0.34;
  return std::min(0.07, -0.13 + 0.2 * (y - 0.34) / 0.23);
}

class QuadrupedReader {
 public:
  QuadrupedReader(const BodyVoxels& body, LegPair rear, LegPair front)
      : body_(body), rear_(std::move(rear)), front_(std::move(front)), profile_(body) {}

  bool measure() {
    const double top_rear = std::min(rear_[0].top, rear_[1].top), top_front = std::min(front_[0].top, front_[1].top);
    double apart = mean_z(front_, 0.5 * top_front) - mean_z(rear_, 0.5 * top_rear);
    back_ = 0;
    for (const double t : {0.4, 0.5, 0.6}) back_ += profile_.top(mean_z(rear_, 0.5 * top_rear) + t * apart) / 3;
    const double rear_y = std::min(top_rear, 0.5 * back_), ahead = hind_leg_ahead(rear_y / back_);
    const double rear_z = mean_z(rear_, rear_y);
    const double front_z = mean_z(front_, std::min(top_front, 0.5 * back_));
    trunk_ = (front_z - rear_z) / (kFrontLegAhead - ahead);
    hip_z_ = rear_z - ahead * trunk_;
    // Where hind legs are set far back, the hips are not as far behind as the legs.
    if (const double rump = rump_z(hip_z_); rump > hip_z_ - kRumpBehind * trunk_) {
      const double share = kRumpBehind / kFrontLegAhead;
      hip_z_ = (rump + share * front_z) / (1 + share);
      trunk_ = (front_z - hip_z_) / kFrontLegAhead;
    }
    shoulder_z_ = hip_z_ + trunk_;
    return trunk_ > 0.2 * back_ && std::min(top_rear, top_front) > 0.15 * trunk_ && back_ > 0.1 * body_.height;
  }

  /// Where the body ends behind, beside the tail and above the legs.
  double rump_z(double hip_z) const {
    const double x = mean_x(rear_, std::min({rear_[0].top, rear_[1].top, 0.5 * back_}));
    double rear = hip_z;
    for (const Vec3& p : body_.places) {
      const double aside = std::abs(p.x());
      if (p.y() > 0.55 * back_ && p.y() < 0.85 * back_ && aside > 0.4 * x && aside < 0.8 * x)
        rear = std::min(rear, p.z());
    }
    return rear;
  }

  PlanReading read() {
    place_trunk();
    place_hind_legs();
    place_front_legs();
    place_head();
    place_tail();
    if (find_wings(body_, std::min(rear_[0].top, front_[0].top), "wing", reading_.places)) winged_ = true;
    judge();
    return std::move(reading_);
  }

 private:
  double trunk_y(double z, double share) const {
    const double top = std::min(profile_.top(z), 1.05 * back_);
    const double bottom = std::clamp(profile_.bottom(z), 0.2 * back_, 0.7 * back_);
    return bottom + share * (top - bottom);
  }

  void place_trunk() {
    auto& joints = reading_.places.joints;
    const auto at = [&](double share, double height) {
      const double z = hip_z_ + share * trunk_;
      return Vec3(0, std::clamp(trunk_y(z, height), 0.55 * back_, 0.95 * back_), z);
    };
    joints["hips"] = at(0.06, 0.68);
    joints["spine"] = at(0.4, 0.68);
    joints["chest"] = at(0.82, 0.62);
    // A hump is no place for a spine.
    joints["spine"].y() =
        std::min(joints["spine"].y(), std::max(joints["hips"].y(), joints["chest"].y()) + 0.03 * back_);
  }

  /// The middle of a leg from its first joint to the paw.
  CenterLine leg_line(const Leg& leg, const Vec3& first, const Vec3& paw) const {
    CenterLine line;
    line.points.push_back(first);
    const double highest = std::min(leg.top, first.y() - 0.15 * back_);
    for (std::size_t i = leg.sections.size(); i-- > 0;)
      if (leg.sections[i].y <= highest && leg.sections[i].y > paw.y()) line.points.push_back(leg.sections[i].center);
    line.points.push_back(paw);
    for (std::size_t i = 1; i < line.points.size(); ++i) line.length += (line.points[i] - line.points[i - 1]).norm();
    return line;
  }

  /// Near a share of a leg, where it bends most towards `ahead`; at the share itself if it is straight there.
  Vec3 bend(const CenterLine& line, double share, double range, double ahead) const {
    const Vec3 first = line.points.front(), last = line.points.back();
    double best = 0.02 * line.length, at = share;
    for (double s = share - range; s <= share + range + 1e-9; s += 0.25 * range) {
      const Vec3 p = line.at(s * line.length);
      const double t = (first.y() - p.y()) / std::max(1e-9, first.y() - last.y());
      const double off = ahead * (p.z() - (first + t * (last - first)).z());
      if (off > best) best = off, at = s;
    }
    return line.at((0.5 * share + 0.5 * at) * line.length);
  }

  /// A point brought so near to the line between two others that it is at most `most` away from it: the highest
  /// sections of a leg may have parts of the belly.
  static Vec3 near_chord(const Vec3& p, const Vec3& a, const Vec3& b, double most) {
    const Vec3 way = b - a;
    const Vec3 foot = a + std::clamp((p - a).dot(way) / way.squaredNorm(), 0.0, 1.0) * way;
    const double off = (p - foot).norm();
    return off <= most ? p : Vec3(foot + most / off * (p - foot));
  }

  /// A point that is moved towards another, which is inside, until it is inside as well.
  Vec3 inside(const Vec3& p, const Vec3& towards) const {
    for (double t = 0; t < 1; t += 0.1) {
      const Vec3 q = p + t * (towards - p);
      if (geometry::sample(body_.ways.interior().depth, body_.frame.from_body(q)) < -1.5 * body_.cell) return q;
    }
    return towards;
  }

  static Vec3 paw_of(const Leg& leg, double y) { return leg.at(y); }

  void place_legs(const LegPair& pair, bool hind) {
    std::array<Vec3, 2> first, second, third, paw, toe;
    const double z = hind ? hip_z_ : shoulder_z_;
    const double y = (hind ? kHipHeight : kShoulderHeight) * back_;
    const double x = mean_x(pair, std::min({pair[0].top, pair[1].top, 0.5 * back_}));
    for (std::size_t side = 0; side < 2; ++side) {
      const Leg& leg = pair[side];
      first[side] = inside(Vec3(side == 0 ? 0.9 * x : -0.9 * x, y, z), reading_.places.joints[hind ? "hips" : "chest"]);
      paw[side] = paw_of(leg, kPawHeight * back_);
      toe[side] = leg.toe;
      const CenterLine line = leg_line(leg, first[side], paw[side]);
      second[side] = bend(line, hind ? kStifleShare : kElbowShare, 0.1, hind ? 1 : -1);
      second[side] = near_chord(second[side], first[side], paw[side], 0.16 * (first[side] - paw[side]).norm());
      // Where the leg is still one with the body there is no bend to see.
      if (second[side].y() > leg.top) second[side].z() += (hind ? 0.07 : -0.05) * trunk_;
      third[side] = hind ? bend(line, kHockShare, 0.1, -1) : line.at(kWristShare * line.length);
    }
    JointPlaces& places = reading_.places;
    places.set_pair(hind ? "thigh" : "upper_arm", first[0], first[1]);
    places.set_pair(hind ? "shin" : "forearm", second[0], second[1]);
    places.set_pair(hind ? "foot" : "hand", third[0], third[1]);
    places.set_pair(hind ? "toes" : "hand_2", paw[0], paw[1]);
    places.end_pair(hind ? "toes" : "hand_2", toe[0], toe[1]);
  }
  void place_hind_legs() { place_legs(rear_, true); }
  void place_front_legs() { place_legs(front_, false); }

  /// Ears, horns and antlers may reach farther forward than a nose, also in the mirror plane.
  std::vector<std::uint8_t> without_thin_parts(const std::vector<std::uint8_t>& taken) const {
    constexpr double kThin = 0.1;  // Of the deepest place.
    double deepest = 0;
    for (Index v = 0; v < taken.size(); ++v)
      if (taken[v]) deepest = std::max(deepest, body_.ways.depth(v));
    const double least = std::max(kThin * deepest, 1.2 * body_.cell);
    std::vector<std::uint8_t> result = taken;
    for (Index v = 0; v < taken.size(); ++v)
      if (body_.ways.depth(v) < least) result[v] = 0;
    return result;
  }

  void place_head() {
    auto& joints = reading_.places.joints;
    const Vec3 chest = joints["chest"];
    std::vector<std::uint8_t> taken(body_.places.size(), 0);
    for (Index v = 0; v < taken.size(); ++v) {
      const Vec3& p = body_.places[v];
      const bool leg = p.y() < 0.5 * back_ && p.z() < shoulder_z_ + 0.3 * trunk_;
      taken[v] = p.z() > chest.z() && !leg ? 1 : 0;
    }
    const std::optional<Vec3> nose = farthest_end(body_, chest, without_thin_parts(taken), 1);
    if (!nose) return;
    const Vec3 tip = *nose;
    const CenterLine line = center_line(body_, chest, tip, taken);
    const double throat = std::min(0.26 * trunk_, 0.4 * line.length), neck = 0.8 * throat;
    const double expected = std::max(line.length - kHeadLength * trunk_, throat + 0.25 * (line.length - throat));
    double at = expected, least = std::numeric_limits<double>::infinity();
    for (double s = expected - 0.14 * trunk_; s <= expected + 0.14 * trunk_; s += 0.02 * trunk_) {
      if (s < throat + 0.1 * trunk_) continue;
      const double cost = line.width(s) / trunk_ + 0.5 * std::abs(s - expected) / trunk_;
      if (cost < least) least = cost, at = s;
    }
    joints["neck"] = on_plane(line.at(neck));
    joints["head"] = on_plane(line.at(at));
    // A long neck bends in several places.
    constexpr double kNeckBone = 0.4;
    const int more = std::clamp(static_cast<int>(std::lround((at - neck) / (kNeckBone * trunk_))) - 1, 0, 4);
    for (int k = 1; k <= more; ++k) {
      const std::string role = fmt::format("neck_{}", k + 1);
      joints[role] = on_plane(line.at(neck + (at - neck) * k / (more + 1)));
      reading_.inserted.push_back(
          {k == 1 ? "neck" : fmt::format("neck_{}", k), "head", fmt::format("Neck{}", k + 1), role});
    }
    reading_.places.ends["head"] = tip;
    nose_z_ = tip.z();
  }

  /// A tail that is held away from the body begins where the sections behind the hips have become narrow. What is too
  /// short or too thick for its length is none.
  void place_tail() {
    const Vec3 hips = reading_.places.joints["hips"];
    const double beside = std::max(0.6 * mean_x(rear_, 0.5 * rear_[0].top), 3 * body_.cell);
    std::vector<std::uint8_t> taken(body_.places.size(), 0);
    for (Index v = 0; v < taken.size(); ++v)
      taken[v] = body_.places[v].z() < hips.z() && std::abs(body_.places[v].x()) < beside ? 1 : 0;
    const std::optional<Vec3> tip = farthest_end(body_, hips, taken, -1);
    // A tail that hangs down close to the thighs is left to `add_extras`.
    reading_.tail_root = inside(Vec3(0, kTailHeight * back_, hip_z_ - kTailBehind * trunk_), hips);
    if (!tip || tip->z() > hip_z_ - 0.5 * trunk_) return;
    const CenterLine line = center_line(body_, hips, *tip, taken);
    double rump = 0;
    for (double t = 0; t < 0.5; t += 0.02) rump = std::max(rump, line.width(t * line.length));
    double root = 0;
    while (root < line.length && (line.width(root) > 0.6 * rump || root < 0.5 * rump)) root += body_.cell;
    const double length = line.length - root;
    double mean = 0;
    for (int k = 0; k < 10; ++k) mean += 0.1 * line.width(root + (k + 0.5) / 10 * length);
    // A thin one is found more exactly as what protrudes.
    if (length < 0.25 * trunk_ || length < 3 * mean || mean < 0.3 * rump) return;
    for (int k = 0; k < 4; ++k)
      reading_.places.joints[fmt::format("tail_{}", k + 1)] = on_plane(line.at(root + 0.25 * k * length));
    reading_.places.ends["tail_4"] = *tip;
  }

  static Vec3 on_plane(Vec3 p) {
    p.x() = 0;
    return p;
  }

  void judge() {
    const auto doubt = [&](const char* what, double value, double least, double most) {
      if (!(value >= least && value <= most)) reading_.doubts.push_back(what);
    };
    const auto share = [&](double z) { return (z - hip_z_) / trunk_; };
    const auto& joints = reading_.places.joints;
    doubt("trunk", trunk_ / back_, 0.45, 1.3);
    doubt("belly", std::min(rear_[0].top, front_[0].top) / back_, 0.1, 0.75);
    doubt("length", trunk_ / (body_.high_z - body_.low_z), 0.12, 0.75);
    if (joints.count("head") == 0) {
      reading_.doubts.push_back("head");
    } else {
      doubt("head", share(joints.at("head").z()), 1, 3.2);
      doubt("nose", share(nose_z_), 1.3, 3.8);
      doubt("neck", joints.at("neck").y() / back_, 0.4, 1.4);
    }
    reading_.template_name = winged_ ? "winged_quadruped" : "quadruped";
    reading_.evidence["trunk"] = trunk_ / back_;
    reading_.evidence["back"] = back_ / body_.height;
    reading_.evidence["leg"] = std::min(rear_[0].top, front_[0].top) / back_;
  }

  const BodyVoxels& body_;
  LegPair rear_, front_;
  MidlineProfile profile_;
  double back_ = 0, trunk_ = 0, hip_z_ = 0, shoulder_z_ = 0, nose_z_ = 0;
  bool winged_ = false;
  PlanReading reading_;
};

}  // namespace

std::optional<PlanReading> read_quadruped(const BodyWays& ways, const BodyAxes& frame, bool facing_known) {
  std::optional<BodyVoxels> seen(std::in_place, ways, frame);
  std::vector<LegPair> pairs = leg_pairs(*seen, find_legs(*seen));
  if (pairs.size() != 2) return {};
  Json evidence = Json::object();
  const double feet = std::clamp(feet_ahead(ways.interior(), seen->frame.turn) / 0.01, -1.0, 1.0);
  const double facing =
      facing_known ? 1 : facing_evidence(*seen, quarter_z(pairs[0]), quarter_z(pairs[1]), feet, evidence);
  if (facing < 0) {
    seen.emplace(ways, frame.reversed());
    pairs = leg_pairs(*seen, find_legs(*seen));
    if (pairs.size() != 2) return {};
  }
  const BodyVoxels& body = *seen;
  for (LegPair& pair : pairs) find_toes(body, pair);
  QuadrupedReader reader(body, pairs[0], pairs[1]);
  if (!reader.measure()) return {};
  PlanReading reading = reader.read();
  reading.frame = body.frame;
  evidence["facing"] = std::abs(facing);
  reading.facing = std::abs(facing);
  for (const auto& [key, value] : evidence.items()) reading.evidence[key] = value;
  if (std::abs(facing) < 0.3) reading.doubts.push_back("facing");
  reading.cost = 0.03 + 0.05 * static_cast<double>(reading.doubts.size()) + 0.3 * std::max(0.0, 0.9 - frame.symmetry);
  return reading;
}

}  // namespace sinew::rigging
