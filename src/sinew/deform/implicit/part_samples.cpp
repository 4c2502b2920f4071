// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/part_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/geometry/spatial/segment.h"

namespace sinew::deform {
namespace {

constexpr int kCandidates = 20;        ///< Per sample.
constexpr double kDisk = 0.75;         ///< Of the distance in the densest packing.
constexpr double kAnyDisk = 0.2;       ///< Of the disk, whatever the normals: closer ones spoil the fit.
constexpr double kLeastFacing = 0.05;  ///< Of the normal away from the bone.
constexpr double kLeastNormal = 1e-3;  ///< Length of a mean of normals that has a direction.

/// Places on the triangles between some vertices, evenly by area.
std::vector<SurfaceSample> candidates(const SkinSurface& surface, const std::vector<Index>& vertices, int count,
                                      std::uint64_t stream, double& area) {
  std::vector<char> member(surface.size(), 0);
  for (const Index v : vertices) member[v] = 1;
  std::vector<std::array<Index, 3>> triangles;
  std::vector<double> sums;
  area = 0;
  for (const auto& t : surface.triangles) {
    if (member[t[0]] == 0 || member[t[1]] == 0 || member[t[2]] == 0) continue;
    const Vec3& a = surface.positions[t[0]];
    area += 0.5 * (surface.positions[t[1]] - a).cross(surface.positions[t[2]] - a).norm();
    triangles.push_back(t);
    sums.push_back(area);
  }
  std::vector<SurfaceSample> result;
  const auto add = [&](const Vec3& point, const Vec3& normal) {
    if (normal.norm() > kLeastNormal) result.push_back({point, normal.normalized()});
  };
  geometry::Random random(1, stream);
  if (!(area > 0)) {
    for (const Index v : vertices) add(surface.positions[v], surface.normals[v]);
    return result;
  }
  for (int i = 0; i < count; ++i) {
    const double at = random.uniform() * area, r = std::sqrt(random.uniform()), s = random.uniform();
    const auto t = triangles[std::min(
        triangles.size() - 1, static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end(), at) - sums.begin()))];
    const double u = 1 - r, v = r * (1 - s), w = r * s;
    add(u * surface.positions[t[0]] + v * surface.positions[t[1]] + w * surface.positions[t[2]],
        u * surface.normals[t[0]] + v * surface.normals[t[1]] + w * surface.normals[t[2]]);
  }
  return result;
}

geometry::RayScene scene_of(const SkinSurface& surface) {
  return geometry::RayScene(geometry::TriangleSoup{surface.positions, surface.triangles});
}

}  // namespace

Vec3 PartBones::closest(const Vec3& point) const {
  Vec3 best = point;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [a, b] : segments) {
    const Vec3 on = geometry::segment_point<3>(point, a, b);
    if ((on - point).squaredNorm() < least) least = (on - point).squaredNorm(), best = on;
  }
  return best;
}

SkinLayers::SkinLayers(const SkinSurface& surface) : surface_(surface), scene_(scene_of(surface)) {}

bool SkinLayers::covered(const SurfaceSample& sample, double reach, const std::vector<char>& vertices) const {
  const geometry::Ray ray{sample.point, sample.normal, 1e-3 * reach, reach};
  return scene_.occluded(ray, [&](Index triangle) {
    const auto& t = surface_.triangles[triangle];
    if (vertices[t[0]] == 0 || vertices[t[1]] == 0 || vertices[t[2]] == 0) return false;
    const Vec3& a = surface_.positions[t[0]];
    const Vec3 normal = (surface_.positions[t[1]] - a).cross(surface_.positions[t[2]] - a);
    return normal.dot(sample.normal) > 0.5 * normal.norm();
  });
}

double SkinLayers::way_out(const Vec3& point, const Vec3& direction) const {
  return scene_.nearest_hit({point, direction, 0, std::numeric_limits<double>::infinity()}).t;
}

std::vector<SurfaceSample> poisson_samples(const SkinSurface& surface, const std::vector<Index>& vertices,
                                           const PartBones& bones, const SkinLayers& layers, double reach, int count,
                                           std::uint64_t stream) {
  double area = 0;
  const std::vector<SurfaceSample> places = candidates(surface, vertices, kCandidates * count, stream, area);
  std::vector<char> member(surface.size(), 0);
  for (const Index v : vertices) member[v] = 1;
  const double disk = kDisk * std::sqrt(2 * area / (std::numbers::sqrt3 * count));
  std::vector<SurfaceSample> samples;
  for (const SurfaceSample& place : places) {
    const Vec3 away = place.point - bones.closest(place.point);
    if (place.normal.dot(away) < kLeastFacing * away.norm()) continue;
    const bool free = std::all_of(samples.begin(), samples.end(), [&](const SurfaceSample& other) {
      const double distance = (other.point - place.point).norm();
      return distance >= disk || (distance >= kAnyDisk * disk && other.normal.dot(place.normal) <= 0);
    });
    if (!free || samples.size() >= static_cast<std::size_t>(2 * count)) continue;
    if (!layers.covered(place, reach, member)) samples.push_back(place);
  }
  return samples;
}

}  // namespace sinew::deform
