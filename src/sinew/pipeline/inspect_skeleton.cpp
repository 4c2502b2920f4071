// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/geometry/spatial/winding_number.h"
#include "sinew/pipeline/inspect_parts.h"

namespace sinew::pipeline {
namespace {

constexpr double kSameScaleRel = 1e-3;  // Of a scale, or of an axis: less is rounding.

void count_vertices(const Rig& rig, SkeletonHealth& health) {
  std::vector<std::uint64_t> counts(rig.skeleton.size(), 0);
  for (Index v = 0; v < rig.weights.row_count(); ++v)
    for (const Influence& influence : rig.weights.row(v))
      if (influence.weight > 0) ++counts[influence.joint];
  if (rig.weights.empty())
    for (const MeshPart& part : rig.mesh.parts)
      if (part.skin == kNone && part.joint != kNone) counts[part.joint] += part.vertex_count;
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const Joint& joint = rig.skeleton.joints[j];
    JointFacts& facts = health.joints[j];
    facts.vertices = counts[j];
    facts.depth = joint.parent == kNone ? 0 : health.joints[joint.parent].depth + 1;
    health.deforming += joint.deforming;
    health.moving += counts[j] > 0;
  }
}

// Where each joint stands when the skin has the shape of the mesh.
std::vector<Mat4> bound_matrices(const Rig& rig, const std::vector<Mat4>& rest) {
  std::vector<Mat4> bound = rest;
  std::vector<bool> done(rest.size(), false);
  for (const Skin& skin : rig.skins)
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const Mat4 matrix = skin.inverse_bind[k].inverse();
      if (done[skin.joints[k]] || !matrix.allFinite()) continue;
      bound[skin.joints[k]] = matrix;
      done[skin.joints[k]] = true;
    }
  return bound;
}

void find_outside(const Rig& rig, const std::vector<Mat4>& bound, const geometry::Welding& welding,
                  const geometry::Topology& topology, SkeletonHealth& health) {
  std::vector<Index> joints;
  std::vector<Vec3> points;
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    if (!rig.skeleton.joints[j].deforming || health.joints[j].vertices == 0) continue;
    joints.push_back(j);
    points.push_back(bound[j].topRightCorner<3, 1>());
  }
  if (points.empty()) return;
  const std::vector<double> winding = geometry::winding_numbers(rig.mesh, welding, topology, points);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    JointFacts& facts = health.joints[joints[i]];
    facts.winding = winding[i];
    facts.outside = std::abs(winding[i]) < 0.5;
    if (facts.outside) health.outside.push_back(joints[i]);
  }
}

void check_rest(const Rig& rig, const std::vector<Mat4>& rest, double size, SkeletonHealth& health) {
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const Joint& joint = rig.skeleton.joints[j];
    const Vec3& s = joint.rest.scale;
    const Vec3 a = s.cwiseAbs();
    if ((s - Vec3::Ones()).cwiseAbs().maxCoeff() > kSameScaleRel) health.scaled.push_back(j);
    if (a.maxCoeff() - a.minCoeff() > kSameScaleRel * a.maxCoeff()) health.uneven_scale.push_back(j);
    if (s.prod() < 0) health.mirrored.push_back(j);
    if (a.minCoeff() <= 1e-6 * a.maxCoeff()) health.collapsed.push_back(j);
    const Mat3 linear = rest[j].topLeftCorner<3, 3>();
    double skew = 0;
    for (int k = 0; k < 3; ++k) {
      const Vec3 p = linear.col(k), q = linear.col((k + 1) % 3);
      if (p.norm() * q.norm() > 0) skew = std::max(skew, std::abs(p.dot(q)) / (p.norm() * q.norm()));
    }
    if (skew > kSameScaleRel) health.sheared.push_back(j);
    if (joint.parent == kNone || !joint.deforming || !rig.skeleton.joints[joint.parent].deforming) continue;
    const Vec3 bone = rest[j].topRightCorner<3, 1>() - rest[joint.parent].topRightCorner<3, 1>();
    if (bone.norm() <= 1e-6 * size) health.zero_length.push_back(j);
  }
}

void compare_bind(const Rig& rig, const std::vector<Mat4>& rest, double size, SkeletonHealth& health) {
  if (size <= 0) return;
  for (const Skin& skin : rig.skins)
    for (std::size_t k = 0; k < skin.joints.size(); ++k) {
      const Mat4 bind = skin.inverse_bind[k].inverse();
      if (!bind.allFinite()) {
        ++health.bind_singular;
        continue;
      }
      const Mat4& at_rest = rest[skin.joints[k]];
      const double apart = (bind - at_rest).topRightCorner<3, 1>().norm() / size;
      const double turned =
          (bind - at_rest).topLeftCorner<3, 3>().norm() / std::max(at_rest.topLeftCorner<3, 3>().norm(), 1e-30);
      health.bind_differs += apart > 1e-4 || turned > kSameScaleRel;
      health.bind_joint_rel = std::max(health.bind_joint_rel, apart);
    }
  if (health.bind_differs == 0 || rig.weights.empty()) return;
  const std::vector<Vec3> posed = deform::linear_positions(rig, {rest, {}, {}});
  const double largest = parallel_reduce(
      posed.size(), 0.0,
      [&](std::size_t begin, std::size_t end) {
        double most = 0;
        for (std::size_t v = begin; v < end; ++v)
          most = std::max(most, (posed[v] - rig.mesh.positions[v]).squaredNorm());
        return most;
      },
      [](double a, double b) { return std::max(a, b); });
  health.bind_skin_rel = std::sqrt(largest) / size;
}

}  // namespace

SkeletonHealth skeleton_health(const Rig& rig, const geometry::Welding& welding, const geometry::Topology& topology,
                               double size) {
  SkeletonHealth health;
  health.joints.resize(rig.skeleton.size());
  if (rig.skeleton.empty()) return health;
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  count_vertices(rig, health);
  find_outside(rig, bound_matrices(rig, rest), welding, topology, health);
  check_rest(rig, rest, size, health);
  compare_bind(rig, rest, size, health);
  return health;
}

}  // namespace sinew::pipeline
