// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "sinew/core/rotation.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/io/asset.h"
#include "sinew/lab/retargeting/retargeting.h"
#include "sinew/lab/transfer/known_rigs.h"
#include "sinew/measure/surface_change.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"
#include "sinew/pipeline/add_helpers.h"
#include "sinew/pipeline/transfer.h"
#include "sinew/transfer/match/joint_map.h"
#include "sinew/transfer/rows.h"

namespace sinew::lab {
namespace {

constexpr int kHelperPoses = 16;
constexpr double kHelperTurn_rad = 0.8;

/// A target without helpers, and the same body with a helper rig of its own.
struct HelperCase {
  std::string name;
  Character reference, target;
  Rig truth;
  std::vector<Pose> poses;  // Of `truth`.
};

// "DEF-thigh.L.001_024" without the number that Sketchfab adds.
std::string plain_name(std::string name) {
  const std::size_t line = name.find_last_of('_');
  if (line != std::string::npos && line + 1 < name.size() &&
      name.find_first_not_of("0123456789", line + 1) == std::string::npos)
    name.resize(line);
  return name;
}

// Helpers, and limbs that are split as Rigify's are: "NAME.L.001" below "NAME.L".
std::vector<char> removable_joints(const Skeleton& skeleton) {
  std::vector<char> result = transfer::helper_joints(skeleton);
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index parent = skeleton.joints[j].parent;
    if (parent == kNone) continue;
    const std::string name = plain_name(skeleton.joints[j].name), above = plain_name(skeleton.joints[parent].name);
    if (name == above + ".001" && (above.ends_with(".L") || above.ends_with(".R"))) result[j] = 1;
  }
  return result;
}

// The joints that remain, with the weights of those above which are removed.
Character without_joints(const Rig& rig, const std::vector<char>& removed) {
  const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
  std::vector<Index> joint_of;
  Character result;
  Skin skin{"skin", {}, {}};
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const Joint& joint = rig.skeleton.joints[j];
    const Index above = joint.parent == kNone ? kNone : joint_of[joint.parent];
    if (removed[j] != 0 && above != kNone) {
      joint_of.push_back(above);
      continue;
    }
    Index kept_parent = joint.parent;
    while (kept_parent != kNone && removed[kept_parent] != 0 && rig.skeleton.joints[kept_parent].parent != kNone)
      kept_parent = rig.skeleton.joints[kept_parent].parent;
    Joint kept = joint;
    kept.parent = above;
    const Decomposed local =
        decompose(kept_parent == kNone ? frames[j] : Mat4(frames[kept_parent].inverse() * frames[j]));
    kept.rest = local.transform, kept.shear = local.shear;
    kept.mirror = kNone;
    kept.driver.reset();
    joint_of.push_back(result.rig.skeleton.size());
    skin.joints.push_back(result.rig.skeleton.size()), skin.inverse_bind.push_back(frames[j].inverse());
    result.rig.skeleton.joints.push_back(std::move(kept));
  }
  result.rig.mesh = rig.mesh;
  result.rig.weights = transfer::with_joints(rig.weights, joint_of);
  result.rig.skins = {std::move(skin)};
  return result;
}

/// Joints of the same names that a target has itself are where they are in a pose of the truth; others rest, or follow
/// their drivers.
Pose pose_by_names(const Rig& from, const Pose& pose, const Skeleton& to, const Skeleton& own) {
  const std::vector<Mat4> frames = model_matrices(from.skeleton, pose.local);
  const auto space = [&](Index j) {
    Quat turn = Quat::Identity();
    for (; j != kNone; j = from.skeleton.joints[j].parent) turn = pose.local[j].rotation * turn;
    return turn;
  };
  Pose result;
  std::vector<Quat> turned;
  std::vector<Mat4> placed;
  for (const Joint& joint : to.joints) {
    Transform local = joint.rest;
    const Quat above = joint.parent == kNone ? Quat::Identity() : turned[joint.parent];
    const Mat4 outer = joint.parent == kNone ? Mat4(Mat4::Identity()) : placed[joint.parent];
    if (const Index same = from.skeleton.find(joint.name); same != kNone && own.find(joint.name) != kNone) {
      local.rotation = (above.inverse() * space(same)).normalized();
      local.translation = (outer.inverse() * frames[same]).topRightCorner<3, 1>();
    }
    result.local.push_back(local);
    turned.push_back(above * local.rotation);
    placed.push_back(outer * local.matrix());
  }
  return result;
}

