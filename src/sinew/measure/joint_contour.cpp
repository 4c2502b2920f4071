// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/joint_contour.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/angles.h"

namespace sinew::measure {
namespace {

constexpr int kDirections = 400;
constexpr double kRigid = 0.75;      ///< Weight from which on skin is of a part.
constexpr double kMoved = 0.6;       ///< Weight of both parts together, from which on skin counts.
constexpr double kPartReach = 3;     ///< Radii from the joint.
constexpr double kBetweenReach = 2;  ///< The same for the skin between.

Vec3 middle_of(const Mesh& mesh, const std::vector<Index>& vertices, const Vec3& otherwise) {
  Vec3 sum = Vec3::Zero();
  for (const Index v : vertices) sum += mesh.positions[v] / static_cast<double>(vertices.size());
  return vertices.empty() ? otherwise : sum;
}

double from_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const double squared = (b - a).squaredNorm();
  const double t = squared > 0 ? std::clamp((p - a).dot(b - a) / squared, 0.0, 1.0) : 0.0;
  return (p - a - t * (b - a)).norm();
}

}  // namespace

JointContour::JointContour(const Rig& rig, const std::vector<Mat4>& frames, Index joint, Index above, double radius)
    : rig_(rig), joint_(joint), above_(above), radius_(radius) {
  for (const Mat4& frame : frames) inverse_bind_.push_back(frame.inverse());
  const Vec3 center = frames[joint].topRightCorner<3, 1>();
  const SkinWeights weights = rig.weights.normalized();
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    double own = 0, other = 0;
    for (const Influence& influence : weights.row(v)) {
      if (influence.joint == joint) own += static_cast<double>(influence.weight);
      if (influence.joint == above) other += static_cast<double>(influence.weight);
    }
    const double distance = (rig.mesh.positions[v] - center).norm();
    if (distance > kPartReach * radius || own + other < kMoved) continue;
    if (own >= kRigid) own_.push_back(v);
    else if (other >= kRigid) other_.push_back(v);
    else if (distance <= kBetweenReach * radius) between_.push_back(v);
  }
  // The bone after the joint runs along the middle of its skin.
  const Vec3 middle = middle_of(rig.mesh, own_, center);
  far_ = transform_point(inverse_bind_[joint], center + 2 * (middle - center));
  // A spiral over the sphere.
  for (int i = 0; i < kDirections; ++i) {
    const double z = 1 - (2 * i + 1.0) / kDirections, angle = i * kPi * (3 - std::sqrt(5.0));
    const double r = std::sqrt(1 - z * z);
    directions_.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
}

bool JointContour::usable() const { return own_.size() >= 6 && other_.size() >= 6 && between_.size() >= 4; }

JointContour::Protrusion JointContour::measure(const ModelPose& pose, const std::vector<Vec3f>& positions) const {
  std::vector<Vec3> hull;
  const auto add = [&](const std::vector<Index>& vertices, Index joint) {
    const Mat4 motion = pose.joints[joint] * inverse_bind_[joint];
    for (const Index v : vertices) hull.push_back(transform_point(motion, rig_.mesh.positions[v]));
  };
  add(own_, joint_), add(other_, above_);
  std::vector<double> extent(directions_.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t d = 0; d < directions_.size(); ++d)
    for (const Vec3& p : hull) extent[d] = std::max(extent[d], directions_[d].dot(p));
  Protrusion result;
  for (const Index v : between_) {
    double outside = 0;
    const Vec3 p = positions[v].cast<double>();
    for (std::size_t d = 0; d < directions_.size(); ++d) outside = std::max(outside, directions_[d].dot(p) - extent[d]);
    result.largest = std::max(result.largest, outside / radius_);
    result.mean += outside / radius_ / static_cast<double>(between_.size());
  }
  return result;
}

double JointContour::thickness(const ModelPose& pose, const std::vector<Vec3f>& positions) const {
  const Vec3 above = transform_point(pose.joints[above_], Vec3::Zero()),
             center = transform_point(pose.joints[joint_], Vec3::Zero()),
             far = transform_point(pose.joints[joint_], far_);
  const Vec3 bound_above = inverse_bind_[above_].inverse().topRightCorner<3, 1>(),
             bound_center = inverse_bind_[joint_].inverse().topRightCorner<3, 1>(),
             bound_far = transform_point(inverse_bind_[joint_].inverse(), far_);
  double now = 0, before = 0;
  for (const Index v : between_) {
    const Vec3 p = positions[v].cast<double>();
    now += std::min(from_segment(p, above, center), from_segment(p, center, far));
    const Vec3& q = rig_.mesh.positions[v];
    before += std::min(from_segment(q, bound_above, bound_center), from_segment(q, bound_center, bound_far));
  }
  return before > 0 ? now / before : 1;
}

}  // namespace sinew::measure
