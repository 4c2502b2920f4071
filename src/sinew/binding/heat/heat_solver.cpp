// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/heat/heat_solver.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sinew/core/parallel.h"

namespace sinew::binding {
namespace {

using HeatMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

constexpr std::size_t kBlock = 8;      // Columns solved together: a line of the cache.
constexpr double kLargest = 1e5;       // Of a weight between two rows.
constexpr double kPivotShare = 1e-13;  // Smaller pivots are rounding errors.
constexpr double kRegularization = 1e-8;

using BlockRow = std::array<double, kBlock>;

// The weight of an entry off the diagonal, as the solver sees it.
double exchange(double entry) { return std::clamp(entry, -kLargest, 0.0); }

// Rows joined to one with a rate, in breadth-first order from these: neighbours lie close together, which makes the
// ordering of a scattered mesh three times as quick.
std::vector<Index> warm_rows(const geometry::SparseMatrix& a, std::span<const double> rate) {
  std::vector<char> seen(a.size(), 0);
  std::vector<Index> order;
  order.reserve(a.size());
  for (Index start = 0; start < a.size(); ++start) {
    if (seen[start] != 0 || !(rate[start] > 0)) continue;
    seen[start] = 1;
    order.push_back(start);
    for (std::size_t i = order.size() - 1; i < order.size(); ++i)
      for (Index k = a.offsets[order[i]]; k < a.offsets[order[i] + 1]; ++k) {
        const Index j = a.columns[k];
        if (seen[j] != 0 || exchange(a.values[k]) == 0) continue;
        seen[j] = 1;
        order.push_back(j);
      }
  }
  return order;
}

}  // namespace

struct HeatSolver::Factor {
  std::vector<Index> rows;   // Row of the caller's matrix for each of ours.
  std::vector<Index> place;  // The other way round; kNone for rows that stay out.
  std::vector<double> rate;  // Of our rows.
  Eigen::SimplicialLDLT<HeatMatrix, Eigen::Lower, Eigen::AMDOrdering<int>> ldlt;
  std::vector<Index> turned;  // Where the ordering put our rows.
  Eigen::VectorXd inverse_pivots;
  bool regularized = false;
  bool failed = false;

  HeatMatrix assemble(const geometry::SparseMatrix& a, double more) const {
    const auto count = static_cast<Eigen::Index>(rows.size());
    HeatMatrix m(count, count);  // The lower half.
    Eigen::VectorXi entries(count);
    for (Index i = 0; i < rows.size(); ++i)
      entries[i] = static_cast<int>(a.offsets[rows[i] + 1] - a.offsets[rows[i]] + 1);
    m.reserve(entries);
    std::vector<std::pair<Index, double>> below;
    for (Index i = 0; i < rows.size(); ++i) {
      below.clear();
      double diagonal = rate[i];
      for (Index k = a.offsets[rows[i]]; k < a.offsets[rows[i] + 1]; ++k) {
        const double value = a.columns[k] == rows[i] ? 0 : exchange(a.values[k]);
        if (value == 0) continue;
        diagonal -= value;
        if (place[a.columns[k]] > i) below.emplace_back(place[a.columns[k]], value);
      }
      std::sort(below.begin(), below.end());
      m.insert(i, i) = diagonal * (1 + more);
      for (const auto& entry : below) m.insert(entry.first, i) = entry.second;
    }
    m.makeCompressed();
    return m;
  }

  bool factorize(const HeatMatrix& m) {
    ldlt.compute(m);
    if (ldlt.info() != Eigen::Success) return false;
    const auto& order = ldlt.permutationP().indices();
    turned.resize(rows.size());
    for (Index i = 0; i < rows.size(); ++i) turned[i] = order.size() > 0 ? static_cast<Index>(order[i]) : i;
    const Eigen::VectorXd pivots = ldlt.vectorD();
    for (Index i = 0; i < rows.size(); ++i)
      if (!(pivots[turned[i]] > kPivotShare * m.coeff(i, i))) return false;
    inverse_pivots = pivots.cwiseInverse();
    return inverse_pivots.allFinite();
  }

  // x ← (L·D·Lᵀ)⁻¹·x for eight columns, in the order of the factor.
  void solve(std::vector<BlockRow>& x) const {
    const HeatMatrix& lower = ldlt.matrixL().nestedExpression();
    const int* first = lower.outerIndexPtr();
    const int* row = lower.innerIndexPtr();
    const double* value = lower.valuePtr();
    for (std::size_t j = 0; j < x.size(); ++j) {
      const BlockRow xj = x[j];
      for (int p = first[j]; p < first[j + 1]; ++p) {
        BlockRow& xi = x[static_cast<std::size_t>(row[p])];
        const double l = value[p];
        for (std::size_t c = 0; c < kBlock; ++c) xi[c] -= l * xj[c];
      }
    }
    for (std::size_t j = x.size(); j-- > 0;) {
      BlockRow xj = x[j];
      for (double& v : xj) v *= inverse_pivots[static_cast<Eigen::Index>(j)];
      for (int p = first[j]; p < first[j + 1]; ++p) {
        const BlockRow& xi = x[static_cast<std::size_t>(row[p])];
        const double l = value[p];
        for (std::size_t c = 0; c < kBlock; ++c) xj[c] -= l * xi[c];
      }
      x[j] = xj;
    }
  }
};

HeatSolver::HeatSolver(const geometry::SparseMatrix& stiffness, std::span<const double> rate)
    : factor_(std::make_unique<Factor>()) {
  Factor& f = *factor_;
  f.rows = warm_rows(stiffness, rate);
  f.place.assign(stiffness.size(), kNone);
  for (Index i = 0; i < f.rows.size(); ++i) f.place[f.rows[i]] = i, f.rate.push_back(rate[f.rows[i]]);
  if (f.rows.empty() || f.factorize(f.assemble(stiffness, 0))) return;
  f.regularized = true;
  f.failed = !f.factorize(f.assemble(stiffness, kRegularization));
}

HeatSolver::HeatSolver(HeatSolver&&) noexcept = default;
HeatSolver& HeatSolver::operator=(HeatSolver&&) noexcept = default;
HeatSolver::~HeatSolver() = default;

bool HeatSolver::regularized() const { return factor_->regularized; }
bool HeatSolver::failed() const { return factor_->failed; }

std::vector<HeatColumn> HeatSolver::solve(std::span<const std::vector<HeatSource>> sources, double least,
                                          const Progress& progress) const {
  const Factor& f = *factor_;
  std::vector<HeatColumn> columns(sources.size());
  if (f.failed || f.rows.empty()) return columns;
  const std::size_t blocks = (sources.size() + kBlock - 1) / kBlock;
  parallel_for(
      blocks,
      [&](std::size_t block) {
        progress.check();
        std::vector<BlockRow> x(f.rows.size(), BlockRow{});
        const std::size_t first = block * kBlock, last = std::min(first + kBlock, sources.size());
        for (std::size_t c = first; c < last; ++c)
          for (const HeatSource& source : sources[c])
            if (const Index i = f.place[source.row]; i != kNone) x[f.turned[i]][c - first] = f.rate[i] * source.share;
        f.solve(x);
        for (Index row = 0; row < f.place.size(); ++row) {
          if (f.place[row] == kNone) continue;
          const BlockRow& values = x[f.turned[f.place[row]]];
          for (std::size_t c = first; c < last; ++c)
            if (values[c - first] >= least) {
              columns[c].rows.push_back(row);
              columns[c].values.push_back(static_cast<float>(std::min(values[c - first], 1.0)));
            }
        }
      },
      1);
  return columns;
}

}  // namespace sinew::binding
