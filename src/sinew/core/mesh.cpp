// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

// Clipping ears takes quadratic time and more: a polygon of a million corners would never end.
constexpr Index kMaxEarCorners = 512;

void push(std::vector<Triangle>& out, const Mesh& mesh, Index face, Index a, Index b, Index c) {
  const auto& v = mesh.face_vertices;
  out.push_back({{v[a], v[b], v[c]}, {a, b, c}, face});
}

// The polygon's area vector (twice the area), by Newell's method: it stands for the facing of a non-planar polygon.
Vec3 newell(const Mesh& mesh, std::span<const Index> face) {
  Vec3 normal = Vec3::Zero();
  const Vec3& origin = mesh.positions[face[0]];
  for (std::size_t i = 0; i < face.size(); ++i) {
    const Vec3 a = mesh.positions[face[i]] - origin;
    const Vec3 b = mesh.positions[face[(i + 1) % face.size()]] - origin;
    normal += a.cross(b);
  }
  return normal;
}

void cut_quad(const Mesh& mesh, Index face, std::vector<Triangle>& out) {
  const Index o = mesh.face_offsets[face];
  const auto p = [&](Index i) -> const Vec3& { return mesh.positions[mesh.face_vertices[o + i]]; };
  const auto area = [&](Index a, Index b, Index c) -> Vec3 { return (p(b) - p(a)).cross(p(c) - p(a)); };
  const bool fan0 = area(0, 1, 2).dot(area(0, 2, 3)) >= 0;
  const bool fan1 = area(1, 2, 3).dot(area(1, 3, 0)) >= 0;
  const bool shorter0 = (p(2) - p(0)).squaredNorm() <= (p(3) - p(1)).squaredNorm();
  if (fan0 != fan1 ? fan0 : shorter0) {
    push(out, mesh, face, o, o + 1, o + 2);
    push(out, mesh, face, o, o + 2, o + 3);
  } else {
    push(out, mesh, face, o + 1, o + 2, o + 3);
    push(out, mesh, face, o + 1, o + 3, o);
  }
}

void clip_ears(const Mesh& mesh, Index face, std::vector<Triangle>& out) {
  const auto vertices = mesh.face(face);
  const Index o = mesh.face_offsets[face];
  // In the plane of the polygon's largest projection.
  const Vec3 normal = newell(mesh, vertices);
  int drop = 0;
  normal.cwiseAbs().maxCoeff(&drop);
  const double facing = normal[drop] < 0 ? -1.0 : 1.0;
  const auto flat = [&](Index corner) {
    const Vec3& p = mesh.positions[vertices[corner]];
    return Vec2(p[(drop + 1) % 3], facing * p[(drop + 2) % 3]);
  };
  const auto cross = [](const Vec2& a, const Vec2& b, const Vec2& c) {
    return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
  };
  std::vector<Index> ring(vertices.size());
  for (Index i = 0; i < ring.size(); ++i) ring[i] = i;
  while (ring.size() > 3) {
    const std::size_t n = ring.size();
    std::size_t ear = n;
    for (std::size_t i = 0; i < n && ear == n; ++i) {
      const Vec2 a = flat(ring[(i + n - 1) % n]), b = flat(ring[i]), c = flat(ring[(i + 1) % n]);
      if (cross(a, b, c) <= 0) continue;
      bool blocked = false;
      for (std::size_t j = 0; j < n && !blocked; ++j) {
        if (j == i || j == (i + 1) % n || j == (i + n - 1) % n) continue;
        const Vec2 q = flat(ring[j]);
        if (q == a || q == b || q == c) continue;
        blocked = cross(a, b, q) >= 0 && cross(b, c, q) >= 0 && cross(c, a, q) >= 0;
      }
      if (!blocked) ear = i;
    }
    if (ear == n) ear = 1;  // Degenerate or crossing itself: any cut is as good.
    push(out, mesh, face, o + ring[(ear + n - 1) % n], o + ring[ear], o + ring[(ear + 1) % n]);
    ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  push(out, mesh, face, o + ring[0], o + ring[1], o + ring[2]);
}

template <class T>
void check_layer(const Mesh& mesh, const CornerLayer<T>& layer, const char* name, Findings& found) {
  if (layer.empty()) return;
  if (layer.corners.empty()) {
    if (layer.values.size() != mesh.positions.size())
      found.push_back(
          {"mesh.layer_length", name,
           fmt::format("There are {} {} for {} vertices.", layer.values.size(), name, mesh.positions.size())});
    return;
  }
  if (layer.corners.size() != mesh.face_vertices.size()) {
    found.push_back({"mesh.layer_length", name,
                     fmt::format("There are {} corner indices of {} for {} corners.", layer.corners.size(), name,
                                 mesh.face_vertices.size())});
    return;
  }
  for (std::size_t i = 0; i < layer.corners.size(); ++i)
    if (layer.corners[i] != kNone && layer.corners[i] >= layer.values.size()) {
      found.push_back(
          {"mesh.layer_index", fmt::format("{} corner {}", name, i),
           fmt::format("It refers to value {}, but there are only {} values.", layer.corners[i], layer.values.size())});
      return;
    }
}

void check_parts(const Mesh& mesh, Findings& found) {
  std::uint64_t vertex = 0, face = 0;  // Wide, so that counts that wrap round do not look right.
  for (const MeshPart& part : mesh.parts) {
    if (part.first_vertex != vertex || part.first_face != face)
      found.push_back({"mesh.part_range", part.name, "It does not begin where the previous part ends."});
    vertex = std::uint64_t{part.first_vertex} + part.vertex_count;
    face = std::uint64_t{part.first_face} + part.face_count;
    for (const Morph& morph : part.morphs)
      if (morph.deltas.size() != part.vertex_count)
        found.push_back({"mesh.morph_length", part.name + "/" + morph.name,
                         fmt::format("It has {} deltas for {} vertices.", morph.deltas.size(), part.vertex_count)});
    if (part.morph_weights.size() != part.morphs.size())
      found.push_back({"mesh.morph_weights", part.name, "It does not have one rest weight for each morph."});
    if (!part.to_model.allFinite())
      found.push_back({"mesh.part_transform", part.name, "Its transform to model space is not finite."});
  }
  if (!mesh.parts.empty() && (vertex != mesh.vertex_count() || face != mesh.face_count()))
    found.push_back({"mesh.part_range", "", "The parts do not cover all vertices and faces."});
}

}  // namespace

