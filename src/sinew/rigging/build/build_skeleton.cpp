// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/build/build_skeleton.h"

#include <fmt/format.h>
#include <algorithm>
#include <set>
#include <utility>

#include "sinew/rigging/build/bone_frames.h"
#include "sinew/rigging/build/role.h"

namespace sinew::rigging {
namespace {

// A box of rotation vectors in axes that lie along those of the box, or against them.
RotationLimits turned_limits(const RotationLimits& limits, const Mat3& turn) {
  const Vec3 a = turn * limits.lower_rad, b = turn * limits.upper_rad;
  return {a.cwiseMin(b), a.cwiseMax(b)};
}

// Bend axes that point the same way on both sides: the right side's are turned back where mirroring turned them round.
bool turned_back(const SkeletonPlan& plan, const std::vector<Mat3>& frames, const Preset& preset, Index j) {
  if (preset.mirrored_axes || preset.world_axes) return false;
  const PlannedJoint& joint = plan.joints[j];
  const Index k = joint.partner;
  const BodySide side = parse_role(joint.role).side;
  const bool right = side == BodySide::kRight || (side == BodySide::kMiddle && k != kNone &&
                                                  (joint.position - plan.joints[k].position).dot(plan.left) < 0);
  if (!right) return false;
  const Vec3 z = frames[j].col(2);
  const Vec3 of_left = k != kNone ? Vec3(frames[k].col(2)) : Vec3(2 * z.dot(plan.left) * plan.left - z);
  return z.dot(of_left) < 0;
}

// Per joint, the rotation from Sinew's own axes to those of a preset.
std::vector<Mat3> turns_to_axes(const SkeletonPlan& plan, const std::vector<Mat3>& frames, const Preset& preset) {
  std::vector<Mat3> turns(plan.joints.size(), axes(preset).transpose());
  for (Index j = 0; j < plan.joints.size(); ++j)
    if (turned_back(plan, frames, preset, j)) turns[j] = turns[j] * Vec3(-1, 1, -1).asDiagonal();
  return turns;
}

class SkeletonBuilder {
 public:
  SkeletonBuilder(const SkeletonPlan& plan, const Preset& preset)
      : plan_(plan),
        preset_(preset),
        next_(next_joints(plan)),
        frames_(bone_frames(plan)),
        axes_(axes(preset)),
        turns_(turns_to_axes(plan, frames_, preset)) {}

  BuiltSkeleton run() {
    const double to_unit = preset_.unit == "cm" ? 100 : 1;
    Index above = kNone;
    if (to_unit != 1) {
      above = add("Armature", kNone, Vec3::Zero(), Mat3::Identity());
      built_.skeleton.joints[above].rest.scale = Vec3::Constant(1 / to_unit);
    }
    if (!preset_.root.empty()) above = add(preset_.root, above, root_position(plan_), Mat3::Identity());
    add_planned(above);
    set_partners();
    if (preset_.ends) add_ends();
    set_rest(to_unit);
    if (plan_.symmetric && preset_.mirrored_axes && !preset_.world_axes) copy_left_to_right();
    return std::move(built_);
  }

 private:
  Index add(const std::string& name, Index parent, const Vec3& place, const Mat3& frame) {
    Joint joint;
    joint.name = name;
    for (int number = 2; !names_.insert(joint.name).second; ++number) joint.name = fmt::format("{}_{}", name, number);
    joint.parent = parent;
    built_.skeleton.joints.push_back(std::move(joint));
    places_.push_back(place);
    model_frames_.push_back(frame);
    return built_.skeleton.size() - 1;
  }

  std::string name_of(Index j, std::size_t& trunk) const {
    const PlannedJoint& joint = plan_.joints[j];
    const Role role = parse_role(joint.role);
    const bool numbered = role.side == BodySide::kMiddle && (role.is("spine") || role.is("chest"));
    if (numbered && trunk < preset_.trunk.size()) return preset_.prefix + preset_.trunk[trunk++];
    return joint_name(preset_, joint.role, joint.name);
  }

  void add_planned(Index above) {
    std::size_t trunk = 0;
    for (Index j = 0; j < plan_.joints.size(); ++j) {
      const PlannedJoint& planned = plan_.joints[j];
      const Mat3& turn = turns_[j];
      const Mat3 frame = preset_.world_axes ? Mat3(Mat3::Identity()) : Mat3(frames_[j] * turn.transpose());
      const Index parent = planned.parent == kNone ? above : built_.joints[planned.parent];
      const Index added = add(name_of(j, trunk), parent, planned.position, frame);
      built_.joints.push_back(added);
      Joint& joint = built_.skeleton.joints[added];
      joint.deforming = true;
      joint.role = planned.role;
      if (planned.limits && !preset_.world_axes) joint.limits = turned_limits(*planned.limits, turn);
    }
  }

  void set_partners() {
    for (Index j = 0; j < plan_.joints.size(); ++j)
      if (const Index k = plan_.joints[j].partner; k != kNone)
        built_.skeleton.joints[built_.joints[j]].mirror = built_.joints[k];
  }

