// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/curves/beam_modes.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"

namespace sinew::deform {
namespace {

// Modes of a symmetric stiffness with a diagonal mass. Eigenvalues of rigid motions come out as tiny negative numbers.
BeamModes modes_of(const Eigen::MatrixXd& stiffness, const Eigen::VectorXd& mass) {
  const Eigen::VectorXd scale = mass.cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = scale.asDiagonal() * stiffness * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled);
  return {solver.eigenvalues().cwiseMax(0).cwiseSqrt(), scale.asDiagonal() * solver.eigenvectors(), mass};
}

// Second difference of an open line, without its ends, times nodes².
Eigen::MatrixXd second_difference(Index nodes) {
  const double spacing = 1.0 / (nodes - 1);
  Eigen::MatrixXd d = Eigen::MatrixXd::Zero(nodes - 2, nodes);
  for (Index m = 0; m + 2 < nodes; ++m) {
    d(m, m) = d(m, m + 2) = 1 / (spacing * spacing);
    d(m, m + 1) = -2 / (spacing * spacing);
  }
  return d;
}

BeamModes guided_modes(Index nodes) {
  const Index segments = nodes - 1;
  BeamModes modes;
  modes.mass = Eigen::VectorXd::Ones(nodes);
  modes.mass[0] = modes.mass[segments] = 0.5;
  modes.rates.resize(nodes);
  modes.shapes.resize(nodes, nodes);
  for (Index k = 0; k < nodes; ++k) {
    const double s = std::sin(kPi * k / (2.0 * segments));
    modes.rates[k] = 4.0 * segments * segments * s * s;
    for (Index m = 0; m < nodes; ++m)
      modes.shapes(m, k) = std::cos(kPi * static_cast<double>(k) * m / static_cast<double>(segments));
    modes.shapes.col(k) /= std::sqrt((modes.shapes.col(k).cwiseAbs2().cwiseProduct(modes.mass)).sum());
  }
  return modes;
}

// One or two nodes can only move rigidly.
BeamModes rigid_modes(Index nodes) {
  return {Eigen::VectorXd::Zero(nodes), Eigen::MatrixXd::Identity(nodes, nodes), Eigen::VectorXd::Ones(nodes)};
}

}  // namespace

Eigen::MatrixXd BeamModes::project(const Eigen::MatrixXd& displacements) const {
  return shapes.transpose() * (mass.asDiagonal() * displacements);
}

Index closed_modes_below(Index nodes, double rate) {
  // 4 n² sin²(πk/n) < rate, for k up to n/2; each k but the first and the last has two modes.
  const double n = nodes, ratio = std::sqrt(std::max(rate, 0.0)) / (2 * n);
  if (ratio > 1) return nodes;
  Index k = static_cast<Index>(n * std::asin(ratio) / kPi) + 2;
  const auto turn = [&](Index turns) { return 4 * n * n * std::pow(std::sin(kPi * turns / n), 2); };
  while (k > 0 && !(turn(k - 1) < rate)) --k;
  return k == 0 ? 0 : std::min(nodes, 2 * k - 1);
}

BeamModes closed_modes(Index nodes, Index most) {
  BeamModes modes;
  const Index count = std::min(nodes, most);
  modes.mass = Eigen::VectorXd::Ones(nodes);
  modes.rates.resize(count);
  modes.shapes.resize(nodes, count);
  for (Index column = 0; column < count; ++column) {
    // 0, then cosine and sine of 1, 2, …; an even count ends with a cosine alone.
    const Index k = (column + 1) / 2;
    const bool cosine = column == 0 || column % 2 == 1;
    const double s = std::sin(kPi * k / static_cast<double>(nodes));
    modes.rates[column] = 4.0 * nodes * static_cast<double>(nodes) * s * s;
    const bool alone = k == 0 || 2 * k == nodes;
    const double scale = std::sqrt((alone ? 1.0 : 2.0) / nodes);
    for (Index m = 0; m < nodes; ++m) {
      const double angle = 2 * kPi * static_cast<double>(static_cast<std::uint64_t>(k) * m % nodes) / nodes;
      modes.shapes(m, column) = scale * (cosine ? std::cos(angle) : std::sin(angle));
    }
  }
  return modes;
}

