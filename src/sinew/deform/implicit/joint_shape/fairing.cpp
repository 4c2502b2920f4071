// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/fairing.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace sinew::deform {
namespace {

constexpr double kLeastWeight = 1e-4;  ///< Of the mean weight.

/// The cotangent of the angle at c in the triangle a, b, c.
double corner_cotangent(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 x = a - c, y = b - c;
  const double sine = x.cross(y).norm();
  return sine > 0 ? x.dot(y) / sine : 0;
}

/// cot α + cot β per edge of the closure of a hole.
std::map<std::pair<Index, Index>, double> edge_weights(const ClosedPart& part, const std::vector<Index>& unknown) {
  std::map<std::pair<Index, Index>, double> weights;
  for (std::size_t t = part.fixed_triangles; t < part.triangles.size(); ++t) {
    const auto& corners = part.triangles[t];
    if (std::all_of(corners.begin(), corners.end(), [&](Index v) { return unknown[v] == kNone; })) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = corners[k], b = corners[(k + 1) % 3], c = corners[(k + 2) % 3];
      weights[std::minmax(a, b)] += corner_cotangent(part.positions[a], part.positions[b], part.positions[c]);
    }
  }
  double mean = 0;
  for (const auto& [edge, weight] : weights) mean += std::max(weight, 0.0) / static_cast<double>(weights.size());
  for (auto& [edge, weight] : weights) weight = std::max(weight, kLeastWeight * mean);
  return weights;
}

/// The distance of a vertex of the border from the nearest of the hole's bones.
double border_distance(const PartHole& hole, const Vec3& p) {
  const HoleBone* nearest = &hole.bones.front();
  for (const HoleBone& bone : hole.bones)
    if ((bone.joint - p).squaredNorm() < (nearest->joint - p).squaredNorm()) nearest = &bone;
  return (p - foot_on(*nearest, p).point).norm();
}

}  // namespace

void fair_distances(ClosedPart& part, Index hole) {
  std::vector<Index> unknown(part.positions.size(), kNone), vertices;
  for (Index i = 0; i < part.closure.size(); ++i)
    if (part.closure[i].hole == hole) {
      unknown[part.fixed_vertices + i] = static_cast<Index>(vertices.size());
      vertices.push_back(i);
    }
  if (vertices.empty() || !part.holes[hole].at_joint()) return;
  const auto size = static_cast<Eigen::Index>(vertices.size());
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
  for (const auto& [edge, weight] : edge_weights(part, unknown))
    for (const auto& [v, other] : {edge, std::pair(edge.second, edge.first)}) {
      if (unknown[v] == kNone) continue;
      entries.emplace_back(unknown[v], unknown[v], weight);
      if (unknown[other] != kNone) entries.emplace_back(unknown[v], unknown[other], -weight);
      else right[unknown[v]] += weight * border_distance(part.holes[hole], part.positions[other]);
    }
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(matrix);
  if (solver.info() != Eigen::Success) return;
  const Eigen::VectorXd distances = solver.solve(right);
  if (!distances.allFinite()) return;
  for (Eigen::Index i = 0; i < size; ++i) part.closure[vertices[static_cast<std::size_t>(i)]].distance = distances[i];
  part.place();
}

}  // namespace sinew::deform
