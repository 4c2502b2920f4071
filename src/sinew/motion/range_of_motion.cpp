// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/range_of_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "sinew/core/angles.h"

namespace sinew::motion {
namespace {

// Half a turn has no direction; just below it has one.
constexpr double kHalfTurn = kPi - 1e-6;
constexpr std::array<double, 3> kBends = {radians(60), radians(90), radians(120)};
constexpr std::array<double, 2> kTwists = {radians(90), kHalfTurn};
// Joints beside the main ones bend and twist less.
constexpr double kUnnatural = radians(50);  // In directions in which a joint hardly bends.
constexpr double kOtherBend = radians(60), kOtherTwist = radians(90);

class RangeMaker {
 public:
  RangeMaker(const Skeleton& skeleton, const Recognition& recognition, const std::vector<Mat4>& frames,
             const std::vector<char>& moves, RangeDetail detail)
      : skeleton_(skeleton),
        body_(recognition),
        frames_(frames),
        moves_(moves),
        children_(skeleton.children()),
        thorough_(detail == RangeDetail::kThorough) {}

  std::vector<RangePose> run() {
    for (const Side side : {Side::kLeft, Side::kRight}) limbs(side);
    neck();
    tail();
    if (thorough_ || poses_.empty()) others();
    return std::move(poses_);
  }

 private:
  Vec3 place(Index j) const { return frames_[j].topRightCorner<3, 1>(); }

  void limbs(Side side) {
    const Vec3 out = side == Side::kLeft ? body_.left : Vec3(-body_.left);
    const Index upper = body_.find(BodyPart::kUpperArm, side), fore = body_.find(BodyPart::kForearm, side),
                hand = body_.find(BodyPart::kHand, side);
    const Index thigh = body_.find(BodyPart::kThigh, side), shin = body_.find(BodyPart::kShin, side),
                foot = body_.find(BodyPart::kFoot, side);
    bend("elbow", "bend", fore, hand, body_.forward, body_.up);
    bend("knee", "bend", shin, foot, -body_.forward, body_.up);
    bend("hip", "forward", thigh, shin, body_.forward, body_.up);
    bend("hip", "aside", thigh, shin, out, body_.up);
    bend("shoulder", "raise", upper, fore, body_.up, out);
    bend("shoulder", "forward", upper, fore, body_.forward, body_.up);
    twist("forearm", fore, hand);
    if (!thorough_) return;
    bend("hip", "back", thigh, shin, -body_.forward, body_.up, false);
    bend("hip", "in", thigh, shin, -out, body_.up, false);
    bend("shoulder", "lower", upper, fore, -body_.up, -out, false);
    bend("shoulder", "back", upper, fore, -body_.forward, body_.up, false);
    bend("elbow", "in", fore, hand, body_.up, body_.forward, false);
    bend("knee", "forward", shin, foot, body_.forward, body_.up, false);
    twist("shin", shin, foot);
    twist("upper arm", upper, fore);
    twist("thigh", thigh, shin);
  }

  void neck() {
    const std::vector<Index> chain = body_.chain(BodyPart::kNeck);
    const Index head = body_.find(BodyPart::kHead), neck = chain.empty() ? head : chain.front();
    bend("neck", "nod", neck, chain.empty() ? kNone : head, body_.forward, body_.up);
    bend("neck", "tilt", neck, chain.empty() ? kNone : head, body_.left, body_.up);
    if (thorough_) {
      bend("neck", "back", neck, chain.empty() ? kNone : head, -body_.forward, body_.up);
      bend("neck", "tilt right", neck, chain.empty() ? kNone : head, -body_.left, body_.up);
    }
    twist("neck", head == kNone || head == neck ? parent_of(neck) : parent_of(head), head == kNone ? neck : head);
  }

  void tail() {
    const std::vector<Index> chain = body_.chain(BodyPart::kTail);
    if (chain.size() < 2) return;
    const Index middle = chain[chain.size() / 2];
    twist("tail", parent_of(middle), middle);
  }

  Index parent_of(Index j) const {
    Index above = j == kNone ? kNone : skeleton_.joints[j].parent;
    while (above != kNone && moves_[above] == 0) above = skeleton_.joints[above].parent;
    return above;
  }

  bool below(Index joint, Index above) const {
    for (Index j = joint; j != kNone; j = skeleton_.joints[j].parent)
      if (j == above) return true;
    return false;
  }

