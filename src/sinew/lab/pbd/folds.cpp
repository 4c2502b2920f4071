// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/pbd/folds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/geometry/spatial/self_intersection.h"

namespace sinew::lab {

double overlap_volume(const Mesh& mesh, const Box& box, int columns) {
  const geometry::RayScene scene(mesh);
  const std::vector<Triangle> triangles = triangulate(mesh);
  const Vec3 extent = box.extent();
  const double cell = std::max(extent.x(), extent.y()) / columns;
  const auto across = static_cast<std::size_t>(std::ceil(extent.x() / cell));
  const auto up = static_cast<std::size_t>(std::ceil(extent.y() / cell));
  // Rays start before everything, so that what is outside of the box counts for the winding number, too.
  const double before = mesh.bounds().lower.z() - 1;
  std::vector<double> lengths(across * up, 0.0);
  parallel_for(
      lengths.size(),
      [&](std::size_t i) {
        const double x = box.lower.x() + (static_cast<double>(i % across) + 0.5) * cell;
        const double y = box.lower.y() + (static_cast<double>(i / across) + 0.5) * cell;
        int winding = 0;
        double from = 0, last = -1;
        for (const geometry::RayHit& hit : scene.all_hits({Vec3(x, y, before), Vec3::UnitZ()})) {
          const auto& corners = triangles[hit.triangle].vertices;
          const Vec3 a = mesh.positions[corners[0]];
          const double facing = (mesh.positions[corners[1]] - a).cross(mesh.positions[corners[2]] - a).z();
          const double z = before + hit.t;
          if (facing == 0 || std::abs(z - last) < 1e-12) continue;  // The common edge of two triangles.
          last = z;
          if (winding >= 2) lengths[i] += std::max(0.0, std::min(z, box.upper.z()) - std::max(from, box.lower.z()));
          winding += facing < 0 ? 1 : -1;
          from = z;
        }
      },
      64);
  double sum = 0;
  for (const double length : lengths) sum += length;
  return sum * cell * cell;
}

std::uint64_t meeting_pairs(const Mesh& mesh, const Progress& progress) {
  const geometry::SelfIntersections found = geometry::self_intersections(mesh, {}, progress);
  return found.inside_parts + found.between_parts;
}

double crumpling(const Mesh& mesh, std::span<const Vec3> positions, const Vec3& place, double radius) {
  const geometry::Welding welding = geometry::weld(mesh);
  const std::vector<Triangle> triangles = triangulate(mesh);
  std::map<std::pair<Index, Index>, std::array<Index, 2>> edges;
  for (Index t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = welding.welded[triangles[t].vertices[k]], b = welding.welded[triangles[t].vertices[(k + 1) % 3]];
      auto& sides =
          edges.try_emplace({std::min(a, b), std::max(a, b)}, std::array<Index, 2>{kNone, kNone}).first->second;
      (sides[0] == kNone ? sides[0] : sides[1]) = t;
    }
  const auto angle = [&](const std::array<Index, 2>& sides, std::span<const Vec3> at) {
    std::array<Vec3, 2> normals;
    for (std::size_t s = 0; s < 2; ++s) {
      const auto& corners = triangles[sides[s]].vertices;
      normals[s] = (at[corners[1]] - at[corners[0]]).cross(at[corners[2]] - at[corners[0]]);
    }
    return std::atan2(normals[0].cross(normals[1]).norm(), normals[0].dot(normals[1]));
  };
  double sum = 0, all = 0;
  for (const auto& [ends, sides] : edges) {
    const Vec3 &a = mesh.positions[welding.first[ends.first]], &b = mesh.positions[welding.first[ends.second]];
    if (sides[1] == kNone || (a - place).norm() > radius || (b - place).norm() > radius) continue;
    const double length = (a - b).norm();
    sum += length * std::abs(angle(sides, positions) - angle(sides, mesh.positions));
    all += length;
  }
  return all > 0 ? sum / all : 0;
}

}  // namespace sinew::lab
