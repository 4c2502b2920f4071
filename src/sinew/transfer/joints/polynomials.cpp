// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/joints/polynomials.h"

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include <array>

#include "sinew/core/error.h"
#include "sinew/motion/drivers.h"

namespace sinew::transfer {
namespace {

constexpr double kRidge = 1e-6;

/// Place of x^a y^b z^c in graded lexical order.
std::size_t monomial_place(int a, int b, int c) {
  const int degree = a + b + c;
  const auto before = degree == 0 ? 0 : motion::monomial_count(degree - 1);
  return before + static_cast<std::size_t>((degree - a) * (degree - a + 1) / 2 + c);
}

/// Calls `body(a, b, c, place)` for the monomials of one degree, in order.
template <class Body>
void for_degree(int degree, Body&& body) {
  for (int a = degree; a >= 0; --a)
    for (int b = degree - a; b >= 0; --b) body(a, b, degree - a - b, monomial_place(a, b, degree - a - b));
}

/// p(v) · (l·v), where p has only terms of one degree.
std::vector<double> times_linear(const std::vector<double>& p, int degree, const Vec3& l) {
  std::vector<double> product(motion::monomial_count(degree + 1), 0);
  for_degree(degree, [&](int a, int b, int c, std::size_t place) {
    product[monomial_place(a + 1, b, c)] += p[place] * l.x();
    product[monomial_place(a, b + 1, c)] += p[place] * l.y();
    product[monomial_place(a, b, c + 1)] += p[place] * l.z();
  });
  return product;
}

}  // namespace

std::vector<std::vector<double>> fit_polynomial(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& outputs,
                                                int degree) {
  const auto terms = static_cast<Eigen::Index>(motion::monomial_count(degree)) - 1;
  if (inputs.cols() != 3 || inputs.rows() != outputs.rows())
    throw Error("Fitting a driver needs a rotation vector and a row of outputs for each example.");
  if (inputs.rows() < terms)
    throw Error(
        fmt::format("Fitting a driver of degree {} needs at least {} examples, not {}.", degree, terms, inputs.rows()));
  Eigen::MatrixXd phi(inputs.rows(), terms);
  for (Eigen::Index i = 0; i < inputs.rows(); ++i) {
    const std::vector<double> values = motion::monomials(inputs.row(i).transpose(), degree);
    for (Eigen::Index k = 0; k < terms; ++k) phi(i, k) = values[static_cast<std::size_t>(k) + 1];
  }
  Eigen::MatrixXd normal = phi.transpose() * phi;
  const double trace = normal.trace();
  normal.diagonal().array() += trace > 0 ? kRidge * trace / static_cast<double>(terms) : 1.0;
  const Eigen::MatrixXd solution = normal.ldlt().solve(phi.transpose() * outputs);
  std::vector<std::vector<double>> coefficients;
  for (Eigen::Index column = 0; column < outputs.cols(); ++column) {
    coefficients.emplace_back(1, 0.0);
    for (Eigen::Index k = 0; k < terms; ++k) coefficients.back().push_back(solution(k, column));
  }
  return coefficients;
}

std::vector<double> substituted(const std::vector<double>& coefficients, const Mat3& m) {
  std::vector<double> result(coefficients.size(), 0);
  if (coefficients.empty()) return result;
  result[0] = coefficients[0];
  // Powers of the three linear forms, built degree by degree: the monomial's first form that occurs times the rest.
  std::vector<std::vector<double>> lower = {{1.0}};  // Per monomial of the degree before.
  std::size_t end = 1;
  for (int degree = 1; end < coefficients.size(); ++degree) {
    const std::size_t first = end, first_lower = degree == 1 ? 0 : motion::monomial_count(degree - 2);
    end = motion::monomial_count(degree);
    std::vector<std::vector<double>> expanded(end - first);
    for_degree(degree, [&](int a, int b, int c, std::size_t place) {
      const int form = a > 0 ? 0 : b > 0 ? 1 : 2;
      const std::size_t rest = monomial_place(a - (form == 0), b - (form == 1), c - (form == 2));
      std::vector<double>& product = expanded[place - first];
      product = times_linear(lower[rest - first_lower], degree - 1, m.row(form).transpose());
      for (std::size_t k = first; k < end && k < result.size(); ++k) result[k] += coefficients[place] * product[k];
    });
    lower = std::move(expanded);
  }
  return result;
}

}  // namespace sinew::transfer
