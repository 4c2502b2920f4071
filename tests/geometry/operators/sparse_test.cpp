// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/operators/sparse.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace sinew::geometry {
namespace {

RC_GTEST_PROP(SparseMatrix, AgreesWithADenseOne, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  const auto n = static_cast<Index>(1 + random() % 30);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, n);
  std::vector<MatrixEntry> entries;
  for (auto i = random() % 200; i > 0; --i) {
    entries.push_back({static_cast<Index>(random() % n), static_cast<Index>(random() % n), double(random() % 100)});
    dense(entries.back().row, entries.back().column) += entries.back().value;
  }
  const SparseMatrix a = assemble(n, entries);
  std::vector<double> x(n), d(n);
  for (double& v : x) v = double(random() % 10);
  for (double& v : d) v = double(random() % 10);
  const SparseMatrix sum = scaled_plus_diagonal(a, 2, d);
  const std::vector<double> y = a.multiply(x), z = sum.multiply(x), diagonal = a.diagonal();
  double worst = 0;
  for (Index i = 0; i < n; ++i) {
    double expected = 0;
    for (Index j = 0; j < n; ++j) {
      expected += dense(i, j) * x[j];
      RC_ASSERT(a.at(i, j) == dense(i, j));
      worst = std::max(worst, std::abs(dense(i, j) - dense(j, i)));
    }
    RC_ASSERT(y[i] == expected);
    RC_ASSERT(z[i] == 2 * expected + d[i] * x[i]);
    RC_ASSERT(diagonal[i] == dense(i, i));
  }
  RC_ASSERT(a.asymmetry() == worst);
}

}  // namespace
}  // namespace sinew::geometry
