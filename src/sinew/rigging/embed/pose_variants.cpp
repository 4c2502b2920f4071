// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/pose_variants.h"

#include <array>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/rotation_between.h"

namespace sinew::rigging {
namespace {

/// Directions of the two bones of a limb: elevation above the horizontal and azimuth from sideways (0) to forward (90),
/// in degrees.
struct LimbDirections {
  double upper_elevation, upper_azimuth, lower_elevation, lower_azimuth;
};

struct BodyPose {
  const char* name;
  LimbDirections left_arm, right_arm, left_leg, right_leg;
};

constexpr LimbDirections kHanging = {-80, 20, -75, 50};
constexpr LimbDirections kForward = {-25, 70, 0, 90};
constexpr LimbDirections kRaised = {35, 10, 60, 30};
constexpr LimbDirections kStraight = {-89, 0, -89, 0};
constexpr LimbDirections kSeated = {-10, 85, -85, 90};
constexpr LimbDirections kAhead = {-62, 88, -85, 90};
constexpr LimbDirections kBehind = {-72, -85, -60, -85};

constexpr std::array<BodyPose, 5> kPoses = {{{"arms down", kHanging, kHanging, kStraight, kStraight},
                                             {"arms forward", kForward, kForward, kStraight, kStraight},
                                             {"sitting", {-70, 40, -20, 85}, {-70, 40, -20, 85}, kSeated, kSeated},
                                             {"step", kHanging, kHanging, kAhead, kBehind},
                                             {"arms up", kRaised, kRaised, kStraight, kStraight}}};

Vec3 direction(double elevation_deg, double azimuth_deg, double side) {
  const double e = radians(elevation_deg), a = radians(azimuth_deg);
  return {side * std::cos(e) * std::cos(a), std::sin(e), std::cos(e) * std::sin(a)};
}

/// Moves a joint and everything below it.
void translate_subtree(Template& t, Index joint, const Vec3& by) {
  std::vector<char> below(t.joints.size(), 0);
  below[joint] = 1;
  for (Index j = joint; j < t.joints.size(); ++j) {
    if (j != joint && t.joints[j].parent != kNone && below[t.joints[j].parent]) below[j] = 1;
    if (below[j]) t.joints[j].position += by;
  }
}

/// Rotates everything below a joint about it.
void rotate_below(Template& t, Index joint, const Mat3& rotation) {
  std::vector<char> below(t.joints.size(), 0);
  below[joint] = 1;
  const Vec3 center = t.joints[joint].position;
  for (Index j = joint + 1; j < t.joints.size(); ++j) {
    if (t.joints[j].parent == kNone || !below[t.joints[j].parent]) continue;
    below[j] = 1;
    t.joints[j].position = center + rotation * (t.joints[j].position - center);
  }
}

/// Feet keep their direction; hands follow the forearm.
void pose_limb(Template& t, Template::Limb& limb, const LimbDirections& to, double side) {
  const bool leg = limb.kind == "leg";
  const Vec3 tip_from_last = limb.tip ? Vec3(*limb.tip - t.joints[limb.joints.back()].position) : Vec3(Vec3::Zero());
  Mat3 last = Mat3::Identity();
  const std::array<Vec3, 2> directions = {direction(to.upper_elevation, to.upper_azimuth, side),
                                          direction(to.lower_elevation, to.lower_azimuth, side)};
  for (std::size_t k = 0; k < 2; ++k) {
    const Vec3 bone = t.joints[limb.joints[k + 1]].position - t.joints[limb.joints[k]].position;
    const Mat3 rotation = rotation_between(bone, directions[k]).toRotationMatrix();
    if (leg && k == 1) {
      translate_subtree(t, limb.joints[2], bone.norm() * directions[k] - bone);
    } else {
      rotate_below(t, limb.joints[k], rotation);
      last = rotation * last;
    }
  }
  if (limb.tip) limb.tip = t.joints[limb.joints.back()].position + (leg ? tip_from_last : Vec3(last * tip_from_last));
}

}  // namespace

std::vector<PoseVariant> pose_variants(const Template& skeleton_template) {
  std::vector<std::size_t> arms, legs;
  for (std::size_t l = 0; l < skeleton_template.limbs.size(); ++l) {
    const Template::Limb& limb = skeleton_template.limbs[l];
    if (limb.joints.size() != 3) continue;
    if (limb.kind == "arm") arms.push_back(l);
    if (limb.kind == "leg") legs.push_back(l);
  }
  if (arms.size() != 2 || legs.size() != 2) return {};
  std::vector<PoseVariant> variants;
  for (const BodyPose& pose : kPoses) {
    PoseVariant variant{pose.name, skeleton_template};
    Template& t = variant.skeleton_template;
    const auto apply = [&](std::size_t l, const LimbDirections& left, const LimbDirections& right) {
      const double side = t.joints[t.limbs[l].joints.front()].position.x() > 0 ? 1 : -1;
      pose_limb(t, t.limbs[l], side > 0 ? left : right, side);
    };
    for (const std::size_t l : arms) apply(l, pose.left_arm, pose.right_arm);
    for (const std::size_t l : legs) apply(l, pose.left_leg, pose.right_leg);
    variants.push_back(std::move(variant));
  }
  return variants;
}

}  // namespace sinew::rigging
