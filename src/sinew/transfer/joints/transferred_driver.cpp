// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/joints/transferred_driver.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/core/rotation.h"
#include "sinew/core/rotation_between.h"
#include "sinew/transfer/joints/polynomials.h"

namespace sinew::transfer {
namespace {

constexpr double kNoTurn = 1e-10;          // Radians that are rounding.
constexpr double kSameBone_rad = kPi / 6;  // So far a leaf's end may lie from where it corresponds.

/// The rotation of a joint at binding away from its rest, in its own frame.
Quat bound_delta(const TransferBody& side, Index joint) {
  const Joint& self = side.skeleton.joints[joint];
  const Mat3 frame = side.frame(joint);
  const Mat3 local = self.parent == kNone ? frame : Mat3(side.frame(self.parent).transpose() * frame);
  return (self.rest.rotation.conjugate() * Quat(local)).normalized();
}

/// Takes a translation in the frame in which a joint's driver gives it to model space, at binding.
Mat3 translation_frame(const TransferBody& side, Index joint) {
  const Joint& self = side.skeleton.joints[joint];
  const Mat3 turn = self.rest.rotation.toRotationMatrix();
  return self.parent == kNone ? turn : Mat3(side.joints[self.parent].topLeftCorner<3, 3>() * turn);
}

bool is_identity(const Mat3& m) { return (m - Mat3::Identity()).cwiseAbs().maxCoeff() < kNoTurn; }

/// out_i = Σ m_ij p_j of three outputs, each with as many coefficients as the longest.
void combine(std::vector<std::vector<double>>& rows, const Mat3& m) {
  std::size_t length = 0;
  for (const auto& row : rows) length = std::max(length, row.size());
  std::vector<std::vector<double>> result(3, std::vector<double>(length, 0));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < rows.size(); ++j)
      for (std::size_t k = 0; k < rows[j].size(); ++k)
        result[i][k] += m(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) * rows[j][k];
  rows = std::move(result);
}

void transfer_polynomial(Driver& driver, const Mat3& inputs, const Mat3& translations) {
  for (std::vector<double>& row : driver.coefficients) {
    if (!is_identity(inputs)) row = substituted(row, inputs);
    if (!row.empty()) row[0] = 0;
  }
  if (is_identity(translations)) return;
  const std::size_t moved = std::min<std::size_t>(3, driver.coefficients.size());
  std::vector<std::vector<double>> rows(driver.coefficients.begin(),
                                        driver.coefficients.begin() + static_cast<std::ptrdiff_t>(moved));
  combine(rows, translations);
  driver.coefficients.resize(std::max<std::size_t>(3, driver.coefficients.size()));
  std::move(rows.begin(), rows.end(), driver.coefficients.begin());
}

/// Keys that give nothing at the angle 0.
void shift_keys(Driver& driver) {
  if (driver.keys.empty()) return;
  const auto after =
      std::find_if(driver.keys.begin(), driver.keys.end(), [](const auto& key) { return key.first > 0; });
  double at_zero = driver.keys.back().second;
  if (after == driver.keys.begin()) {
    at_zero = after->second;
  } else if (after != driver.keys.end()) {
    const auto& [x0, y0] = *(after - 1);
    at_zero = y0 + (after->second - y0) * (0 - x0) / (after->first - x0);
  }
  for (auto& key : driver.keys) key.second -= at_zero;
}

/// The source's axis, snapped to its bone where it is the bone in the reference: there alone twists are unbounded.
Vec3 source_axis(const Driver& driver, const TransferBody& reference, const TransferBody& target,
                 std::pair<Index, Index> source, const Mat3& m) {
  const Vec3 axis = driver.axis.normalized(), mapped = (m.transpose() * axis).normalized();
  const double along = axis.dot(bone_axis(reference.skeleton, source.first));
  if (std::abs(along) < 1 - 1e-6) return mapped;
  const Vec3 bone = (along > 0 ? 1 : -1) * bone_axis(target.skeleton, source.second);
  return mapped.dot(bone) > std::cos(kSameBone_rad) ? bone : mapped;
}

/// Where the source lies at rest, in the frame of the driven joint; zero where both are at one place.
Vec3 direction_to_source(const TransferBody& side, Index source, Index driven) {
  const std::vector<Mat4> rest = rest_matrices(side.skeleton);
  const Joint& self = side.skeleton.joints[driven];
  const Mat3 above =
      self.parent == kNone ? Mat3(Mat3::Identity()) : polar(rest[self.parent].topLeftCorner<3, 3>()).rotation;
  const Vec3 towards = rest[source].topRightCorner<3, 1>() - rest[driven].topRightCorner<3, 1>();
  if (towards.norm() < 1e-12) return Vec3::Zero();
  return (self.rest.rotation.conjugate() * (above.transpose() * towards)).normalized();
}

/// The axis that lies to the direction of the source as the reference's does: for one that points at it, that
/// direction.
Vec3 aim_axis(const Driver& driver, const TransferBody& reference, const TransferBody& target,
              std::pair<Index, Index> source, std::pair<Index, Index> driven) {
  const Vec3 axis = driver.axis.normalized();
  const Vec3 before = direction_to_source(reference, source.first, driven.first);
  const Vec3 now = direction_to_source(target, source.second, driven.second);
  if (before.isZero() || now.isZero()) return axis;
  return (rotation_between(before, axis) * now).normalized();
}

}  // namespace

