// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/operators/solver.h"

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "sinew/core/parallel.h"

namespace sinew::geometry {
namespace {

using EigenSparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
using LowerMap = Eigen::Map<const EigenSparse>;

double column_residual(const SparseMatrix& a, const double* b, const double* x) {
  double missed = 0, wanted = 0;
  for (Index row = 0; row < a.size(); ++row) {
    double sum = b[row];
    for (Index k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum -= a.values[k] * x[a.columns[k]];
    missed += sum * sum;
    wanted += b[row] * b[row];
  }
  return wanted > 0 ? std::sqrt(missed / wanted) : std::sqrt(missed);
}

}  // namespace

struct SparseSolver::Factor {
  SolverOptions options;
  SparseMatrix a;  // As factored.
  Eigen::SimplicialLDLT<EigenSparse, Eigen::Lower, Eigen::AMDOrdering<int>> ldlt;

  void regularize() {
    if (options.regularization_rel <= 0 || a.size() == 0) return;
    const std::vector<double> diagonal = a.diagonal();
    double sum = 0;
    for (const double d : diagonal) sum += d;
    const double more = options.regularization_rel * sum / a.size();
    a = scaled_plus_diagonal(a, 1, std::vector<double>(a.size(), more));
  }

  // Compressed rows of a symmetric matrix are its compressed columns, too. Eigen counts in signed numbers.
  LowerMap view() const {
    static_assert(sizeof(int) == sizeof(Index));
    return {static_cast<Eigen::Index>(a.size()),
            static_cast<Eigen::Index>(a.size()),
            static_cast<Eigen::Index>(a.values.size()),
            reinterpret_cast<const int*>(a.offsets.data()),
            reinterpret_cast<const int*>(a.columns.data()),
            a.values.data()};
  }

  void factorize(bool analyse) {
    for (Index row = 0; row < a.size(); ++row)
      for (Index k = a.offsets[row]; k < a.offsets[row + 1]; ++k)
        if (!std::isfinite(a.values[k]))
          throw SingularMatrix(
              fmt::format("The matrix of {} rows has an entry in row {} that is not finite. Repair the mesh first.",
                          a.size(), row));
    if (a.size() == 0) return;
    const EigenSparse matrix = view();
    if (analyse) ldlt.analyzePattern(matrix);
    ldlt.factorize(matrix);
    check();
  }

  void check() const {
    const auto& place = ldlt.permutationP().indices();  // Row i of the matrix is row place[i] of the factor.
    const Eigen::VectorXd pivots = ldlt.vectorD();
    Index worst = kNone;
    double least = options.pivot_tolerance;
    // Where a pivot was exactly zero Eigen stops, and those after it mean nothing.
    for (Index row = 0; row < a.size() && ldlt.info() == Eigen::Success; ++row) {
      const double pivot = pivots[place.size() > 0 ? place[static_cast<Eigen::Index>(row)] : static_cast<int>(row)];
      const double own = a.at(row, row);
      const double share = own > 0 && std::isfinite(pivot) ? pivot / own : -1;
      if (share <= least) least = share, worst = row;
    }
    if (ldlt.info() == Eigen::Success && worst == kNone) return;
    throw SingularMatrix(fmt::format(
        "The matrix of {} rows is not positive definite{}. Fix a value in every connected part of the surface, or add "
        "to the diagonal.",
        a.size(), worst == kNone ? "" : fmt::format(" at row {} (pivot {:.3g} of its diagonal)", worst, least)));
  }
};

SparseSolver::SparseSolver(const SparseMatrix& a, const SolverOptions& options) : factor_(std::make_unique<Factor>()) {
  factor_->options = options;
  factor_->a = a;
  factor_->regularize();
  factor_->factorize(true);
}

SparseSolver::SparseSolver(SparseSolver&&) noexcept = default;
SparseSolver& SparseSolver::operator=(SparseSolver&&) noexcept = default;
SparseSolver::~SparseSolver() = default;

void SparseSolver::refactor(const SparseMatrix& a) {
  const SparseMatrix before = std::move(factor_->a);
  factor_->a = a;
  factor_->regularize();
  const bool same = before.offsets == factor_->a.offsets && before.columns == factor_->a.columns;
  factor_->factorize(!same);
}

Index SparseSolver::size() const { return factor_->a.size(); }

void SparseSolver::solve_column(std::span<const double> b, std::span<double> x) const {
  assert(b.size() == size() && x.size() == size());
  if (size() == 0) return;
  const Eigen::Map<const Eigen::VectorXd> from(b.data(), static_cast<Eigen::Index>(b.size()));
  Eigen::Map<Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())) = factor_->ldlt.solve(from);
}

