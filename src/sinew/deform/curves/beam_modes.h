// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::deform {

/// What holds the ends of an open line.
enum class CurveEnds {
  kFree,     ///< Neither bending moment nor shear force.
  kClamped,  ///< Values and slopes are given; a cubic carries them.
  kGuided,   ///< No slope and no shear force: half of a loop that is its own mirror image.
};
constexpr auto option_words(CurveEnds) { return std::array{"free", "clamped", "guided"}; }

/// Modes of an elastic line of length 1 with stiffness 1: eigenvectors of the fourth derivative. A line of stiffness c
/// has the same modes, and mode k turns by √c · `rates[k]` radians in one unit of time.
struct BeamModes {
  Eigen::VectorXd rates;   ///< Roots of the eigenvalues, rising.
  Eigen::MatrixXd shapes;  ///< Nodes × modes, orthonormal in `mass`.
  Eigen::VectorXd mass;    ///< Per node.

  Index nodes() const { return static_cast<Index>(shapes.rows()); }
  /// Coefficients of displacements, one row per mode. \pre one row per node.
  Eigen::MatrixXd project(const Eigen::MatrixXd& displacements) const;
};

/// A closed line of equal segments: Fourier modes, in closed form for any number of nodes; the slowest `most` of them.
/// O(nodes · modes).
BeamModes closed_modes(Index nodes, Index most = kNone);

/// How many modes of a closed line of equal segments have a rate below a limit.
Index closed_modes_below(Index nodes, double rate);

/// An open line of equal segments. A clamped line has modes that vanish at its ends. O(nodes³).
BeamModes open_modes(Index nodes, CurveEnds ends);

/// A line of unequal segments, by linear elements. `lengths` are those of the segments, with the closing one for a
/// closed line; an open line has guided ends. O(nodes³).
BeamModes uneven_modes(std::span<const double> lengths, bool closed);

/// The cubic with the values and slopes of displacements at both ends of an open line. \pre at least two nodes.
Eigen::MatrixXd end_lift(const Eigen::MatrixXd& displacements);

/// The fourth difference of a closed line, nodes⁴ δ⁴. For tests and studies.
Eigen::MatrixXd closed_stiffness(Index nodes);
/// Stiffness of an open line: free ends on all nodes, clamped ends on the inner nodes alone. \pre not guided.
Eigen::MatrixXd open_stiffness(Index nodes, CurveEnds ends);

}  // namespace sinew::deform
