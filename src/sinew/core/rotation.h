// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Rotations and transforms, in one place, in double.

#include "sinew/core/math.h"

namespace sinew {

/// Translation, rotation and scale, applied to a point in the order scale, rotation, translation, as in glTF.
struct Transform {
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();

  Mat4 matrix() const;
  bool operator==(const Transform& other) const {
    return translation == other.translation && rotation.coeffs() == other.rotation.coeffs() && scale == other.scale;
  }
};

/// A 4×4 affine matrix as T·R·S·K. `shear` (K) is what translation, rotation and scale cannot say: the identity, unless
/// the matrix shears. R is a proper rotation; a mirroring matrix gets a negative scale along x.
struct Decomposed {
  Transform transform;
  Mat3 shear = Mat3::Identity();
};

/// T·R·S·K of a matrix, exact to rounding for every matrix whose axes are not zero. An axis of length zero has scale 0
/// and an arbitrary direction. \pre the matrix is finite and affine.
Decomposed decompose(const Mat4& matrix);

/// q = swing · twist, where `twist` turns about `axis` (unit length) and `swing` turns about an axis at right angles to
/// it. When q turns by exactly 180° about such an axis the twist is not defined and is the identity.
struct SwingTwist {
  Quat swing;
  Quat twist;
};
SwingTwist swing_twist(const Quat& q, const Vec3& axis);

/// Signed angle of `q`'s twist about `axis`, in (−π, π].
double twist_angle_rad(const Quat& q, const Vec3& axis);

/// Rotation vector (axis times angle) of a unit quaternion, of the short way round: at most π long.
Vec3 rotation_log(const Quat& q);

/// The unit quaternion of a rotation vector of any length.
Quat rotation_exp(const Vec3& rotation_vector);

/// A = R·P with R a proper rotation (det +1) and P symmetric, by singular values. For det A < 0 P has one negative
/// eigenvalue, the one smallest in size. Works for singular A, where R is one of several.
struct Polar {
  Mat3 rotation;
  Mat3 stretch;
};
Polar polar(const Mat3& a);

/// Turns by angles about the fixed axes in the order of `order`, its first letter first: "xyz" gives Rz·Ry·Rx, as in
/// Maya. \pre order is a permutation of "xyz".
Quat rotation_from_euler(const Vec3& angles_rad, const char* order = "xyz");

/// Interpolates the short way round, with constant speed; unit result.
Quat slerp(const Quat& a, const Quat& b, double t);

}  // namespace sinew
