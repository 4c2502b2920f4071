// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/operators/solver.h"

#include <gtest/gtest.h>

#include "sinew/geometry/operators/laplacian.h"
#include "tests/geometry/surfaces.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

SparseMatrix definite(const TriangleSurface& s, double factor = 1) {
  const Laplacian l = cotangent_laplacian(s.positions, s.triangles);
  return scaled_plus_diagonal(l.stiffness, factor, l.mass);
}

Eigen::MatrixXd some_columns(Index rows, Index columns) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd b(rows, columns);
  for (Index c = 0; c < columns; ++c)
    for (Index r = 0; r < rows; ++r) b(r, c) = normal(random);
  return b;
}

TEST(SparseSolver, SolvesManyColumnsAndReportsTheTrueResidual) {
  const SparseMatrix a = definite(icosphere(3));
  const SparseSolver solver(a);
  const Eigen::MatrixXd b = some_columns(a.size(), 9);
  const Solution solution = solver.solve(b);
  EXPECT_LT(solution.residual, 1e-12);
  double worst = 0;
  for (Eigen::Index c = 0; c < b.cols(); ++c) {
    const std::vector<double> x(solution.x.col(c).begin(), solution.x.col(c).end());
    const std::vector<double> y = a.multiply(x);
    worst =
        std::max(worst, (Eigen::Map<const Eigen::VectorXd>(y.data(), b.rows()) - b.col(c)).norm() / b.col(c).norm());
    std::vector<double> alone(a.size());
    const std::vector<double> right(b.col(c).begin(), b.col(c).end());
    solver.solve_column(right, alone);
    EXPECT_EQ(alone, x);
  }
  EXPECT_NEAR(solution.residual, worst, 1e-15);
}

TEST(SparseSolver, SameBitsForAnyNumberOfThreads) {
  const SparseSolver solver(definite(icosphere(3)));
  const Eigen::MatrixXd b = some_columns(solver.size(), 17);
  const auto [one, two] = with_one_and_two_threads([&] { return solver.solve(b); });
  EXPECT_TRUE(one.x == two.x);
  EXPECT_EQ(one.residual, two.residual);
}

TEST(SparseSolver, RefusesWhatIsNotPositiveDefinite) {
  const TriangleSurface s = icosphere(2);
  const Laplacian l = cotangent_laplacian(s.positions, s.triangles);
  EXPECT_THROW(SparseSolver{l.stiffness}, SingularMatrix);
  const std::vector<double> negative(s.positions.size(), -0.5);
  EXPECT_THROW(SparseSolver{scaled_plus_diagonal(l.stiffness, 1, negative)}, SingularMatrix);
  SparseMatrix broken = definite(s);
  broken.values[5] = std::nan("");
  EXPECT_THROW(SparseSolver{broken}, SingularMatrix);
  EXPECT_THROW(SparseSolver{assemble(3, {})}, SingularMatrix);
}

TEST(SparseSolver, NamesTheRowThatIsAtFault) {
  SparseMatrix a = definite(icosphere(2));
  const Index bad = 77;
  for (Index row = 0; row < a.size(); ++row)
    for (Index k = a.offsets[row]; k < a.offsets[row + 1]; ++k)
      if (row == bad || a.columns[k] == bad) a.values[k] = row == a.columns[k] ? -2 : 0;
  try {
    const SparseSolver solver(a);
    FAIL();
  } catch (const SingularMatrix& problem) {
    EXPECT_NE(std::string(problem.what()).find("row 77 "), std::string::npos) << problem.what();
  }
}

TEST(SparseSolver, RegularizationMakesALaplacianDefinite) {
  const TriangleSurface s = icosphere(2);
  const Laplacian l = cotangent_laplacian(s.positions, s.triangles);
  const SparseSolver solver(l.stiffness, {.regularization_rel = 1e-8});
  Eigen::MatrixXd b = some_columns(l.stiffness.size(), 1);
  b.array() -= b.mean();
  const Solution solution = solver.solve(b);
  EXPECT_LT(solution.residual, 1e-6);
  const std::vector<double> x(solution.x.col(0).begin(), solution.x.col(0).end());
  const std::vector<double> y = l.stiffness.multiply(x);
  EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(y.data(), b.rows()) - b.col(0)).norm(), 1e-5 * b.norm());
}

TEST(SparseSolver, RefactoringGivesWhatAFreshSolverGives) {
  const TriangleSurface s = icosphere(3);
  SparseSolver solver(definite(s, 1));
  for (const SparseMatrix& a : {definite(s, 25), definite(icosphere(2), 3)}) {  // The same pattern, and another.
    solver.refactor(a);
    const Eigen::MatrixXd b = some_columns(a.size(), 2);
    EXPECT_TRUE(solver.solve(b).x == SparseSolver(a).solve(b).x);
  }
  EXPECT_THROW(solver.refactor(assemble(2, {})), SingularMatrix);
}

TEST(FixedValueSolver, HarmonicFunctionOnASquareIsTheLinearOneOfItsRim) {
  const Index n = 14;
  const TriangleSurface s = flat_square(n, 0.22);
  const Laplacian l = cotangent_laplacian(s.positions, s.triangles);
  std::vector<Index> rim;
  for (Index v = 0; v < s.positions.size(); ++v)
    if (v / (n + 1) == 0 || v / (n + 1) == n || v % (n + 1) == 0 || v % (n + 1) == n) rim.push_back(v);
  const auto linear = [&](Index v) { return 2 * s.positions[v].x() - s.positions[v].y() + 4; };
  Eigen::MatrixXd values(rim.size(), 2);
  for (std::size_t i = 0; i < rim.size(); ++i)
    values(static_cast<Eigen::Index>(i), 0) = linear(rim[i]), values(static_cast<Eigen::Index>(i), 1) = 3;
  FixedValueSolver solver(l.stiffness, rim);
  const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(l.stiffness.size(), 2);
  const Solution solution = solver.solve(zero, values);
  EXPECT_LT(solution.residual, 1e-12);
  for (Index v = 0; v < s.positions.size(); ++v) {
    EXPECT_NEAR(solution.x(v, 0), linear(v), 1e-11);
    EXPECT_NEAR(solution.x(v, 1), 3, 1e-11);
  }
  solver.refactor(scaled_plus_diagonal(l.stiffness, 5, std::vector<double>(s.positions.size(), 0)));
  EXPECT_LT((solver.solve(zero, values).x - solution.x).norm(), 1e-10);
}

TEST(FixedValueSolver, RefusesAComponentWithoutAFixedValue) {
  TriangleSurface s = icosphere(1);
  const TriangleSurface other = icosphere(1);
  const auto shift = static_cast<Index>(s.positions.size());
  for (const Vec3& p : other.positions) s.positions.push_back(p + Vec3(5, 0, 0));
  for (const auto& t : other.triangles) s.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  const Laplacian l = cotangent_laplacian(s.positions, s.triangles);
  const std::vector<Index> one = {3}, both = {3, shift + 9};
  EXPECT_THROW(FixedValueSolver(l.stiffness, one), SingularMatrix);
  EXPECT_NO_THROW(FixedValueSolver(l.stiffness, both));
}

}  // namespace
}  // namespace sinew::geometry
