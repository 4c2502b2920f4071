// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/hand_parts.h"

#include <utility>

namespace sinew::shapes {
namespace {

constexpr std::array<const char*, 5> kFingerNames = {"Index", "Middle", "Ring", "Little", "Thumb"};
constexpr double kPalm = 0.088;  ///< From the wrist to the knuckles.

struct FingerShape {
  double across;  ///< Of the knuckle, towards the thumb.
  double reach;   ///< How far the knuckle is from the wrist, in palm lengths.
  double lengths[3];
  double radius;
  double spread;  ///< Of the tip towards the thumb, per length.
};
constexpr std::array<FingerShape, 4> kFingers = {{{0.0315, 0.99, {0.042, 0.026, 0.022}, 0.0092, 0.13},
                                                  {0.0105, 1.02, {0.046, 0.030, 0.024}, 0.0095, 0.03},
                                                  {-0.0105, 0.99, {0.042, 0.028, 0.023}, 0.0090, -0.05},
                                                  {-0.0310, 0.92, {0.034, 0.021, 0.019}, 0.0080, -0.16}}};

/// The palm's outline: five vertices on the back of the hand, five on the palm.
Profile palm_profile() {
  return {{1, -0.5}, {1, 0}, {1, 0.5}, {0.82, 1}, {-0.82, 1}, {-1, 0.5}, {-1, 0}, {-1, -0.5}, {-0.82, -1}, {0.82, -1}};
}

/// A finger is a tube of four sides; the quads between palm and knuckles are its root.
void grow_finger(Cage& cage, const BodyPlan& plan, const std::array<Index, 3>& joints, const Loop& root, double radius,
                 bool thumb, double side) {
  const auto [one, two, three] = joints;
  const double thick = thumb ? 1.25 : 1.0;
  std::vector<Station> stations;
  if (thumb) {
    stations = {{one, 0.92, round(0.98 * thick * radius)}};
  } else {
    stations = {{one, 0.30, round(1.06 * radius)}, {one, 0.72, round(0.98 * radius)}};
  }
  const std::vector<Station> rest = {
      {two, thumb ? 0.12 : 0.0, round(1.0 * thick * radius), one},
      {two, 0.55, round(0.93 * thick * radius)},
      {three, 0, round(0.93 * thick * radius), two},
      {three, 0.45, round(0.88 * thick * radius)},
      {three, 0.88, round(0.74 * thick * radius)},
  };
  stations.insert(stations.end(), rest.begin(), rest.end());
  const std::vector<Loop> rings = grow(cage, plan, root, stations, circle(4, -45), side);
  const Loop& tip = rings.back();
  cage.add_quad({tip[0], tip[1], tip[2], tip[3]}, side < 0);
}

}  // namespace

HandShape varied_hand(const Variation& vary) {
  return {vary.factor("palm length", 1.3), vary.factor("finger length", 1.5), vary.factor("hand thickness", 1.4),
          vary.factor("hand width", 1.35)};
}

HandJoints add_hand(BodyPlan& plan, const std::string& prefix, Index parent, const Vec3& wrist, const Vec3& along,
                    const Vec3& back, const HandShape& shape) {
  const Vec3 y = along.normalized();
  const Vec3 up = (back - back.dot(y) * y).normalized();
  const Vec3 thumb = y.cross(up);  // Seen from the back of a left hand that points away, the thumb is on the right.
  const Vec3 palm_side = -up;
  HandJoints joints;
  const double palm = kPalm * shape.length;
  joints.hand = plan.add(prefix + "Hand", parent, wrist, wrist + palm * y, -thumb);
  plan.lay_sections(joints.hand, palm_side);
  for (std::size_t f = 0; f < 4; ++f) {
    const FingerShape& finger = kFingers[f];
    Vec3 place = wrist + finger.reach * palm * y + shape.width * finger.across * thumb;
    const Vec3 direction = (y + finger.spread * thumb).normalized();
    Index above = joints.hand;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 end = place + shape.fingers * finger.lengths[k] * direction;
      above = plan.add(prefix + kFingerNames[f] + std::to_string(k + 1), above, place, end, -thumb, k == 2);
      plan.lay_sections(above, palm_side);
      joints.fingers[f][k] = above;
      place = end;
    }
  }
  const Vec3 direction = (0.66 * y + 0.72 * thumb + 0.18 * palm_side).normalized();
  Vec3 place = wrist + 0.24 * palm * y + shape.width * 0.020 * thumb + 0.004 * palm_side;
  const Vec3 across = (palm_side - 0.75 * thumb + 0.3 * y).normalized();  // Its flat side.
  Index above = joints.hand;
  constexpr double kThumb[3] = {0.042, 0.031, 0.026};
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 end =
        place + shape.fingers * kThumb[k] *
                    (k == 0 ? direction : Vec3((direction + 0.30 * static_cast<double>(k) * y).normalized()));
    above = plan.add(prefix + "Thumb" + std::to_string(k + 1), above, place, end, across.cross(y).normalized(), k == 2);
    plan.lay_sections(above, across);
    joints.fingers[4][k] = above;
    place = end;
  }
  return joints;
}

