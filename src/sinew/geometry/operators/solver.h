// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/math.h"
#include "sinew/geometry/operators/sparse.h"

namespace sinew::geometry {

/// The matrix is not positive definite, or contains a number that is not finite.
class SingularMatrix : public Error {
 public:
  using Error::Error;
};

struct SolverOptions {
  /// Added to the diagonal, as a fraction of its mean. Makes a semidefinite matrix definite at the price of as much
  /// error.
  double regularization_rel = 0;
  /// A pivot at or below this fraction of its own diagonal entry counts as zero: the matrix is singular within
  /// rounding.
  double pivot_tolerance = 1e-14;
};

/// Columns of unknowns, and how well they satisfy the equations.
struct [[nodiscard]] Solution {
  Eigen::MatrixXd x;
  /// Largest ‖b − A·x‖ / ‖b‖ over the columns with b ≠ 0, for the matrix as factored (with what was added to it); near
  /// 1e-15 times the condition when all is well. The caller must look at it where the matrix may be badly conditioned.
  double residual = 0;
};

/// A symmetric positive definite system: factored once, solved for many right-hand sides. Sparse LDLᵀ with the
/// approximate minimum degree ordering: for a surface of n vertices about n^1.5 to factor, n log n a solve. Factoring
/// runs in one thread; columns are solved in parallel, each with the same bits for any number of threads.
class SparseSolver {
 public:
  /// \throws SingularMatrix when it is not positive definite; the sentence names the row. \pre symmetric.
  explicit SparseSolver(const SparseMatrix& a, const SolverOptions& options = {});
  SparseSolver(SparseSolver&&) noexcept;
  SparseSolver& operator=(SparseSolver&&) noexcept;
  ~SparseSolver();

  /// New numbers; the ordering is kept where the pattern is the same, and made anew where it is not. \throws
  /// SingularMatrix; the solver must not be used then until it was factored well.
  void refactor(const SparseMatrix& a);

  Index size() const;

  /// \pre b has `size()` rows, all finite, and the last factoring went well.
  Solution solve(const Eigen::MatrixXd& b) const;
  /// One column, without the residual's cost (one product with the matrix).
  void solve_column(std::span<const double> b, std::span<double> x) const;

 private:
  struct Factor;
  std::unique_ptr<Factor> factor_;
};

/// The same with some unknowns held at given values: their rows and columns are taken out, what they do to the others
/// goes to the right-hand side. Enough to make a Laplacian definite if every component of the surface has one.
class FixedValueSolver {
 public:
  /// \throws SingularMatrix as above; rows without a path to any fixed one are named. \pre `fixed` has no row twice.
  FixedValueSolver(const SparseMatrix& a, std::span<const Index> fixed, const SolverOptions& options = {});

  /// New numbers for the same fixed rows.
  void refactor(const SparseMatrix& a);

  /// `b` has a row for every row of the matrix (those of the fixed ones are not looked at), `values` a row for each
  /// fixed one in the order given. The solution holds all rows; the residual is that of the free ones.
  Solution solve(const Eigen::MatrixXd& b, const Eigen::MatrixXd& values) const;

 private:
  SparseMatrix split(const SparseMatrix& a);

  Index size_ = 0;
  std::vector<Index> fixed_;
  std::vector<Index> free_;
  std::vector<Index> place_;  // Of a row among the free or the fixed ones.
  std::vector<char> is_fixed_;
  SparseMatrix coupling_;  // Rows: free; columns: numbers of fixed rows. Not square.
  std::unique_ptr<SparseSolver> solver_;
};

}  // namespace sinew::geometry