Box Mesh::bounds() const {
  Box box;
  for (const Vec3& p : positions) box.extend(p);
  return box;
}

void triangulate_face(const Mesh& mesh, Index face, std::vector<Triangle>& out) {
  const Index o = mesh.face_offsets[face];
  const Index n = mesh.face_offsets[face + 1] - o;
  if (n < 3) return;
  if (n == 3) push(out, mesh, face, o, o + 1, o + 2);
  else if (n == 4) cut_quad(mesh, face, out);
  else if (n <= kMaxEarCorners) clip_ears(mesh, face, out);
  else
    for (Index i = 1; i + 1 < n; ++i) push(out, mesh, face, o, o + i, o + i + 1);
}

std::vector<Triangle> triangulate(const Mesh& mesh) {
  std::vector<Triangle> triangles;
  triangles.reserve(mesh.face_vertices.size() -
                    std::min<std::size_t>(mesh.face_vertices.size(), 2u * mesh.face_count()));
  for (Index f = 0; f < mesh.face_count(); ++f) triangulate_face(mesh, f, triangles);
  return triangles;
}

Findings validate(const Mesh& mesh) {
  Findings found;
  if (mesh.face_offsets.empty() || mesh.face_offsets.front() != 0 ||
      mesh.face_offsets.back() != mesh.face_vertices.size() ||
      !std::is_sorted(mesh.face_offsets.begin(), mesh.face_offsets.end())) {
    found.push_back({"mesh.face_offsets", "", "The face offsets do not increase from 0 to the number of corners."});
    return found;
  }
  for (Index i = 0; i < mesh.vertex_count(); ++i)
    if (!mesh.positions[i].allFinite()) {
      found.push_back({"mesh.position", fmt::format("vertex {}", i), "Its position is not finite."});
      break;
    }
  for (Index f = 0; f < mesh.face_count(); ++f)
    for (const Index v : mesh.face(f))
      if (v >= mesh.vertex_count()) {
        found.push_back(
            {"mesh.face_index", fmt::format("face {}", f),
             fmt::format("It refers to vertex {}, but there are only {} vertices.", v, mesh.vertex_count())});
        return found;
      }
  if (!mesh.face_materials.empty() && mesh.face_materials.size() != mesh.face_count())
    found.push_back({"mesh.layer_length", "materials", "The number of materials differs from the number of faces."});
  if (!mesh.colors.empty() && mesh.colors.size() != mesh.positions.size())
    found.push_back({"mesh.layer_length", "colors", "The number of colours differs from the number of vertices."});
  check_layer(mesh, mesh.normals, "normals", found);
  check_layer(mesh, mesh.uvs, "uvs", found);
  check_parts(mesh, found);
  return found;
}

}  // namespace sinew