Driver transferred_driver(const Driver& driver, const TransferBody& reference, const TransferBody& target,
                          const JointTurns& turns, std::pair<Index, Index> source, std::pair<Index, Index> driven,
                          const Mat3& scale) {
  Driver result = driver;
  result.source = source.second;
  if (driver.kind == Driver::Kind::kOpaque) return result;
  if (driver.kind == Driver::Kind::kAim) {
    result.axis = aim_axis(driver, reference, target, source, driven);
    return result;
  }
  // Takes rotation vectors in the target's source to those in the reference's.
  const Mat3 frame = reference.frame(source.first), turn = turns.of_joints(source.first, source.second);
  const Mat3 m = frame.transpose() * turn * target.frame(source.second);
  if (driver.kind == Driver::Kind::kTwistShare || driver.kind == Driver::Kind::kDrivenKeys)
    result.axis = source_axis(driver, reference, target, source, m);
  // Shares count from the rest pose of the target.
  if (driver.kind == Driver::Kind::kTwistShare || driver.kind == Driver::Kind::kRotationShare)
    result.before = Quat::Identity();
  if (driver.kind == Driver::Kind::kRotationShare && !is_identity(m)) {
    result.kind = Driver::Kind::kPolynomial;
    result.coefficients.assign(3, {});
    for (int i = 0; i < 3; ++i)
      result.coefficients.push_back({0, driver.share * m(i, 0), driver.share * m(i, 1), driver.share * m(i, 2)});
    return result;
  }
  if (driver.kind != Driver::Kind::kPolynomial && driver.kind != Driver::Kind::kDrivenKeys) return result;

  // What the reference's source would have turned by to lie as the target's does at rest, in the reference's frame:
  // from rest to binding, from there to the target's binding, and from that to the target's rest.
  const Quat q(Mat3(frame.transpose() * turns.of_parents(source.first, source.second) * turn.transpose() * frame));
  const Quat axes(m);
  const Quat other = bound_delta(reference, source.first) * q * axes * bound_delta(target, source.second).conjugate() *
                     axes.conjugate();
  const Quat before = (axes.conjugate() * (driver.before.normalized() * other) * axes).normalized();
  result.before = rotation_log(before).norm() < kNoTurn ? Quat::Identity() : before;
  if (driver.kind == Driver::Kind::kDrivenKeys) {
    if (result.before.vec().isZero(0)) shift_keys(result);
    return result;
  }
  const Mat3 to = translation_frame(target, driven.second), back = to.inverse();
  const Mat3 driven_turn = reference.frame(driven.first) * target.frame(driven.second).transpose();
  const Mat3 translations = (back.allFinite() ? back : to.transpose()) * driven_turn.transpose() * scale *
                            translation_frame(reference, driven.first);
  transfer_polynomial(result, m, translations);
  return result;
}

Driver transferred_driver(const Driver& driver, const TransferBody& reference, const TransferBody& target,
                          const Correspondence& correspondence, std::pair<Index, Index> source,
                          std::pair<Index, Index> driven, const Mat3& scale) {
  const JointTurns turns(reference, target, correspondence, paired_bones(reference, target, correspondence));
  return transferred_driver(driver, reference, target, turns, source, driven, scale);
}

}  // namespace sinew::transfer