BeamModes open_modes(Index nodes, CurveEnds ends) {
  if (nodes < 3) return rigid_modes(nodes);
  if (ends == CurveEnds::kGuided) return guided_modes(nodes);
  if (ends == CurveEnds::kFree) {
    Eigen::VectorXd mass = Eigen::VectorXd::Ones(nodes);
    mass[0] = mass[nodes - 1] = 0.5;
    return modes_of(open_stiffness(nodes, ends), mass);
  }
  const BeamModes inner = modes_of(open_stiffness(nodes, ends), Eigen::VectorXd::Ones(nodes - 2));
  BeamModes modes;
  modes.mass = Eigen::VectorXd::Ones(nodes);
  modes.rates = inner.rates;
  modes.shapes = Eigen::MatrixXd::Zero(nodes, nodes - 2);
  modes.shapes.middleRows(1, nodes - 2) = inner.shapes;
  return modes;
}

BeamModes uneven_modes(std::span<const double> lengths, bool closed) {
  const auto segments = static_cast<Index>(lengths.size());
  const Index nodes = closed ? segments : segments + 1;
  double total = 0;
  for (const double length : lengths) total += length;
  if (nodes < 3 || !(total > 0)) return rigid_modes(nodes);
  Eigen::MatrixXd laplacian = Eigen::MatrixXd::Zero(nodes, nodes);
  Eigen::VectorXd mass = Eigen::VectorXd::Zero(nodes);
  for (Index i = 0; i < segments; ++i) {
    const double h = std::max(lengths[i] / total, 1e-4 / nodes);
    const Index a = i, b = (i + 1) % nodes;
    laplacian(a, a) += 1 / h, laplacian(b, b) += 1 / h;
    laplacian(a, b) -= 1 / h, laplacian(b, a) -= 1 / h;
    mass[a] += h / 2, mass[b] += h / 2;
  }
  BeamModes modes = modes_of(laplacian, mass);
  // The fourth derivative is the square of the second, so its eigenvalues are squares, too.
  modes.rates = modes.rates.cwiseAbs2().eval();
  return modes;
}

Eigen::MatrixXd end_lift(const Eigen::MatrixXd& displacements) {
  const Eigen::Index nodes = displacements.rows(), last = nodes - 1;
  Eigen::MatrixXd lift(nodes, displacements.cols());
  // One-sided slopes of second order where there are enough nodes.
  const auto slope = [&](Eigen::Index end, Eigen::Index step) -> Eigen::RowVectorXd {
    const auto d = [&](Eigen::Index i) { return displacements.row(end + i * step); };
    const double scale = static_cast<double>(last * step);
    if (nodes < 3) return scale * (d(1) - d(0));
    return scale * (-1.5 * d(0) + 2.0 * d(1) - 0.5 * d(2));
  };
  const Eigen::RowVectorXd first = slope(0, 1), end = slope(last, -1);
  for (Eigen::Index m = 0; m < nodes; ++m) {
    const double v = static_cast<double>(m) / static_cast<double>(last), u = 1 - v;
    lift.row(m) = u * u * (1 + 2 * v) * displacements.row(0) + v * v * (1 + 2 * u) * displacements.row(last) +
                  v * u * u * first - u * v * v * end;
  }
  return lift;
}

Eigen::MatrixXd closed_stiffness(Index nodes) {
  Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(nodes, nodes);
  const double scale = std::pow(static_cast<double>(nodes), 4);
  constexpr std::array<double, 5> kDifference = {1, -4, 6, -4, 1};
  for (Index m = 0; m < nodes; ++m)
    for (Index i = 0; i < 5; ++i) stiffness(m, (m + 2 * nodes + i - 2) % nodes) += scale * kDifference[i];
  return stiffness;
}

Eigen::MatrixXd open_stiffness(Index nodes, CurveEnds ends) {
  if (ends == CurveEnds::kFree) {
    const Eigen::MatrixXd d = second_difference(nodes);
    return d.transpose() * d;
  }
  const Index inner = nodes - 2;
  const double scale = std::pow(static_cast<double>(nodes - 1), 4);
  Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(inner, inner);
  for (Index m = 0; m < inner; ++m) {
    stiffness(m, m) = 6 * scale;
    if (m + 1 < inner) stiffness(m, m + 1) = stiffness(m + 1, m) = -4 * scale;
    if (m + 2 < inner) stiffness(m, m + 2) = stiffness(m + 2, m) = scale;
  }
  // A mirrored ghost node beyond each end keeps the slope zero.
  stiffness(0, 0) += scale;
  stiffness(inner - 1, inner - 1) += scale;
  return stiffness;
}

}  // namespace sinew::deform
