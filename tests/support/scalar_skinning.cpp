// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "tests/support/scalar_skinning.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <utility>

namespace sinew::test {
namespace {

using Row = std::vector<std::pair<Index, double>>;

Row row_of(const Rig& rig, const MeshPart& part, Index v) {
  Row row;
  double sum = 0;
  if (!rig.weights.empty())
    for (const Influence& influence : rig.weights.row(v))
      if (influence.weight > 0 && std::isfinite(influence.weight)) {
        row.emplace_back(influence.joint, influence.weight);
        sum += influence.weight;
      }
  for (auto& entry : row) entry.second /= sum;
  if (row.empty() && part.skin == kNone && part.joint != kNone) row.emplace_back(part.joint, 1.0);
  return row;
}

Vec3 rest_position(const MeshPart& part, Index part_index, const Mesh& mesh, const ModelPose& pose, Index i) {
  Vec3 v = mesh.positions[part.first_vertex + i];
  if (part_index < pose.morph_weights.size())
    for (std::size_t m = 0; m < pose.morph_weights[part_index].size(); ++m)
      v += pose.morph_weights[part_index][m] * part.morphs[m].deltas[i].cast<double>();
  return v;
}

template <class Vertex>
Posed each_vertex(const Rig& rig, const ModelPose& pose, Vertex&& vertex) {
  Posed posed;
  for (Index p = 0; p < rig.mesh.parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    const std::vector<Mat4> inverse_bind = inverse_bind_of_part(rig, p);
    for (Index i = 0; i < part.vertex_count; ++i) {
      const Index v = part.first_vertex + i;
      Vec3 position = rest_position(part, p, rig.mesh, pose, i);
      Vec3 normal = rig.mesh.normals.empty() ? Vec3(Vec3::Zero()) : Vec3(rig.mesh.normals.values[v].cast<double>());
      const Row row = row_of(rig, part, v);
      if (!row.empty()) vertex(row, inverse_bind, position, normal);
      posed.positions.push_back(position);
      posed.normals.push_back(normal);
    }
  }
  return posed;
}

Mat3 cofactors_of(const Mat3& n) {
  Mat3 c;
  c.col(0) = n.col(1).cross(n.col(2));
  c.col(1) = n.col(2).cross(n.col(0));
  c.col(2) = n.col(0).cross(n.col(1));
  return c;
}

void set_unit(Vec3& v) {
  if (v.norm() > 0) v.normalize();
}

struct Split {
  Mat3 rotation, stretch;
  Vec3 origin, translation;
};

Split split(const Mat4& joint, const Mat4& inverse_bind) {
  const Mat4 m = joint * inverse_bind;
  const Mat3 a = m.topLeftCorner<3, 3>();
  const Eigen::JacobiSVD<Mat3> svd(a, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Split s;
  s.rotation = svd.matrixU() * svd.matrixV().transpose();
  s.stretch = svd.matrixV() * svd.singularValues().asDiagonal() * svd.matrixV().transpose();
  s.origin = Mat4(inverse_bind.inverse()).topRightCorner<3, 1>();
  s.translation = m.topRightCorner<3, 1>() + a * s.origin - s.rotation * s.origin;
  return s;
}

}  // namespace

Posed scalar_linear(const Rig& rig, const ModelPose& pose, bool cofactors) {
  return each_vertex(rig, pose, [&](const Row& row, const std::vector<Mat4>& inverse_bind, Vec3& v, Vec3& n) {
    Mat4 blend = Mat4::Zero();
    for (const auto& [joint, weight] : row) blend += weight * pose.joints[joint] * inverse_bind[joint];
    v = transform_point(blend, v);
    const Mat3 linear = blend.topLeftCorner<3, 3>();
    n = (cofactors ? cofactors_of(linear) : linear) * n;
    set_unit(n);
  });
}

Posed scalar_dual_quaternions(const Rig& rig, const ModelPose& pose) {
  return each_vertex(rig, pose, [&](const Row& row, const std::vector<Mat4>& inverse_bind, Vec3& v, Vec3& n) {
    std::vector<Split> parts;
    Mat3 stretch = Mat3::Zero();
    Vec3 stretched = Vec3::Zero();
    for (std::size_t k = 0; k < row.size(); ++k) {
      parts.push_back(split(pose.joints[row[k].first], inverse_bind[row[k].first]));
      const Split& s = parts.back();
      stretch += row[k].second * s.stretch;
      stretched += row[k].second * (s.stretch * (v - s.origin) + s.origin);
    }
    double heaviest = 0, longest = 0;
    for (const auto& entry : row) heaviest = std::max(heaviest, entry.second);
    Quat real(0, 0, 0, 0), dual(0, 0, 0, 0);
    for (std::size_t pivot = 0; pivot < row.size(); ++pivot) {
      if (row[pivot].second < (1 - 1e-4) * heaviest) continue;
      const Quat pivot_turn(parts[pivot].rotation);
      Quat sum(0, 0, 0, 0), dual_sum(0, 0, 0, 0);
      for (std::size_t k = 0; k < row.size(); ++k) {
        const Quat q(parts[k].rotation);
        const Vec3& t = parts[k].translation;
        const double w = q.dot(pivot_turn) < -1e-6 ? -row[k].second : row[k].second;
        sum.coeffs() += w * q.coeffs();
        dual_sum.coeffs() += 0.5 * w * (Quat(0, t.x(), t.y(), t.z()) * q).coeffs();
      }
      if (sum.squaredNorm() <= longest * (1 + 1e-5)) continue;
      longest = sum.squaredNorm();
      real = sum;
      dual = dual_sum;
    }
    const double length = real.norm();
    real.coeffs() /= length;
    dual.coeffs() /= length;
    // The translation is twice the vector part of dual · conjugate(real).
    v = real * stretched + 2 * (dual * real.conjugate()).vec();
    n = cofactors_of(stretch) * n;
    set_unit(n);
    n = real * n;
  });
}

}  // namespace sinew::test
