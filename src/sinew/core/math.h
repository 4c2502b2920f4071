// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Vector and matrix types. This is the only header that includes Eigen on behalf of other headers.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <limits>

namespace sinew {

using Vec2 = Eigen::Vector2d;
using Vec2f = Eigen::Vector2f;
using Vec3 = Eigen::Vector3d;
using Vec3f = Eigen::Vector3f;
using Vec4 = Eigen::Vector4d;
using Vec4f = Eigen::Vector4f;
using Mat3 = Eigen::Matrix3d;
using Mat4 = Eigen::Matrix4d;
using Quat = Eigen::Quaterniond;

/// Index of a vertex, face, joint and so on. `kNone` means that there is none.
using Index = std::uint32_t;
inline constexpr Index kNone = std::numeric_limits<Index>::max();

/// Applies an affine 4×4 matrix to a point.
inline Vec3 transform_point(const Mat4& m, const Vec3& p) {
  return m.topLeftCorner<3, 3>() * p + m.topRightCorner<3, 1>();
}

/// An axis-aligned box; empty until it is extended.
struct Box {
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 upper = Vec3::Constant(-std::numeric_limits<double>::infinity());

  void extend(const Vec3& p) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  bool empty() const { return !(lower.array() <= upper.array()).all(); }
  Vec3 center() const { return empty() ? Vec3(Vec3::Zero()) : Vec3(0.5 * (lower + upper)); }
  Vec3 extent() const { return empty() ? Vec3(Vec3::Zero()) : Vec3(upper - lower); }
  /// Length of the diagonal. The project uses it as the size of an object.
  double diagonal() const { return extent().norm(); }
};

}  // namespace sinew
