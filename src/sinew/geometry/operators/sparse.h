// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::geometry {

/// A square sparse matrix in compressed rows. Symmetric ones store both halves.
struct SparseMatrix {
  std::vector<Index> offsets = {0};  ///< Row i has the entries offsets[i] … offsets[i+1]−1.
  std::vector<Index> columns;        ///< Increasing within a row.
  std::vector<double> values;

  Index size() const { return static_cast<Index>(offsets.size() - 1); }

  /// y = A·x, rows in parallel, the same bits for any number of threads.
  std::vector<double> multiply(std::span<const double> x) const;
  void multiply(std::span<const double> x, std::span<double> y) const;

  /// The entry of a row and a column; 0 where none is stored. Logarithmic in the row's length.
  double at(Index row, Index column) const;
  std::vector<double> diagonal() const;
  /// Largest |a_ij − a_ji|. 0 for what the Laplacian gives.
  double asymmetry() const;
};

/// One number to be added to a matrix.
struct MatrixEntry {
  Index row = 0;
  Index column = 0;
  double value = 0;
};

/// Sums entries; those at one row and column are added in the given order. Linear, but for sorting each row. \pre rows
/// and columns below `size`.
SparseMatrix assemble(Index size, std::span<const MatrixEntry> entries);

/// factor·A + diag(d). The pattern gains the diagonal where A lacks it. \pre d has one value per row.
SparseMatrix scaled_plus_diagonal(const SparseMatrix& a, double factor, std::span<const double> d);

}  // namespace sinew::geometry
