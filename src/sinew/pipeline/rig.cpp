// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rig.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/binding/binder.h"
#include "sinew/binding/edit/symmetric_rows.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/pipeline/piece_weights.h"
#include "sinew/rigging/anatomy/symmetry.h"

namespace sinew::pipeline {
namespace {

using rigging::RestPose;

RestPose rest_of(const rigging::Preset& preset) {
  return preset.rest == "t" ? RestPose::kT : preset.rest == "a" ? RestPose::kA : RestPose::kKeep;
}

/// The cap on influences: a preset's 0 means as many as there are joints.
int influence_cap(const rigging::Preset& preset, const Skeleton& skeleton) {
  return preset.max_influences > 0 ? preset.max_influences : std::max(1, static_cast<int>(skeleton.size()));
}

binding::BindResult bind_to(const Mesh& mesh, const Skeleton& skeleton, const MethodChoice& binder, int max_influences,
                            const Progress& progress) {
  std::vector<char> bound;
  for (const Joint& joint : skeleton.joints) bound.push_back(joint.deforming ? 1 : 0);
  const binding::Subject subject{mesh, skeleton, rest_matrices(skeleton), std::move(bound)};
  binding::BindOptions options;
  options.max_influences = max_influences;
  return binding::bind(binder, subject, options, progress);
}

std::vector<WeightOrigin> count_origins(const binding::BindResult& bound) {
  std::vector<WeightOrigin> origins;
  for (const auto& origin : bound.origins) origins.push_back({origin.method, origin.reason, 0});
  for (const std::uint8_t o : bound.origin) ++origins[o].vertices;
  return origins;
}

/// One transform per joint of a skeleton from those of a plan. Root and ends, which the plan does not have, follow what
/// they are attached to.
std::vector<Mat4> skeleton_transforms(const rigging::BuiltSkeleton& built, const std::vector<Mat4>& plan_transforms) {
  const Skeleton& skeleton = built.skeleton;
  std::vector<Mat4> transforms(skeleton.joints.size(), Mat4::Identity());
  std::vector<char> planned(transforms.size(), 0);
  for (std::size_t k = 0; k < plan_transforms.size(); ++k) {
    transforms[built.joints[k]] = plan_transforms[k];
    planned[built.joints[k]] = 1;
  }
  for (Index j = 0; j < skeleton.size(); ++j)
    if (const Index parent = skeleton.joints[j].parent; planned[j] == 0 && parent != kNone)
      transforms[j] = transforms[parent];
  return transforms;
}

/// A skeleton and its plan in another pose.
struct PosedSkeleton {
  rigging::SkeletonPlan plan;
  rigging::BuiltSkeleton built;
  std::vector<Mat4> transforms;  // Per joint of the skeleton: from the pose before to this one.
};

/// Nothing for a body that has no such pose.
std::optional<PosedSkeleton> pose_skeleton(const RigPlan& plan, RestPose rest) {
  const std::vector<Mat4> transforms = rigging::transforms_to_pose(plan.found.plan, rest);
  if (transforms.empty()) return {};
  PosedSkeleton posed;
  posed.transforms = skeleton_transforms(plan.built, transforms);
  posed.plan = rigging::transformed_plan(plan.found.plan, transforms);
  // Built again, for the axes that the preset requires in this pose.
  posed.built = rigging::build_skeleton(posed.plan, plan.preset);
  return posed;
}

Skin skin_of(const Skeleton& skeleton, const std::vector<Mat4>& frames, bool all_bones) {
  Skin skin;
  skin.name = "skin";
  for (Index j = 0; j < skeleton.size(); ++j) {
    // The node that scales a skeleton in centimetres is none of its bones.
    const bool bone = skeleton.joints[j].role == "end" || skeleton.joints[j].rest.scale.isOnes();
    if (!skeleton.joints[j].deforming && !(all_bones && bone)) continue;
    skin.joints.push_back(j);
    skin.inverse_bind.push_back(frames[j].inverse());
  }
  return skin;
}

void attach_mesh(Rig& rig, bool all_bones) {
  rig.skins = {skin_of(rig.skeleton, rest_matrices(rig.skeleton), all_bones)};
  for (MeshPart& part : rig.mesh.parts) {
    part.skin = 0;
    part.joint = kNone;
  }
}

/// Frames of the skeleton's joints in the pose that the mesh had at first, with the axes of the rest pose.
std::vector<Mat4> frames_before(const Skeleton& skeleton, const std::vector<Mat4>& transforms) {
  std::vector<Mat4> frames = rest_matrices(skeleton);
  for (std::size_t j = 0; j < transforms.size(); ++j) frames[j] = transforms[j].inverse() * frames[j];
  return frames;
}

void add_clip(RigResult& result, Clip clip) {
  result.new_clips.push_back(static_cast<Index>(result.character.clips.size()));
  result.character.clips.push_back(std::move(clip));
}

void add_carried_clips(RigResult& result, const RigPlan& plan, const RigRemoval& removal,
                       const std::vector<Mat4>& transforms) {
  if (removal.clips.empty()) return;
  const Skeleton& skeleton = result.character.rig.skeleton;
  const std::vector<Mat4> frames = frames_before(skeleton, transforms);
  for (const Index c : removal.clips) {
    motion::CarriedClip carried =
        motion::carry_clip(plan.old, plan.old.clips[c], skeleton, frames, plan.pairs, removal.part_of);
    const std::string name = carried.dropped.clip;
    if (const auto& joints = carried.dropped.joints; !joints.empty()) {
      result.findings.push_back({"rig.dropped_tracks", name,
                                 fmt::format("{} of the joints it moved have no partner in the new skeleton: {}.",
                                             joints.size(), fmt::join(joints, ", "))});
      result.dropped_tracks.push_back(std::move(carried.dropped));
    }
    if (carried.clip.tracks.empty()) {
      result.dropped_clips.push_back(name);
      result.findings.push_back(
          {"rig.dropped_clip", name, "Nothing of the clip could be carried over; it is left out."});
      continue;
    }
    result.carried_clips.push_back(name);
    add_clip(result, std::move(carried.clip));
  }
}

void add_demo_clips(RigResult& result, const std::vector<std::string>& names) {
  const Skeleton& skeleton = result.character.rig.skeleton;
  const std::vector<std::string> possible = motion::builtin_clip_names(skeleton);
  for (std::string name : names) {
    if (name == "auto") name = motion::fitting_clip(skeleton);
    if (std::find(possible.begin(), possible.end(), name) == possible.end()) {
      result.findings.push_back({"rig.no_clip", name,
                                 fmt::format("This skeleton cannot play the clip; it is left out. Available: {}.",
                                             fmt::join(possible, ", "))});
      continue;
    }
    Clip clip = motion::builtin_clip(skeleton, name);
    const auto same = [&](const Clip& other) { return other.name == clip.name; };
    const std::vector<Clip>& clips = result.character.clips;
    while (std::any_of(clips.begin(), clips.end(), same)) clip.name += "_demo";
    result.demo_clips.push_back(clip.name);
    add_clip(result, std::move(clip));
  }
}

/// Removes the images of vertices that follow a joint on one side alone, such as that of a pouch: mirrored weights
/// would let it move the other side too.
void drop_one_sided(std::vector<Index>& images, const Rig& rig, const rigging::SkeletonPlan& plan) {
  constexpr double kMiddle = 0.01;  // Of the mesh size.
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  std::vector<char> one_sided(rig.skeleton.size(), 0);
  for (Index j = 0; j < one_sided.size(); ++j) {
    const Vec3 place = rest[j].topRightCorner<3, 1>();
    one_sided[j] = rig.skeleton.joints[j].mirror == kNone &&
                   std::abs(plan.left.dot(place - plan.mirror_point)) > kMiddle * rig.mesh.size();
  }
  std::vector<char> follows(images.size(), 0);
  for (Index v = 0; v < images.size(); ++v)
    for (const Influence& i : rig.weights.row(v)) follows[v] |= one_sided[i.joint];
  for (Index v = 0; v < images.size(); ++v)
    if (images[v] != kNone && (follows[v] != 0 || follows[images[v]] != 0)) images[v] = kNone;
}

/// Weights for the mesh in its first pose, and what is known of them.
void add_weights(RigResult& result, const RigPlan& plan, const RigOptions& options, const Progress& progress) {
  Rig& rig = result.character.rig;
  const int most = influence_cap(plan.preset, rig.skeleton);
  binding::BindResult bound = bind_to(rig.mesh, rig.skeleton, options.bind, most, progress);
  result.binder = options.bind.id();
  result.origins = count_origins(bound);
  result.origin = std::move(bound.origin);
  result.findings.insert(result.findings.end(), bound.findings.begin(), bound.findings.end());
  result.fallbacks = std::move(bound.fallbacks);
  rig.weights = std::move(bound.weights);
  // Who chooses another method gets that method's rows.
  const rigging::PieceSorting& pieces = plan.found.pieces;
  if (result.binder == "auto" && pieces.piece_of_face.size() == rig.mesh.face_count()) {
    PieceWeights adapted = weigh_pieces(rig, pieces, most);
    rig.weights = std::move(adapted.weights);
    result.metrics["rigid_pieces"] = adapted.rigid_pieces;
    result.metrics["sided_rows"] = adapted.sided_rows;
  }
  if (!plan.found.plan.symmetric) return;
  std::vector<Index> images = rigging::mirror_vertices(rig.mesh, plan.found.plan.mirror_point, plan.found.plan.left);
  drop_one_sided(images, rig, plan.found.plan);
  binding::SymmetricRows rows =
      binding::symmetric_rows(rig.weights, rig.mesh, rig.skeleton, images, static_cast<Index>(most));
  rig.weights = std::move(rows.weights);
  result.mirrored_vertices = rows.mirrored;
}

/// Weights for all joints that were found; joints that are left out give theirs to those beside them.
void add_merged_weights(RigResult& result, const RigPlan& plan, const RigOptions& options, const Progress& progress) {
  Rig& rig = result.character.rig;
  if (!plan.bound) return add_weights(result, plan, options, progress);
  const rigging::BuiltSkeleton all = rigging::build_skeleton(*plan.bound, plan.preset);
  rig.skeleton = all.skeleton;
  add_weights(result, plan, options, progress);
  std::vector<Index> to(all.skeleton.size(), kNone);
  for (std::size_t k = 0; k < all.joints.size(); ++k) to[all.joints[k]] = plan.built.joints[plan.takes[k]];
  SkinWeights merged;
  merged.reserve(rig.weights.row_count(), rig.weights.influence_count());
  std::vector<Influence> row;
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    row.clear();
    for (const Influence& influence : rig.weights.row(v)) {
      const Index joint = to[influence.joint];
      const auto known = std::find_if(row.begin(), row.end(), [&](const Influence& i) { return i.joint == joint; });
      if (known == row.end()) row.push_back({joint, influence.weight});
      else known->weight += influence.weight;
    }
    merged.add_row(row);
  }
  rig.weights = std::move(merged);
  rig.skeleton = plan.built.skeleton;
}

/// Brings mesh and skeleton into the rest pose. Returns the transforms of the joints; none if the pose stays.
std::vector<Mat4> change_rest_pose(RigResult& result, const RigPlan& plan, RestPose rest, bool requested) {
  std::optional<PosedSkeleton> posed = pose_skeleton(plan, rest);
  if (!posed) {
    result.findings.push_back({requested ? "rig.rest_kept" : "rig.preset_rest", "",
                               "T and A are poses of bodies that stand on two legs and have arms. This body is of "
                               "another kind, so its pose stays as it is."});
    return {};
  }
  Rig& rig = result.character.rig;
  rigging::transform_vertices(rig.mesh, rigging::blended_transforms(rig.weights, posed->transforms));
  rig.skeleton = std::move(posed->built.skeleton);
  result.joints = std::move(posed->built.joints);
  result.plan = std::move(posed->plan);
  result.rest = rest;
  result.moved = true;
  return std::move(posed->transforms);
}

}  // namespace

