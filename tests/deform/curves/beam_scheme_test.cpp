// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/beam_scheme.h"

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <random>

#include "sinew/deform/curves/beam_modes.h"

namespace sinew::deform {
namespace {

// The published system of all times at once: the unknowns are displacements at 1 … N−1 and the force.
Eigen::MatrixXd space_time_solution(const Eigen::MatrixXd& stiffness, const Eigen::MatrixXd& target, int steps) {
  const Eigen::Index nodes = stiffness.rows();
  const double step = 1.0 / steps;
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(nodes * steps, nodes * steps);
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(nodes * steps, 3);
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(nodes, nodes), pull = one + step * step * stiffness;
  for (int n = 0; n < steps; ++n) {
    const auto rows = n * nodes;
    // Block column k − 1 holds displacements at time k, the last one the force.
    const auto add = [&](int level, const Eigen::MatrixXd& block) {
      if (level == 0) return;
      if (level == steps) right.middleRows(rows, nodes) -= block * target;
      else system.block(rows, (level - 1) * nodes, nodes, nodes) += block;
    };
    if (n == 0) {
      add(1, one + pull);
    } else {
      add(n + 1, pull);
      add(n, -2 * one);
      add(n - 1, one);
    }
    system.block(rows, (steps - 1) * nodes, nodes, nodes) -= step * step * one;
  }
  return system.fullPivLu().solve(right);
}

TEST(PaperScheme, EqualsTheDenseSystemOfAllTimes) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int trial = 0; trial < 20; ++trial) {
    const Index nodes = static_cast<Index>(5 + random() % 12);
    const int steps = 2 + static_cast<int>(random() % 11);
    const double c = std::pow(10.0, -3.5 + 1.5 * unit(random));
    std::vector<Vec3> target(nodes);
    Eigen::MatrixXd ends(nodes, 3);
    for (Index i = 0; i < nodes; ++i) {
      target[i] = Vec3(unit(random), unit(random), unit(random));
      ends.row(i) = target[i].transpose();
    }
    const Eigen::MatrixXd dense = space_time_solution(c * closed_stiffness(nodes), ends, steps);
    const std::vector<std::vector<Vec3>> marched = march_closed(target, c, steps);
    // Mode by mode, without marching.
    const BeamModes modes = closed_modes(nodes);
    const Eigen::MatrixXd coefficients = modes.project(ends);
    double scale = 1;
    for (int n = 1; n < steps; ++n)
      for (Index i = 0; i < nodes; ++i) scale = std::max(scale, dense.row((n - 1) * nodes + i).norm());
    for (int n = 1; n < steps; ++n) {
      Eigen::MatrixXd now = coefficients;
      for (Index k = 0; k < nodes; ++k)
        now.row(k) *= scheme_response(TimeScheme::kImplicit, c * std::pow(modes.rates[k], 2), steps)[n];
      EXPECT_LT((modes.shapes * now - dense.middleRows((n - 1) * nodes, nodes)).cwiseAbs().maxCoeff(), 1e-12 * scale);
    }
    for (int n = 1; n < steps; ++n)
      for (Index i = 0; i < nodes; ++i)
        EXPECT_LT((marched[n - 1][i] - dense.row((n - 1) * nodes + i).transpose()).norm(), 1e-9 * scale);
    for (Index i = 0; i < nodes; ++i) EXPECT_LT((marched[steps - 1][i] - target[i]).norm(), 1e-9 * scale);
  }
}

TEST(CyclicBands, SolvesAsADenseMatrixDoes) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int trial = 0; trial < 40; ++trial) {
    const Index nodes = static_cast<Index>(5 + random() % 196);
    const double shift = 1 + unit(random), scale = 50 * unit(random);
    const Eigen::MatrixXd matrix = shift * Eigen::MatrixXd::Identity(nodes, nodes) +
                                   scale * closed_stiffness(nodes) / std::pow(static_cast<double>(nodes), 4);
    std::vector<Vec3> rows(nodes);
    Eigen::MatrixXd right(nodes, 3);
    for (Index i = 0; i < nodes; ++i) {
      rows[i] = Vec3(unit(random), unit(random), unit(random));
      right.row(i) = rows[i].transpose();
    }
    const Eigen::MatrixXd expected = matrix.fullPivLu().solve(right);
    CyclicBands(nodes, shift, scale).solve(rows);
    for (Index i = 0; i < nodes; ++i) EXPECT_LT((rows[i] - expected.row(i).transpose()).norm(), 1e-10);
  }
}

TEST(PaperScheme, ExplicitStepsAreStableUpToTheirLimitOnly) {
  const Index nodes = 24;
  const double c = 3e-4, fastest = c * std::pow(2.0 * nodes, 4);
  const auto largest = [&](double factor) {
    const double step = factor * explicit_step_limit(c, nodes);
    double before = 0, here = step * step / 2, most = 0;
    for (int n = 0; n < 5000 && most < 1e9; ++n) {
      const double next = 2 * here - before + step * step * (1 - fastest * here);
      before = here;
      here = next;
      most = std::max(most, std::abs(here) * fastest);
    }
    return most;
  };
  EXPECT_LT(largest(0.99), 1e3);
  EXPECT_GT(largest(1.01), 1e6);
}

TEST(PaperScheme, OvershootsNearItsResonanceAndMoreSoWithFinerSteps) {
  const auto peak = [](int steps) {
    const std::vector<double> q = scheme_response(TimeScheme::kImplicit, 6.2 * 6.2, steps);
    return *std::max_element(q.begin(), q.end());
  };
  EXPECT_NEAR(peak(5) / 1.12, 1, 0.02);
  EXPECT_NEAR(peak(10) / 1.56, 1, 0.02);
  EXPECT_NEAR(peak(100) / 10.6, 1, 0.02);
  EXPECT_NEAR(peak(1000) / 87.7, 1, 0.02);
}

}  // namespace
}  // namespace sinew::deform