Solution SparseSolver::solve(const Eigen::MatrixXd& b) const {
  assert(b.rows() == static_cast<Eigen::Index>(size()));
  Solution solution;
  solution.x.resize(b.rows(), b.cols());
  const auto columns = static_cast<std::size_t>(b.cols());
  std::vector<double> residuals(columns, 0);
  parallel_for(
      columns,
      [&](std::size_t i) {
        const auto c = static_cast<Eigen::Index>(i);
        double* x = solution.x.col(c).data();
        solve_column({b.col(c).data(), size()}, {x, size()});
        residuals[i] = column_residual(factor_->a, b.col(c).data(), x);
      },
      1);
  for (const double r : residuals)  // What is not a number must not get lost in a comparison.
    solution.residual = std::isnan(r) || std::isnan(solution.residual) ? std::nan("") : std::max(solution.residual, r);
  return solution;
}

FixedValueSolver::FixedValueSolver(const SparseMatrix& a, std::span<const Index> fixed, const SolverOptions& options)
    : size_(a.size()), fixed_(fixed.begin(), fixed.end()), place_(a.size(), kNone), is_fixed_(a.size(), 0) {
  for (Index i = 0; i < fixed_.size(); ++i) {
    assert(fixed_[i] < size_ && is_fixed_[fixed_[i]] == 0);
    is_fixed_[fixed_[i]] = 1;
    place_[fixed_[i]] = i;
  }
  for (Index row = 0; row < size_; ++row)
    if (is_fixed_[row] == 0) {
      place_[row] = static_cast<Index>(free_.size());
      free_.push_back(row);
    }
  solver_ = std::make_unique<SparseSolver>(split(a), options);
}

void FixedValueSolver::refactor(const SparseMatrix& a) {
  assert(a.size() == size_);
  solver_->refactor(split(a));
}

SparseMatrix FixedValueSolver::split(const SparseMatrix& a) {
  SparseMatrix inner;
  coupling_ = SparseMatrix();
  for (const Index row : free_) {
    for (Index k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      SparseMatrix& target = is_fixed_[a.columns[k]] != 0 ? coupling_ : inner;
      target.columns.push_back(place_[a.columns[k]]);
      target.values.push_back(a.values[k]);
    }
    inner.offsets.push_back(static_cast<Index>(inner.columns.size()));
    coupling_.offsets.push_back(static_cast<Index>(coupling_.columns.size()));
  }
  return inner;
}

Solution FixedValueSolver::solve(const Eigen::MatrixXd& b, const Eigen::MatrixXd& values) const {
  assert(b.rows() == static_cast<Eigen::Index>(size_) && values.rows() == static_cast<Eigen::Index>(fixed_.size()) &&
         b.cols() == values.cols());
  Eigen::MatrixXd right(static_cast<Eigen::Index>(free_.size()), b.cols());
  for (Eigen::Index c = 0; c < b.cols(); ++c)
    for (Index i = 0; i < free_.size(); ++i) {
      double sum = b(free_[i], c);
      for (Index k = coupling_.offsets[i]; k < coupling_.offsets[i + 1]; ++k)
        sum -= coupling_.values[k] * values(coupling_.columns[k], c);
      right(i, c) = sum;
    }
  const Solution inner = solver_->solve(right);
  Solution solution;
  solution.residual = inner.residual;
  solution.x.resize(b.rows(), b.cols());
  for (Eigen::Index c = 0; c < b.cols(); ++c)
    for (Index row = 0; row < size_; ++row)
      solution.x(row, c) = is_fixed_[row] != 0 ? values(place_[row], c) : inner.x(place_[row], c);
  return solution;
}

}  // namespace sinew::geometry
