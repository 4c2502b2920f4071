// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/biped_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/rigging/plans/body_ends.h"
#include "sinew/rigging/plans/trunk.h"
#include "sinew/rigging/plans/wings.h"

namespace sinew::rigging {
namespace {

constexpr double kBipedCost = 0.2;      // A person that the embedding finds costs less.
constexpr double kLeastLength = 0.62;   // Of the height: people are shorter from front to back, arms forward included.
constexpr double kAnkleHeight = 0.165;  // Of the height.
constexpr double kHighAnkle = 0.5;      // Of the visible leg, at least: long legs bend in their middle.
constexpr double kThighUp = 0.58;       // From where the legs begin to the back.
constexpr double kThighAlong = 0.41;    // Of a bird, from the tip of the tail to that of the beak.
constexpr double kLeastAlong = 0.25, kMostAlong = 0.75;  // Of the hips, as long tails and necks have it.
constexpr double kLeastSymmetry = 0.85;  // Less is a person who walks or runs: the legs of birds are a small part.
constexpr double kLongTail = 0.4;        // Of the way from its tip to the nose.
constexpr double kThinTail = 0.32;       // Its mean width, of the widest section of the body.
constexpr double kLowTail = 0.1;         // How far its tip may be above the back, of the height: a hen holds it up.

class BipedReader {
 public:
  BipedReader(const BodyVoxels& body, const LegPair& legs) : body_(body), legs_(legs), profile_(body) {}

  PlanReading read() {
    place_legs();
    winged_ = find_wings(body_, leg_top_, "arm", reading_.places);
    const bool has_head = place_head();
    const bool has_tail = place_tail();
    if (!tailed_) {
      move_bird_thighs();
      place_head();
      place_bird_tail();
    }
    place_leg_joints();
    if (has_head && !tailed_) place_bird_neck();
    if (!tailed_ && !winged_) place_wings_on_flanks();
    reading_.template_name = tailed_ ? "tailed_biped" : "bird";
    if (!has_head) reading_.doubts.push_back("head");
    if (!has_tail) reading_.doubts.push_back("tail");
    const double along = (hips_.z() - body_.low_z) / (body_.high_z - body_.low_z);
    if (along < kLeastAlong || along > kMostAlong) reading_.doubts.push_back("hips");
    reading_.evidence["leg"] = leg_top_ / body_.height;
    reading_.evidence["back"] = back_ / body_.height;
    reading_.evidence["hips"] = along;
    reading_.evidence["tail_share"] = tail_share_;
    reading_.evidence["tail_width"] = tail_width_;
    reading_.evidence["winged"] = winged_;
    return std::move(reading_);
  }

 private:
  static Vec3 on_plane(Vec3 p) {
    p.x() = 0;
    return p;
  }

  void place_legs() {
    leg_top_ = std::min(legs_[0].top, legs_[1].top);
    const double x = 0.5 * (legs_[0].at(leg_top_).x() - legs_[1].at(leg_top_).x());
    double z = 0.5 * (legs_[0].at(leg_top_).z() + legs_[1].at(leg_top_).z());
    back_ = back_at(z);
    const double y = leg_top_ + kThighUp * (back_ - leg_top_);
    hips_ = Vec3(0, y + 0.15 * (back_ - y), z);
    thigh_ = Vec3(0.85 * x, y, z);
  }

  double back_at(double z) const {
    double back = 0;
    for (const double shift : {-0.05, 0.0, 0.05}) back += profile_.top(z + shift * (body_.high_z - body_.low_z)) / 3;
    return back;
  }

  /// Thighs of birds are in the trunk, behind the legs that are visible, and their knees are ahead of them.
  void move_bird_thighs() {
    const double along = body_.low_z + kThighAlong * (body_.high_z - body_.low_z);
    const double most = 0.12 * body_.height;
    thigh_.z() += std::clamp(0.5 * (along - thigh_.z()), -most, 0.5 * most);
    hips_.z() = thigh_.z();
  }

  void place_leg_joints() {
    std::array<Vec3, 2> thigh, knee, ankle, ball, toe;
    const double high = std::max(0.85 * leg_top_, std::min(0.1 * body_.height, 0.4 * thigh_.y()));
    const double ankle_y = std::clamp(kAnkleHeight * body_.height, std::min(kHighAnkle * leg_top_, high), high);
    for (std::size_t side = 0; side < 2; ++side) {
      const Leg& leg = legs_[side];
      thigh[side] = Vec3(side == 0 ? thigh_.x() : -thigh_.x(), thigh_.y(), thigh_.z());
      ankle[side] = leg.at(ankle_y);
      ankle[side].y() = ankle_y;
      ball[side] = leg.at(std::min(0.03 * body_.height, 0.2 * leg_top_));
      const double length = (thigh[side] - ankle[side]).norm();
      const Vec3 straight = 0.58 * thigh[side] + 0.42 * ankle[side];
      knee[side] = inside(straight + Vec3(0, 0, (tailed_ ? 0.22 : 0.3) * length), straight);
      toe[side] = leg.toe;
    }
    JointPlaces& places = reading_.places;
    places.set_pair("thigh", thigh[0], thigh[1]);
    places.set_pair("shin", knee[0], knee[1]);
    places.set_pair("foot", ankle[0], ankle[1]);
    places.set_pair("toes", ball[0], ball[1]);
    places.end_pair("toes", toe[0], toe[1]);
    places.joints["hips"] = hips_;
  }

