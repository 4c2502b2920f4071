// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/beam_scheme.h"

#include <Eigen/LU>

#include <cmath>

#include "sinew/deform/curves/beam_modes.h"

namespace sinew::deform {

double explicit_step_limit(double c, Index nodes) {
  return 1 / (2 * std::sqrt(c) * static_cast<double>(nodes) * static_cast<double>(nodes));
}

std::vector<double> scheme_response(TimeScheme scheme, double eigenvalue, int steps) {
  constexpr double kBeta = 0.25;
  const double step = 1.0 / steps, stiffness = step * step * eigenvalue, load = step * step;
  std::vector<double> q(static_cast<std::size_t>(steps) + 1, 0.0);
  // A unit force first; displacements are linear in it.
  for (int n = 0; n < steps; ++n) {
    const double here = q[n], before = n == 0 ? 0 : q[n - 1];
    double next = 0;
    switch (scheme) {
      case TimeScheme::kExplicit:
        next = n == 0 ? load / 2 : 2 * here - before + load - stiffness * here;
        break;
      case TimeScheme::kNewmark: {
        const double inertia = 1 + kBeta * stiffness;
        next = n == 0 ? load / (2 * inertia)
                      : ((2 - (1 - 2 * kBeta) * stiffness) * here - inertia * before + load) / inertia;
        break;
      }
      case TimeScheme::kImplicit:
        next = n == 0 ? load / (2 + stiffness) : (2 * here - before + load) / (1 + stiffness);
        break;
    }
    q[n + 1] = next;
  }
  const double end = q.back();
  for (double& value : q) value /= end;
  return q;
}

CyclicBands::CyclicBands(Index nodes, double shift, double scale)
    : nodes_(nodes), corner_(shift + 6 * scale), near_(-4 * scale), far_(scale) {
  const Index count = nodes - 2;
  diagonal_.resize(count), below_.assign(count, 0.0), second_.assign(count, 0.0);
  for (Index i = 0; i < count; ++i) {
    const double d1 = i >= 1 ? diagonal_[i - 1] : 0, d2 = i >= 2 ? diagonal_[i - 2] : 0;
    if (i >= 2) second_[i] = far_ / d2;
    if (i >= 1) below_[i] = (near_ - (i >= 2 ? second_[i] * d2 * below_[i - 1] : 0)) / d1;
    diagonal_[i] = corner_ - below_[i] * below_[i] * d1 - second_[i] * second_[i] * d2;
  }
  // Columns of the last two nodes: each touches the two nodes before it and, around the corner, the first ones.
  std::vector<Vec3> columns(count, Vec3::Zero());
  const auto add = [&](Index column, Index distance_node, double value) {
    if (distance_node < count) columns[distance_node][column] += value;
  };
  const Index a = nodes - 2, b = nodes - 1;
  add(0, (a + 1) % nodes, near_), add(0, (a + 2) % nodes, far_);
  add(0, a - 1, near_), add(0, a - 2, far_);
  add(1, (b + 1) % nodes, near_), add(1, (b + 2) % nodes, far_);
  add(1, b - 1, near_), add(1, b - 2, far_);
  const std::vector<Vec3> plain = columns;
  solve_bands(columns, count);
  Eigen::Matrix2d schur;
  schur << corner_, near_, near_, corner_;
  for (int r = 0; r < 2; ++r) {
    border_[r].resize(count);
    for (Index i = 0; i < count; ++i) border_[r][i] = columns[i][r];
    for (int s = 0; s < 2; ++s)
      for (Index i = 0; i < count; ++i) schur(s, r) -= plain[i][s] * columns[i][r];
  }
  schur_inverse_ = schur.inverse();
}

void CyclicBands::solve_bands(std::vector<Vec3>& rows, Index count) const {
  for (Index i = 0; i < count; ++i) {
    if (i >= 1) rows[i] -= below_[i] * rows[i - 1];
    if (i >= 2) rows[i] -= second_[i] * rows[i - 2];
  }
  for (Index i = 0; i < count; ++i) rows[i] /= diagonal_[i];
  for (Index i = count; i-- > 0;) {
    if (i + 1 < count) rows[i] -= below_[i + 1] * rows[i + 1];
    if (i + 2 < count) rows[i] -= second_[i + 2] * rows[i + 2];
  }
}

void CyclicBands::solve(std::vector<Vec3>& rows) const {
  const Index count = nodes_ - 2;
  solve_bands(rows, count);
  // The columns again, applied to what the bands alone give.
  std::array<Vec3, 2> rest = {rows[count], rows[count + 1]};
  for (Index r = 0; r < 2; ++r) {
    const Index own = count + r;
    const auto take = [&](Index node, double value) {
      if (node < count) rest[r] -= value * rows[node];
    };
    take((own + 1) % nodes_, near_), take((own + 2) % nodes_, far_);
    take(own - 1, near_), take(own - 2, far_);
  }
  const std::array<Vec3, 2> last = {schur_inverse_(0, 0) * rest[0] + schur_inverse_(0, 1) * rest[1],
                                    schur_inverse_(1, 0) * rest[0] + schur_inverse_(1, 1) * rest[1]};
  for (Index i = 0; i < count; ++i) rows[i] -= border_[0][i] * last[0] + border_[1][i] * last[1];
  rows[count] = last[0];
  rows[count + 1] = last[1];
}

std::vector<std::vector<Vec3>> march_closed(const std::vector<Vec3>& target, double c, int steps) {
  const auto nodes = static_cast<Index>(target.size());
  const BeamModes modes = closed_modes(nodes);
  Eigen::MatrixXd ends(nodes, 3);
  for (Index i = 0; i < nodes; ++i) ends.row(i) = target[i].transpose();
  Eigen::MatrixXd force = modes.project(ends);
  const double step = 1.0 / steps;
  for (Index k = 0; k < nodes; ++k) {
    const double eigenvalue = c * modes.rates[k] * modes.rates[k];
    const double first = scheme_response(TimeScheme::kImplicit, eigenvalue, steps)[1];
    force.row(k) *= first * (2 + step * step * eigenvalue) / (step * step);
  }
  const Eigen::MatrixXd load = step * step * (modes.shapes * force);
  const double scale = step * step * c * std::pow(static_cast<double>(nodes), 4);
  const CyclicBands start(nodes, 2, scale), go_on(nodes, 1, scale);
  std::vector<std::vector<Vec3>> all;
  for (int n = 0; n < steps; ++n) {
    std::vector<Vec3> q(nodes);
    for (Index i = 0; i < nodes; ++i) {
      q[i] = load.row(i).transpose();
      if (n >= 1) q[i] += 2 * all[n - 1][i];
      if (n >= 2) q[i] -= all[n - 2][i];
    }
    (n == 0 ? start : go_on).solve(q);
    all.push_back(std::move(q));
  }
  return all;
}

}  // namespace sinew::deform
