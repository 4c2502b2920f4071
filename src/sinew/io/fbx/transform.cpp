// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/fbx/transform.h"

#include <Eigen/LU>
#include <array>
#include <cmath>

#include "sinew/core/angles.h"

namespace sinew::io::fbx {
namespace {

constexpr std::array<const char*, 6> kOrders = {"xyz", "xzy", "yzx", "yxz", "zxy", "zyx"};

Quat turned(const Vec3& degrees, const char* order) { return rotation_from_euler(degrees * (kPi / 180), order); }

Mat4 moved(const Vec3& by) {
  Mat4 m = Mat4::Identity();
  m.topRightCorner<3, 1>() = by;
  return m;
}

Mat4 linear(const Mat3& a) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = a;
  return m;
}

bool is_uniform(const Mat3& scale) {
  const double size = scale(0, 0);
  return std::abs(size) > 1e-12 && (scale - size * Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-9 * std::abs(size);
}

}  // namespace

Quat NodeTransform::rotation(const Pose& pose) const {
  return (pre * turned(pose.rotation_deg, order) * post.conjugate()).normalized();
}

Mat4 NodeTransform::local(const Pose& pose) const {
  const Mat4 turn = linear(rotation(pose).toRotationMatrix());
  if (!has_pivots()) return moved(pose.translation + rotation_offset) * turn * linear(pose.scaling.asDiagonal());
  return moved(pose.translation + rotation_offset + rotation_pivot) * turn *
         moved(scaling_offset + scaling_pivot - rotation_pivot) * linear(pose.scaling.asDiagonal()) *
         moved(-scaling_pivot);
}

bool NodeTransform::has_pivots() const {
  return !rotation_pivot.isZero(0) || !scaling_pivot.isZero(0) || !scaling_offset.isZero(0);
}

NodeTransform read_transform(const Properties& properties) {
  const auto vector = [&](std::string_view name, const Vec3& fallback) {
    return properties.vector(name).value_or(fallback);
  };
  const Vec3 zero = Vec3::Zero(), one = Vec3::Ones();
  NodeTransform node;
  node.rest = {vector("Lcl Translation", zero), vector("Lcl Rotation", zero), vector("Lcl Scaling", one)};
  node.rotation_offset = vector("RotationOffset", zero);
  node.rotation_pivot = vector("RotationPivot", zero);
  node.scaling_offset = vector("ScalingOffset", zero);
  node.scaling_pivot = vector("ScalingPivot", zero);
  // Without this flag the node ignores its order and its additional rotations.
  if (properties.integer("RotationActive", 0) != 0) {
    node.pre = turned(vector("PreRotation", zero), "xyz");
    node.post = turned(vector("PostRotation", zero), "xyz");
    const std::int64_t order = properties.integer("RotationOrder", 0);
    if (order >= 0 && order < static_cast<std::int64_t>(kOrders.size()))
      node.order = kOrders[static_cast<std::size_t>(order)];
  }
  const std::int64_t inherit = properties.integer("InheritType", 0);
  if (inherit >= 0 && inherit <= 2) node.inherit = static_cast<Inherit>(inherit);
  const Vec3 scale = vector("GeometricScaling", one);
  node.geometric = moved(vector("GeometricTranslation", zero)) *
                   linear(turned(vector("GeometricRotation", zero), "xyz").toRotationMatrix() * scale.asDiagonal());
  return node;
}

Global child_global(const Global& parent, const NodeTransform& node, const Pose& pose) {
  const Mat4 local = node.local(pose);
  Global result;
  const Mat3 turn = node.rotation(pose).toRotationMatrix();
  result.rotation = parent.rotation * turn;
  result.own_scaling = pose.scaling;
  if (node.inherit == Inherit::kRSrs) {
    result.matrix = parent.matrix * local;
    result.scale = result.rotation.transpose() * result.matrix.topLeftCorner<3, 3>();
    return result;
  }
  result.scale = parent.scale * pose.scaling.asDiagonal();
  if (node.inherit == Inherit::kRrs) {
    Vec3 without = parent.own_scaling;
    for (double& factor : without) factor = std::abs(factor) > 1e-12 ? 1 / factor : 1;
    result.scale = parent.scale * without.asDiagonal() * pose.scaling.asDiagonal();
  }
  result.matrix.topLeftCorner<3, 3>() = result.rotation * result.scale;
  result.matrix.topRightCorner<3, 1>() = transform_point(parent.matrix, local.topRightCorner<3, 1>());
  return result;
}

Mat4 relative_matrix(const Global& parent, const NodeTransform& node, const Pose& pose) {
  const Mat4 local = node.local(pose);
  const bool same = node.inherit == Inherit::kRSrs ||
                    (is_uniform(parent.scale) && (node.inherit == Inherit::kRrSs || parent.own_scaling.isOnes(1e-9)));
  if (same) return local;
  const Mat4 back = parent.matrix.inverse();
  if (!back.allFinite()) return local;
  Mat4 relative = back * child_global(parent, node, pose).matrix;
  relative.row(3) << 0, 0, 0, 1;
  return relative.allFinite() ? relative : local;
}

}  // namespace sinew::io::fbx
