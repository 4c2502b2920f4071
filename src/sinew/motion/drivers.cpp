// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/drivers.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/core/error.h"
#include "sinew/core/rotation_between.h"

namespace sinew::motion {
namespace {

constexpr int kHighestDegree = 16;

using Outputs = Eigen::Matrix<double, 9, 1>;

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

Outputs polynomials(const Driver& driver, const Vec3& v) {
  Outputs out = Outputs::Zero();
  for (std::size_t i = 0; i < driver.coefficients.size(); ++i)
    out[static_cast<Eigen::Index>(i)] = polynomial(driver.coefficients[i], v);
  return out;
}

// The angle that is equal to `bounded` but for full turns, and nearest to `expected`.
double nearest_turn(double bounded, double expected) {
  return bounded + kTwoPi * std::round((expected - bounded) / kTwoPi);
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

// The first thing that keeps a driver from being evaluated, as the rest of a sentence about it; empty if there is none.
std::string problem_of_polynomial(const Driver& driver) {
  if (driver.coefficients.empty() || driver.coefficients.size() > 9)
    return "must have coefficients for 1 to 9 outputs: three for translation, three for rotation, three for scale.";
  for (const auto& row : driver.coefficients) {
    if (!row.empty() && degree_of(row.size()) < 0)
      return fmt::format("has {} coefficients for an output; a polynomial in three variables has 1, 4, 10, 20, …",
                         row.size());
    for (const double value : row)
      if (!std::isfinite(value)) return "has a coefficient that is not finite.";
  }
  return "";
}

std::string problem_of_keys(const Driver& driver) {
  if (driver.keys.empty()) return "has no keys.";
  for (std::size_t k = 0; k < driver.keys.size(); ++k) {
    const auto& [in, out] = driver.keys[k];
    if (!std::isfinite(in) || !std::isfinite(out) || (k > 0 && !(in > driver.keys[k - 1].first)))
      return "has keys whose angles do not increase.";
  }
  return "";
}

std::string problem_of_driver(const Skeleton& skeleton, Index joint) {
  const Driver& driver = *skeleton.joints[joint].driver;
  if (driver.kind == Driver::Kind::kOpaque) return "";
  if (driver.source >= skeleton.size()) return "has no source. Specify the joint that drives it.";
  if (driver.source == joint) return "uses the joint itself as its source. The source must be another joint.";
  if (!driver.axis.allFinite() || driver.axis.norm() < 1e-9)
    return "has an axis of length zero, or one that is not finite.";
  if (!std::isfinite(driver.share)) return "has a share that is not finite.";
  if (!(driver.weight >= 0 && driver.weight <= 1)) return "has a weight that is not between 0 and 1.";
  if (!driver.before.coeffs().allFinite() || driver.before.norm() < 1e-9)
    return "has a rotation 'before' that is not a quaternion.";
  if (driver.kind == Driver::Kind::kPolynomial) return problem_of_polynomial(driver);
  if (driver.kind == Driver::Kind::kDrivenKeys) return problem_of_keys(driver);
  return "";
}

void check(const Skeleton& skeleton, Index joint) {
  const std::string problem = problem_of_driver(skeleton, joint);
  if (!problem.empty()) throw Error(fmt::format("The driver of joint '{}' {}", skeleton.joints[joint].name, problem));
}

std::vector<Quat> model_rotations_at_rest(const Skeleton& skeleton) {
  std::vector<Quat> rotations;
  for (const Joint& joint : skeleton.joints)
    rotations.push_back(joint.parent == kNone ? joint.rest.rotation
                                              : Quat(rotations[joint.parent] * joint.rest.rotation));
  return rotations;
}

bool is_above(const Skeleton& skeleton, Index above, Index joint) {
  while (joint != kNone && joint != above) joint = skeleton.joints[joint].parent;
  return joint == above;
}

// The axis of the source about which a joint turns. One that shares the twist of a joint beside it keeps the axis that
// it had where the driver was made.
Vec3 axis_at_rest(const Skeleton& skeleton, Index joint, const Driver& driver) {
  const Vec3 axis = driver.axis.normalized();
  const bool beside = driver.kind == Driver::Kind::kTwistShare && !is_above(skeleton, driver.source, joint);
  return beside ? Vec3(driver.before.conjugate() * axis) : axis;
}

// Which driven joints must be evaluated before a driver. Aiming asks where joints stand, and so for all their
// ancestors; the others ask only how the source has turned in its own frame.
std::vector<Index> needs(const Skeleton& skeleton, Index joint) {
  const Driver& driver = *skeleton.joints[joint].driver;
  std::vector<Index> result;
  const auto add = [&](Index j) {
    if (skeleton.joints[j].driver) result.push_back(j);
  };
  if (driver.kind == Driver::Kind::kOpaque) return result;
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
    throw Error(fmt::format("Drivers depend on each other in a cycle: {}. Remove one of them.", names));
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
    if (prepared.driver.kind == Driver::Kind::kOpaque) continue;
    prepared.driver.before.normalize();
    prepared.rebased = prepared.driver.kind != Driver::Kind::kAim && prepared.driver.before.vec() != Vec3::Zero();
    const Index source = prepared.driver.source;
    prepared.source_axis = prepared.driver.axis.normalized();
    prepared.driven_axis = rest[j].conjugate() * (rest[source] * axis_at_rest(skeleton, j, prepared.driver));
    const double cosine = prepared.source_axis.dot(axes_[source]);
    // A hand's own bone is not quite in line with the forearm, about which it twists: which turn it is in, its twist
    // tells all the same.
    if (std::abs(cosine) > 0.5) prepared.near_bone = cosine > 0 ? 1 : -1;
    prepared.along_bone = std::abs(cosine) > 1 - 1e-6;
  }
  std::vector<Index> path;
  for (Index j = 0; j < skeleton.size(); ++j)
    if (skeleton.joints[j].driver) visit(skeleton, j, state, path, order_);
}

Quat Drivers::source_delta(const Prepared& prepared, const Pose& pose) const {
  const Index source = prepared.driver.source;
  const Quat delta = delta_rotation(skeleton_.joints[source].rest, pose.local[source]);
  return prepared.rebased ? Quat(prepared.driver.before * delta) : delta;
}

double Drivers::source_angle(const Prepared& prepared, const Pose& pose) const {
  const Index source = prepared.driver.source;
  const bool unbounded = prepared.near_bone != 0 && !pose.twist_rad.empty();
  const double turned = unbounded ? prepared.near_bone * pose.twist_rad[source] : 0;
  if (unbounded && prepared.along_bone && !prepared.rebased) return turned;
  const double bounded = twist_angle_rad(source_delta(prepared, pose), prepared.source_axis);
  if (!unbounded) return bounded;
  return nearest_turn(bounded, turned + twist_angle_rad(prepared.driver.before, prepared.source_axis));
}

double Drivers::key_angle(const Prepared& prepared, const Pose& pose) const {
  const Driver& driver = prepared.driver;
  const double angle = piecewise_linear(driver.keys, source_angle(prepared, pose));
  if (!prepared.rebased) return angle;
  return angle - piecewise_linear(driver.keys, twist_angle_rad(driver.before, prepared.source_axis));
}

Quat Drivers::aim(Index joint, const Pose& pose) const {
  const Joint& self = skeleton_.joints[joint];
  const Prepared& prepared = prepared_[joint];
  // Where the source is, seen from the frame in which this joint turns.
  const Mat4 source = model_matrix(prepared.driver.source, pose);
  const Mat4 parent = self.parent == kNone ? Mat4(Mat4::Identity()) : model_matrix(self.parent, pose);
  const Mat3 parent_linear = parent.topLeftCorner<3, 3>();
  const Vec3 place = transform_point(parent, self.rest.translation);
  const Vec3 target = source.topRightCorner<3, 1>() - place;
  const Vec3 axis = parent_linear * (self.rest.rotation * prepared.source_axis);
  if (target.norm() < 1e-12 || axis.norm() < 1e-12) return Quat::Identity();
  // Turned in the parent's own frame, where scale does not bend angles for a uniform scale.
  const Quat frame(polar(parent_linear).rotation);
  const Vec3 from = self.rest.rotation.conjugate() * (frame.conjugate() * axis);
  const Vec3 to = self.rest.rotation.conjugate() * (frame.conjugate() * target);
  const Quat whole = rotation_between(from, to);
  const double weight = prepared.driver.weight;
  return weight == 1 ? whole : slerp(Quat::Identity(), whole, weight);
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
      turn(driver.share * (source_angle(prepared, pose) -
                           (prepared.rebased ? twist_angle_rad(driver.before, prepared.source_axis) : 0)));
      break;
    case Driver::Kind::kDrivenKeys:
      turn(key_angle(prepared, pose));
      break;
    case Driver::Kind::kAim:
      delta = aim(joint, pose);
      break;
    case Driver::Kind::kRotationShare: {
      const Vec3 v = driver.share * rotation_log(source_delta(prepared, pose));
      delta = rotation_exp(v);
      if (prepared.rebased) delta = rotation_exp(-driver.share * rotation_log(driver.before)) * delta;
      expected_twist = v.dot(axes_[joint]);
      break;
    }
    case Driver::Kind::kPolynomial: {
      Outputs out = polynomials(driver, rotation_log(source_delta(prepared, pose)));
      if (prepared.rebased) out -= polynomials(driver, rotation_log(driver.before));
      local.translation += self.rest.rotation * out.head<3>();
      local.scale = self.rest.scale.cwiseProduct(out.tail<3>().array().exp().matrix());
      delta = rotation_exp(out.segment<3>(3));
      break;
    }
    case Driver::Kind::kOpaque:
      break;
  }
  local.rotation = (self.rest.rotation * delta).normalized();
  if (pose.twist_rad.empty()) return;
  pose.twist_rad[joint] = nearest_turn(twist_angle_rad(delta, axes_[joint]), expected_twist);
}

void Drivers::apply(Pose& pose) const {
  for (const Index joint : order_) drive(joint, pose);
}

}  // namespace sinew::motion