HandJoints mirror_hand(BodyPlan& plan, const std::string& prefix, Index parent, const HandJoints& left) {
  HandJoints right;
  right.hand = plan.add_mirrored(prefix + "Hand", parent, left.hand);
  for (std::size_t f = 0; f < 5; ++f) {
    Index above = right.hand;
    for (std::size_t k = 0; k < 3; ++k) {
      above = plan.add_mirrored(prefix + kFingerNames[f] + std::to_string(k + 1), above, left.fingers[f][k]);
      right.fingers[f][k] = above;
    }
  }
  return right;
}

Profile arm_profile() { return circle(10, -36); }

void grow_hand(Cage& cage, const BodyPlan& plan, const HandJoints& joints, const Loop& wrist, const HandShape& shape,
               double side) {
  const Index hand = joints.hand;
  const double w = shape.width;
  const double h = shape.thickness;
  const Profile round_profile = arm_profile();
  const Profile flat = palm_profile();
  std::vector<Loop> rings = {wrist};
  const auto add = [&](double t, double thick, double wide, double flatness, const Mix& mix) {
    Station station{hand, t, oval(thick * h, wide * w)};
    station.profile = between(round_profile, flat, flatness);
    station.mix = mix;
    rings.push_back(add_ring(cage, plan, station, round_profile, side));
  };
  const Index thumb = joints.fingers[4][0];
  add(0.20, 0.0155, 0.0315, 0.6, {{hand, 1.0}});
  add(0.50, 0.0145, 0.0375, 0.9, {{hand, 1.0}});
  add(0.78, 0.0125, 0.0395, 1.0, {{hand, 1.0}});
  add(1.02, 0.0105, 0.0395, 1.0, {{hand, 1.0}});
  // Each end vertex moves a little with the fingers beside it.
  const Loop& end = rings.back();
  constexpr std::array<std::array<Index, 4>, 4> kRoots = {{{9, 0, 7, 8}, {0, 1, 6, 7}, {1, 2, 5, 6}, {2, 3, 4, 5}}};
  for (std::size_t v = 0; v < 10; ++v) {
    Mix fingers;
    for (std::size_t f = 0; f < 4; ++f)
      for (const Index k : kRoots[f])
        if (k == v) fingers.emplace_back(joints.fingers[f][0], 1.0);
    for (auto& entry : fingers) entry.second = 1.0 / static_cast<double>(fingers.size());
    cage.mixes()[end[v]] = blended({{hand, 1.0}}, fingers, 0.4);
    // The knuckles follow a bow: the little finger's is nearest to the wrist.
  }
  for (std::size_t f = 0; f < 4; ++f) {
    const Vec3 knuckle = plan.place(joints.fingers[f][0]);
    const Vec3 forward = plan.frame(hand).col(1);
    for (const Index k : kRoots[f]) {
      Vec3& p = cage.positions()[end[k]];
      p += 0.5 * (knuckle - p).dot(forward) * forward;
    }
  }
  // The thumb grows out of the side of the palm, between the first rings.
  cage.wall(rings, side < 0, [](Index row, Index column) { return row == 1 && column == 8; });
  const Loop thumb_root = {rings[1][8], rings[1][9], rings[2][9], rings[2][8]};
  for (const Index v : thumb_root) cage.mixes()[v] = blended({{hand, 1.0}}, {{thumb, 1.0}}, 0.4);
  // Its loop starts at the palm's side nearest to the wrist, as a finger's does.
  grow_finger(cage, plan, joints.fingers[4], {thumb_root[1], thumb_root[2], thumb_root[3], thumb_root[0]}, 0.0098 * h,
              true, side);
  for (std::size_t f = 0; f < 4; ++f) {
    Loop root;
    for (const Index k : kRoots[f]) root.push_back(end[k]);
    grow_finger(cage, plan, joints.fingers[f], root, kFingers[f].radius * h, false, side);
  }
}

}  // namespace sinew::shapes