struct HelperFigures {
  double error = 0, stretch = 0, true_stretch = 0;
};

HelperFigures helper_figures(const HelperCase& known, const Rig& rig, bool drivers) {
  Skeleton skeleton = rig.skeleton;
  if (!drivers)
    for (Joint& joint : skeleton.joints) joint.driver.reset();
  const measure::SurfaceChange change(rig.mesh, geometry::weld(rig.mesh));
  HelperFigures figures;
  double sum = 0;
  for (const Pose& pose : known.poses) {
    const std::vector<Vec3> truth = deform::linear_positions(known.truth, motion::resolve(known.truth.skeleton, pose));
    figures.true_stretch += change.stretch(truth).percentiles[5] / static_cast<double>(known.poses.size());
    const Pose same = pose_by_names(known.truth, pose, skeleton, known.target.rig.skeleton);
    const std::vector<Vec3> made = deform::linear_positions(rig, motion::resolve(skeleton, same));
    for (std::size_t v = 0; v < made.size(); ++v) sum += (made[v] - truth[v]).squaredNorm();
    figures.stretch += change.stretch(made).percentiles[5] / static_cast<double>(known.poses.size());
  }
  figures.error =
      std::sqrt(sum / static_cast<double>(known.poses.size()) / static_cast<double>(rig.mesh.positions.size())) /
      rig.mesh.size();
  return figures;
}

/// A wider, shorter body. Bones that grow by themselves tear a rig whose limbs hang on other branches than its skin's
/// spine, as Rigify's do.
KnownRig wider_build(const KnownRig& known) {
  const Vec3 factors(1.2, 0.9, 1.1);
  KnownRig other = known;
  for (Vec3& p : other.rig.mesh.positions) p = factors.cwiseProduct(p);
  other.rig.mesh.normals = {};
  std::vector<Mat4> frames = rest_matrices(known.rig.skeleton);
  for (Mat4& frame : frames) frame.topRightCorner<3, 1>() = factors.cwiseProduct(frame.topRightCorner<3, 1>());
  for (Index j = 0; j < known.rig.skeleton.size(); ++j) {
    Joint& joint = other.rig.skeleton.joints[j];
    const Decomposed local =
        decompose(joint.parent == kNone ? frames[j] : Mat4(frames[joint.parent].inverse() * frames[j]));
    joint.rest = local.transform, joint.shear = local.shear;
    other.rig.skins[0].inverse_bind[j] = frames[j].inverse();
  }
  return other;
}

// A real character with helpers, whose copy of other proportions lost them; posed by its own clips.
HelperCase real_helper_case(const std::filesystem::path& path, int seed, bool branched, const Progress& progress) {
  const io::Asset asset = io::load(path, {}, progress);
  const KnownRig bound = bound_alone(asset.character.rig, path.stem().string());
  const KnownRig other = branched ? wider_build(bound) : other_build(bound, static_cast<std::uint64_t>(seed), 0);
  const std::vector<char> removed = removable_joints(other.rig.skeleton);
  HelperCase known{bound.name, asset.character, without_joints(other.rig, removed), other.rig, {}};
  double total = 0;
  for (const Clip& clip : asset.character.clips) total += clip.duration_s();
  for (const Clip& clip : asset.character.clips) {
    const int count = std::max(1, static_cast<int>(kHelperPoses * clip.duration_s() / std::max(total, 1e-9)));
    for (int i = 0; i < count; ++i) {
      const Pose sampled = motion::sample(asset.character.rig, clip, clip.duration_s() * (i + 0.5) / count);
      Pose pose = rest_pose(other.rig);
      for (std::size_t j = 0; j < pose.local.size(); ++j) {
        pose.local[j].rotation = sampled.local[j].rotation;
        // Helpers of engines also slide along their bones, and branched rigs move by translations.
        if (branched)
          pose.local[j].translation += sampled.local[j].translation - bound.rig.skeleton.joints[j].rest.translation;
        else if (removed[j] != 0) pose.local[j].translation = sampled.local[j].translation;
      }
      known.poses.push_back(std::move(pose));
    }
  }
  return known;
}

