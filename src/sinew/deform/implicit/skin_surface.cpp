// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/skin_surface.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::deform {
namespace {

geometry::Lists lists_of(const std::vector<std::vector<Index>>& rows) {
  geometry::Lists lists;
  for (const std::vector<Index>& row : rows) {
    lists.items.insert(lists.items.end(), row.begin(), row.end());
    lists.offsets.push_back(static_cast<Index>(lists.items.size()));
  }
  return lists;
}

/// Per welded vertex its number in the order of positions; copies that weights or morphs keep apart follow their rows.
std::vector<Index> canonical_numbers(const Rig& rig, const geometry::Welding& welding, const SkinWeights& weights) {
  std::vector<Index> order(welding.count());
  std::iota(order.begin(), order.end(), 0);
  const auto position = [&](Index w) -> const Vec3& { return rig.mesh.positions[welding.first[w]]; };
  const auto row = [&](Index w) {
    return weights.empty() ? std::span<const Influence>() : weights.row(welding.first[w]);
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    const Vec3 &p = position(a), &q = position(b);
    for (int axis = 0; axis < 3; ++axis)
      if (p[axis] != q[axis]) return p[axis] < q[axis];
    const auto ra = row(a), rb = row(b);
    return std::lexicographical_compare(ra.begin(), ra.end(), rb.begin(), rb.end(),
                                        [](const Influence& x, const Influence& y) {
                                          return std::tie(x.joint, x.weight) < std::tie(y.joint, y.weight);
                                        });
  });
  std::vector<Index> number(order.size());
  for (Index i = 0; i < order.size(); ++i) number[order[i]] = i;
  return number;
}

void add_triangles(const Rig& rig, const std::vector<Index>& vertex_number, SkinSurface& surface) {
  const std::vector<geometry::TriangleVertices> triangles = geometry::triangle_vertices(rig.mesh);
  const geometry::Facing facing = geometry::solid_facing({rig.mesh.positions, triangles});
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    std::array<Index, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) corners[k] = vertex_number[triangles[t][k]];
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) continue;
    if (facing.signs[t] < 0) std::swap(corners[1], corners[2]);
    std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
    surface.triangles.push_back(corners);
  }
  std::sort(surface.triangles.begin(), surface.triangles.end());
}

}  // namespace

SkinSurface make_skin_surface(const Rig& rig) {
  SkinSurface surface;
  const geometry::Welding welding = geometry::weld(rig.mesh);
  const SkinWeights weights = rig.weights.normalized();
  const std::vector<Index> number = canonical_numbers(rig, welding, weights);
  const Index count = welding.count();
  surface.positions.resize(count);
  surface.rows.resize(count);
  std::vector<std::vector<Index>> copies(count);
  std::vector<Index> vertex_number(rig.mesh.vertex_count());
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    vertex_number[v] = number[welding.welded[v]];
    copies[vertex_number[v]].push_back(v);
  }
  for (Index w = 0; w < count; ++w) surface.positions[number[w]] = rig.mesh.positions[welding.first[w]];
  for (const MeshPart& part : rig.mesh.parts)
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      std::vector<Influence>& row = surface.rows[vertex_number[v]];
      if (v != copies[vertex_number[v]].front()) continue;
      if (!weights.empty()) row.assign(weights.row(v).begin(), weights.row(v).end());
      if (row.empty() && part.skin == kNone && part.joint != kNone) row = {{part.joint, 1.0F}};
    }
  add_triangles(rig, vertex_number, surface);
  surface.normals.assign(count, Vec3::Zero());
  std::vector<std::vector<Index>> rings(count);
  geometry::UnionFind sets(count);
  for (const auto& t : surface.triangles) {
    const Vec3& a = surface.positions[t[0]];
    const Vec3 normal = (surface.positions[t[1]] - a).cross(surface.positions[t[2]] - a);
    for (std::size_t k = 0; k < 3; ++k) {
      surface.normals[t[k]] += normal;
      rings[t[k]].push_back(t[(k + 1) % 3]);
      rings[t[k]].push_back(t[(k + 2) % 3]);
    }
    sets.join(t[0], t[1]), sets.join(t[0], t[2]);
  }
  surface.shell.assign(count, kNone);
  std::vector<Index> shell_of(count, kNone);
  for (Index v = 0; v < count; ++v) {
    std::sort(rings[v].begin(), rings[v].end());
    rings[v].erase(std::unique(rings[v].begin(), rings[v].end()), rings[v].end());
    const double length = surface.normals[v].norm();
    surface.normals[v] = length > 0 ? Vec3(surface.normals[v] / length) : Vec3(Vec3::Zero());
    if (rings[v].empty()) continue;
    Index& shell = shell_of[sets.find(v)];
    if (shell == kNone) shell = surface.shells++;
    surface.shell[v] = shell;
  }
  surface.rings = lists_of(rings);
  surface.copies = lists_of(copies);
  return surface;
}

}  // namespace sinew::deform
