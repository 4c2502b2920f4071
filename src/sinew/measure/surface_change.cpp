// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/surface_change.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"

namespace sinew::measure {
namespace {

double between_ranks(const std::vector<double>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

SurfaceChange::SurfaceChange(const Mesh& mesh, const geometry::Welding& welding)
    : first_(welding.first), rings_(geometry::one_rings(mesh, &welding)), area_(welding.count(), 0) {
  rest_.reserve(first_.size());
  for (const Index v : first_) rest_.push_back(mesh.positions[v]);
  for (Index a = 0; a < rings_.size(); ++a)
    for (const Index b : rings_[a]) {
      const double length = (rest_[b] - rest_[a]).norm();
      if (b > a && length > 0) edges_.emplace_back(a, b), lengths_.push_back(length);
    }
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    if (face.size() < 3) continue;
    Vec3 twice = Vec3::Zero();
    for (std::size_t k = 1; k + 1 < face.size(); ++k)
      twice += (mesh.positions[face[k]] - mesh.positions[face[0]])
                   .cross(mesh.positions[face[k + 1]] - mesh.positions[face[0]]);
    for (const Index v : face) area_[welding.welded[v]] += twice.norm() / 2 / static_cast<double>(face.size());
  }
}

EdgeStretch SurfaceChange::stretch(std::span<const Vec3> positions) const {
  EdgeStretch result;
  result.edges = static_cast<Index>(edges_.size());
  if (edges_.empty()) return result;
  std::vector<double> ratios(edges_.size());
  parallel_for(edges_.size(), [&](std::size_t e) {
    ratios[e] = (positions[first_[edges_[e].second]] - positions[first_[edges_[e].first]]).norm() / lengths_[e];
  });
  std::sort(ratios.begin(), ratios.end());
  for (std::size_t i = 0; i < result.percentiles.size(); ++i)
    result.percentiles[i] = between_ranks(ratios, EdgeStretch::kShares[i]);
  return result;
}

double SurfaceChange::roughness(std::span<const Vec3> positions) const {
  struct Sum {
    double change = 0, area = 0;
  };
  const Sum sum = parallel_reduce(
      first_.size(), Sum{},
      [&](std::size_t begin, std::size_t end) {
        Sum block;
        for (std::size_t i = begin; i < end; ++i) {
          const auto ring = rings_[i];
          if (ring.empty() || area_[i] == 0) continue;
          Mat3 covariance = Mat3::Zero();
          Vec3 before = Vec3::Zero(), now = Vec3::Zero();
          double reach = 0;
          for (const Index k : ring) {
            const Vec3 e = rest_[k] - rest_[i], d = positions[first_[k]] - positions[first_[i]];
            covariance += d * e.transpose();
            before += e, now += d, reach += e.norm();
          }
          if (reach == 0) continue;
          // The mean's division by the ring's size cancels between δ and h.
          block.change += area_[i] * (now - polar(covariance).rotation * before).squaredNorm() / (reach * reach);
          block.area += area_[i];
        }
        return block;
      },
      [](Sum a, const Sum& b) {
        a.change += b.change, a.area += b.area;
        return a;
      });
  return sum.area > 0 ? std::sqrt(sum.change / sum.area) : 0;
}

ShapeDistance shape_distance(std::span<const Vec3> a, std::span<const Vec3> b) {
  assert(a.size() == b.size());
  ShapeDistance result;
  double sum = 0, farthest = -1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double squared = (a[i] - b[i]).squaredNorm();
    sum += squared;
    if (squared > farthest) farthest = squared, result.farthest = static_cast<Index>(i);
  }
  if (a.empty()) return result;
  result.max = std::sqrt(farthest);
  result.rms = std::sqrt(sum / static_cast<double>(a.size()));
  return result;
}

}  // namespace sinew::measure
