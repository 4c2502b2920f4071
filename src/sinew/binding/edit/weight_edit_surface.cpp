// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/weight_edit_surface.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/mesh/union_find.h"

namespace sinew::binding {
namespace {

constexpr double kSameRow = 1e-3;

// One face's side of an edge between welded vertices low < high.
struct EdgeSide {
  std::uint64_t key;
  Index at_low, at_high;  // Vertices of the mesh.
};

bool alike(std::span<const Influence> a, std::span<const Influence> b) {
  double distance = 0;
  for (const Influence& i : a) {
    const auto twin = std::find_if(b.begin(), b.end(), [&](const Influence& k) { return k.joint == i.joint; });
    distance += std::abs(static_cast<double>(i.weight) - (twin == b.end() ? 0.0 : static_cast<double>(twin->weight)));
  }
  for (const Influence& k : b)
    if (std::none_of(a.begin(), a.end(), [&](const Influence& i) { return i.joint == k.joint; }))
      distance += static_cast<double>(k.weight);
  return distance <= 2 * kSameRow;
}

std::vector<EdgeSide> edge_sides(const Mesh& mesh, const geometry::Welding& welding) {
  std::vector<EdgeSide> sides;
  sides.reserve(mesh.face_vertices.size());
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    if (face.size() < 3) continue;
    for (std::size_t k = 0; k < face.size(); ++k) {
      Index a = face[k], b = face[(k + 1) % face.size()];
      if (welding.welded[a] == welding.welded[b]) continue;
      if (welding.welded[a] > welding.welded[b]) std::swap(a, b);
      sides.push_back({std::uint64_t{welding.welded[a]} << 32 | welding.welded[b], a, b});
    }
  }
  std::stable_sort(sides.begin(), sides.end(), [](const EdgeSide& x, const EdgeSide& y) { return x.key < y.key; });
  return sides;
}

geometry::Welding seams_welded(const Mesh& mesh, const SkinWeights& weights) {
  const geometry::Welding all = geometry::weld(mesh);
  const std::vector<EdgeSide> sides = edge_sides(mesh, all);
  const SkinWeights rows = weights.normalized();
  geometry::UnionFind sets(mesh.vertex_count());
  const auto join = [&](Index a, Index b) {
    if (a == b) return;
    if (is_missing_row(weights.row(a)) || is_missing_row(weights.row(b)) || alike(rows.row(a), rows.row(b)))
      sets.join(a, b);
  };
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
    while (end < sides.size() && sides[end].key == sides[begin].key) ++end;
    if (end - begin != 2) continue;
    join(sides[begin].at_low, sides[begin + 1].at_low);
    join(sides[begin].at_high, sides[begin + 1].at_high);
  }
  geometry::Welding welding;
  welding.welded.resize(mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const Index lowest = sets.find(v);
    if (lowest == v) {
      welding.welded[v] = welding.count();
      welding.first.push_back(v);
    } else {
      welding.welded[v] = welding.welded[lowest];
    }
  }
  return welding;
}

void measure_surface(EditSurface& surface) {
  surface.normals.assign(surface.count(), Vec3::Zero());
  surface.areas.assign(surface.count(), 0.0);
  for (const auto& triangle : surface.triangles) {
    const Vec3& a = surface.positions[triangle[0]];
    const Vec3 normal = (surface.positions[triangle[1]] - a).cross(surface.positions[triangle[2]] - a);
    for (const Index w : triangle) {
      surface.normals[w] += normal;
      surface.areas[w] += normal.norm() / 6;
    }
  }
  for (Vec3& normal : surface.normals)
    if (const double length = normal.norm(); length > 0) normal /= length;
}

void mark_shells(EditSurface& surface) {
  geometry::UnionFind sets(surface.count());
  for (Index w = 0; w < surface.count(); ++w)
    for (const Index other : surface.rings[w]) sets.join(w, other);
  surface.shell.resize(surface.count());
  for (Index w = 0; w < surface.count(); ++w) {
    const Index lowest = sets.find(w);
    surface.shell[w] = lowest == w ? surface.shells++ : surface.shell[lowest];
  }
}

}  // namespace

bool is_missing_row(std::span<const Influence> row) {
  bool any = false;
  for (const Influence& influence : row) {
    if (!std::isfinite(influence.weight)) return true;
    any = any || influence.weight > 0;
  }
  return !any;
}

EditSurface edit_surface(const Mesh& mesh, const SkinWeights& weights) {
  EditSurface surface;
  surface.welding = seams_welded(mesh, weights);
  surface.rings = geometry::one_rings(mesh, &surface.welding);
  geometry::TriangleSurface triangles = geometry::triangle_surface(mesh, surface.welding);
  surface.positions = std::move(triangles.positions);
  surface.triangles = std::move(triangles.triangles);
  surface.size = mesh.size();
  surface.source = surface.welding.first;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    Index& source = surface.source[surface.welding.welded[v]];
    if (is_missing_row(weights.row(source)) && !is_missing_row(weights.row(v))) source = v;
  }
  measure_surface(surface);
  mark_shells(surface);
  return surface;
}

SkinWeights welded_rows(const EditSurface& surface, const SkinWeights& weights) {
  SkinWeights rows;
  rows.reserve(surface.count(), 4 * std::size_t{surface.count()});
  for (const Index v : surface.source) {
    if (is_missing_row(weights.row(v))) rows.add_row({});
    else rows.add_row(weights.row(v));
  }
  return rows.normalized();
}

SkinWeights edited_rows(const EditSurface& surface, const SkinWeights& weights, const SkinWeights& before,
                        const SkinWeights& after) {
  SkinWeights rows;
  rows.reserve(weights.row_count(), weights.influence_count());
  for (Index v = 0; v < weights.row_count(); ++v) {
    const Index w = surface.welding.welded[v];
    const auto old = before.row(w), now = after.row(w);
    rows.add_row(std::equal(old.begin(), old.end(), now.begin(), now.end()) ? weights.row(v) : now);
  }
  return rows;
}

}  // namespace sinew::binding
