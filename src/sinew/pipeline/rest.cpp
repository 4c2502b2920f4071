// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rest.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/names/shape_roles.h"
#include "sinew/pipeline/rest_blend.h"
#include "sinew/pipeline/skeleton_plan.h"

namespace sinew::pipeline {
namespace {

constexpr double kSameRest = 1e-9;
constexpr double kVertexMoved = 1e-6;  // Of the size.

std::vector<Mat4> linear_transforms(const SkinWeights& weights, const std::vector<Mat4>& joint_transforms) {
  std::vector<Mat4> result(weights.row_count(), Mat4::Identity());
  for (Index v = 0; v < weights.row_count(); ++v) {
    if (weights.row(v).empty()) continue;
    result[v].setZero();
    for (const Influence& i : weights.row(v)) result[v] += static_cast<double>(i.weight) * joint_transforms[i.joint];
  }
  return result;
}

// The transform of every vertex from where it is to where the joints at `frames` put it. If the joints stay where they
// rest, the skin must look as it does there in every program: it is blended linearly, and there is no way back.
std::vector<Mat4> vertex_transforms(const Rig& rig, const std::vector<Mat4>& frames, bool joints_stay) {
  std::vector<Mat4> result(rig.mesh.positions.size(), Mat4::Identity());
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const SkinWeights weights = rig.weights.normalized();
  for (Index p = 0; p < rig.mesh.parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    if (part.skin == kNone) {
      if (part.joint != kNone)
        std::fill_n(result.begin() + part.first_vertex, part.vertex_count,
                    Mat4(frames[part.joint] * rest[part.joint].inverse()));
      continue;
    }
    if (weights.empty()) continue;
    const std::vector<Mat4> bind = inverse_bind_of_part(rig, p);
    std::vector<Mat4> joints;
    std::vector<Vec3> positions;
    for (std::size_t j = 0; j < frames.size(); ++j) {
      joints.push_back(frames[j] * bind[j]);
      positions.push_back(bind[j].inverse().topRightCorner<3, 1>());
    }
    const std::vector<Mat4> blended =
        joints_stay ? linear_transforms(weights, joints) : reversible_transforms(weights, joints, positions);
    std::copy_n(blended.begin() + part.first_vertex, part.vertex_count, result.begin() + part.first_vertex);
  }
  return result;
}

// A clip's joints without tracks of their own stay where they were.
void keep_old_rest(Clip& clip, const Skeleton& before, const std::vector<Transform>& after) {
  using Path = Track::Path;
  for (Index j = 0; j < before.size(); ++j) {
    if (before.joints[j].driver) continue;  // It follows its source.
    const Transform& rest = before.joints[j].rest;
    const auto add = [&](Path path, bool changed, std::vector<float> values) {
      const bool has = std::any_of(clip.tracks.begin(), clip.tracks.end(),
                                   [&](const Track& track) { return track.path == path && track.target == j; });
      if (!changed || has) return;
      Track track;
      track.path = path;
      track.target = j;
      track.times_s = {0};
      track.values = std::move(values);
      clip.tracks.push_back(std::move(track));
    };
    const auto floats = [](const auto& v) {
      std::vector<float> values;
      for (Eigen::Index i = 0; i < v.size(); ++i) values.push_back(static_cast<float>(v[i]));
      return values;
    };
    add(Path::kTranslation,
        (rest.translation - after[j].translation).norm() > kSameRest * (1 + rest.translation.norm()),
        floats(rest.translation));
    add(Path::kRotation, rest.rotation.angularDistance(after[j].rotation) > 1e-7, floats(rest.rotation.coeffs()));
    add(Path::kScale, (rest.scale - after[j].scale).norm() > kSameRest, floats(rest.scale));
  }
}

void move_limits(Joint& joint, const Transform& before) {
  const Vec3 moved = rotation_log(delta_rotation(before, joint.rest));
  if (moved.norm() < 1e-6 || !joint.limits) return;
  joint.limits->lower_rad -= moved;
  joint.limits->upper_rad -= moved;
}

// Drivers remember from where the rotation of their source is counted, so that they show the same as before. An aim is
// absolute. Those of an unknown kind cannot be changed.
void rebase_driver(Joint& joint, const Skeleton& old, const std::vector<Transform>& local, Findings& findings) {
  if (!joint.driver) return;
  Driver& driver = *joint.driver;
  if (driver.kind == Driver::Kind::kOpaque) {
    findings.push_back({"rest.driver", joint.name, "Its driver is of an unknown kind and stays as it was."});
    return;
  }
  if (driver.source == kNone || driver.source >= old.size()) return;
  const Quat moved = delta_rotation(old.joints[driver.source].rest, local[driver.source]);
  if (Quat::Identity().angularDistance(moved) < 1e-7) return;
  if (driver.kind != Driver::Kind::kAim) driver.before = (driver.before * moved).normalized();
}

// The pose with driven joints where their drivers put them.
std::vector<Transform> with_drivers(const Skeleton& skeleton, std::vector<Transform> local) {
  if (std::none_of(skeleton.joints.begin(), skeleton.joints.end(), [](const Joint& j) { return j.driver.has_value(); }))
    return local;
  Pose pose;
  pose.local = std::move(local);
  motion::Drivers(skeleton).apply(pose);
  return pose.local;
}

// Translation, rotation and scale of frames in model space. Shear stays with its joint.
std::vector<Transform> locals_of(const Skeleton& skeleton, const std::vector<Mat4>& frames) {
  std::vector<Transform> local;
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    Mat4 m = parent == kNone ? frames[j] : Mat4(frames[parent].inverse() * frames[j]);
    m.topLeftCorner<3, 3>() *= skeleton.joints[j].shear.inverse();
    if (!m.allFinite()) throw Error(fmt::format("The joint '{}' has no size in this pose.", skeleton.joints[j].name));
    local.push_back(decompose(m).transform);
  }
  return local;
}

}  // namespace