RigResult apply_rig_plan(Character character, const RigPlan& plan, const RigRemoval& removal, const RigOptions& options,
                         const Progress& progress, const StageListener& on_stage) {
  RigResult result;
  result.character = std::move(character);
  result.plan = plan.found.plan;
  result.joints = plan.built.joints;
  result.fits = plan.found.fits;
  result.confidence = plan.found.confidence;
  result.metrics = plan.found.metrics;
  result.findings = plan.found.warnings;
  result.character.rig.skeleton = plan.built.skeleton;
  if (on_stage) on_stage("bind");
  progress.step("binding", 0.5);
  add_merged_weights(result, plan, options, progress);
  if (on_stage) on_stage("finish");
  progress.step("rest pose", 0.85);
  std::vector<Mat4> transforms;
  if (const RestPose rest = rest_of(plan.preset); rest != RestPose::kKeep)
    transforms = change_rest_pose(result, plan, rest, options.rest.has_value());
  attach_mesh(result.character.rig, plan.preset.all_bones);
  add_carried_clips(result, plan, removal, transforms);
  add_demo_clips(result, options.demo_clip);
  return result;
}

RigResult rig(const Character& character, const RigOptions& options, const Progress& progress,
              const StageListener& on_stage) {
  GatherResult gathered = gather_parts(character);
  const RigPlan plan = plan_rig(gathered.character, options, progress, on_stage);
  const RigRemoval removal = remove_replaced_rig(gathered.character, plan);
  RigResult result = apply_rig_plan(std::move(gathered.character), plan, removal, options, progress, on_stage);
  result.moved = result.moved || gathered.moved;
  result.findings.insert(result.findings.begin(), gathered.findings.begin(), gathered.findings.end());
  return result;
}

}  // namespace sinew::pipeline