  /// A point that is moved towards another until it is inside.
  Vec3 inside(const Vec3& p, const Vec3& towards) const {
    for (double t = 0; t < 1; t += 0.1) {
      const Vec3 q = p + t * (towards - p);
      if (geometry::sample(body_.ways.interior().depth, body_.frame.from_body(q)) < -body_.cell) return q;
    }
    return towards;
  }

  /// The breast is what is farthest forward below the back.
  void place_wings_on_flanks() {
    BirdTrunk trunk{leg_top_, back_, hips_.z(), hips_.z()};
    for (const Vec3& p : body_.places)
      if (p.y() > leg_top_ && p.y() < 0.5 * (leg_top_ + back_)) trunk.breast = std::max(trunk.breast, p.z());
    place_folded_wings(body_, trunk, reading_.places);
    const Vec3 chest = reading_.places.joints.count("chest") != 0 ? reading_.places.joints["chest"] : hips_;
    for (const char* side : {"left_", "right_"})
      for (const char* part : {"upper_arm", "forearm", "hand"}) {
        Vec3& place = reading_.places.joints[std::string(side) + part];
        place = inside(place, chest);
      }
  }

  std::vector<std::uint8_t> voxels_beyond(double sign, double lowest) const {
    std::vector<std::uint8_t> taken(body_.places.size(), 0);
    const double width = 0.5 * std::abs(legs_[0].at(leg_top_).x() - legs_[1].at(leg_top_).x());
    for (Index v = 0; v < taken.size(); ++v) {
      const Vec3& p = body_.places[v];
      taken[v] = sign * (p.z() - hips_.z()) > 0 && p.y() > lowest && std::abs(p.x()) < 2 * width ? 1 : 0;
    }
    return taken;
  }

  bool place_head() {
    const std::vector<std::uint8_t> taken = voxels_beyond(1, leg_top_);
    const std::optional<Vec3> nose = farthest_end(body_, hips_, taken, 1);
    if (!nose) return false;
    front_line_ = center_line(body_, hips_, *nose, taken);
    const CenterLine& line = front_line_;
    front_ = line.length;
    for (double t = 0; t < 0.6; t += 0.02) widest_ = std::max(widest_, line.width(t * line.length));
    // The neck begins where the trunk has become narrow, and ends where it is narrowest before the head.
    double neck = 0.3;
    while (neck < 0.62 && line.width(neck * line.length) > 0.62 * widest_) neck += 0.01;
    double head = 0.8, least = std::numeric_limits<double>::infinity();
    for (double t = std::max(0.6, neck + 0.1); t < 0.88; t += 0.01) {
      const double cost = line.width(t * line.length) / std::max(widest_, 1e-9) + 1.2 * std::abs(t - 0.76);
      if (cost < least) least = cost, head = t;
    }
    auto& joints = reading_.places.joints;
    joints["spine"] = on_plane(line.at(0.3 * neck * line.length));
    joints["chest"] = on_plane(line.at(0.62 * neck * line.length));
    joints["neck"] = on_plane(line.at(neck * line.length));
    joints["head"] = on_plane(line.at(head * line.length));
    head_share_ = head;
    reading_.places.ends["head"] = *nose;
    return true;
  }

  /// The neck of a bird begins deep in its breast and bends in several places.
  void place_bird_neck() {
    constexpr double kNeckBase = 0.32;
    auto& joints = reading_.places.joints;
    joints["chest"] = on_plane(front_line_.at(0.6 * kNeckBase * front_));
    const std::array<const char*, 3> roles = {"neck", "neck_2", "neck_3"};
    for (int k = 0; k < 3; ++k)
      joints[roles[static_cast<std::size_t>(k)]] =
          on_plane(front_line_.at((kNeckBase + (head_share_ - kNeckBase) * k / 3) * front_));
    reading_.inserted.push_back({"neck", "head", "Neck2", "neck_2"});
    reading_.inserted.push_back({"neck_2", "head", "Neck3", "neck_3"});
  }

