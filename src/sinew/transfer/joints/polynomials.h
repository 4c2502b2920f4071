// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Polynomials of rotation vectors: the coefficients of `Driver`, all monomials up to a degree in graded lexical order.

#include <vector>

#include "sinew/core/math.h"

namespace sinew::transfer {

/// A polynomial driver without constant terms that takes rotation vectors of the source to given outputs, by least
/// squares with a ridge of 1e-6 of the mean of the diagonal (H3). One row of `inputs` (3 columns) and `outputs` (3, 6
/// or 9 columns) per example. Gives the coefficients of each output. \throws Error for fewer examples than terms, or
/// numbers of rows that differ.
std::vector<std::vector<double>> fit_polynomial(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& outputs,
                                                int degree = 2);

/// The coefficients of p(M·v) for those of p(v), any degree. \pre as many as a polynomial has.
std::vector<double> substituted(const std::vector<double>& coefficients, const Mat3& m);

}  // namespace sinew::transfer
