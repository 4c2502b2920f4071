// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Limbs to pose, and dual quaternions in the plainest words, for the tests of the measures.

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/measure/shape.h"
#include "sinew/motion/resolve.h"
#include "sinew/shapes/surface/limbs.h"

namespace sinew::test {

inline Quat turn(const Vec3& axis, double radians) { return Quat(Eigen::AngleAxisd(radians, axis)); }

/// A cylinder along +Y, 8 m long and 2 m wide, with joints at equal distances.
inline Rig cylinder_rig(int joints, int layers, int around) {
  shapes::MakeOptions options;
  options.joint_count = joints;
  options.layers = layers;
  options.vertices = around * (layers + 1);
  return shapes::cylinder(options).character.rig;
}

/// A pose in which some joints turn away from rest.
inline ModelPose turned(const Rig& rig, const std::vector<std::pair<Index, Quat>>& turns) {
  Pose pose = rest_pose(rig);
  for (const auto& [joint, q] : turns) pose.local[joint].rotation = pose.local[joint].rotation * q;
  return motion::resolve(rig.skeleton, pose);
}

inline measure::Shape linear_shape(const Rig& rig, const ModelPose& pose) {
  return {deform::linear_positions(rig, pose), pose.joints};
}

/// Dual quaternion skinning (Kavan et al. 2008) in double, one vertex after the other; rigid matrices only.
inline measure::Shape dual_quaternion_shape(const Rig& rig, const ModelPose& pose) {
  measure::Shape shape{rig.mesh.positions, pose.joints};
  for (Index p = 0; p < rig.mesh.parts.size(); ++p) {
    const std::vector<Mat4> inverse_bind = inverse_bind_of_part(rig, p);
    std::vector<Quat> real, dual;
    for (std::size_t j = 0; j < pose.joints.size(); ++j) {
      const Mat4 m = pose.joints[j] * inverse_bind[j];
      const Quat q(Mat3(m.topLeftCorner<3, 3>()));
      const Vec3 t = m.topRightCorner<3, 1>();
      real.push_back(q);
      dual.push_back(Quat(0, t.x() / 2, t.y() / 2, t.z() / 2) * q);
    }
    const MeshPart& part = rig.mesh.parts[p];
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      const auto row = rig.weights.row(v);
      if (row.empty()) continue;
      Vec4 a = Vec4::Zero(), b = Vec4::Zero();
      for (const Influence& i : row) {
        const double sign = real[i.joint].dot(real[row.front().joint]) < -1e-6 ? -1 : 1;
        a += sign * i.weight * real[i.joint].coeffs();
        b += sign * i.weight * dual[i.joint].coeffs();
      }
      const double length = a.norm();
      a /= length, b /= length;
      const Vec3 d0 = a.head<3>(), de = b.head<3>(), x = shape.positions[v];
      shape.positions[v] = x + 2 * d0.cross(d0.cross(x) + a.w() * x) + 2 * (a.w() * de - b.w() * d0 + d0.cross(de));
    }
  }
  return shape;
}

/// The same weights for every vertex: 1 − w on the first joint, w on the second.
inline void share_evenly(Rig& rig, double w) {
  SkinWeights weights;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
    weights.add_row({{0, static_cast<float>(1 - w)}, {1, static_cast<float>(w)}});
  rig.weights = weights;
}

}  // namespace sinew::test
