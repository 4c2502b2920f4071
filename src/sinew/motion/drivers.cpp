// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/drivers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "sinew/core/bone_axis.h"
#include "sinew/core/error.h"

namespace sinew::motion {
namespace {

constexpr int kHighestDegree = 16;

// The degree of a polynomial by the number of its coefficients, or −1.
int degree_of(std::size_t coefficients) {
  for (int d = 0; d <= kHighestDegree; ++d)
    if (monomial_count(d) == coefficients) return d;
  return -1;
}

double polynomial(const std::vector<double>& coefficients, const Vec3& v) {
  if (coefficients.empty()) return 0;
  const std::vector<double> values = monomials(v, degree_of(coefficients.size()));
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += coefficients[i] * values[i];
  return sum;
}

double piecewise_linear(const std::vector<std::pair<double, double>>& keys, double x) {
  const auto after =
      std::upper_bound(keys.begin(), keys.end(), x,
                       [](double value, const std::pair<double, double>& key) { return value < key.first; });
  if (after == keys.begin()) return keys.front().second;
  if (after == keys.end()) return keys.back().second;
  const auto& [x0, y0] = *(after - 1);
  const auto& [x1, y1] = *after;
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

void check(const Skeleton& skeleton, Index joint) {
  const Driver& driver = *skeleton.joints[joint].driver;
  const auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("The driver of joint '{}' {}", skeleton.joints[joint].name, what));
  };
  if (driver.source >= skeleton.size()) refuse("has no source: name the joint that drives it.");
  if (driver.source == joint) refuse("has the joint itself as its source; it must be another one.");
  if (!driver.axis.allFinite() || driver.axis.norm() < 1e-9) refuse("has an axis without a direction.");
  if (!std::isfinite(driver.share)) refuse("has a share that is not a number.");
  if (driver.kind == Driver::Kind::kPolynomial) {
    if (driver.coefficients.empty() || driver.coefficients.size() > 6)
      refuse("should have the coefficients of 1 to 6 outputs: three of translation, three of rotation.");
    for (const auto& row : driver.coefficients) {
      if (!row.empty() && degree_of(row.size()) < 0)
        refuse(fmt::format("has {} coefficients for an output; a polynomial in three variables has 1, 4, 10, 20, …",
                           row.size()));
      for (const double value : row)
        if (!std::isfinite(value)) refuse("has a coefficient that is not a number.");
    }
  }
  if (driver.kind == Driver::Kind::kDrivenKeys) {
    if (driver.keys.empty()) refuse("has no keys.");
    for (std::size_t k = 0; k < driver.keys.size(); ++k) {
      const auto& [in, out] = driver.keys[k];
      if (!std::isfinite(in) || !std::isfinite(out) || (k > 0 && !(in > driver.keys[k - 1].first)))
        refuse("has keys whose angles do not rise.");
    }
  }
}

std::vector<Quat> model_rotations_at_rest(const Skeleton& skeleton) {
  std::vector<Quat> rotations;
  for (const Joint& joint : skeleton.joints)
    rotations.push_back(joint.parent == kNone ? joint.rest.rotation
                                              : Quat(rotations[joint.parent] * joint.rest.rotation));
  return rotations;
}

// Which driven joints must be evaluated before a driver. Aiming asks where joints stand, and so for all their
// ancestors; the others ask only how the source has turned in its own frame.
std::vector<Index> needs(const Skeleton& skeleton, Index joint) {
  const Driver& driver = *skeleton.joints[joint].driver;
  std::vector<Index> result;
  const auto add = [&](Index j) {
    if (skeleton.joints[j].driver) result.push_back(j);
  };
  if (driver.kind != Driver::Kind::kAim) {
    add(driver.source);
    return result;
  }
  for (Index j = driver.source; j != kNone; j = skeleton.joints[j].parent) add(j);
  for (Index j = skeleton.joints[joint].parent; j != kNone; j = skeleton.joints[j].parent) add(j);
  return result;
}

// Depth-first; 0 not seen, 1 on the way, 2 done.
void visit(const Skeleton& skeleton, Index joint, std::vector<char>& state, std::vector<Index>& path,
           std::vector<Index>& order) {
  if (state[joint] == 2) return;
  path.push_back(joint);
  if (state[joint] == 1) {
    std::string names;
    for (auto j = std::find(path.begin(), path.end(), joint); j != path.end(); ++j)
      names += (names.empty() ? "'" : " → '") + skeleton.joints[*j].name + "'";
    throw Error(fmt::format("Drivers depend on each other in a circle: {}. Take one of them away.", names));
  }
  state[joint] = 1;
  for (const Index other : needs(skeleton, joint)) visit(skeleton, other, state, path, order);
  state[joint] = 2;
  path.pop_back();
  order.push_back(joint);
}

}  // namespace

std::size_t monomial_count(int degree) {
  const auto d = static_cast<std::size_t>(degree);
  return (d + 1) * (d + 2) * (d + 3) / 6;
}

std::vector<double> monomials(const Vec3& v, int degree) {
  std::vector<double> values;
  for (int total = 0; total <= degree; ++total)
    for (int x = total; x >= 0; --x)
      for (int y = total - x; y >= 0; --y)
        values.push_back(std::pow(v.x(), x) * std::pow(v.y(), y) * std::pow(v.z(), total - x - y));
  return values;
}

