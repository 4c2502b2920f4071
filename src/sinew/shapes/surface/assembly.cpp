// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/surface/assembly.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "sinew/geometry/mesh/normals.h"
#include "sinew/shapes/bodies/body_plan.h"

namespace sinew::shapes {
namespace {

Index left_partner(const std::vector<PlacedJoint>& joints, std::size_t joint) {
  const std::string& name = joints[joint].name;
  if (!name.starts_with("Right")) return kNone;
  for (std::size_t i = 0; i < joint; ++i)
    if (joints[i].name == "Left" + name.substr(5)) return static_cast<Index>(i);
  return kNone;
}

}  // namespace

Skeleton place_joints(const std::vector<PlacedJoint>& joints) {
  const Mat3 flip = Vec3(-1, 1, 1).asDiagonal();
  const Mat3 turned = Vec3(1, 1, -1).asDiagonal();
  Skeleton skeleton;
  std::vector<Mat3> frames;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const PlacedJoint& placed = joints[i];
    assert(placed.parent == kNone || placed.parent < i);
    const Index partner = left_partner(joints, i);
    const Mat3 frame =
        partner == kNone ? bone_frame(placed.end - placed.place, placed.bend) : Mat3(flip * frames[partner] * turned);
    const Mat3 above = placed.parent == kNone ? Mat3(Mat3::Identity()) : frames[placed.parent];
    const Vec3 origin = placed.parent == kNone ? Vec3(Vec3::Zero()) : joints[placed.parent].place;
    Joint joint;
    joint.name = placed.name;
    joint.parent = placed.parent;
    joint.deforming = true;
    joint.role = placed.role;
    joint.rest.translation = above.transpose() * (placed.place - origin);
    joint.rest.rotation = Quat(Mat3(above.transpose() * frame)).normalized();
    if (placed.leaf) joint.end_local = Vec3(0, (placed.end - placed.place).norm(), 0);
    joint.mirror = partner;
    if (partner != kNone) skeleton.joints[partner].mirror = static_cast<Index>(i);
    skeleton.joints.push_back(std::move(joint));
    frames.push_back(frame);
  }
  return skeleton;
}

void add_smooth_normals(Mesh& mesh) {
  mesh.normals.corners.clear();
  mesh.normals.values.clear();
  for (const Vec3& normal : geometry::vertex_normals(mesh)) mesh.normals.values.push_back(normal.cast<float>());
}

Skin rest_skin(std::string name, const Skeleton& skeleton) {
  Skin skin;
  skin.name = std::move(name);
  const std::vector<Mat4> rest = rest_matrices(skeleton);
  for (Index joint = 0; joint < skeleton.size(); ++joint) {
    if (!skeleton.joints[joint].deforming) continue;
    skin.joints.push_back(joint);
    skin.inverse_bind.push_back(Eigen::Isometry3d(rest[joint]).inverse().matrix());
  }
  return skin;
}

Made assemble(std::string name, Mesh mesh, Skeleton skeleton, const std::vector<std::vector<Influence>>& rows,
              Segmentation owners, const Vec3f& color) {
  Made made;
  Rig& rig = made.character.rig;
  made.character.name = std::move(name);
  rig.mesh = std::move(mesh);
  rig.skeleton = std::move(skeleton);
  made.owners = std::move(owners);
  MeshPart part;
  part.name = "Body";
  part.vertex_count = rig.mesh.vertex_count();
  part.face_count = rig.mesh.face_count();
  part.skin = 0;
  rig.mesh.parts = {std::move(part)};
  rig.mesh.face_materials.assign(rig.mesh.face_count(), 0);
  for (const std::vector<Influence>& row : rows) rig.weights.add_row(row);
  rig.skins = {rest_skin("Body", rig.skeleton)};
  Material material;
  material.name = "Clay";
  material.base_color << color, 1.0F;
  material.roughness = 0.8F;
  made.character.materials.push_back(std::move(material));
  for (Index joint = 0; joint < rig.skeleton.size(); ++joint) {
    const Joint& made_joint = rig.skeleton.joints[joint];
    if (made_joint.role != "helper") made.template_joints.push_back({made_joint.name, joint});
  }
  return made;
}

std::vector<Influence> normalized_row(const std::vector<double>& weights) {
  constexpr double kFloor = 1e-6;
  double all = 0;
  for (const double weight : weights) all += weight;
  double kept = 0;
  for (const double weight : weights) kept += weight > kFloor * all ? weight : 0;
  std::vector<Influence> row;
  for (std::size_t joint = 0; joint < weights.size(); ++joint) {
    if (weights[joint] > kFloor * all)
      row.push_back({static_cast<Index>(joint), static_cast<float>(weights[joint] / kept)});
  }
  return row;
}

double smooth_passage(double t) {
  const double x = std::clamp(0.5 * (t + 1), 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

}  // namespace sinew::shapes
