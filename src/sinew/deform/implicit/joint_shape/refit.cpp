// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/refit.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "sinew/geometry/spatial/random.h"

namespace sinew::deform {
namespace {

constexpr int kClosedCandidates = 20;
constexpr double kClosedDisk = 0.75;   ///< Of the distance in the densest packing.
constexpr double kFromExisting = 0.7;  ///< Of the disk, from samples of the part.
constexpr int kMarchSteps = 12, kHalvings = 16;
constexpr double kFarthest = 3;
constexpr double kWorstApart = 0.25;  ///< Of the distance between samples, for those added where a function is off.

constexpr double kLeastMoreSkin = 0.03;  ///< Of a part's area.
constexpr int kLeastMoreSamples = 8, kMostMoreSamples = 80;

std::vector<Vec3> vertex_normals(const ClosedPart& part) {
  std::vector<Vec3> normals(part.positions.size(), Vec3::Zero());
  for (const auto& t : part.triangles) {
    const Vec3& a = part.positions[t[0]];
    const Vec3 normal = (part.positions[t[1]] - a).cross(part.positions[t[2]] - a);
    for (const Index v : t) normals[v] += normal;
  }
  for (Vec3& normal : normals) normal = normal.norm() > 0 ? Vec3(normal.normalized()) : Vec3(Vec3::Zero());
  return normals;
}

}  // namespace

std::vector<Index> closure_triangles(const ClosedPart& part, Index hole) {
  std::vector<char> inside(part.positions.size(), 0), border(part.positions.size(), 0);
  for (std::size_t i = 0; i < part.closure.size(); ++i)
    if (part.closure[i].hole == hole) inside[part.fixed_vertices + i] = 1;
  for (const Index v : part.holes[hole].loop) border[v] = 1;
  std::vector<Index> triangles;
  for (Index t = part.fixed_triangles; t < part.triangles.size(); ++t) {
    const auto& corners = part.triangles[t];
    if (std::all_of(corners.begin(), corners.end(), [&](Index v) { return inside[v] != 0 || border[v] != 0; }))
      triangles.push_back(t);
  }
  return triangles;
}

std::vector<SurfaceSample> closed_samples(const ClosedPart& part, std::span<const Index> triangles, int count,
                                          std::span<const SurfaceSample> existing, std::uint64_t seed) {
  const std::vector<Vec3> normals = vertex_normals(part);
  std::vector<double> sums;
  double area = 0;
  for (const Index t : triangles) {
    const auto& c = part.triangles[t];
    const Vec3& a = part.positions[c[0]];
    area += 0.5 * (part.positions[c[1]] - a).cross(part.positions[c[2]] - a).norm();
    sums.push_back(area);
  }
  std::vector<SurfaceSample> samples;
  if (!(area > 0)) return samples;
  const double disk = kClosedDisk * std::sqrt(2 * area / (std::numbers::sqrt3 * count));
  const auto near = [](std::span<const SurfaceSample> list, const Vec3& p, double distance) {
    return std::any_of(list.begin(), list.end(),
                       [&](const SurfaceSample& s) { return (s.point - p).squaredNorm() < distance * distance; });
  };
  geometry::Random random(seed);
  for (int i = 0; i < kClosedCandidates * count; ++i) {
    const double at = random.uniform() * area, r = std::sqrt(random.uniform()), s = random.uniform();
    const auto t = static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end(), at) - sums.begin());
    const auto& c = part.triangles[triangles[std::min(t, triangles.size() - 1)]];
    const double u = 1 - r, v = r * (1 - s), w = r * s;
    const Vec3 p = u * part.positions[c[0]] + v * part.positions[c[1]] + w * part.positions[c[2]];
    const Vec3 n = u * normals[c[0]] + v * normals[c[1]] + w * normals[c[2]];
    if (!(n.norm() > 1e-3) || near(samples, p, disk) || near(existing, p, kFromExisting * disk)) continue;
    samples.push_back({p, n.normalized()});
  }
  return samples;
}