// Two made humans, each with helpers of its own; the second loses them. Random poses.
HelperCase made_helper_case(int seed, int vertices, const Progress& progress) {
  pipeline::HelpersOptions helpers;
  helpers.twist = {"forearm", "upperarm", "thigh"};
  helpers.bend = {"elbow", "knee"};
  const Character target = family_member(seed, "t", 0.5, vertices);
  HelperCase known{fmt::format("made human → another, seed {}", seed),
                   pipeline::add_helpers(family_member(0, "a", 0, vertices), helpers, progress).character,
                   target,
                   pipeline::add_helpers(target, helpers, progress).character.rig,
                   {}};
  for (int i = 0; i < kHelperPoses; ++i) {
    geometry::Random dice(static_cast<std::uint64_t>(100 * seed + i));
    Pose pose = rest_pose(known.truth);
    for (std::size_t j = 0; j < pose.local.size(); ++j) {
      const Joint& joint = known.truth.skeleton.joints[j];
      const Vec3 draw(dice.uniform(), dice.uniform(), dice.uniform());
      if (joint.deforming && joint.parent != kNone && !joint.driver)
        pose.local[j].rotation =
            pose.local[j].rotation * rotation_exp(2 * kHelperTurn_rad * (draw - Vec3::Constant(0.5)));
    }
    known.poses.push_back(std::move(pose));
  }
  return known;
}

void add_helper_row(const HelperCase& known, const Progress& progress, ResultTable& table, Reproduction& result) {
  pipeline::TransferOptions options;
  options.method = MethodChoice(transfer::methods(), "skeleton");
  options.joints_from = pipeline::JointsFrom::kReference;
  const pipeline::TransferResult moved = pipeline::transfer(known.reference, known.target, options, progress);
  if (moved.added_joints.empty()) return;
  options.helpers = pipeline::HelperTransfer::kNone;
  options.joints_from = pipeline::JointsFrom::kTarget;
  const pipeline::TransferResult none = pipeline::transfer(known.reference, known.target, options, progress);
  std::size_t driven = 0;
  for (const std::string& name : moved.added_joints)
    driven += moved.character.rig.skeleton.joints[moved.character.rig.skeleton.find(name)].driver ? 1 : 0;
  const HelperFigures follow = helper_figures(known, moved.character.rig, true);
  const HelperFigures still = helper_figures(known, moved.character.rig, false);
  const HelperFigures without = helper_figures(known, none.character.rig, false);
  const auto rel = [](double x) { return fmt::format("{:.2f}", 1000 * x); };
  const auto factor = [](double x) { return fmt::format("{:.3f}", x); };
  table.rows.push_back({known.name, fmt::format("{} of {}", driven, moved.added_joints.size()), rel(follow.error),
                        rel(still.error), rel(without.error), factor(follow.true_stretch), factor(follow.stretch),
                        factor(still.stretch)});
  if (!(follow.error < still.error))
    result.misses.push_back({"reproduce.retargeting", known.name,
                             "Helper joints that follow their drivers are not nearer to the truth than still ones."});
}

}  // namespace

void retarget_helpers(const ReproduceOptions& options, int vertices, const Progress& progress, Reproduction& result) {
  ResultTable table{
      .id = "helpers",
      .title = "Helper rigs transferred to other bodies, posed",
      .note =
          "The body has helpers of its own, which were removed before the transfer. Added joints with "
          "drivers; distances from positions by the body's own rig, root mean square in thousandths of "
          "the size, with helpers that follow their drivers, that stand still, and without helpers; the "
          "99th percentile of the stretch of edges by the own rig, following and still.",
      .header = {"reference", "driven", "following", "still", "without", "stretch, own", "following", "still"},
      .rows = {}};
  for (const int seed : {1, 2}) add_helper_row(made_helper_case(seed, vertices, progress), progress, table, result);
  for (const auto& [file, branched] : {std::pair("momentum_test_24fps.glb", false), std::pair("lumberjack.glb", true)})
    if (const std::filesystem::path path = std::filesystem::path(options.data) / "rigged" / file;
        !options.data.empty() && std::filesystem::exists(path))
      add_helper_row(real_helper_case(path, options.seed, branched, progress), progress, table, result);
  result.tables.push_back(std::move(table));
}

}  // namespace sinew::lab
