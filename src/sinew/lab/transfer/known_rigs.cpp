// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/transfer/known_rigs.h"

#include <Eigen/LU>

#include <utility>

#include "sinew/deform/deformer.h"
#include "sinew/geometry/mesh/decimate.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/lab/segmentation/segmentation.h"
#include "sinew/pipeline/bind_subject.h"
#include "sinew/transfer/match/joint_map.h"

namespace sinew::lab {
namespace {

std::vector<char> moving_joints(const KnownRig& known) {
  std::vector<char> moves(known.rig.skeleton.joints.size(), 0);
  for (Index v = 0; v < known.rig.weights.row_count(); ++v)
    for (const Influence& influence : known.rig.weights.row(v)) moves[influence.joint] = 1;
  return moves;
}

}  // namespace

KnownRig bound_alone(const Rig& rig, std::string name) {
  Findings warnings;
  const std::vector<Mat4> frames = pipeline::binding_matrices(rig, warnings);
  KnownRig known{std::move(name), {}};
  known.rig.mesh = rig.mesh;
  known.rig.skeleton = rig.skeleton;
  known.rig.weights = rig.weights.normalized();
  Skin skin{"skin", {}, {}};
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const Index parent = rig.skeleton.joints[j].parent;
    const Decomposed local = decompose(parent == kNone ? frames[j] : Mat4(frames[parent].inverse() * frames[j]));
    Joint& joint = known.rig.skeleton.joints[j];
    joint.rest = local.transform;
    joint.shear = local.shear;
    joint.driver.reset();
    skin.joints.push_back(j);
    skin.inverse_bind.push_back(frames[j].inverse());
  }
  known.rig.skins.push_back(std::move(skin));
  for (MeshPart& part : known.rig.mesh.parts) {
    part.skin = 0;
    part.joint = kNone;
    part.morphs.clear();
    part.morph_weights.clear();
  }
  return known;
}

KnownRig other_build(const KnownRig& known, std::uint64_t seed, double turn_rad) {
  geometry::Random dice(seed);
  const auto uniform = [&](double low, double high) { return low + (high - low) * dice.uniform(); };
  Pose pose = rest_pose(known.rig);
  std::vector<double> grown(pose.local.size(), 1.0);
  for (Index j = 0; j < known.rig.skeleton.size(); ++j) {
    const Joint& joint = known.rig.skeleton.joints[j];
    const double whole = uniform(0.8, 1.25);
    const Vec3 axis = Vec3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)).normalized();
    const double angle = uniform(-turn_rad, turn_rad);
    if (joint.parent == kNone) continue;
    const double above = grown[joint.parent];
    grown[j] = whole;
    pose.local[j].scale *= grown[j] / above;
    pose.local[j].rotation = pose.local[j].rotation * Quat(Eigen::AngleAxisd(angle, axis));
  }
  return reposed(known, pose);
}

KnownRig reposed(const KnownRig& known, const Pose& pose) {
  const auto deformer = deform::bind("lbs", known.rig);
  KnownRig other = known;
  other.rig.mesh.positions = posed_positions(*deformer, known.rig, pose);
  other.rig.mesh.normals = {};
  for (Index j = 0; j < known.rig.skeleton.size(); ++j) other.rig.skeleton.joints[j].rest = pose.local[j];
  const std::vector<Mat4> frames = rest_matrices(other.rig.skeleton);
  for (Index j = 0; j < known.rig.skeleton.size(); ++j) other.rig.skins[0].inverse_bind[j] = frames[j].inverse();
  return other;
}

KnownRig decimated_rig(const KnownRig& known, double share) {
  geometry::DecimateOptions options;
  options.target_triangles = static_cast<Index>(share * static_cast<double>(triangulate(known.rig.mesh).size()));
  geometry::Decimated fewer = geometry::decimate(known.rig.mesh, options);
  KnownRig result = known;
  result.rig.mesh = std::move(fewer.mesh);
  result.rig.weights = {};
  for (const Index v : fewer.source_vertex) result.rig.weights.add_row(known.rig.weights.row(v));
  return result;
}

transfer::Correspondence own_pairs(const KnownRig& known, const KnownRig& target) {
  const std::vector<char> moves = moving_joints(known), helpers = transfer::helper_joints(known.rig.skeleton);
  std::vector<std::pair<Index, Index>> joints;
  for (Index j = 0; j < moves.size(); ++j)
    if (moves[j] != 0 && helpers[j] == 0) joints.emplace_back(j, j);
  return transfer::correspond(known.rig.skeleton, target.rig.skeleton, joints);
}

transfer::Correspondence pairs_by_name(const KnownRig& reference, const KnownRig& target) {
  const std::vector<char> moves = moving_joints(reference), helpers = transfer::helper_joints(reference.rig.skeleton);
  std::vector<std::pair<Index, Index>> joints;
  for (Index j = 0; j < moves.size(); ++j)
    if (const Index same = target.rig.skeleton.find(reference.rig.skeleton.joints[j].name);
        moves[j] != 0 && helpers[j] == 0 && same != kNone)
      joints.emplace_back(j, same);
  return transfer::correspond(reference.rig.skeleton, target.rig.skeleton, joints);
}

}  // namespace sinew::lab