std::vector<SurfaceSample> skin_samples(const ClosedPart& part, std::span<const char> sampled,
                                        std::span<const SurfaceSample> existing, std::uint64_t seed) {
  std::vector<Index> more;
  double more_area = 0, area = 0;
  for (Index t = 0; t < part.fixed_triangles; ++t) {
    const auto& c = part.triangles[t];
    const Vec3& a = part.positions[c[0]];
    const double size = (part.positions[c[1]] - a).cross(part.positions[c[2]] - a).norm();
    area += size;
    const auto known = [&](Index v) { return part.source[v] != kNone && sampled[part.source[v]] != 0; };
    if (std::all_of(c.begin(), c.end(), known)) continue;
    more.push_back(t);
    more_area += size;
  }
  if (!(more_area > kLeastMoreSkin * area)) return {};
  const double dense = static_cast<double>(existing.size()) / std::max(area - more_area, 0.01 * area);
  const int count =
      static_cast<int>(std::clamp(dense * more_area, double{kLeastMoreSamples}, double{kMostMoreSamples}));
  return closed_samples(part, more, count, existing, seed);
}

double surface_distance(const Hrbf& function, const ClosureVertex& vertex) {
  const auto value = [&](double t) { return function.evaluate(vertex.foot + t * vertex.along).value; };
  double inner = 0;
  if (value(0) >= 0) return vertex.distance;
  for (int step = 1; step <= kMarchSteps; ++step) {
    const double outer = kFarthest * vertex.distance * step / kMarchSteps;
    if (value(outer) < 0) {
      inner = outer;
      continue;
    }
    double low = inner, high = outer;
    for (int i = 0; i < kHalvings && high - low > 1e-9 * vertex.distance; ++i) {
      const double middle = 0.5 * (low + high);
      (value(middle) < 0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }
  return vertex.distance;
}

std::vector<SurfaceSample> samples_where_off(const Hrbf& function, const ClosedPart& part, Index hole,
                                             std::span<const SurfaceSample> existing, double tolerance,
                                             std::size_t most) {
  const std::vector<Vec3> normals = vertex_normals(part);
  std::vector<std::pair<double, Index>> errors;
  double area = 0;
  for (const Index t : closure_triangles(part, hole)) {
    const auto& c = part.triangles[t];
    area +=
        0.5 * (part.positions[c[1]] - part.positions[c[0]]).cross(part.positions[c[2]] - part.positions[c[0]]).norm();
  }
  for (Index i = 0; i < part.closure.size(); ++i) {
    if (part.closure[i].hole != hole) continue;
    const double error = std::abs(surface_distance(function, part.closure[i]) - part.closure[i].distance);
    if (error > tolerance) errors.emplace_back(-error, i);
  }
  std::sort(errors.begin(), errors.end());
  const double apart = kWorstApart * std::sqrt(area / static_cast<double>(std::max<std::size_t>(most, 1)));
  std::vector<SurfaceSample> samples;
  const auto near = [&](std::span<const SurfaceSample> list, const Vec3& p) {
    return std::any_of(list.begin(), list.end(), [&](const SurfaceSample& s) { return (s.point - p).norm() < apart; });
  };
  for (const auto& [error, i] : errors) {
    if (samples.size() >= most) break;
    const Vec3 &p = part.positions[part.fixed_vertices + i], &n = normals[part.fixed_vertices + i];
    if (n.norm() > 0.5 && !near(samples, p) && !near(existing, p)) samples.push_back({p, n});
  }
  return samples;
}

double refit_error(const Hrbf& function, const ClosedPart& part, Index hole) {
  double sum = 0, count = 0;
  for (const ClosureVertex& vertex : part.closure)
    if (vertex.hole == hole) {
      const double difference = surface_distance(function, vertex) - vertex.distance;
      sum += difference * difference, count += 1;
    }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

}  // namespace sinew::deform
