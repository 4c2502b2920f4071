// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/core/error.h"
#include "sinew/motion/ik.h"
#include "sinew/motion/pose_file.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/rest.h"
#include "sinew/studio/scene.h"

namespace sinew::studio {
namespace {

Json& joint_entry(Json& pose, const Skeleton& skeleton, Index joint) {
  if (!pose.contains("joints")) pose["joints"] = Json::object();
  return pose["joints"][skeleton.joints[joint].name];
}

Json quaternion_json(const Quat& q) { return Json::array({q.x(), q.y(), q.z(), q.w()}); }

double twist_deg(const Json& pose, const Skeleton& skeleton, Index joint) {
  const auto joints = pose.find("joints");
  if (joints == pose.end()) return 0;
  const auto entry = joints->find(skeleton.joints[joint].name);
  return entry == joints->end() ? 0 : entry->value("twist_deg", 0.0);
}

/// Writes a local rotation as `rotation`, apart from the twist that the pose states.
void put_rotation(Json& pose, const Skeleton& skeleton, Index joint, const Quat& local) {
  const double twist = twist_deg(pose, skeleton, joint);
  const Quat about(Eigen::AngleAxisd(radians(twist), bone_axis(skeleton, joint)));
  const Quat rotation = skeleton.joints[joint].rest.rotation.conjugate() * local * about.conjugate();
  joint_entry(pose, skeleton, joint)["rotation"] = quaternion_json(rotation.normalized());
}

Quat above(const Skeleton& skeleton, const std::vector<Mat4>& model, Index joint) {
  const Index parent = skeleton.joints[joint].parent;
  return parent == kNone ? Quat::Identity() : decompose(model[parent]).transform.rotation;
}

/// Brings rotations back into the limits of the joints. Returns whether any was outside.
bool keep_limits(const Skeleton& skeleton, std::vector<Transform>& local, const std::vector<Index>& chain) {
  bool changed = false;
  for (const Index j : chain) {
    const Joint& joint = skeleton.joints[j];
    if (!joint.limits) continue;
    const Vec3 turn = rotation_log(delta_rotation(joint.rest, local[j]));
    const Vec3 kept = turn.cwiseMax(joint.limits->lower_rad).cwiseMin(joint.limits->upper_rad);
    if ((kept - turn).norm() < 1e-9) continue;
    local[j].rotation = (joint.rest.rotation * rotation_exp(kept)).normalized();
    changed = true;
  }
  return changed;
}

/// Solves and limits in turns: what one joint may not do, the others do as far as they can.
void reach(const Skeleton& skeleton, std::vector<Transform>& local, const std::vector<Index>& chain,
           const Vec3& target) {
  constexpr int kRounds = 12;
  for (int round = 0; round < kRounds; ++round) {
    motion::solve_ik(skeleton, local, chain, target);
    if (!keep_limits(skeleton, local, chain)) return;
  }
}

Json standard_pose_json(const Rig& rig, const std::string& word) {
  if (word != "t" && word != "a") throw Error(fmt::format("There is no standard pose '{}', only t and a.", word));
  const std::vector<Transform> local =
      pipeline::standard_pose(rig, word == "t" ? rigging::RestPose::kT : rigging::RestPose::kA);
  Json pose = Json::object();
  for (Index j = 0; j < local.size(); ++j) {
    const Transform& rest = rig.skeleton.joints[j].rest;
    const Quat turn = delta_rotation(rest, local[j]).normalized();
    const Vec3 offset = rest.rotation.conjugate() * (local[j].translation - rest.translation);
    const bool moved = offset.norm() > 1e-9 * (1 + rest.translation.norm());
    if (Quat::Identity().angularDistance(turn) < 1e-9 && !moved) continue;
    Json& entry = joint_entry(pose, rig.skeleton, j);
    entry["rotation"] = quaternion_json(turn);
    if (moved) entry["translation"] = Json::array({offset.x(), offset.y(), offset.z()});
  }
  return pose;
}

}  // namespace

Json edited_pose(const Rig& rig, const Json& pose, const Json& edit) {
  const Skeleton& skeleton = rig.skeleton;
  if (!edit.is_object()) throw Error("The edit of a pose must be an object.");
  const std::string kind = text_of(edit, "kind");
  if (kind == "reset" && !edit.contains("joint")) return Json::object();
  if (skeleton.empty()) throw Error("There is no skeleton to pose.");
  if (kind == "standard") return standard_pose_json(rig, text_of(edit, "pose"));
  const auto joint = static_cast<Index>(integer_of(edit, "joint", 0, skeleton.size() - 1));
  Json result = pose;
  if (kind == "reset") {
    if (result.contains("joints")) result["joints"].erase(skeleton.joints[joint].name);
    return result;
  }
  if (kind == "twist") {
    const double twist = twist_deg(pose, skeleton, joint) + degrees(number_of(edit, "angle"));
    joint_entry(result, skeleton, joint)["twist_deg"] = twist;
    return result;
  }
  Pose now = motion::pose_from_json(pose, rig);
  if (kind == "ik") {
    const std::vector<Index> chain = motion::ik_chain(skeleton, joint);
    reach(skeleton, now.local, chain, vector_of(edit, "target"));
    for (const Index j : chain) put_rotation(result, skeleton, j, now.local[j].rotation);
    return result;
  }
  const std::vector<Mat4> model = model_matrices(skeleton, now.local);
  const Quat parent = above(skeleton, model, joint);
  if (kind == "turn") {
    const Vec3 axis = vector_of(edit, "axis");
    if (!(axis.norm() > 1e-9)) throw Error("The axis of a turn has no length.");
    const Quat turn(Eigen::AngleAxisd(number_of(edit, "angle"), axis.normalized()));
    put_rotation(result, skeleton, joint,
                 (parent.conjugate() * turn * parent * now.local[joint].rotation).normalized());
    return result;
  }
  if (kind != "move") throw Error(fmt::format("A pose has no edit '{}'.", kind));
  const Index above_joint = skeleton.joints[joint].parent;
  const Mat3 scale = above_joint == kNone ? Mat3(Mat3::Identity()) : Mat3(model[above_joint].topLeftCorner<3, 3>());
  const Vec3 local = now.local[joint].translation + scale.inverse() * vector_of(edit, "offset");
  const Transform& rest = skeleton.joints[joint].rest;
  const Vec3 offset = rest.rotation.conjugate() * (local - rest.translation);
  joint_entry(result, skeleton, joint)["translation"] = Json::array({offset.x(), offset.y(), offset.z()});
  return result;
}

}  // namespace sinew::studio
