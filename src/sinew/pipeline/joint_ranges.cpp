// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/joint_ranges.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/deform/bind_frames.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/motion/sample.h"

namespace sinew::pipeline {
namespace {

using deform::JointRange;
using deform::RotationRange;
using motion::BodyPart;

constexpr double kLeastClip = radians(30);  // Turned by clips in all, below which they say nothing.
constexpr double kLeastAxis = radians(10);  // Of an axis that counts.
constexpr double kLeastAcross = 0.2;        // Sine between two directions that define an axis.

Mat3 turn_of(const Mat4& frame) { return polar(frame.topLeftCorner<3, 3>()).rotation; }

class RangeFinder {
 public:
  explicit RangeFinder(const Character& character)
      : character_(character), skeleton_(character.rig.skeleton), bind_(deform::bind_frames(character.rig)) {
    // The body as it is bound, which need not be its rest pose.
    bound_ = skeleton_;
    for (Index j = 0; j < bound_.size(); ++j) {
      const Index parent = bound_.joints[j].parent;
      const Decomposed local = decompose(parent == kNone ? bind_[j] : Mat4(bind_[parent].inverse() * bind_[j]));
      if (local.transform.matrix().allFinite()) bound_.joints[j].rest = local.transform;
    }
    body_ = motion::recognize(bound_);
    axes_ = bone_axes(bound_);
  }

  std::map<Index, JointRange> run() const {
    std::map<Index, JointRange> ranges;
    for (Index j = 0; j < skeleton_.size(); ++j) {
      if (skeleton_.joints[j].parent == kNone) continue;
      JointRange range = from_limits(j);
      if (range.axes.empty()) range = from_clips(j);
      if (range.axes.empty()) range = from_table(j);
      ranges[j] = std::move(range);
    }
    return ranges;
  }

 private:
  JointRange from_limits(Index j) const {
    JointRange range{{}, "limits"};
    if (!skeleton_.joints[j].limits) return range;
    const RotationLimits& limits = *skeleton_.joints[j].limits;
    const Mat3 turn = turn_of(bind_[j]);
    for (int axis = 0; axis < 3; ++axis)
      if (limits.upper_rad[axis] - limits.lower_rad[axis] >= kLeastAxis)
        range.axes.push_back(
            {turn.col(axis), std::min(0.0, limits.lower_rad[axis]), std::max(0.0, limits.upper_rad[axis])});
    return range;
  }

  /// The rotations from the bind pose in the keys of all clips, along their main axes.
  JointRange from_clips(Index j) const {
    JointRange range{{}, "clips"};
    const Quat bound = bound_.joints[j].rest.rotation;
    std::vector<Vec3> turns;
    for (const Clip& clip : character_.clips)
      for (const Track& track : clip.tracks)
        if (track.path == Track::Path::kRotation && track.target == j)
          for (const float time : track.times_s)
            turns.push_back(
                rotation_log(bound.conjugate() * motion::sample_rotation(track, static_cast<double>(time))));
    if (turns.empty()) return range;
    Mat3 spread = Mat3::Zero();
    for (const Vec3& turn : turns) spread += turn * turn.transpose();
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(spread);
    const Mat3 frame = turn_of(bind_[j]);
    double whole = 0;
    for (int k = 2; k >= 0; --k) {
      const Vec3 axis = solver.eigenvectors().col(k);
      double lower = 0, upper = 0;
      for (const Vec3& turn : turns) lower = std::min(lower, axis.dot(turn)), upper = std::max(upper, axis.dot(turn));
      whole = std::max(whole, upper - lower);
      if (upper - lower >= kLeastAxis) range.axes.push_back({frame * axis, lower, upper});
    }
    if (whole < kLeastClip) range.axes.clear();
    return range;
  }

  Vec3 bone(Index j) const { return (turn_of(bind_[j]) * axes_[j]).normalized(); }

  /// About the axis that turns the bone towards a direction, or another one where the bone points there.
  RotationRange towards(Index j, const Vec3& direction, const Vec3& instead, double lower, double upper) const {
    Vec3 axis = bone(j).cross(direction);
    if (axis.norm() < kLeastAcross) axis = bone(j).cross(instead);
    return {axis.normalized(), radians(lower), radians(upper)};
  }

  RotationRange twist(Index j, double most) const { return {bone(j), radians(-most), radians(most)}; }

  /// About two axes across the bone, and about the bone.
  std::vector<RotationRange> all_sides(Index j, double most, double most_twist) const {
    std::vector<RotationRange> ranges = {towards(j, body_.forward, body_.up, -most, most),
                                         towards(j, body_.left, body_.up, -most, most)};
    if (std::abs(ranges[0].axis.dot(ranges[1].axis)) > 0.7) ranges[1].axis = bone(j).cross(ranges[0].axis).normalized();
    if (most_twist > 0) ranges.push_back(twist(j, most_twist));
    return ranges;
  }

  JointRange from_table(Index j) const {
    const motion::JointRole& role = body_.roles[j];
    const Vec3 out = role.side == motion::Side::kRight ? Vec3(-body_.left) : body_.left;
    const Vec3 &up = body_.up, &forward = body_.forward;
    JointRange range{{}, "table"};
    switch (role.part) {
      case BodyPart::kForearm:
        range.axes = {towards(j, forward, up, 0, 140)};
        break;
      case BodyPart::kShin:
        range.axes = {towards(j, -forward, up, 0, 140)};
        break;
      case BodyPart::kHand:
        range.axes = {towards(j, up, forward, -75, 75), towards(j, forward, up, -20, 30)};
        break;
      case BodyPart::kFoot:
        range.axes = {towards(j, up, forward, -45, 20)};
        break;
      case BodyPart::kUpperArm: {
        // Counted from the arm that hangs down.
        const double raised = degrees(std::acos(std::clamp(-up.dot(bone(j)), -1.0, 1.0)));
        range.axes = {towards(j, up, out, -40 - raised, 150 - raised), towards(j, forward, up, -60, 110), twist(j, 80)};
        break;
      }
      case BodyPart::kThigh:
        range.axes = {towards(j, forward, up, -20, 110), towards(j, out, up, -25, 40), twist(j, 35)};
        break;
      case BodyPart::kIndex:
      case BodyPart::kMiddle:
      case BodyPart::kRing:
      case BodyPart::kLittle:
        if (role.number == 1) range.axes = {towards(j, -up, forward, -30, 90), towards(j, forward, up, -20, 20)};
        else range.axes = {towards(j, -up, forward, 0, 100)};
        break;
      case BodyPart::kThumb:
        range.axes = all_sides(j, 50, 0);
        break;
      case BodyPart::kNeck:
      case BodyPart::kHead:
        range.axes = all_sides(j, 45, 45);
        break;
      case BodyPart::kHips:
      case BodyPart::kSpine:
      case BodyPart::kChest:
        range.axes = all_sides(j, 20, 20);
        break;
      case BodyPart::kShoulder:
        range.axes = all_sides(j, 20, 0);
        break;
      case BodyPart::kToes:
        range.axes = {towards(j, up, forward, -20, 45)};
        break;
      default:
        range.axes = all_sides(j, 60, 0);
    }
    return range;
  }

  const Character& character_;
  const Skeleton& skeleton_;
  std::vector<Mat4> bind_;
  Skeleton bound_;
  motion::Recognition body_;
  std::vector<Vec3> axes_;
};

}  // namespace

std::map<Index, deform::JointRange> joint_ranges(const Character& character) {
  if (character.rig.skeleton.empty()) return {};
  return RangeFinder(character).run();
}

}  // namespace sinew::pipeline
