// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Shapes whose distance and volume are known, ways to damage them, and the slow sum that winding numbers are defined
/// by.

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "sinew/core/angles.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/io/asset.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::test {

/// About the y axis.
inline Mesh torus(double major, double minor, Index rings = 96, Index segments = 48) {
  Mesh mesh;
  for (Index r = 0; r < rings; ++r)
    for (Index s = 0; s < segments; ++s) {
      const double u = kTwoPi * r / rings, v = kTwoPi * s / segments;
      const double w = major + minor * std::cos(v);
      mesh.positions.push_back({w * std::cos(u), minor * std::sin(v), w * std::sin(u)});
    }
  const auto at = [&](Index r, Index s) { return (r % rings) * segments + s % segments; };
  for (Index r = 0; r < rings; ++r)
    for (Index s = 0; s < segments; ++s)
      mesh.add_face(std::vector<Index>{at(r, s), at(r, s + 1), at(r + 1, s + 1), at(r + 1, s)});
  return mesh;
}

inline double torus_distance(const Vec3& p, double major, double minor) {
  return std::hypot(std::hypot(p.x(), p.z()) - major, p.y()) - minor;
}

/// From (0, −half, 0) to (0, half, 0): a sphere pulled apart at its equator, `rings` even.
inline Mesh capsule(double half, double radius, Index rings = 48, Index segments = 64) {
  Mesh mesh = sphere(rings, segments, Vec3::Zero(), radius);
  // A sphere has one ring of vertices on the equator: it goes up, and the faces below keep the lower half.
  for (Vec3& p : mesh.positions) p.y() += p.y() > -1e-12 ? half : -half;
  return mesh;
}

inline double capsule_distance(const Vec3& p, double half, double radius) {
  return (p - Vec3(0, std::clamp(p.y(), -half, half), 0)).norm() - radius;
}

inline Mesh flipped(const Mesh& mesh) {
  Mesh result = mesh;
  for (Index f = 0; f < mesh.face_count(); ++f)
    std::reverse(result.face_vertices.begin() + mesh.face_offsets[f],
                 result.face_vertices.begin() + mesh.face_offsets[f + 1]);
  return result;
}

inline Mesh shifted(Mesh mesh, const Vec3& by, double scale = 1) {
  for (Vec3& p : mesh.positions) p = scale * p + by;
  return mesh;
}

/// Without a random part of its faces.
inline Mesh with_holes(const Mesh& mesh, double part, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> chance(0, 1);
  Mesh result;
  result.positions = mesh.positions;
  for (Index f = 0; f < mesh.face_count(); ++f)
    if (chance(random) >= part) result.add_face(mesh.face(f));
  return result;
}

inline std::vector<Vec3> random_points(const Box& box, std::size_t count, unsigned seed, double grow = 0.1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-grow, 1 + grow);
  std::vector<Vec3> points(count);
  for (Vec3& p : points) {
    const double x = unit(random), y = unit(random), z = unit(random);
    p = box.lower + Vec3(x, y, z).cwiseProduct(box.extent());
  }
  return points;
}

/// The definition: the sum of the solid angles of all triangles, over the whole sphere.
inline double direct_winding(const geometry::TriangleSoup& soup, const Vec3& p,
                             std::span<const std::int8_t> signs = {}) {
  double sum = 0;
  for (Index t = 0; t < soup.triangles.size(); ++t) {
    const Vec3 a = soup.corner(t, 0) - p, b = soup.corner(t, 1) - p, c = soup.corner(t, 2) - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    const double angle =
        2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
    sum += signs.empty() ? angle : signs[t] * angle;
  }
  return sum / (4 * kPi);
}

/// The mesh of a real character, when the folder named by SINEW_DATA has it.
inline std::optional<Mesh> real_mesh(const std::string& name) {
  const char* folder = std::getenv("SINEW_DATA");
  if (folder == nullptr) return std::nullopt;
  const std::filesystem::path file = std::filesystem::path(folder) / name;
  if (!std::filesystem::exists(file)) return std::nullopt;
  return io::load(file).character.rig.mesh;
}

}  // namespace sinew::test
