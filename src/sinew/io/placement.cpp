// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <Eigen/LU>
#include <map>

#include "sinew/core/error.h"
#include "sinew/io/asset.h"

namespace sinew::io {
namespace {

double unit_in_metres(const std::string& unit) {
  static const std::map<std::string, double> units = {{"m", 1},      {"dm", 0.1},    {"cm", 0.01},
                                                      {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}};
  const auto found = units.find(unit);
  return found == units.end() ? 1 : found->second;
}

Vec3 axis_of(const std::string& word, const Vec3& fallback) {
  if (word.empty()) return fallback;
  return (word[0] == '-' ? -1.0 : 1.0) * Vec3::Unit(word.back() - 'x');
}

// Turns the input's up to +Y and its forward to +Z. With only one of them given, the other is what it would be in model
// space, or the nearest axis that is free.
Mat3 turn(const PlacementOptions& options) {
  const Vec3 up = axis_of(options.up, Vec3::UnitY());
  Vec3 forward = axis_of(options.forward, Vec3::UnitZ());
  if (std::abs(forward.dot(up)) > 0.5) {
    if (!options.forward.empty() && !options.up.empty())
      throw Error("The option 'up' and the option 'forward' name the same axis; the two axes must be at right angles.");
    // A file with z up faces −y by custom (Blender, Maya with z up); one that faces ±y therefore has z up.
    if (options.forward.empty()) forward = up.z() != 0 ? Vec3(-Vec3::UnitY()) : Vec3(Vec3::UnitZ());
    else return turn({options.unit, options.forward.back() == 'y' ? "z" : "y", options.forward, 0, false});
  }
  Mat3 from;
  from.col(0) = up.cross(forward);
  from.col(1) = up;
  from.col(2) = forward;
  return from.transpose();
}

void move_mesh(Mesh& mesh, const Mat4& m) {
  const Mat3 linear = m.topLeftCorner<3, 3>();
  const Mat3 normal_matrix = linear.inverse().transpose();
  for (Vec3& p : mesh.positions) p = transform_point(m, p);
  for (Vec3f& n : mesh.normals.values) {
    const Vec3 turned = normal_matrix * n.cast<double>();
    if (turned.norm() > 0) n = turned.normalized().cast<float>();
  }
  for (MeshPart& part : mesh.parts) {
    part.to_model = m * part.to_model;
    for (Morph& morph : part.morphs)
      for (Vec3f& d : morph.deltas) d = (linear * d.cast<double>()).cast<float>();
  }
}

// A new root above all others: clips may move the old roots, so their transforms cannot take the placement in.
void move_skeleton(Character& character, const Mat4& m) {
  Rig& rig = character.rig;
  Joint root;
  root.name = "placement";
  root.rest = decompose(m).transform;
  for (Joint& joint : rig.skeleton.joints) {
    joint.parent = joint.parent == kNone ? 0 : joint.parent + 1;
    if (joint.mirror != kNone) ++joint.mirror;
    if (joint.driver && joint.driver->source != kNone) ++joint.driver->source;
  }
  rig.skeleton.joints.insert(rig.skeleton.joints.begin(), std::move(root));
  const Mat4 back = m.inverse();
  for (Skin& skin : rig.skins) {
    for (Index& joint : skin.joints) ++joint;
    for (Mat4& bind : skin.inverse_bind) bind = bind * back;
  }
  for (MeshPart& part : rig.mesh.parts)
    if (part.joint != kNone) ++part.joint;
  for (Clip& clip : character.clips)
    for (Track& track : clip.tracks)
      if (track.path != Track::Path::kMorphWeights) ++track.target;
  SkinWeights shifted;
  std::vector<Influence> row;
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    row.assign(rig.weights.row(v).begin(), rig.weights.row(v).end());
    for (Influence& influence : row) ++influence.joint;
    shifted.add_row(row);
  }
  rig.weights = std::move(shifted);
}

// A file of motion has a size, too: that of its skeleton at rest.
void extend_by_joints(Box& box, const Mat4& m, const Skeleton& skeleton) {
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  for (Index j = 0; j < skeleton.size(); ++j) {
    box.extend(transform_point(m, rest[j].topRightCorner<3, 1>()));
    if (const auto& end = skeleton.joints[j].end_local) box.extend(transform_point(m, transform_point(rest[j], *end)));
  }
}

}  // namespace

void place(Asset& asset, const PlacementOptions& options) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = unit_in_metres(options.unit) * turn(options);
  Box box;
  for (const Vec3& p : asset.character.rig.mesh.positions) box.extend(transform_point(m, p));
  if (box.empty()) extend_by_joints(box, m, asset.character.rig.skeleton);
  if (options.height > 0) {
    if (!(box.extent().y() > 0))
      throw Error("The option 'height' cannot be used: the character has no height to scale.");
    const double scale = options.height / box.extent().y();
    m = Eigen::Affine3d(Eigen::Scaling(scale)).matrix() * m;
    box.lower *= scale;
  }
  if (options.ground && !box.empty()) m(1, 3) -= box.lower.y();
  if (m == Mat4::Identity()) return;
  move_mesh(asset.character.rig.mesh, m);
  if (!asset.character.rig.skeleton.empty()) move_skeleton(asset.character, m);
  asset.placement = m * asset.placement;
}

}  // namespace sinew::io
