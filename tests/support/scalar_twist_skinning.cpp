// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "tests/support/scalar_twist_skinning.h"

#include <Eigen/LU>
#include <cmath>

#include "sinew/core/angles.h"

namespace sinew::test {
namespace {

Mat4 rotation4(const Mat3& r) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = r;
  return m;
}

Mat3 linear_of(const Mat4& m) { return m.topLeftCorner<3, 3>(); }
Vec3 place_of(const Mat4& m) { return m.topRightCorner<3, 1>(); }

}  // namespace

ScalarTwists scalar_twists(const Skeleton& skeleton, const std::vector<Segmentation::Segment>& segments,
                           const std::vector<Mat4>& bind, const ModelPose& pose,
                           const std::vector<double>& expected_rad) {
  const Index count = skeleton.size();
  ScalarTwists result{std::vector<double>(count, 0), std::vector<Mat4>(count, Mat4::Identity()), {}};
  for (Index k = 0; k < count; ++k) {
    result.matrices.push_back(pose.joints[k] * bind[k].inverse());
    if (skeleton.joints[k].parent == kNone) continue;
    result.twisted[k] = result.twisted[skeleton.joints[k].parent];
    for (const Segmentation::Segment& segment : segments) {
      if (segment.child != k) continue;
      const Index p = segment.joint;
      // G_k = G_p B_p⁻¹ B_k Rot(q_k).
      const Mat3 local = linear_of((pose.joints[p] * bind[p].inverse() * bind[k]).inverse() * pose.joints[k]);
      const Quat q(local);
      const Vec3 u = (place_of(bind[k]) - place_of(bind[p])).normalized();
      const Vec3 axis = linear_of(bind[k]).transpose() * u;
      const double along = q.vec().dot(axis), turn = kTwoPi;
      double angle = 2 * std::atan2(along, q.w());
      const double expected = expected_rad.empty() ? 0 : expected_rad[k];
      angle += turn * std::round((expected - angle) / turn);
      result.angle_rad[k] = angle;
      const Mat3 twist = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
      result.twisted[k] = result.twisted[p] * bind[k] * rotation4(twist) * bind[k].inverse();
    }
  }
  return result;
}

Vec3 scalar_twisted_point(const ScalarTwists& twists, const std::vector<Segmentation::Segment>& segments,
                          const std::vector<Mat4>& bind, Index bone, double share, const Vec3& v) {
  const auto [a, b] = segments[bone];
  if (b == kNone) return transform_point(twists.twisted[a], v);
  const Vec3 o = place_of(bind[a]), u = (place_of(bind[b]) - o).normalized(), r = v - o;
  const double phi = share * twists.angle_rad[b];
  const Vec3 turned = r * std::cos(phi) + u.cross(r) * std::sin(phi) + u * u.dot(r) * (1 - std::cos(phi));
  return transform_point(twists.twisted[a], o + turned);
}

Posed scalar_twist_safe(const Rig& rig, const Segmentation& segmentation, const ModelPose& pose,
                        const std::vector<double>& expected_rad, const std::vector<double>& share,
                        const std::vector<Vec3>& gradient, bool cofactors) {
  const std::vector<Mat4> bind = bind_pose_matrices(rig, 0);
  const ScalarTwists twists = scalar_twists(rig.skeleton, segmentation.segments, bind, pose, expected_rad);
  Posed posed;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    Mat4 blend = Mat4::Zero();
    double sum = 0;
    for (const Influence& influence : rig.weights.row(v)) {
      const auto weight = static_cast<double>(influence.weight);
      blend += weight * twists.matrices[influence.joint] * twists.twisted[influence.joint].inverse();
      sum += weight;
    }
    blend /= sum;
    const Index bone = segmentation.owner[v];
    const Vec3 rest = rig.mesh.positions[v];
    posed.positions.push_back(
        transform_point(blend, scalar_twisted_point(twists, segmentation.segments, bind, bone, share[v], rest)));
    if (rig.mesh.normals.empty()) continue;
    Vec3 n = rig.mesh.normals.values[v].cast<double>();
    const auto [a, b] = segmentation.segments[bone];
    if (b != kNone) {
      const Vec3 o = place_of(bind[a]), u = (place_of(bind[b]) - o).normalized(), w = u.cross(rest - o);
      if (!gradient.empty()) {
        const Mat3 slope = Mat3::Identity() + w * (twists.angle_rad[b] * gradient[v]).transpose();
        n = slope.determinant() * slope.inverse().transpose() * n;
      }
      n = Eigen::AngleAxisd(share[v] * twists.angle_rad[b], u) * n;
    }
    n = linear_of(twists.twisted[a]) * n;
    const Mat3 linear = linear_of(blend);
    n = cofactors ? Vec3(linear.determinant() * linear.inverse().transpose() * n) : Vec3(linear * n);
    posed.normals.push_back(n.norm() > 0 ? Vec3(n.normalized()) : n);
  }
  return posed;
}

}  // namespace sinew::test
