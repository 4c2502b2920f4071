// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Rotations and transforms in double precision.

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

/// A 4×4 affine matrix as T·R·S·K. `shear` (K) is the part that translation, rotation and scale cannot represent; it is
/// the identity unless the matrix shears. R is a proper rotation; a mirroring matrix gets a negative scale along x.
struct Decomposed {
  Transform transform;
  Mat3 shear = Mat3::Identity();
};

/// Decomposes a matrix into T·R·S·K, exact to rounding for every matrix whose axes are not zero. An axis of length zero
/// has scale 0 and an arbitrary direction. \pre the matrix is finite and affine.
Decomposed decompose(const Mat4& matrix);

/// q = swing · twist, where `twist` rotates about `axis` (unit length) and `swing` rotates about an axis perpendicular
/// to it. If q rotates by exactly 180° about such an axis, the twist is undefined and is set to the identity.
struct SwingTwist {
  Quat swing;
  Quat twist;
};
SwingTwist swing_twist(const Quat& q, const Vec3& axis);

/// Returns the signed angle of `q`'s twist about `axis`, in (−π, π].
double twist_angle_rad(const Quat& q, const Vec3& axis);

/// Returns the rotation vector (axis times angle) of a unit quaternion along the shortest path: its length is at most
/// π.
Vec3 rotation_log(const Quat& q);

/// Returns the unit quaternion of a rotation vector of any length.
Quat rotation_exp(const Vec3& rotation_vector);

/// A = R·P with a proper rotation R (det +1) and a symmetric P, by singular value decomposition. For det A < 0, P has
/// one negative eigenvalue: the one of smallest magnitude. For singular A, R is one of several solutions.
struct Polar {
  Mat3 rotation;
  Mat3 stretch;
};
Polar polar(const Mat3& a);

/// Returns the rotation by angles about the fixed axes, applied in the order of `order`: "xyz" gives Rz·Ry·Rx, as in
/// Maya. \pre order is a permutation of "xyz".
Quat rotation_from_euler(const Vec3& angles_rad, const char* order = "xyz");

/// Interpolates along the shortest path with constant speed. The result has unit length.
Quat slerp(const Quat& a, const Quat& b, double t);

}  // namespace sinew
