// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/retarget_pose.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/core/rotation_between.h"

namespace sinew::motion {
namespace {

constexpr double kLeastHeading = 0.3;     // Of a foot's length: a foot that points more steeply has no heading.
constexpr double kSameOffset = 1e-3;      // In leg lengths: bones of one length.
constexpr double kMostHeading_rad = 1.0;  // Feet that differ by more were not recognized well.

// The joint to which the bone of a limb points; kNone for parts that keep the direction they rest in.
Index next_of_limb(const BodyFrame& body, Index joint) {
  const JointRole role = body.recognition.roles[joint];
  switch (role.part) {
    case BodyPart::kUpperArm:
      return body.find(BodyPart::kForearm, role.side);
    case BodyPart::kForearm:
      return body.find(BodyPart::kHand, role.side);
    case BodyPart::kThigh:
      return body.find(BodyPart::kShin, role.side);
    case BodyPart::kShin:
      return body.find(BodyPart::kFoot, role.side);
    case BodyPart::kHand:
      return body.find(BodyPart::kMiddle, role.side);
    case BodyPart::kThumb:
    case BodyPart::kIndex:
    case BodyPart::kMiddle:
    case BodyPart::kRing:
    case BodyPart::kLittle:
      return body.find(role.part, role.side, role.number + 1);
    default:
      return kNone;
  }
}

bool begins_limb(BodyPart part) { return part == BodyPart::kUpperArm || part == BodyPart::kThigh; }

}  // namespace

PoseRetargeter::PoseRetargeter(const BodyFrame& source, const BodyFrame& target, const JointMap& map, bool mirrored)
    : source_(source), target_(target), sources_(map.sources) {
  Mat3 from = source.axes;
  if (mirrored) from.col(0) = -from.col(0);
  turn_ = target.axes * from.transpose();
  scale_ = target.leg_length / source.leg_length;
  find_partners(mirrored);
  leader_ = target.find(BodyPart::kHips);
  if (leader_ == kNone || sources_[leader_].joint == kNone) {
    leader_ = kNone;
    for (Index j = target.skeleton->size(); j-- > 0;)
      if (sources_[j].joint != kNone) leader_ = j;
  }
  align();
  make_carrier();
  find_loose_ends();
}

void PoseRetargeter::find_loose_ends() {
  for (const Side side : {Side::kLeft, Side::kRight})
    for (const auto& [part, holder_part] :
         {std::pair(BodyPart::kFoot, BodyPart::kShin), std::pair(BodyPart::kHand, BodyPart::kForearm)}) {
      const LooseEnd end{target_.find(part, side), target_.find(holder_part, side)};
      if (end.joint == kNone || end.holder == kNone) continue;
      Index above = end.joint;
      while (above != kNone && above != end.holder) above = target_.skeleton->joints[above].parent;
      if (above == kNone) loose_.push_back(end);
    }
}

void PoseRetargeter::attach_loose_ends(std::vector<Transform>& local) const {
  if (loose_.empty()) return;
  const Skeleton& skeleton = *target_.skeleton;
  const auto model_of = [&](Index joint) {
    Mat4 model = Mat4::Identity();
    for (Index j = joint; j != kNone; j = skeleton.joints[j].parent) {
      Mat4 m = local[j].matrix();
      m.topLeftCorner<3, 3>() *= skeleton.joints[j].shear;
      model = m * model;
    }
    return model;
  };
  for (const LooseEnd& end : loose_) {
    const Mat4 moved = model_of(end.holder) * target_.rest[end.holder].inverse();
    const Index parent = skeleton.joints[end.joint].parent;
    const Mat4 outer = parent == kNone ? Mat4(Mat4::Identity()) : model_of(parent);
    const Mat4 back = outer.inverse();
    if (!moved.allFinite() || !back.allFinite()) continue;
    local[end.joint].translation = transform_point(back, transform_point(moved, target_.place(end.joint)));
    if (sources_[end.joint].joint != kNone) continue;
    const Quat turn = rotation_part(moved) * target_.rest_rotation[end.joint];
    local[end.joint].rotation = (rotation_part(outer).conjugate() * turn).normalized();
  }
}

// Mirrored, a joint takes the motion that its partner on the other side would take.
void PoseRetargeter::find_partners(bool mirrored) {
  if (!mirrored) return;
  const std::vector<JointSource> straight = sources_;
  for (Index j = 0; j < sources_.size(); ++j) {
    const JointRole& role = target_.recognition.roles[j];
    Index partner = target_.skeleton->joints[j].mirror;
    if (role.side != Side::kMiddle)
      partner = target_.find(role.part, role.side == Side::kLeft ? Side::kRight : Side::kLeft, role.number);
    if (partner != kNone) sources_[j] = straight[partner];
  }
}

Vec3 PoseRetargeter::from_source(const Vec3& direction) const { return turn_ * direction; }

// Limbs point as those of the source do at rest; feet only head that way, because both stand flat on the ground.
Quat PoseRetargeter::aligned(Index joint, const Quat& base) const {
  const Index s = sources_[joint].joint;
  if (s == kNone || sources_[joint].share < 1) return base;
  const BodyPart part = target_.recognition.roles[joint].part;
  if (part == BodyPart::kFoot) {
    const Vec3 up = target_.up();
    const auto heading = [&](const BodyFrame& body, Index foot, bool other) {
      Vec3 way = Vec3::Zero();
      for (const LegJoints& leg : body.legs)
        if (leg.foot == foot) way = leg.ball - body.place(foot);
      const double length = way.norm();
      if (other) way = from_source(way);
      way -= way.dot(up) * up;
      return way.norm() > kLeastHeading * length ? way : Vec3(Vec3::Zero());
    };
    const Vec3 here = heading(target_, joint, false), there = heading(source_, s, true);
    if (here.norm() == 0 || there.norm() == 0) return Quat::Identity();
    const Quat yaw = rotation_between(here, there);
    return rotation_log(yaw).norm() < kMostHeading_rad ? yaw : Quat::Identity();
  }
  const Index here = next_of_limb(target_, joint), there = next_of_limb(source_, s);
  if (here == kNone || there == kNone) return base;
  const Vec3 from = base * (target_.place(here) - target_.place(joint));
  const Vec3 to = from_source(source_.place(there) - source_.place(s));
  if (!(from.norm() > 1e-9) || !(to.norm() > 1e-9)) return base;
  return (rotation_between(from, to) * base).normalized();
}

void PoseRetargeter::align() {
  align_.assign(sources_.size(), Quat::Identity());
  for (Index j = 0; j < sources_.size(); ++j) {
    const Index parent = target_.skeleton->joints[j].parent;
    const bool inherits = parent != kNone && !begins_limb(target_.recognition.roles[j].part);
    align_[j] = aligned(j, inherits ? align_[parent] : Quat::Identity());
  }
}

// Joints that the source moves against their parents do so here, too, where both have bones of one length.
void PoseRetargeter::follow_shift(Index j, CarriedJoint& carried) const {
  const Index s = sources_[j].joint, above = target_.skeleton->joints[j].parent,
              above_s = source_.skeleton->joints[s].parent;
  if (above == kNone || above_s == kNone || sources_[j].share < 1 || sources_[above].joint != above_s) return;
  const Vec3 here = target_.place(j) - target_.place(above), there = source_.place(s) - source_.place(above_s);
  if ((here - scale_ * from_source(there)).norm() > kSameOffset * target_.leg_length) return;
  const Mat3 to_local = target_.rest[above].topLeftCorner<3, 3>().inverse();
  if (!to_local.allFinite()) return;
  carried.place = CarriedJoint::Place::kAnchored;
  carried.anchor = above_s;
  carried.anchor_here = above;
  carried.here = target_.skeleton->joints[j].rest.translation;
  carried.there = position_in_frame(source_.rest[above_s], source_.rest[s]);
  carried.moves = scale_ * to_local * turn_ * source_.rest[above_s].topLeftCorner<3, 3>();
}

// Rotation from rest in model space, as the target sees it, then the alignment, then the target's rest.
void PoseRetargeter::make_carrier() {
  std::vector<CarriedJoint> joints(sources_.size());
  for (Index j = 0; j < sources_.size(); ++j) {
    const JointSource& source = sources_[j];
    if (source.joint == kNone) continue;
    CarriedJoint& carried = joints[j];
    const Mat3 rest = (align_[j] * target_.rest_rotation[j]).toRotationMatrix();
    const auto offset = [&](Index s) {
      return Mat3(source_.rest_rotation[s].toRotationMatrix().transpose() * turn_.transpose() * rest);
    };
    carried.source = source.joint;
    carried.offset = offset(source.joint);
    if (source.share < 1) {
      carried.share = source.share;
      carried.other = source.before;
      carried.other_offset = offset(source.before);
    }
    if (j == leader_) {
      carried.place = CarriedJoint::Place::kModel;
      carried.here = target_.place(j);
      carried.there = source_.place(source.joint);
      carried.moves = scale_ * turn_;
    } else {
      follow_shift(j, carried);
    }
  }
  carrier_ = PoseCarrier(*target_.skeleton, std::move(joints), turn_);
}

std::vector<Transform> PoseRetargeter::pose(const std::vector<Mat4>& model, double ground) const {
  return carrier_.pose(model, ground * source_.up());
}

}  // namespace sinew::motion
