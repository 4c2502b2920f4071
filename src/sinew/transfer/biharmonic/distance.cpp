// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/biharmonic/distance.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/geometry/operators/laplacian.h"
#include "sinew/geometry/operators/solver.h"

namespace sinew::transfer {
namespace {

constexpr Eigen::Index kSolveBlock = 32;

/// Solves L u = r for right-hand sides of sum 0, u of mean 0 by area.
class PseudoInverse {
 public:
  PseudoInverse(const geometry::Laplacian& laplacian)
      : solver_(laplacian.stiffness, std::array<Index, 1>{0}), mass_(laplacian.mass.size()) {
    for (std::size_t v = 0; v < laplacian.mass.size(); ++v) mass_[static_cast<Eigen::Index>(v)] = laplacian.mass[v];
    area_ = mass_.sum();
  }
  const Eigen::VectorXd& mass() const { return mass_; }
  double area() const { return area_; }
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right) const {
    Eigen::MatrixXd u = solver_.solve(right, Eigen::MatrixXd::Zero(1, right.cols())).x;
    for (Eigen::Index c = 0; c < u.cols(); ++c) u.col(c).array() -= mass_.dot(u.col(c)) / area_;
    return u;
  }
  /// u_x of L u = e_x − A·1/|A| for some vertices.
  Eigen::MatrixXd potentials(std::span<const Index> vertices) const {
    Eigen::MatrixXd right(mass_.size(), static_cast<Eigen::Index>(vertices.size()));
    for (std::size_t c = 0; c < vertices.size(); ++c) {
      right.col(static_cast<Eigen::Index>(c)) = -mass_ / area_;
      right(vertices[c], static_cast<Eigen::Index>(c)) += 1;
    }
    return solve(right);
  }

 private:
  geometry::FixedValueSolver solver_;
  Eigen::VectorXd mass_;
  double area_ = 0;
};

}  // namespace

Eigen::MatrixXd spectral_distances(const Spectrum& spectrum, std::span<const Index> sources) {
  const auto count = static_cast<Eigen::Index>(spectrum.vertex_count);
  Eigen::MatrixXd squared = Eigen::MatrixXd::Zero(count, static_cast<Eigen::Index>(sources.size()));
  parallel_for(
      sources.size(),
      [&](std::size_t l) {
        const auto column = static_cast<Eigen::Index>(l);
        for (std::size_t k = 0; k < spectrum.values.size(); ++k) {
          const auto mode = static_cast<Eigen::Index>(k);
          squared.col(column).array() +=
              ((spectrum.modes.col(mode).array() - spectrum.modes(sources[l], mode)) / spectrum.values[k]).square();
        }
      },
      1);
  return squared.cwiseSqrt();
}

Eigen::MatrixXd exact_distances(const geometry::TriangleSurface& surface, std::span<const Index> sources,
                                const Progress& progress) {
  const geometry::Laplacian laplacian = geometry::cotangent_laplacian(surface.positions, surface.triangles);
  if (*std::min_element(laplacian.mass.begin(), laplacian.mass.end()) <= 0)
    throw Error("A vertex of the surface belongs to no face of positive area.");
  const PseudoInverse inverse(laplacian);
  const Eigen::Index count = inverse.mass().size();
  Eigen::VectorXd diagonal(count);
  std::vector<Index> block;
  for (Eigen::Index first = 0; first < count; first += kSolveBlock) {
    progress.check();
    block.clear();
    for (Eigen::Index v = first; v < std::min(count, first + kSolveBlock); ++v) block.push_back(static_cast<Index>(v));
    const Eigen::MatrixXd u = inverse.potentials(block);
    for (Eigen::Index c = 0; c < u.cols(); ++c)
      diagonal[first + c] = u.col(c).dot(inverse.mass().cwiseProduct(u.col(c)));
  }
  const Eigen::MatrixXd u = inverse.potentials(sources);
  const Eigen::MatrixXd green = inverse.solve(inverse.mass().asDiagonal() * u);
  Eigen::MatrixXd distances(count, u.cols());
  for (Eigen::Index l = 0; l < u.cols(); ++l)
    distances.col(l) =
        (diagonal.array() + diagonal[sources[static_cast<std::size_t>(l)]] - 2 * green.col(l).array()).max(0.0).sqrt();
  return distances;
}

}  // namespace sinew::transfer