Drivers::Drivers(const Skeleton& skeleton) {
  const bool any = std::any_of(skeleton.joints.begin(), skeleton.joints.end(),
                               [](const Joint& joint) { return joint.driver.has_value(); });
  if (!any) return;
  skeleton_ = skeleton;
  axes_ = bone_axes(skeleton);
  prepared_.resize(skeleton.joints.size());
  const std::vector<Quat> rest = model_rotations_at_rest(skeleton);
  std::vector<char> state(skeleton.joints.size(), 0);
  for (Index j = 0; j < skeleton.size(); ++j) {
    if (!skeleton.joints[j].driver) continue;
    check(skeleton, j);
    Prepared& prepared = prepared_[j];
    prepared.driver = *skeleton.joints[j].driver;
    const Index source = prepared.driver.source;
    prepared.source_axis = prepared.driver.axis.normalized();
    prepared.driven_axis = rest[j].conjugate() * (rest[source] * prepared.source_axis);
    const double cosine = prepared.source_axis.dot(axes_[source]);
    if (std::abs(cosine) > 1 - 1e-6) prepared.along_bone = cosine > 0 ? 1 : -1;
  }
  std::vector<Index> path;
  for (Index j = 0; j < skeleton.size(); ++j)
    if (skeleton.joints[j].driver) visit(skeleton, j, state, path, order_);
}

double Drivers::source_angle(const Prepared& prepared, const Pose& pose) const {
  const Index source = prepared.driver.source;
  if (prepared.along_bone != 0 && !pose.twist_rad.empty()) return prepared.along_bone * pose.twist_rad[source];
  return twist_angle_rad(delta_rotation(skeleton_.joints[source].rest, pose.local[source]), prepared.source_axis);
}

Mat4 Drivers::model_matrix(Index joint, const Pose& pose) const {
  Mat4 m = Mat4::Identity();
  for (Index j = joint; j != kNone; j = skeleton_.joints[j].parent) {
    Mat4 local = pose.local[j].matrix();
    local.topLeftCorner<3, 3>() *= skeleton_.joints[j].shear;
    m = local * m;
  }
  return m;
}

void Drivers::drive(Index joint, Pose& pose) const {
  const Joint& self = skeleton_.joints[joint];
  const Prepared& prepared = prepared_[joint];
  const Driver& driver = prepared.driver;
  Transform& local = pose.local[joint];
  local = self.rest;
  Quat delta = Quat::Identity();
  double expected_twist = 0;
  const auto turn = [&](double angle) {
    delta = Quat(Eigen::AngleAxisd(angle, prepared.driven_axis));
    expected_twist = angle * prepared.driven_axis.dot(axes_[joint]);
  };
  switch (driver.kind) {
    case Driver::Kind::kTwistShare:
      turn(driver.share * source_angle(prepared, pose));
      break;
    case Driver::Kind::kDrivenKeys:
      turn(piecewise_linear(driver.keys, source_angle(prepared, pose)));
      break;
    case Driver::Kind::kAim: {
      const Mat4 source = model_matrix(driver.source, pose);
      // Where the source is, seen from the frame in which this joint turns.
      const Mat4 parent = self.parent == kNone ? Mat4(Mat4::Identity()) : model_matrix(self.parent, pose);
      const Mat3 parent_linear = parent.topLeftCorner<3, 3>();
      const Vec3 place = transform_point(parent, self.rest.translation);
      const Vec3 target = source.topRightCorner<3, 1>() - place;
      const Vec3 axis = parent_linear * (self.rest.rotation * prepared.source_axis);
      if (target.norm() < 1e-12 || axis.norm() < 1e-12) break;
      // Turned in the parent's own frame, where scale does not bend angles for a uniform scale.
      const Quat frame(polar(parent_linear).rotation);
      const Vec3 from = self.rest.rotation.conjugate() * (frame.conjugate() * axis);
      const Vec3 to = self.rest.rotation.conjugate() * (frame.conjugate() * target);
      delta = Quat::FromTwoVectors(from, to);
      break;
    }
    case Driver::Kind::kPolynomial: {
      const Vec3 v = rotation_log(delta_rotation(skeleton_.joints[driver.source].rest, pose.local[driver.source]));
      Eigen::Matrix<double, 6, 1> out = Eigen::Matrix<double, 6, 1>::Zero();
      for (std::size_t i = 0; i < driver.coefficients.size(); ++i)
        out[static_cast<Eigen::Index>(i)] = polynomial(driver.coefficients[i], v);
      local.translation += self.rest.rotation * out.head<3>();
      delta = rotation_exp(out.tail<3>());
      break;
    }
  }
  local.rotation = (self.rest.rotation * delta).normalized();
  if (pose.twist_rad.empty()) return;
  constexpr double kTurn = 2 * std::numbers::pi;
  const double bounded = twist_angle_rad(delta, axes_[joint]);
  pose.twist_rad[joint] = bounded + kTurn * std::round((expected_twist - bounded) / kTurn);
}

void Drivers::apply(Pose& pose) const {
  for (const Index joint : order_) drive(joint, pose);
}

}  // namespace sinew::motion
