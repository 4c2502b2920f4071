// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/implicit/limb.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/core/angles.h"

namespace sinew::lab {
namespace {

constexpr Index kCapRings = 8;

/// The outline of the limb from one end to the other: places along x and radii, without the poles.
std::vector<std::array<double, 2>> outline(const LimbShape& shape) {
  std::vector<std::array<double, 2>> points;
  for (Index i = 1; i <= kCapRings; ++i) {
    const double angle = kPi / 2 * i / kCapRings;
    points.push_back({-shape.length - shape.radius * std::cos(angle), shape.radius * std::sin(angle)});
  }
  for (Index i = 1; i <= shape.along; ++i)
    points.push_back({-shape.length + 2 * shape.length * i / (shape.along + 1), shape.radius});
  for (Index i = 0; i < kCapRings; ++i) {
    const double angle = kPi / 2 * i / kCapRings;
    points.push_back({shape.length + shape.radius * std::sin(angle), shape.radius * std::cos(angle)});
  }
  return points;
}

void add_vertex(Rig& rig, const LimbShape& shape, const Vec3& point) {
  rig.mesh.positions.push_back(point);
  const double t = std::clamp(0.5 + 0.5 * point.x() / (shape.blend * shape.radius), 0.0, 1.0);
  const auto lower = static_cast<float>(t * t * (3 - 2 * t));
  rig.weights.add_row({{0, 1 - lower}, {1, lower}});
}

}  // namespace

Rig two_bone_limb(const LimbShape& shape) {
  Rig rig;
  const auto points = outline(shape);
  for (const auto& [x, r] : points)
    for (Index k = 0; k < shape.around; ++k) {
      const double angle = kTwoPi * k / shape.around;
      add_vertex(rig, shape, {x, r * std::cos(angle), r * std::sin(angle)});
    }
  const auto rings = static_cast<Index>(points.size()), first = rings * shape.around, last = first + 1;
  add_vertex(rig, shape, {-shape.length - shape.radius, 0, 0});
  add_vertex(rig, shape, {shape.length + shape.radius, 0, 0});
  for (Index k = 0; k < shape.around; ++k) {
    const Index next = (k + 1) % shape.around;
    rig.mesh.add_face(std::array{first, next, k});
    for (Index i = 0; i + 1 < rings; ++i) {
      const Index a = i * shape.around, b = a + shape.around;
      rig.mesh.add_face(std::array{a + k, a + next, b + next, b + k});
    }
    const Index end = (rings - 1) * shape.around;
    rig.mesh.add_face(std::array{last, end + k, end + next});
  }
  MeshPart part;
  part.name = "limb";
  part.vertex_count = rig.mesh.vertex_count();
  part.face_count = rig.mesh.face_count();
  part.skin = 0;
  rig.mesh.parts = {part};
  Joint upper, lower;
  upper.name = "upper", lower.name = "lower";
  upper.deforming = lower.deforming = true;
  upper.rest.translation = Vec3(-shape.length, 0, 0);
  lower.rest.translation = Vec3(shape.length, 0, 0);
  lower.parent = 0;
  lower.end_local = Vec3(shape.length, 0, 0);
  rig.skeleton.joints = {upper, lower};
  Mat4 inverse = Mat4::Identity();
  inverse(0, 3) = shape.length;
  rig.skins = {{"limb", {0, 1}, {inverse, Mat4::Identity()}}};
  return rig;
}

ModelPose limb_pose(const Rig& limb, const Vec3& axis, double angle_rad) {
  std::vector<Transform> local = {limb.skeleton.joints[0].rest, limb.skeleton.joints[1].rest};
  local[1].rotation = rotation_exp(angle_rad * axis.normalized());
  ModelPose pose;
  pose.joints = model_matrices(limb.skeleton, local);
  pose.twist_rad.assign(2, 0);
  return pose;
}

Mesh with_positions(const Mesh& mesh, const std::vector<Vec3f>& positions) {
  Mesh moved = mesh;
  for (std::size_t v = 0; v < positions.size(); ++v) moved.positions[v] = positions[v].cast<double>();
  return moved;
}

}  // namespace sinew::lab