std::vector<Transform> standard_pose(const Rig& rig, rigging::RestPose pose) {
  const Skeleton& skeleton = rig.skeleton;
  motion::Recognition known = motion::recognize(skeleton);
  if (known.build == motion::Build::kUnknown) known = motion::recognize_by_shape(rig);
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  const rigging::SkeletonPlan plan = plan_of_skeleton(skeleton, known);
  if (known.build != motion::Build::kHumanoid)
    throw Error("T and A poses are for upright bodies whose arms and legs are recognized.");
  std::vector<Mat4> frames = rigging::transforms_to_pose(plan, pose);
  if (frames.empty()) throw Error("The skeleton has no arms and legs that a T or A pose could place.");
  for (std::size_t j = 0; j < frames.size(); ++j) frames[j] = frames[j] * rest[j];
  // Joints above the hips stay, so that the raised body does not lift its root off the ground.
  const Index hips = known.find(motion::BodyPart::kHips);
  for (Index j = hips == kNone ? kNone : skeleton.joints[hips].parent; j != kNone; j = skeleton.joints[j].parent)
    frames[j] = rest[j];
  return locals_of(skeleton, frames);
}

std::vector<Transform> bound_pose(const Rig& rig) {
  std::vector<Mat4> frames = rest_matrices(rig.skeleton);
  std::vector<char> bound(frames.size(), 0);
  for (const Skin& skin : rig.skins)
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const Index j = skin.joints[k];
      const Mat4 bind = skin.inverse_bind[k].inverse();
      if (!bind.allFinite())
        throw Error(fmt::format("The bind matrix of '{}' has no inverse.", rig.skeleton.joints[j].name));
      if (bound[j] != 0 && (frames[j] - bind).cwiseAbs().maxCoeff() > 1e-3 * rig.mesh.size())
        throw Error(fmt::format("The parts of the character were bound in different poses of '{}'.",
                                rig.skeleton.joints[j].name));
      frames[j] = bind;
      bound[j] = 1;
    }
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const Joint& joint = rig.skeleton.joints[j];
    if (bound[j] != 0 || joint.parent == kNone) continue;
    Mat4 local = joint.rest.matrix();
    local.topLeftCorner<3, 3>() *= joint.shear;
    frames[j] = frames[joint.parent] * local;
  }
  return locals_of(rig.skeleton, frames);
}

RestResult set_rest(Character character, const std::vector<Transform>& wanted) {
  RestResult result;
  Rig& rig = character.rig;
  const std::vector<Transform> local = with_drivers(rig.skeleton, wanted);
  const Skeleton old_skeleton = rig.skeleton;
  const std::vector<Mat4> before = rest_matrices(rig.skeleton), frames = model_matrices(rig.skeleton, local);
  for (const Mat4& frame : frames)
    if (!frame.inverse().allFinite())
      throw Error("A joint has no size in this pose, so that nothing can be bound in it.");
  const std::vector<Vec3> positions = rig.mesh.positions;
  const double size = rig.mesh.size();
  bool joints_stay = true;
  for (std::size_t j = 0; j < frames.size(); ++j)
    joints_stay = joints_stay && (frames[j] - before[j]).cwiseAbs().maxCoeff() <= kSameRest * (1 + before[j].norm());
  rigging::transform_vertices(rig.mesh, vertex_transforms(rig, frames, joints_stay));
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const double moved = (rig.mesh.positions[v] - positions[v]).norm() / std::max(size, 1e-30);
    result.moved_vertices += moved > kVertexMoved;
    result.largest_move = std::max(result.largest_move, moved);
  }
  for (MeshPart& part : rig.mesh.parts)
    if (part.skin == kNone && part.joint != kNone)
      part.to_model = frames[part.joint] * before[part.joint].inverse() * part.to_model;
  for (Skin& skin : rig.skins)
    for (std::size_t k = 0; k < skin.joints.size(); ++k) skin.inverse_bind[k] = frames[skin.joints[k]].inverse();
  for (Index c = 0; c < character.clips.size(); ++c) {
    const std::size_t count = character.clips[c].tracks.size();
    // A clip that moves no joint shows morphs alone, in whatever pose the character rests.
    const bool moves = std::any_of(character.clips[c].tracks.begin(), character.clips[c].tracks.end(),
                                   [](const Track& t) { return t.path != Track::Path::kMorphWeights; });
    if (moves) keep_old_rest(character.clips[c], rig.skeleton, local);
    if (character.clips[c].tracks.size() > count) result.longer_clips.emplace_back(c, count);
  }
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const Transform old = rig.skeleton.joints[j].rest;
    result.moved_joints += !((old.matrix() - local[j].matrix()).cwiseAbs().maxCoeff() <= kVertexMoved);
    rig.skeleton.joints[j].rest = local[j];
    move_limits(rig.skeleton.joints[j], old);
    rebase_driver(rig.skeleton.joints[j], old_skeleton, local, result.findings);
  }
  result.character = std::move(character);
  return result;
}

}  // namespace sinew::pipeline
