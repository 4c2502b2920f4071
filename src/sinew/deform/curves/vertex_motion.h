// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/dual_quat.h"
#include "sinew/core/weights.h"

namespace sinew::deform {

/// A rigid motion in single precision, as a dual quaternion.
struct FloatMotion {
  Eigen::Vector4f real = Eigen::Vector4f(0, 0, 0, 1);
  Eigen::Vector4f dual = Eigen::Vector4f::Zero();
};

/// \pre the matrices are rigid.
inline FloatMotion float_motion(const Mat4& motion) {
  const DualQuat q = dual_quat(motion);
  return {q.real.coeffs().cast<float>(), q.dual.coeffs().cast<float>()};
}

inline Vec3f rotated(const Eigen::Vector4f& q, const Vec3f& p) {
  const Vec3f axis = q.head<3>();
  const Vec3f twice = 2 * axis.cross(p);
  return p + q.w() * twice + axis.cross(twice);
}

/// The rigid motion of one vertex: a blend of those of its joints, with signs on the side of the heaviest. Always
/// invertible.
struct VertexMotion {
  Eigen::Vector4f turn = Eigen::Vector4f(0, 0, 0, 1);
  Vec3f shift = Vec3f::Zero();

  VertexMotion(std::span<const Influence> row, std::span<const FloatMotion> joints) {
    if (row.empty()) return;
    Eigen::Vector4f real = Eigen::Vector4f::Zero(), dual = Eigen::Vector4f::Zero();
    const Eigen::Vector4f& lead = joints[row[0].joint].real;
    for (const Influence& influence : row) {
      const FloatMotion& joint = joints[influence.joint];
      const float weight = lead.dot(joint.real) < 0 ? -influence.weight : influence.weight;
      real += weight * joint.real;
      dual += weight * joint.dual;
    }
    const float length = real.norm();
    if (!(length > 1e-6F)) return;
    turn = real / length;
    dual /= length;
    shift = 2 * (turn.w() * dual.head<3>() - dual.w() * turn.head<3>() + turn.head<3>().cross(dual.head<3>()));
  }

  Vec3f apply(const Vec3f& p) const { return rotated(turn, p) + shift; }
  /// To the space before the motion.
  Vec3f undo_turn(const Vec3f& p) const {
    return rotated(Eigen::Vector4f(-turn.x(), -turn.y(), -turn.z(), turn.w()), p);
  }
  Vec3f undo(const Vec3f& p) const { return undo_turn(p - shift); }
};

/// Rows of influences that move vertices; rigid parts have one joint, others none.
struct MotionRows {
  std::vector<Index> offsets = {0};
  std::vector<Influence> influences;

  std::span<const Influence> of(std::size_t vertex) const {
    return {influences.data() + offsets[vertex], offsets[vertex + 1] - offsets[vertex]};
  }
};

}  // namespace sinew::deform
