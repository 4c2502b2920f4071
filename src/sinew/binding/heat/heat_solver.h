// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/operators/sparse.h"

namespace sinew::binding {

/// A source of heat: the share of a row's exchange that goes on with something hot.
struct HeatSource {
  Index row = kNone;
  double share = 0;
};

/// One solution, where it is not negligible.
struct HeatColumn {
  std::vector<Index> rows;    ///< Rising.
  std::vector<float> values;  ///< Within (0, 1].
};

/// Solves (L + diag(e))·x = diag(e)·p for many p: a Laplacian that exchanges heat with its surroundings at rate e, of
/// which the share p is at 1 and the rest at 0. Positive entries off the diagonal of L are left out, which makes the
/// matrix an M-matrix: the maximum principle holds, and solutions of shares that sum to 1 sum to 1. No entry counts
/// more than 1e5, so that slivers do not drown the rates in rounding.
///
/// Rows that are not joined to any with a rate have no solution, and stay out: every other row does, whatever the rest
/// is like.
///
/// The factorisation is that of `HeatFactor`. Eight right-hand sides are solved at a time, which share every entry of
/// the factor that is fetched, each where their heat reaches. Conjugate gradients with an incomplete factorisation were
/// tried as well: 85 to 170 steps at 100,000 to 370,000 rows, and many times as slow.
class HeatSolver {
 public:
  /// Positions only order the rows; good ones make neighbours near. \pre `stiffness` is symmetric, `rate` is finite,
  /// not negative and has a value per row; positions are finite, one per row.
  HeatSolver(const geometry::SparseMatrix& stiffness, std::span<const double> rate, std::span<const Vec3> positions);
  HeatSolver(HeatSolver&&) noexcept;
  HeatSolver& operator=(HeatSolver&&) noexcept;
  ~HeatSolver();

  /// Rounding made the matrix singular, and a small multiple of its diagonal was added.
  bool regularized() const;
  /// Nothing helped: `solve` gives empty columns.
  bool failed() const;

  /// Values of at least `least`; sources in rows that stay out are passed over. The same bits for any number of
  /// threads. \throws Cancelled.
  std::vector<HeatColumn> solve(std::span<const std::vector<HeatSource>> sources, double least = 1e-5,
                                const Progress& progress = {}) const;

 private:
  struct System;
  std::unique_ptr<System> system_;
};

}  // namespace sinew::binding
