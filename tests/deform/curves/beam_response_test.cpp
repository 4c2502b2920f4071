// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/beam_response.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace sinew::deform {
namespace {

// q″ + 2ω q′ + ω² q = load, integrated from rest.
double integrated(double omega, double (*load)(double), double end, int steps) {
  double q = 0, rate = 0;
  const double h = end / steps;
  const auto second = [&](double t, double at, double speed) {
    return load(t) - 2 * omega * speed - omega * omega * at;
  };
  for (int i = 0; i < steps; ++i) {
    const double t = h * i;
    const double a1 = rate, b1 = second(t, q, rate);
    const double a2 = rate + h / 2 * b1, b2 = second(t + h / 2, q + h / 2 * a1, a2);
    const double a3 = rate + h / 2 * b2, b3 = second(t + h / 2, q + h / 2 * a2, a3);
    const double a4 = rate + h * b3, b4 = second(t + h, q + h * a3, a4);
    q += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    rate += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
  }
  return q;
}

// The driven response from two integrated loads and their rates at the end, found by differences.
double integrated_driven(double omega, double t) {
  const auto progress = [](double time) { return smooth_step(time); };
  const auto rate = [](double time) { return 6 * time * (1 - time); };
  const int steps = 4000 + static_cast<int>(40 * omega);
  const auto y = [&](double time) { return integrated(omega, progress, time, steps); };
  const auto y_rate = [&](double time) { return integrated(omega, rate, time, steps); };
  const auto second = [](double time) { return 6 - 12 * time; };
  const double a = y(1), b = y_rate(1), c = integrated(omega, second, 1, steps);
  // The response to the rate of the progress is the rate of the response, up to the jump of the load at 0, which the
  // progress does not have. Its second rate begins with 6.
  const double determinant = a * c - b * b;
  return (c * y(t) - b * y_rate(t)) / determinant;
}

TEST(DrivenResponse, HasTheReferenceValues) {
  const std::array<std::array<double, 4>, 7> table = {{{0, .059570, .343750, .764648},
                                                       {1, .069073, .373082, .785997},
                                                       {3, .087298, .419835, .814483},
                                                       {5, .103300, .451604, .829723},
                                                       {10, .130231, .486870, .841728},
                                                       {20, .148859, .498255, .843779},
                                                       {50, .155346, .499898, .843799}}};
  for (const auto& row : table)
    for (int i = 1; i <= 3; ++i) EXPECT_NEAR(driven_response(row[0], 0.25 * i), row[i], 1e-6) << row[0];
}

TEST(DrivenResponse, SolvesTheEquationOfMotion) {
  std::mt19937 random(3);
  for (int i = 0; i < 40; ++i) {
    const double omega = std::uniform_real_distribution(0.0, 1.0)(random) * (i < 30 ? 20.0 : 500.0);
    const double t = std::uniform_real_distribution(0.05, 0.95)(random);
    EXPECT_NEAR(driven_response(omega, t), integrated_driven(omega, t), 1e-7) << omega << " at " << t;
  }
}

TEST(DrivenResponse, RisesFromRestToRest) {
  for (const double omega : {0.0, 0.5, 2.0, 7.0, 30.0, 100.0, 900.0, 5000.0, 1e6}) {
    EXPECT_NEAR(driven_response(omega, 0), 0, 1e-12);
    EXPECT_NEAR(driven_response(omega, 1), 1, 1e-9);
    double before = 0;
    for (int i = 1; i <= 500; ++i) {
      const double now = driven_response(omega, i / 500.0);
      EXPECT_GE(now, before - 1e-9) << omega;
      EXPECT_LE(now, 1 + 1e-9);
      before = now;
    }
    EXPECT_LT(driven_response(omega, 1e-4) / 1e-4, 1e-3) << "rate at the start";
    EXPECT_LT((1 - driven_response(omega, 1 - 1e-4)) / 1e-4, 1e-3) << "rate at the end";
  }
}

TEST(LoadResponse, BothBranchesAgreeWhereTheyMeet) {
  for (int n = 0; n <= 3; ++n)
    for (const double t : {0.2, 0.5, 1.0})
      EXPECT_NEAR(load_response(n, 2 / t * (1 - 1e-14), t), load_response(n, 2 / t * (1 + 1e-14), t), 1e-12);
}

TEST(DampedResponse, IsMonotoneAndSnapsForStiffModes) {
  EXPECT_NEAR(damped_response(0, 0.5), 0.25, 1e-12);
  EXPECT_GT(damped_response(100, 0.1), 0.99);
  EXPECT_LT(damped_response(1, 0.1), 0.02);
}

TEST(DrivenTable, IsWithinALooseBoundOfTheFunction) {
  const DrivenTable table(50);
  std::vector<double> values(static_cast<std::size_t>(table.size()));
  for (const double t : {0.1, 0.37, 0.5, 0.8}) {
    table.evaluate(t, values);
    for (double omega = 0.03; omega < 50; omega += 0.61)
      EXPECT_NEAR(table.look_up(values, omega), driven_response(omega, t) - smooth_step(t), 7e-6);
  }
}

TEST(FlowResponse, IsTheHermiteCurveForSoftModes) {
  for (double t = 0; t <= 1; t += 0.125) {
    const FlowShares share = flow_response(0, t);
    EXPECT_NEAR(share.step, smooth_step(t), 1e-9);
    EXPECT_NEAR(share.rate_in, t * (1 - t) * (1 - t), 1e-9);
    EXPECT_NEAR(share.rate_out, -t * t * (1 - t), 1e-9);
  }
}

TEST(FlowResponse, MeetsPositionsAndRatesAtBothEnds) {
  for (const double omega : {0.0, 0.7, 2.0, 3.0}) {
    const double h = 1e-6;
    const FlowShares start = flow_response(omega, h), end = flow_response(omega, 1),
                     before = flow_response(omega, 1 - h);
    EXPECT_NEAR(start.rate_in / h, 1, 1e-4);
    EXPECT_NEAR(start.step / h, 0, 1e-4);
    EXPECT_NEAR(end.step, 1, 1e-12);
    EXPECT_NEAR(end.rate_in, 0, 1e-12);
    EXPECT_NEAR(end.rate_out, 0, 1e-12);
    EXPECT_NEAR((end.rate_out - before.rate_out) / h, 1, 1e-4);
    EXPECT_NEAR((end.rate_in - before.rate_in) / h, 0, 1e-4);
  }
}

}  // namespace
}  // namespace sinew::deform
