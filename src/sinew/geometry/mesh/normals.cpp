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

// What the corners of one vertex need to find their smooth fans.
class SmoothFans {
 public:
  SmoothFans(const HalfEdges& half_edges, const std::vector<Vec3>& normals, double crease_angle_rad)
      : half_edges_(half_edges), normals_(normals), least_cos_(std::cos(std::min(crease_angle_rad, kPi))) {}

  // Per corner of `corners`: the lowest corner (as a position in the list) of its fan.
  const std::vector<std::size_t>& find(std::span<const Index> corners) {
    root_.resize(corners.size());
    for (std::size_t i = 0; i < corners.size(); ++i) root_[i] = i;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      // The half-edge that leaves the vertex here: its twin ends in the vertex, and the next corner after it lies here.
      const Index twin = half_edges_.twin[corners[i]];
      if (twin == kNone || !smooth(half_edges_.face[corners[i]], half_edges_.face[twin])) continue;
      const auto other = std::lower_bound(corners.begin(), corners.end(), half_edges_.next[twin]);
      join(i, static_cast<std::size_t>(other - corners.begin()));
    }
    for (std::size_t i = 0; i < root_.size(); ++i) root_[i] = root(i);
    return root_;
  }

 private:
  bool smooth(Index f, Index g) const {
    return normals_[f].isZero(0) || normals_[g].isZero(0) || normals_[f].dot(normals_[g]) >= least_cos_ - 1e-12;
  }
  std::size_t root(std::size_t i) {
    while (root_[i] != i) i = root_[i] = root_[root_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = root(a), b = root(b);
    root_[std::max(a, b)] = std::min(a, b);
  }

  const HalfEdges& half_edges_;
  const std::vector<Vec3>& normals_;
  double least_cos_;
  std::vector<std::size_t> root_;
};

Vec3f unit_or_zero(const Vec3& sum) {
  const double length = sum.norm();
  return length > 1e-12 ? Vec3f((sum / length).cast<float>()) : Vec3f(Vec3f::Zero());
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

CornerLayer<Vec3f> corner_normals(const Mesh& mesh, double crease_angle_rad, const Welding* welding) {
  const std::vector<Vec3> normals = face_normals(mesh);
  const std::vector<double> angles = corner_angles(mesh, normals);
  const Lists corners = vertex_corners(mesh, welding);
  const HalfEdges edges = half_edges(mesh, welding);
  CornerLayer<Vec3f> layer;
  layer.corners.assign(mesh.face_vertices.size(), kNone);
  // First the lowest corner of each fan and its sum, in parallel; then the numbers, in order.
  std::vector<Index> fan(mesh.face_vertices.size(), kNone);
  std::vector<Vec3> sums(mesh.face_vertices.size(), Vec3::Zero());
  parallel_blocks(corners.size(), 4096, [&](std::size_t begin, std::size_t end) {
    SmoothFans fans(edges, normals, crease_angle_rad);
    for (std::size_t v = begin; v < end; ++v) {
      const auto& roots = fans.find(corners[v]);
      for (std::size_t i = 0; i < roots.size(); ++i) {
        const Index c = corners[v][i];
        fan[c] = corners[v][roots[i]];
        sums[fan[c]] += angles[c] * normals[edges.face[c]];
      }
    }
  });
  std::vector<Index> number(mesh.face_vertices.size(), kNone);
  for (const Index c : corners.items) {
    if (fan[c] == c && !unit_or_zero(sums[c]).isZero(0)) {
      number[c] = static_cast<Index>(layer.values.size());
      layer.values.push_back(unit_or_zero(sums[c]));
    }
    layer.corners[c] = number[fan[c]];
  }
  return layer;
}

}  // namespace sinew::geometry
