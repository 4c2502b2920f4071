// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/pose_match.h"

#include <algorithm>
#include <utility>

#include "sinew/core/character.h"
#include "sinew/core/rotation.h"
#include "sinew/motion/retarget/body_frame.h"
#include "sinew/motion/retarget/joint_map.h"
#include "sinew/motion/retarget/retarget_pose.h"

namespace sinew::studio {
namespace {

constexpr double kEqual = 1e-5;  // Of the size, and in radians.

bool same_rest(const Transform& a, const Transform& b, double size) {
  return (a.translation - b.translation).norm() <= kEqual * size && a.rotation.angularDistance(b.rotation) <= kEqual &&
         (a.scale - b.scale).norm() <= kEqual;
}

Mat3 rotation_of(const Mat4& m) { return polar(Mat3(m.topLeftCorner<3, 3>())).rotation; }

double size_of(const Rig& rig) {
  const Box box = rig.mesh.bounds();
  return box.empty() ? 1 : std::max(box.extent().norm(), 1e-9);
}

}  // namespace

struct PoseMatch::Roles {
  Roles(const Rig& from, const Rig& to)
      : source(motion::body_frame(from)),
        target(motion::body_frame(to)),
        map(motion::map_joints(source, target, {})),
        poser(source, target, map, false) {}

  motion::BodyFrame source, target;
  motion::JointMap map;
  motion::PoseRetargeter poser;
};

void PoseMatch::match_roles(const Rig& from) {
  auto roles = std::make_shared<const Roles>(from, *to_);
  Index found = 0;
  for (Index j = 0; j < to_->skeleton.size(); ++j)
    if (to_->skeleton.joints[j].deforming && roles->map.sources[j].joint != kNone) ++found;
  if (found <= matched_) return;
  matched_ = found;
  source_.assign(source_.size(), kNone);
  roles_ = std::move(roles);
}

PoseMatch::PoseMatch(const Rig& from, const Rig& to) : to_(&to), source_(to.skeleton.size(), kNone) {
  const std::vector<Mat4> there = rest_matrices(from.skeleton), here = rest_matrices(to.skeleton);
  const double size = size_of(to), scale = size / size_of(from);
  same_ = !to.skeleton.empty();
  std::vector<motion::CarriedJoint> joints(to.skeleton.size());
  std::vector<char> led(to.skeleton.size(), 0);
  for (Index j = 0; j < to.skeleton.size(); ++j) {
    const Joint& joint = to.skeleton.joints[j];
    const Index source = from.skeleton.find(joint.name);
    led[j] = joint.parent == kNone ? char{0} : led[joint.parent];
    if (joint.deforming) ++deforming_;
    // Files have different nodes around their joints; joints that move skin count.
    const bool alike = source != kNone && same_rest(from.skeleton.joints[source].rest, joint.rest, size) &&
                       (there[source] - here[j]).norm() <= kEqual * (1 + size);
    if (joint.deforming && !alike) same_ = false;
    if (source == kNone) continue;
    source_[j] = source;
    if (joint.deforming) ++matched_;
    joints[j].source = source;
    joints[j].offset = rotation_of(there[source]).transpose() * rotation_of(here[j]);
    if (led[j] == 0) {
      joints[j].place = motion::CarriedJoint::Place::kModel;
      joints[j].here = here[j].topRightCorner<3, 1>();
      joints[j].there = there[source].topRightCorner<3, 1>();
      joints[j].moves = scale * Mat3::Identity();
    }
    led[j] = 1;
  }
  if (same_) return;
  carrier_ = motion::PoseCarrier(to.skeleton, std::move(joints), Mat3::Identity());
  if (2 * matched_ < deforming_ && !from.skeleton.empty()) match_roles(from);
}

Pose PoseMatch::pose(const Pose& pose, const ModelPose& model) const {
  Pose result = rest_pose(*to_);
  if (same_) {
    for (std::size_t j = 0; j < source_.size(); ++j)
      if (source_[j] != kNone) result.local[j] = pose.local[source_[j]];
  } else if (roles_) {
    result.local = roles_->poser.pose(model.joints, 0);
    roles_->poser.attach_loose_ends(result.local);
  } else if (!to_->skeleton.empty()) {
    result.local = carrier_.pose(model.joints);
  }
  result.twist_rad.assign(result.local.size(), 0);
  for (std::size_t j = 0; j < source_.size(); ++j)
    if (source_[j] != kNone && source_[j] < pose.twist_rad.size()) result.twist_rad[j] = pose.twist_rad[source_[j]];
  // Morphs have no names that two files share; they follow where both have the same number.
  for (std::size_t p = 0; p < std::min(result.morph_weights.size(), pose.morph_weights.size()); ++p)
    if (result.morph_weights[p].size() == pose.morph_weights[p].size()) result.morph_weights[p] = pose.morph_weights[p];
  return result;
}

}  // namespace sinew::studio