  bool place_tail() {
    const std::vector<std::uint8_t> taken = voxels_beyond(-1, leg_top_);
    const std::optional<Vec3> tip = farthest_end(body_, hips_, taken, -1);
    if (!tip) return false;
    const CenterLine line = center_line(body_, hips_, *tip, taken);
    tail_share_ = line.length / std::max(1e-9, line.length + front_);
    double mean = 0;
    for (int k = 0; k < 10; ++k) mean += 0.1 * line.width((0.4 + 0.06 * k) * line.length);
    tail_width_ = mean / std::max(widest_, 1e-9);
    tailed_ =
        !winged_ && tail_share_ > kLongTail && tail_width_ < kThinTail && tip->y() < back_ + kLowTail * body_.height;
    auto& joints = reading_.places.joints;
    if (tailed_) {
      for (int k = 0; k < 5; ++k)
        joints[fmt::format("tail_{}", k + 1)] = on_plane(line.at((0.14 + 0.172 * k) * line.length));
      reading_.places.ends["tail_5"] = *tip;
    }
    return true;
  }

  /// The tail of a bird begins where the trunk has become narrow, above the feathers of the legs; a long one bends in
  /// several places.
  void place_bird_tail() {
    constexpr double kNarrow = 0.6, kFirst = 0.35, kLast = 0.6, kTailBone = 0.22;
    const std::vector<std::uint8_t> taken = voxels_beyond(-1, 0.5 * (leg_top_ + thigh_.y()));
    const std::optional<Vec3> tip = farthest_end(body_, hips_, taken, -1);
    if (!tip) return;
    const CenterLine line = center_line(body_, hips_, *tip, taken);
    double rump = 0, root = kFirst;
    for (double t = 0; t < 0.5; t += 0.02) rump = std::max(rump, line.width(t * line.length));
    while (root < kLast && line.width(root * line.length) > kNarrow * rump) root += 0.01;
    auto& joints = reading_.places.joints;
    reading_.inserted.clear();
    const double length = (1 - root) * line.length;
    const int count = std::clamp(static_cast<int>(length / (kTailBone * (body_.high_z - body_.low_z))) + 1, 1, 3);
    for (int k = 0; k < count; ++k) {
      const std::string role = fmt::format("tail_{}", k + 1);
      joints[role] = on_plane(line.at(root * line.length + length * k / count));
      if (k > 0) reading_.inserted.push_back({fmt::format("tail_{}", k), "", fmt::format("Tail{}", k + 1), role});
      if (k + 1 == count) reading_.places.ends[role] = *tip;
    }
  }

  const BodyVoxels& body_;
  const LegPair& legs_;
  MidlineProfile profile_;
  Vec3 hips_ = Vec3::Zero(), thigh_ = Vec3::Zero();
  double leg_top_ = 0, back_ = 0, front_ = 0, widest_ = 0, tail_share_ = 0, tail_width_ = 0;
  double head_share_ = 0;
  CenterLine front_line_;
  bool tailed_ = false, winged_ = false;
  PlanReading reading_;
};

/// Whether anything but the feet is on the ground ahead of them: a cat that stretches stands on its chest as well.
bool leans_on_its_front(const BodyVoxels& body, const LegPair& legs) {
  const double beyond = std::max(legs[0].toe.z(), legs[1].toe.z()) + 0.12 * (body.high_z - body.low_z);
  return std::any_of(body.places.begin(), body.places.end(),
                     [&](const Vec3& p) { return p.z() > beyond && p.y() < 0.06 * body.height; });
}

}  // namespace

std::optional<PlanReading> read_biped(const BodyWays& ways, const BodyAxes& frame, bool facing_known) {
  std::optional<BodyVoxels> seen(std::in_place, ways, frame);
  std::vector<LegPair> pairs = leg_pairs(*seen, find_legs(*seen));
  if (pairs.size() != 1) return {};
  const double length = seen->high_z - seen->low_z;
  if (length < kLeastLength * seen->height || frame.symmetry < kLeastSymmetry) return {};
  Json evidence = Json::object();
  const double stand = 0.5 * (pairs[0][0].at(0).z() + pairs[0][1].at(0).z());
  const double facing =
      facing_known ? 1 : facing_evidence(*seen, stand, stand, 2 * feet_point_forward(*seen, pairs[0]), evidence);
  if (facing < 0) {
    seen.emplace(ways, frame.reversed());
    pairs = leg_pairs(*seen, find_legs(*seen));
    if (pairs.size() != 1) return {};
  }
  const BodyVoxels& body = *seen;
  // Fins that happen to be lowest are no legs.
  if (std::min(pairs[0][0].top, pairs[0][1].top) < 0.03 * std::max(length, body.half_width)) return {};
  find_toes(body, pairs[0]);
  if (leans_on_its_front(body, pairs[0])) return {};
  PlanReading reading = BipedReader(body, pairs[0]).read();
  reading.frame = body.frame;
  evidence["facing"] = std::abs(facing);
  reading.facing = std::abs(facing);
  evidence["length"] = length / body.height;
  for (const auto& [key, value] : evidence.items()) reading.evidence[key] = value;
  if (std::abs(facing) < 0.3) reading.doubts.push_back("facing");
  reading.cost =
      kBipedCost + 0.05 * static_cast<double>(reading.doubts.size()) + 0.5 * std::max(0.0, 0.9 - frame.symmetry);
  return reading;
}

}  // namespace sinew::rigging
