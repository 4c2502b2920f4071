// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/disk_map.h"

#include <Eigen/SparseCholesky>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "sinew/core/angles.h"
#include "sinew/geometry/mesh/triangle_soup.h"

namespace sinew::deform {

DiskMap::DiskMap(std::vector<Vec3> points, std::size_t border, std::vector<std::array<Index, 3>> triangles)
    : points_(std::move(points)), triangles_(std::move(triangles)) {
  std::vector<double> along = {0};
  for (std::size_t i = 0; i < border; ++i)
    along.push_back(along.back() + (points_[(i + 1) % border] - points_[i]).norm());
  if (!(along.back() > 0)) return;
  std::vector<Vec2> plane(points_.size(), Vec2::Zero());
  for (std::size_t i = 0; i < border; ++i) {
    const double angle = kTwoPi * along[i] / along.back();
    plane[i] = Vec2(std::cos(angle), std::sin(angle));
  }
  std::set<std::pair<Index, Index>> edges;
  for (const auto& t : triangles_)
    for (std::size_t k = 0; k < 3; ++k) edges.insert(std::minmax(t[k], t[(k + 1) % 3]));
  const auto inner = static_cast<Eigen::Index>(points_.size() - border);
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(inner, 2);
  for (const auto& edge : edges)
    for (const auto& [v, other] : {edge, std::pair(edge.second, edge.first)}) {
      if (v < border) continue;
      const auto row = static_cast<Eigen::Index>(v - border);
      entries.emplace_back(row, row, 1);
      if (other >= border) entries.emplace_back(row, static_cast<Eigen::Index>(other - border), -1);
      else right.row(row) += plane[other].transpose();
    }
  if (inner > 0) {
    Eigen::SparseMatrix<double> matrix(inner, inner);
    matrix.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(matrix);
    if (solver.info() != Eigen::Success) return;
    const Eigen::MatrixXd places = solver.solve(right);
    if (!places.allFinite()) return;
    for (Eigen::Index i = 0; i < inner; ++i) plane[border + static_cast<std::size_t>(i)] = places.row(i).transpose();
  }
  plane_ = std::move(plane);
}

Vec2 DiskMap::place(const Vec3& p) const {
  double least = std::numeric_limits<double>::infinity();
  Vec2 best = Vec2::Zero();
  for (const auto& t : triangles_) {
    const auto near = geometry::closest_on_triangle(p, points_[t[0]], points_[t[1]], points_[t[2]]);
    if (const double squared = (near.point - p).squaredNorm(); squared < least) {
      least = squared;
      best =
          near.barycentric[0] * plane_[t[0]] + near.barycentric[1] * plane_[t[1]] + near.barycentric[2] * plane_[t[2]];
    }
  }
  return best;
}

}  // namespace sinew::deform
