// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The constraints of position-based skinning one by one, in double: values, gradients and projections, as the kernels
/// of `pbd_kernels.h` compute them eight at a time, and as the paper prints them. The plain words for tests, for the
/// paper's own mode and for comparison.

#include <array>

#include "sinew/core/math.h"

namespace sinew::deform {

/// Value and gradients of a constraint of four particles (two for an edge).
struct PbdConstraint {
  double value = 0;
  std::array<Vec3, 4> gradients = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
};

using TetCorners = std::array<Vec3, 4>;
using TetNumbers = std::array<double, 4>;

/// |a − b| − length (Eq. 6). Coincident ends have no gradient.
PbdConstraint edge_constraint(const Vec3& a, const Vec3& b, double length);

/// A sixth of the triple product, less the volume at rest (Eq. 7, with our orientation).
PbdConstraint volume_constraint(const TetCorners& x, double volume);

/// The springs as printed (Eqs. 8–11): C = ½·k·Σe², e the differences of corners' distances from the middle to those at
/// rest, and the gradients k·e·u, the middle held. With `whole` the middle, Σ share·x, moves with the corners.
PbdConstraint printed_spring_constraint(const TetCorners& x, const TetNumbers& shares, const TetNumbers& distances,
                                        double k, bool whole);

/// What a projection of a constraint moves: −w·C/Σw|g|²·g each. Nothing where nothing can move.
std::array<Vec3, 4> projection(const PbdConstraint& constraint, const TetNumbers& inverse_masses);

}  // namespace sinew::deform