  void add_ends() {
    std::vector<Index> end_of(plan_.joints.size(), kNone);
    for (Index j = 0; j < plan_.joints.size(); ++j) {
      const PlannedJoint& planned = plan_.joints[j];
      if (!planned.end || next_[j] != kNone) continue;
      const Index leaf = built_.joints[j];
      const std::string suffixed = built_.skeleton.joints[leaf].name + preset_.end_suffix;
      const std::optional<std::string> named =
          planned.role.empty() ? std::nullopt : named_joint(preset_, planned.role + "_end");
      end_of[j] = add(named.value_or(suffixed), leaf, *planned.end, model_frames_[leaf]);
      built_.skeleton.joints[end_of[j]].role = "end";
    }
    for (Index j = 0; j < plan_.joints.size(); ++j)
      if (const Index k = plan_.joints[j].partner; k != kNone && end_of[j] != kNone)
        built_.skeleton.joints[end_of[j]].mirror = end_of[k];
  }

  Vec3 seen_from(Index joint, const Vec3& point) const {
    const Mat3 back = model_frames_[joint].transpose();
    return back * (point - places_[joint]);
  }

  void set_rest(double to_unit) {
    auto& joints = built_.skeleton.joints;
    std::vector<char> has_child(plan_.joints.size(), 0);
    for (const PlannedJoint& planned : plan_.joints)
      if (planned.parent != kNone) has_child[planned.parent] = 1;
    for (Index j = 0; j < joints.size(); ++j) {
      const Index above = joints[j].parent;
      const Mat3 back = above == kNone ? Mat3(Mat3::Identity()) : Mat3(model_frames_[above].transpose());
      joints[j].rest.translation = above == kNone ? places_[j] : Vec3(to_unit * seen_from(above, places_[j]));
      Quat turn = Quat(Mat3(back * model_frames_[j])).normalized();
      if (turn.w() < 0) turn.coeffs() = -turn.coeffs();
      joints[j].rest.rotation = turn;
    }
    for (Index j = 0; j < plan_.joints.size(); ++j)
      if (plan_.joints[j].end && has_child[j] == 0)
        joints[built_.joints[j]].end_local = to_unit * seen_from(built_.joints[j], *plan_.joints[j].end);
  }

  // Numbers of the right side that are the left's to rounding become the same but for signs.
  void copy_left_to_right() {
    auto& joints = built_.skeleton.joints;
    const Vec3 flip = (axes_.transpose() * Vec3(1, 1, -1).asDiagonal() * axes_).diagonal();
    for (Index j = 0; j < joints.size(); ++j) {
      const Index k = joints[j].mirror;
      if (k == kNone || !((places_[j] - places_[k]).dot(plan_.left) < 0)) continue;
      const Index above = joints[j].parent, beside = joints[k].parent;
      if (above == kNone || (above != beside && joints[above].mirror != beside)) continue;
      Transform image = joints[k].rest;
      image.translation = image.translation.cwiseProduct(flip);
      image.rotation.vec() = -image.rotation.vec().cwiseProduct(flip);
      const Transform& own = joints[j].rest;
      const double length = std::max(own.translation.norm(), 1e-30);
      const double apart = 1 - std::abs(own.rotation.dot(image.rotation));
      if ((own.translation - image.translation).norm() > 1e-9 * length || apart > 1e-12) continue;
      joints[j].rest = image;
      if (joints[j].end_local && joints[k].end_local &&
          (*joints[j].end_local - joints[k].end_local->cwiseProduct(flip)).norm() < 1e-9 * joints[k].end_local->norm())
        joints[j].end_local = joints[k].end_local->cwiseProduct(flip);
    }
  }

  const SkeletonPlan& plan_;
  const Preset& preset_;
  std::vector<Index> next_;
  std::vector<Mat3> frames_;
  Mat3 axes_;
  std::vector<Mat3> turns_;
  BuiltSkeleton built_;
  std::set<std::string> names_;
  std::vector<Vec3> places_;  // Per joint of the skeleton, in model space.
  std::vector<Mat3> model_frames_;
};

}  // namespace

Vec3 root_position(const SkeletonPlan& plan) {
  if (plan.joints.empty()) return Vec3::Zero();
  const Vec3& first = plan.joints.front().position;
  double lowest = first.dot(plan.up), highest = lowest;
  const auto include = [&](const Vec3& p) {
    lowest = std::min(lowest, p.dot(plan.up));
    highest = std::max(highest, p.dot(plan.up));
  };
  for (const PlannedJoint& joint : plan.joints) {
    include(joint.position);
    if (joint.end) include(*joint.end);
  }
  const Vec3 below = first - (first.dot(plan.up) - lowest) * plan.up;
  // Feet stand a little below their joints, and not every body stands with its hips above the origin.
  return below.norm() < 0.15 * (highest - lowest) ? Vec3(Vec3::Zero()) : below;
}

std::vector<Mat3> preset_frames(const SkeletonPlan& plan, const Preset& preset) {
  std::vector<Mat3> frames = bone_frames(plan);
  const std::vector<Mat3> turns = turns_to_axes(plan, frames, preset);
  for (std::size_t j = 0; j < frames.size(); ++j)
    frames[j] = preset.world_axes ? Mat3(Mat3::Identity()) : Mat3(frames[j] * turns[j].transpose());
  return frames;
}

BuiltSkeleton build_skeleton(const SkeletonPlan& plan, const Preset& preset) {
  return SkeletonBuilder(plan, preset).run();
}

}  // namespace sinew::rigging
