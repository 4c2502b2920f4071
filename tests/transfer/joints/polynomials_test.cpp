// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/joints/polynomials.h"

#include <gtest/gtest.h>

#include <random>

#include "sinew/core/error.h"
#include "sinew/motion/drivers.h"

namespace sinew::transfer {
namespace {

double value(const std::vector<double>& coefficients, const Vec3& v, int degree) {
  const std::vector<double> monomials = motion::monomials(v, degree);
  double sum = 0;
  for (std::size_t i = 0; i < coefficients.size(); ++i) sum += coefficients[i] * monomials[i];
  return sum;
}

TEST(Polynomials, SubstitutionIsEvaluationAtTheMappedVector) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int degree = 0; degree <= 6; ++degree)
    for (int round = 0; round < 5; ++round) {
      std::vector<double> coefficients(motion::monomial_count(degree));
      for (double& c : coefficients) c = normal(random);
      Mat3 m;
      for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = normal(random);
      const std::vector<double> mapped = substituted(coefficients, m);
      ASSERT_EQ(mapped.size(), coefficients.size());
      const Vec3 v(normal(random), normal(random), normal(random));
      const double expected = value(coefficients, m * v, degree);
      EXPECT_NEAR(value(mapped, v, degree), expected, 1e-9 * (1 + std::abs(expected))) << degree;
    }
  EXPECT_TRUE(substituted({}, Mat3::Identity()).empty());
}

TEST(Polynomials, FittingFindsTheCoefficientsThatMadeTheExamples) {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> angle(-1.2, 1.2), coefficient(-1, 1);
  std::vector<std::vector<double>> truth(6, std::vector<double>(10, 0));
  for (auto& row : truth)
    for (std::size_t k = 1; k < 10; ++k) row[k] = coefficient(random);
  Eigen::MatrixXd inputs(60, 3), outputs(60, 6);
  for (Eigen::Index i = 0; i < 60; ++i) {
    const Vec3 v(angle(random), angle(random), angle(random));
    inputs.row(i) = v.transpose();
    for (Eigen::Index k = 0; k < 6; ++k) outputs(i, k) = value(truth[static_cast<std::size_t>(k)], v, 2);
  }
  const auto fitted = fit_polynomial(inputs, outputs);
  ASSERT_EQ(fitted.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t c = 0; c < 10; ++c) EXPECT_NEAR(fitted[k][c], truth[k][c], 1e-5);
}

TEST(Polynomials, FittingNeedsAsManyExamplesAsTerms) {
  EXPECT_THROW(fit_polynomial(Eigen::MatrixXd::Random(8, 3), Eigen::MatrixXd::Zero(8, 3)), Error);
  EXPECT_THROW(fit_polynomial(Eigen::MatrixXd::Random(20, 3), Eigen::MatrixXd::Zero(19, 3)), Error);
  EXPECT_NO_THROW(fit_polynomial(Eigen::MatrixXd::Random(9, 3), Eigen::MatrixXd::Zero(9, 3)));
  EXPECT_NO_THROW(fit_polynomial(Eigen::MatrixXd::Random(3, 3), Eigen::MatrixXd::Zero(3, 3), 1));
}

}  // namespace
}  // namespace sinew::transfer
