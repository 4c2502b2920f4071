// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/beam_modes.h"

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <random>

#include "sinew/core/angles.h"

namespace sinew::deform {
namespace {

// β L of the k-th bending mode: eigenvalues are β⁴.
double bending_number(const BeamModes& modes, Index mode) { return std::sqrt(modes.rates[mode]); }

TEST(ClosedModes, EigenvaluesAreThoseOfTheFourthDifferenceForAnyNumberOfNodes) {
  for (Index nodes = 1; nodes <= 64; ++nodes) {
    const BeamModes modes = closed_modes(nodes);
    const Eigen::MatrixXd stiffness = closed_stiffness(nodes);
    const double scale = stiffness.cwiseAbs().maxCoeff() + 1;
    const Eigen::MatrixXd residual =
        stiffness * modes.shapes - modes.shapes * Eigen::MatrixXd(modes.rates.cwiseAbs2().asDiagonal());
    EXPECT_LT(residual.cwiseAbs().maxCoeff(), 1e-12 * scale) << nodes;
    EXPECT_LT((modes.shapes.transpose() * modes.shapes - Eigen::MatrixXd::Identity(nodes, nodes)).norm(), 1e-12);
  }
}

TEST(ClosedModes, TheSlowestAreTheFirstOfAll) {
  for (const Index nodes : {1u, 2u, 5u, 12u, 31u}) {
    const BeamModes all = closed_modes(nodes);
    for (const double rate : {0.0, 1.0, 39.0, 41.0, 160.0, 5000.0, 1e9}) {
      Index below = 0;
      while (below < nodes && all.rates[below] < rate) ++below;
      EXPECT_EQ(closed_modes_below(nodes, rate), below) << nodes << " " << rate;
    }
    const BeamModes few = closed_modes(nodes, 3);
    for (Index k = 0; k < few.rates.size(); ++k) EXPECT_EQ(few.shapes.col(k), all.shapes.col(k));
  }
}

TEST(OpenModes, FreeAndClampedLinesConvergeToTheBeamWithSecondOrder) {
  for (const CurveEnds ends : {CurveEnds::kFree, CurveEnds::kClamped}) {
    const Index first = ends == CurveEnds::kFree ? 2 : 0;
    for (const auto& [mode, exact] : {std::pair{first, 4.730040745}, {first + 1, 7.853204624}}) {
      std::vector<double> error;
      for (const Index segments : {20, 40, 80, 160})
        error.push_back(std::abs(bending_number(open_modes(segments + 1, ends), mode) - exact));
      EXPECT_LT(error.back(), 3e-3);
      for (std::size_t i = 1; i < error.size(); ++i) EXPECT_NEAR(std::log2(error[i - 1] / error[i]), 2, 0.1);
    }
  }
}

TEST(OpenModes, RowsAtTheEndsAreThoseOfTheirConditions) {
  const double h4 = std::pow(10.0, 4);
  const Eigen::MatrixXd clamped = open_stiffness(11, CurveEnds::kClamped) / h4;
  EXPECT_NEAR(clamped(0, 0), 7, 1e-9);
  EXPECT_NEAR(clamped(0, 1), -4, 1e-9);
  EXPECT_NEAR(clamped(0, 2), 1, 1e-9);
  EXPECT_NEAR(clamped(1, 1), 6, 1e-9);
  const Eigen::MatrixXd free = open_stiffness(11, CurveEnds::kFree) / h4;
  EXPECT_NEAR(free(0, 0), 1, 1e-9);
  EXPECT_NEAR(free(0, 1), -2, 1e-9);
  EXPECT_NEAR(free(1, 0), -2, 1e-9);
  EXPECT_NEAR(free(1, 1), 5, 1e-9);
  EXPECT_NEAR(free(1, 2), -4, 1e-9);
}

TEST(OpenModes, AFreeLineCanShiftAndTurnOnly) {
  const BeamModes modes = open_modes(25, CurveEnds::kFree);
  Index rigid = 0;
  for (Index k = 0; k < 25; ++k) rigid += modes.rates[k] < 1e-3 * modes.rates[2] ? 1 : 0;
  EXPECT_EQ(rigid, 2u);
}

TEST(OpenModes, AGuidedLineIsHalfOfAMirroredLoop) {
  const Index segments = 12;
  const BeamModes half = open_modes(segments + 1, CurveEnds::kGuided), loop = closed_modes(2 * segments);
  // The loop has length 2, which divides rates by 4.
  for (Index k = 0; k <= segments; ++k)
    EXPECT_NEAR(half.rates[k], loop.rates[k == 0 ? 0 : 2 * k - 1] / 4 * 1.0, 1e-9 * (1 + half.rates[k])) << k;
}

TEST(UnevenModes, EqualSegmentsGiveFourierModes) {
  const std::vector<double> lengths(24, 0.3);
  const BeamModes uneven = uneven_modes(lengths, true), even = closed_modes(24);
  for (Index k = 0; k < 24; ++k) EXPECT_NEAR(uneven.rates[k], even.rates[k], 1e-8 * (1 + even.rates[k]));
}

TEST(UnevenModes, SlowModesDoNotDependOnWhereNodesAre) {
  std::mt19937 random(7);
  std::vector<double> lengths;
  for (int i = 0; i < 160; ++i) lengths.push_back(std::uniform_real_distribution(0.2, 2.0)(random));
  const BeamModes uneven = uneven_modes(lengths, true);
  for (const Index k : {1u, 2u, 3u, 4u}) {
    const double turns = (k + 1) / 2;
    const double exact = std::pow(2 * kPi * turns, 2);
    EXPECT_NEAR(uneven.rates[k] / exact, 1, 0.01);
  }
}

TEST(EndLift, CarriesValuesAndSlopesAndLeavesCubicsNothing) {
  Eigen::MatrixXd parabola(31, 1);
  for (int m = 0; m < 31; ++m) {
    const double v = m / 30.0;
    parabola(m, 0) = 2 - 3 * v + 5 * v * v;
  }
  EXPECT_LT((end_lift(parabola) - parabola).norm(), 1e-12);
  Eigen::MatrixXd wave(31, 1);
  for (int m = 0; m < 31; ++m) wave(m, 0) = std::sin(9.0 * m / 30.0);
  const Eigen::MatrixXd left = wave - end_lift(wave);
  EXPECT_NEAR(left(0, 0), 0, 1e-12);
  EXPECT_NEAR(left(30, 0), 0, 1e-12);
  EXPECT_GT(left.norm(), 0.5);
}

}  // namespace
}  // namespace sinew::deform
