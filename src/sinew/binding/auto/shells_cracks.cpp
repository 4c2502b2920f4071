// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/shells_cracks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/spatial/hash_cells.h"

namespace sinew::binding {
namespace {

constexpr double kCrackOfEdge = 0.35;
constexpr double kCrackOfSize = 0.005;

// Per vertex how near another border vertex must be to be joined to it; 0 away from borders.
std::vector<double> crack_widths(const Mesh& mesh, const geometry::Lists& rings, double size) {
  const geometry::HalfEdges edges = geometry::half_edges(mesh);
  std::vector<double> width(mesh.vertex_count(), 0);
  for (Index h = 0; h < edges.size(); ++h) {
    if (edges.kind[h] != geometry::EdgeKind::kBoundary) continue;
    for (const Index v : {edges.vertex[h], edges.vertex[edges.next[h]]}) {
      double shortest = std::numeric_limits<double>::infinity();
      for (const Index n : rings[v]) shortest = std::min(shortest, (mesh.positions[v] - mesh.positions[n]).norm());
      width[v] = std::min(kCrackOfEdge * shortest, kCrackOfSize * size);
    }
  }
  return width;
}

}  // namespace

Index close_cracks(const geometry::Sanitized& clean, double size, Mesh& mesh) {
  const Mesh& surface = clean.mesh;
  const geometry::Lists rings = geometry::one_rings(surface);
  const std::vector<double> width = crack_widths(surface, rings, size);
  const double cell = width.empty() ? 0 : *std::max_element(width.begin(), width.end());
  if (!(cell > 0)) return 0;
  std::map<geometry::HashCell, std::vector<Index>> cells;
  const Vec3 origin = surface.bounds().lower;
  for (Index v = 0; v < width.size(); ++v)
    if (width[v] > 0) cells[geometry::hash_cell(surface.positions[v], origin, cell)].push_back(v);

  geometry::UnionFind sets(width.size());
  Index joined = 0;
  for (const auto& [place, members] : cells)
    for (int step = 0; step < 27; ++step) {
      const auto other = cells.find({place[0] + step % 3 - 1, place[1] + step / 3 % 3 - 1, place[2] + step / 9 - 1});
      if (other == cells.end()) continue;
      for (const Index a : members)
        for (const Index b : other->second) {
          if (b <= a || (surface.positions[a] - surface.positions[b]).norm() >= std::min(width[a], width[b])) continue;
          if (std::binary_search(rings[a].begin(), rings[a].end(), b)) continue;
          if (sets.join(a, b)) ++joined;
        }
    }
  if (joined == 0) return 0;

  std::map<Index, std::pair<Vec3, double>> sums;
  for (Index v = 0; v < width.size(); ++v) {
    if (!(width[v] > 0)) continue;
    auto& sum = sums.try_emplace(sets.find(v), Vec3(Vec3::Zero()), 0.0).first->second;
    sum.first += surface.positions[v];
    sum.second += 1;
  }
  for (Index v = 0; v < width.size(); ++v) {
    if (!(width[v] > 0)) continue;
    const auto& sum = sums.at(sets.find(v));
    if (sum.second > 1)
      for (const Index source : clean.source_vertices[v]) mesh.positions[source] = sum.first / sum.second;
  }
  return joined;
}

}  // namespace sinew::binding
