// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/heat/heat_solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sinew/binding/heat/heat_factor.h"
#include "sinew/core/parallel.h"

namespace sinew::binding {
namespace {

constexpr std::size_t kBlock = HeatFactor::kColumns;
constexpr double kLargest = 1e5;  // Of a weight between two rows.
constexpr double kRegularization = 1e-8;

// The weight of an entry off the diagonal, as the solver sees it.
double exchange(double entry) { return std::clamp(entry, -kLargest, 0.0); }

// Rows joined to one with a rate, rising.
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
  order.clear();
  for (Index row = 0; row < a.size(); ++row)
    if (seen[row] != 0) order.push_back(row);
  return order;
}

}  // namespace

struct HeatSolver::System {
  std::vector<Index> rows;   // Row of the caller's matrix for each of ours.
  std::vector<Index> place;  // The other way round; kNone for rows that stay out.
  std::vector<double> rate;  // Of our rows.
  std::vector<Vec3> positions;
  std::unique_ptr<HeatFactor> factor;
  bool regularized = false;

  bool failed() const { return factor && !factor->ok(); }

  geometry::SparseMatrix assemble(const geometry::SparseMatrix& a, double more) const {
    geometry::SparseMatrix m;
    m.offsets.reserve(rows.size() + 1);
    m.columns.reserve(a.columns.size());
    m.values.reserve(a.columns.size());
    for (Index i = 0; i < rows.size(); ++i) {
      double diagonal = rate[i];
      std::size_t own = m.columns.size();
      const auto push = [&](Index column, double value) {
        m.columns.push_back(column);
        m.values.push_back(value);
      };
      for (Index k = a.offsets[rows[i]]; k < a.offsets[rows[i] + 1]; ++k) {
        const double value = a.columns[k] == rows[i] ? 0 : exchange(a.values[k]);
        if (value == 0) continue;
        diagonal -= value;
        push(place[a.columns[k]], value);
        if (a.columns[k] < rows[i]) own = m.columns.size();
      }
      m.columns.insert(m.columns.begin() + static_cast<std::ptrdiff_t>(own), i);
      m.values.insert(m.values.begin() + static_cast<std::ptrdiff_t>(own), diagonal * (1 + more));
      m.offsets.push_back(static_cast<Index>(m.columns.size()));
    }
    return m;
  }
};

HeatSolver::HeatSolver(const geometry::SparseMatrix& stiffness, std::span<const double> rate,
                       std::span<const Vec3> positions)
    : system_(std::make_unique<System>()) {
  System& s = *system_;
  s.rows = warm_rows(stiffness, rate);
  s.place.assign(stiffness.size(), kNone);
  for (Index i = 0; i < s.rows.size(); ++i) {
    s.place[s.rows[i]] = i;
    s.rate.push_back(rate[s.rows[i]]);
    s.positions.push_back(positions[s.rows[i]]);
  }
  if (s.rows.empty()) return;
  s.factor = std::make_unique<HeatFactor>(s.assemble(stiffness, 0), s.positions);
  if (s.factor->ok()) return;
  s.regularized = true;
  s.factor = std::make_unique<HeatFactor>(s.assemble(stiffness, kRegularization), s.positions);
}

HeatSolver::HeatSolver(HeatSolver&&) noexcept = default;
HeatSolver& HeatSolver::operator=(HeatSolver&&) noexcept = default;
HeatSolver::~HeatSolver() = default;

bool HeatSolver::regularized() const { return system_->regularized; }
bool HeatSolver::failed() const { return system_->failed(); }

std::vector<HeatColumn> HeatSolver::solve(std::span<const std::vector<HeatSource>> sources, double least,
                                          const Progress& progress) const {
  const System& s = *system_;
  std::vector<HeatColumn> columns(sources.size());
  if (!s.factor || !s.factor->ok()) return columns;
  const std::size_t blocks = (sources.size() + kBlock - 1) / kBlock;
  parallel_for(
      blocks,
      [&](std::size_t block) {
        progress.check();
        HeatFactor::Work work = s.factor->make_work();
        std::vector<Index> places;
        const std::size_t first = block * kBlock, last = std::min(first + kBlock, sources.size());
        for (std::size_t c = first; c < last; ++c)
          for (const HeatSource& source : sources[c])
            if (const Index i = s.place[source.row]; i != kNone) {
              places.push_back(s.factor->place(i));
              work.x[places.back()][c - first] = s.rate[i] * source.share;
            }
        s.factor->solve(places, least, work);
        for (Index i = 0; i < s.rows.size(); ++i) {
          const Index place = s.factor->place(i);
          if (work.reached[place] == 0) continue;
          const HeatFactor::BlockRow& values = work.x[place];
          for (std::size_t c = first; c < last; ++c)
            if (values[c - first] >= least) {
              columns[c].rows.push_back(s.rows[i]);
              columns[c].values.push_back(static_cast<float>(std::min(values[c - first], 1.0)));
            }
        }
      },
      1);
  return columns;
}

}  // namespace sinew::binding
