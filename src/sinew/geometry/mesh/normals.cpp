// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/normals.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/adjacency.h"

namespace sinew::geometry {
namespace {

Vec3 newell_normal(const Mesh& mesh, std::span<const Index> face, double thin) {
  if (face.size() < 3) return Vec3::Zero();
  const Vec3& origin = mesh.positions[face[0]];
  Vec3 sum = Vec3::Zero();
  double longest = 0;
  for (std::size_t i = 0; i < face.size(); ++i) {
    const Vec3 a = mesh.positions[face[i]] - origin, b = mesh.positions[face[(i + 1) % face.size()]] - origin;
    sum += a.cross(b);
    longest = std::max(longest, (b - a).norm());
  }
  const double twice_area = sum.norm();
  return twice_area > thin * longest ? Vec3(sum / twice_area) : Vec3(Vec3::Zero());
}

// The angle of a face at each of its corners; that of a hollow corner is more than half a turn.
std::vector<double> corner_angles(const Mesh& mesh, const std::vector<Vec3>& normals) {
  std::vector<double> angles(mesh.face_vertices.size(), 0.0);
  parallel_for(mesh.face_count(), [&](std::size_t f) {
    const auto face = mesh.face(static_cast<Index>(f));
    const std::size_t n = face.size();
    if (normals[f].isZero(0)) return;
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3& at = mesh.positions[face[i]];
      const Vec3 a = mesh.positions[face[(i + 1) % n]] - at, b = mesh.positions[face[(i + n - 1) % n]] - at;
      const Vec3 cross = a.cross(b);
      double angle = std::atan2(cross.norm(), a.dot(b));
      if (n > 3 && cross.dot(normals[f]) < 0) angle = kTwoPi - angle;
      angles[mesh.face_offsets[f] + i] = angle;
    }
  });
  return angles;
}

}  // namespace

std::vector<Vec3> face_normals(const Mesh& mesh) {
  const double thin = 1e-12 * mesh.size();
  std::vector<Vec3> normals(mesh.face_count());
  parallel_for(normals.size(),
               [&](std::size_t f) { normals[f] = newell_normal(mesh, mesh.face(static_cast<Index>(f)), thin); });
  return normals;
}

std::vector<Vec3> vertex_normals(const Mesh& mesh, const Welding* welding) {
  const std::vector<Vec3> normals = face_normals(mesh);
  const std::vector<double> angles = corner_angles(mesh, normals);
  const Lists corners = vertex_corners(mesh, welding);
  std::vector<Index> face(mesh.face_vertices.size());
  for (Index f = 0; f < mesh.face_count(); ++f)
    std::fill(face.begin() + mesh.face_offsets[f], face.begin() + mesh.face_offsets[f + 1], f);
  std::vector<Vec3> result(corners.size());
  parallel_for(result.size(), [&](std::size_t v) {
    Vec3 sum = Vec3::Zero();
    for (const Index c : corners[v]) sum += angles[c] * normals[face[c]];
    const double length = sum.norm();
    result[v] = length > 1e-12 ? Vec3(sum / length) : Vec3(Vec3::Zero());
  });
  if (!welding) return result;
  std::vector<Vec3> copies(mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) copies[v] = result[welding->welded[v]];
  return copies;
}

}  // namespace sinew::geometry
