// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The energies that the kernels of `pbd_kernels.h` compute eight at a time, one by one and in double: the slow and
/// obvious reference.

#include <array>
#include <cmath>

#include "sinew/core/rotation.h"
#include "sinew/deform/pbd/pbd_projections.h"

namespace sinew::deform {

/// C = √Σe² with the whole gradient, so that ½·k·C² is the energy of the springs (Eqs. 8–11, repaired).
inline PbdConstraint spring_constraint(const TetCorners& x, const TetNumbers& shares, const TetNumbers& distances) {
  PbdConstraint c = printed_spring_constraint(x, shares, distances, 1, true);
  c.value = std::sqrt(2 * c.value);
  for (Vec3& gradient : c.gradients) gradient = c.value > 1e-30 ? Vec3(gradient / c.value) : Vec3(Vec3::Zero());
  return c;
}

/// C = ‖F − R‖, F the deformation gradient, R the rotation nearest to it.
inline PbdConstraint corotated_constraint(const TetCorners& x, const Mat3& inverse_rest) {
  PbdConstraint c;
  Mat3 edges;
  edges << x[1] - x[0], x[2] - x[0], x[3] - x[0];
  const Mat3 f = edges * inverse_rest;
  const Mat3 off = f - polar(f).rotation;
  c.value = off.norm();
  if (c.value <= 1e-30) return c;
  const Mat3 g = off / c.value * inverse_rest.transpose();
  for (int k = 0; k < 3; ++k) {
    c.gradients[static_cast<std::size_t>(k + 1)] = g.col(k);
    c.gradients[0] -= g.col(k);
  }
  return c;
}

/// `projection()` with compliance: one step of the multiplier λ. \pre compliance > 0.
inline std::array<Vec3, 4> compliant_projection(const PbdConstraint& constraint, const TetNumbers& inverse_masses,
                                                double compliance, double& lambda) {
  double sum = compliance;
  for (std::size_t i = 0; i < 4; ++i) sum += inverse_masses[i] * constraint.gradients[i].squaredNorm();
  const double step = -(constraint.value + compliance * lambda) / sum;
  lambda += step;
  std::array<Vec3, 4> moves;
  for (std::size_t i = 0; i < 4; ++i) moves[i] = inverse_masses[i] * step * constraint.gradients[i];
  return moves;
}

}  // namespace sinew::deform
