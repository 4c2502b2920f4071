// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/decimate.h"

#include <fmt/format.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <array>

#include "sinew/geometry/mesh/part_ranges.h"

namespace sinew::geometry {
namespace {

struct CollapsedTriangles {
  std::vector<std::array<Index, 3>> triangles;
  double error = 0;  // In the mesh's units.
};

CollapsedTriangles collapse(const Mesh& mesh, const DecimateOptions& options) {
  std::vector<unsigned int> indices;
  for (const Triangle& t : triangulate(mesh)) indices.insert(indices.end(), t.vertices.begin(), t.vertices.end());
  if (indices.empty()) return {};
  // Single precision is finest near the origin.
  const Vec3 center = mesh.bounds().center();
  std::vector<float> positions;
  positions.reserve(3 * mesh.positions.size());
  for (const Vec3& p : mesh.positions)
    for (int axis = 0; axis < 3; ++axis) positions.push_back(static_cast<float>(p[axis] - center[axis]));
  constexpr std::size_t kStride = 3 * sizeof(float);
  const double scale = meshopt_simplifyScale(positions.data(), mesh.positions.size(), kStride);
  const double most = scale > 0 ? options.max_error_rel * mesh.size() / scale : 0;
  std::vector<unsigned int> left(indices.size());
  float error = 0;
  left.resize(meshopt_simplify(left.data(), indices.data(), indices.size(), positions.data(), mesh.positions.size(),
                               kStride, 3 * std::size_t{options.target_triangles}, static_cast<float>(most),
                               static_cast<unsigned int>(options.keep_border ? meshopt_SimplifyLockBorder : 0),
                               &error));
  CollapsedTriangles result;
  result.error = error * scale;
  for (std::size_t i = 0; i < left.size(); i += 3) result.triangles.push_back({left[i], left[i + 1], left[i + 2]});
  return result;
}

// The values of the kept vertices; empty stays empty.
template <class T>
std::vector<T> pick(const std::vector<T>& values, std::span<const Index> which) {
  std::vector<T> result;
  if (values.empty()) return result;
  result.reserve(which.size());
  for (const Index i : which) result.push_back(values[i]);
  return result;
}

void carry_parts(const Mesh& mesh, const std::vector<Index>& source, Mesh& out) {
  out.parts = mesh.parts;
  Index face = 0;
  for (MeshPart& part : out.parts) {
    const auto at = [&](Index v) {
      return static_cast<Index>(std::lower_bound(source.begin(), source.end(), v) - source.begin());
    };
    const Index old_first = part.first_vertex, first = at(old_first), end = at(old_first + part.vertex_count);
    part.first_vertex = first;
    part.vertex_count = end - first;
    part.first_face = face;
    while (face < out.face_count() && out.face(face)[0] < end) ++face;
    part.face_count = face - part.first_face;
    std::vector<Index> inside(source.begin() + first, source.begin() + end);
    for (Index& v : inside) v -= old_first;
    for (Morph& morph : part.morphs) morph.deltas = pick(morph.deltas, inside);
  }
}

}  // namespace

Decimated decimate(const Mesh& mesh, const DecimateOptions& options) {
  if (!(options.max_error_rel >= 0))
    throw Error(fmt::format("The maximum error of a decimation cannot be {}. Use 0 or more.", options.max_error_rel));
  CollapsedTriangles left = collapse(mesh, options);
  // In order of their parts, which are ranges of vertices.
  const std::vector<PartRange> ranges = part_ranges(mesh);
  const auto part_of = [&](const std::array<Index, 3>& t) {
    return std::upper_bound(
               ranges.begin(), ranges.end(), t[0],
               [](Index v, const PartRange& range) { return v < range.first_vertex + range.vertex_count; }) -
           ranges.begin();
  };
  std::stable_sort(left.triangles.begin(), left.triangles.end(),
                   [&](const auto& a, const auto& b) { return part_of(a) < part_of(b); });

  Decimated result;
  std::vector<Index> number(mesh.vertex_count(), kNone);
  for (const auto& t : left.triangles)
    for (const Index v : t) number[v] = 0;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    if (number[v] == kNone) continue;
    number[v] = static_cast<Index>(result.source_vertex.size());
    result.source_vertex.push_back(v);
  }
  Mesh& out = result.mesh;
  for (const auto& t : left.triangles) out.add_face(std::array<Index, 3>{number[t[0]], number[t[1]], number[t[2]]});
  out.positions = pick(mesh.positions, result.source_vertex);
  out.colors = pick(mesh.colors, result.source_vertex);
  if (mesh.normals.corners.empty()) out.normals.values = pick(mesh.normals.values, result.source_vertex);
  if (mesh.uvs.corners.empty()) out.uvs.values = pick(mesh.uvs.values, result.source_vertex);
  carry_parts(mesh, result.source_vertex, out);
  const double size = mesh.size();
  result.error_rel = size > 0 ? left.error / size : 0;
  result.reached = options.target_triangles == 0 || left.triangles.size() <= options.target_triangles;
  return result;
}

}  // namespace sinew::geometry