  // The direction of a joint's own bone.
  Vec3 bone(Index joint, Index next) const {
    Vec3 along = Vec3::Zero();
    if (next != kNone) along = place(next) - place(joint);
    for (const Index child : children_[joint])
      if (along.norm() < 1e-9) along = place(child) - place(joint);
    if (const auto& end = skeleton_.joints[joint].end_local; along.norm() < 1e-9 && end)
      along = transform_point(frames_[joint], *end) - place(joint);
    if (const Index above = parent_of(joint); along.norm() < 1e-9 && above != kNone)
      along = place(joint) - place(above);
    return along.norm() > 0 ? Vec3(along.normalized()) : Vec3(Vec3::Zero());
  }

  // Towards a direction, or another one if the bone points there already.
  void bend(const char* group, const char* move, Index joint, Index next, const Vec3& towards, const Vec3& instead,
            bool natural = true) {
    if (joint == kNone || moves_[joint] == 0 || parent_of(joint) == kNone) return;
    if (next != kNone && !below(next, joint)) return;
    const Vec3 along = bone(joint, next);
    Vec3 axis = along.cross(towards);
    if (axis.norm() < 0.3) axis = along.cross(instead);
    if (axis.norm() < 0.3) return;
    taken_.insert(joint);
    if (natural)
      for (const double angle : kBends) poses_.push_back({group, move, joint, false, angle, axis.normalized()});
    else poses_.push_back({group, move, joint, false, kUnnatural, axis.normalized()});
  }

  void twist(const char* group, Index before, Index joint) {
    if (before == kNone || joint == kNone || moves_[joint] == 0 || !below(joint, before)) return;
    const Vec3 along = place(joint) - place(before);
    if (along.norm() < 1e-9) return;
    twisted_.insert(joint);
    for (const double angle : kTwists) {
      poses_.push_back({group, "twist", joint, true, angle, along.normalized()});
      if (thorough_) poses_.push_back({group, "twist", joint, true, -angle, along.normalized()});
    }
  }

  void others() {
    const double bend = kOtherBend, twist = kOtherTwist;
    for (Index j = 0; j < skeleton_.size(); ++j) {
      if (moves_[j] == 0 || parent_of(j) == kNone) continue;
      const Vec3 along = bone(j, kNone);
      if (along.isZero()) continue;
      if (taken_.count(j) == 0) {
        const Vec3 across = along.unitOrthogonal();
        for (const double sign : {1.0, -1.0}) {
          poses_.push_back({"other", "bend", j, false, sign * bend, across});
          poses_.push_back({"other", "bend", j, false, sign * bend, along.cross(across)});
        }
      }
      const Vec3 link = place(j) - place(parent_of(j));
      if (twisted_.count(j) != 0 || link.norm() < 1e-9) continue;
      poses_.push_back({"other", "twist", j, true, twist, link.normalized()});
    }
  }

  const Skeleton& skeleton_;
  const Recognition& body_;
  const std::vector<Mat4>& frames_;
  const std::vector<char>& moves_;
  std::vector<std::vector<Index>> children_;
  bool thorough_;
  std::set<Index> taken_, twisted_;
  std::vector<RangePose> poses_;
};

}  // namespace

std::vector<RangePose> range_of_motion(const Skeleton& skeleton, const Recognition& recognition,
                                       const std::vector<Mat4>& frames, const std::vector<char>& moves,
                                       RangeDetail detail) {
  return RangeMaker(skeleton, recognition, frames, moves, detail).run();
}

std::vector<Mat4> turned_frames(const Skeleton& skeleton, const std::vector<Mat4>& frames, const RangePose& pose) {
  const Mat3 rotation = Eigen::AngleAxisd(pose.angle_rad, pose.axis).toRotationMatrix();
  const Vec3 centre = frames[pose.joint].topRightCorner<3, 1>();
  Mat4 about = Mat4::Identity();
  about.topLeftCorner<3, 3>() = rotation;
  about.topRightCorner<3, 1>() = centre - rotation * centre;
  std::vector<Mat4> turned = frames;
  std::vector<char> below(skeleton.size(), 0);  // Parents come first.
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    below[j] = j == pose.joint || (parent != kNone && below[parent] != 0) ? 1 : 0;
    if (below[j] != 0) turned[j] = about * turned[j];
  }
  return turned;
}

}  // namespace sinew::motion
