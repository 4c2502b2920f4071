// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/operators/sparse.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sinew/core/parallel.h"

namespace sinew::geometry {

void SparseMatrix::multiply(std::span<const double> x, std::span<double> y) const {
  assert(x.size() == size() && y.size() == size());
  parallel_for(size(), [&](std::size_t row) {
    double sum = 0;
    for (Index k = offsets[row]; k < offsets[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
  });
}

std::vector<double> SparseMatrix::multiply(std::span<const double> x) const {
  std::vector<double> y(size());
  multiply(x, y);
  return y;
}

double SparseMatrix::at(Index row, Index column) const {
  const auto begin = columns.begin() + offsets[row], end = columns.begin() + offsets[row + 1];
  const auto found = std::lower_bound(begin, end, column);
  return found == end || *found != column ? 0 : values[static_cast<std::size_t>(found - columns.begin())];
}

std::vector<double> SparseMatrix::diagonal() const {
  std::vector<double> d(size());
  for (Index row = 0; row < size(); ++row) d[row] = at(row, row);
  return d;
}

double SparseMatrix::asymmetry() const {
  double worst = 0;
  for (Index row = 0; row < size(); ++row)
    for (Index k = offsets[row]; k < offsets[row + 1]; ++k)
      worst = std::max(worst, std::abs(values[k] - at(columns[k], row)));
  return worst;
}

SparseMatrix assemble(Index size, std::span<const MatrixEntry> entries) {
  std::vector<Index> begin(size + std::size_t{1}, 0);
  for (const MatrixEntry& e : entries) ++begin[e.row + std::size_t{1}];
  for (std::size_t row = 0; row < size; ++row) begin[row + 1] += begin[row];
  struct Cell {
    Index column;
    double value;
  };
  std::vector<Cell> cells(entries.size());
  std::vector<Index> cursor(begin.begin(), begin.end() - 1);
  for (const MatrixEntry& e : entries) cells[cursor[e.row]++] = {e.column, e.value};
  SparseMatrix a;
  a.offsets.assign(size + std::size_t{1}, 0);
  parallel_for(size, [&](std::size_t row) {
    const auto first = cells.begin() + begin[row], last = cells.begin() + begin[row + 1];
    std::stable_sort(first, last, [](const Cell& p, const Cell& q) { return p.column < q.column; });
    Index kept = 0;
    for (auto cell = first; cell != last; ++cell) {
      if (kept > 0 && first[kept - 1].column == cell->column) first[kept - 1].value += cell->value;
      else first[kept++] = *cell;
    }
    a.offsets[row + 1] = kept;
  });
  for (std::size_t row = 0; row < size; ++row) a.offsets[row + 1] += a.offsets[row];
  a.columns.resize(a.offsets.back());
  a.values.resize(a.offsets.back());
  parallel_for(size, [&](std::size_t row) {
    for (Index k = a.offsets[row], from = begin[row]; k < a.offsets[row + 1]; ++k, ++from) {
      a.columns[k] = cells[from].column;
      a.values[k] = cells[from].value;
    }
  });
  return a;
}

SparseMatrix scaled_plus_diagonal(const SparseMatrix& a, double factor, std::span<const double> d) {
  assert(d.size() == a.size());
  SparseMatrix sum;
  sum.offsets.reserve(a.offsets.size());
  sum.columns.reserve(a.columns.size() + a.size());
  sum.values.reserve(a.columns.size() + a.size());
  const auto push = [&](Index column, double value) {
    sum.columns.push_back(column);
    sum.values.push_back(value);
  };
  for (Index row = 0; row < a.size(); ++row) {
    bool placed = false;
    for (Index k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      if (!placed && a.columns[k] > row) push(row, d[row]), placed = true;
      if (a.columns[k] == row) push(row, factor * a.values[k] + d[row]), placed = true;
      else push(a.columns[k], factor * a.values[k]);
    }
    if (!placed) push(row, d[row]);
    sum.offsets.push_back(static_cast<Index>(sum.columns.size()));
  }
  return sum;
}

}  // namespace sinew::geometry
