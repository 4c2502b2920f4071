// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::deform {

/// Finite differences in time for the published equation: a constant force without damping.
enum class TimeScheme { kExplicit, kNewmark, kImplicit };

/// The largest time step at which the explicit scheme is stable on a closed line of `nodes`, with stiffness c.
double explicit_step_limit(double c, Index nodes);

/// Displacements of one mode at the times 0, 1/steps, …, 1 under a force that brings it to 1 at the end. `eigenvalue`
/// is that of the fourth derivative times c. The implicit scheme hides the missing damping in its own, which vanishes
/// with the time step.
std::vector<double> scheme_response(TimeScheme scheme, double eigenvalue, int steps);

/// Solves systems whose matrix is circulant with five bands: shift + scale · δ⁴ on a closed line. The matrix is
/// factored once, in O(nodes), and each solution costs O(nodes). The last two nodes are split off; what remains has
/// bands without corners.
class CyclicBands {
 public:
  /// \pre shift > 0, scale ≥ 0, at least five nodes.
  CyclicBands(Index nodes, double shift, double scale);

  /// Solves for three right-hand sides in place. \pre one row per node.
  void solve(std::vector<Vec3>& rows) const;

 private:
  void solve_bands(std::vector<Vec3>& rows, Index count) const;

  Index nodes_;
  std::vector<double> diagonal_, below_, second_;  // LDLᵀ of the leading block.
  std::array<std::vector<double>, 2> border_;      // Its inverse times the columns that were split off.
  double corner_ = 0, near_ = 0, far_ = 0;
  Eigen::Matrix2d schur_inverse_;
};

/// The published method for one closed line, by its implicit scheme: displacements at the times 1/steps, …, 1 that end
/// at `target`. The force is found mode by mode, the march solves one banded system per step. For studies.
/// \pre at least five nodes.
std::vector<std::vector<Vec3>> march_closed(const std::vector<Vec3>& target, double c, int steps);

}  // namespace sinew::deform
