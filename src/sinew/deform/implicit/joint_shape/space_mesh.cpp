// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/space_mesh.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sinew/deform/implicit/joint_shape/delaunay.h"

namespace sinew::deform {
namespace {

using SpaceFacet = std::array<Index, 3>;

constexpr std::size_t kMostCellPoints = 20000;
// Corners of the face across from each corner of a cell, counter-clockwise as seen from outside.
constexpr std::array<std::array<std::size_t, 3>, 4> kOuterFaces = {{{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

/// Whether triangles are one disk whose border runs through the first `corners` numbers in turn.
bool is_disk_at_border(const std::vector<SpaceFacet>& facets, Index corners) {
  std::set<std::pair<Index, Index>> edges;
  std::set<Index> vertices;
  for (const SpaceFacet& f : facets)
    for (std::size_t k = 0; k < 3; ++k) {
      if (!edges.insert({f[k], f[(k + 1) % 3]}).second) return false;
      vertices.insert(f[k]);
    }
  std::size_t open = 0;
  for (const auto& [a, b] : edges) {
    if (edges.contains({b, a})) continue;
    if (a >= corners || b != (a + 1) % corners) return false;
    ++open;
  }
  if (open != corners) return false;
  const std::size_t sides = (edges.size() + open) / 2;
  return vertices.size() + facets.size() == sides + 1;
}

}  // namespace

std::optional<std::vector<SpaceFacet>> triangulate_in_space(std::span<const Vec3> part, std::span<const Index> corners,
                                                            std::span<const Vec3> particles, const Hrbf& function) {
  if (part.size() + particles.size() > kMostCellPoints || !function.ok()) return std::nullopt;
  std::vector<Vec3> points(part.begin(), part.end());
  points.insert(points.end(), particles.begin(), particles.end());
  Box box;
  for (const Vec3& p : points) box.extend(p);
  const DelaunayCells all = delaunay_cells(points);
  std::vector<char> inside;
  for (const auto& cell : all.cells) {
    const Vec3 center = DelaunayCells::center(points, cell);
    const bool within = center.allFinite() && (center.array() >= box.lower.array()).all() &&
                        (center.array() <= box.upper.array()).all();
    inside.push_back(static_cast<char>(within && function.evaluate(center).value < 0));
  }
  // Numbers of the result: the border, then the particles.
  std::map<Index, Index> number;
  for (Index i = 0; i < corners.size(); ++i) number[corners[i]] = i;
  for (Index i = 0; i < particles.size(); ++i)
    number[static_cast<Index>(part.size()) + i] = static_cast<Index>(corners.size()) + i;
  std::vector<SpaceFacet> facets, between;  // Those with particles, and those with none.
  for (Index c = 0; c < all.cells.size(); ++c)
    for (std::size_t k = 0; k < 4; ++k) {
      const Index other = all.beyond[c][k];
      if (inside[c] == 0 || (other != kNone && inside[other] != 0)) continue;
      SpaceFacet facet{};
      bool known = true, particle = false;
      for (std::size_t i = 0; i < 3; ++i) {
        const Index v = all.cells[c][kOuterFaces[k][i]];
        const auto found = number.find(v);
        known = known && found != number.end();
        particle = particle || v >= part.size();
        if (known) facet[i] = found->second;
      }
      if (known) (particle ? facets : between).push_back(facet);
    }
  if (facets.empty()) return std::nullopt;
  const auto count = static_cast<Index>(corners.size());
  if (is_disk_at_border(facets, count)) return facets;
  facets.insert(facets.end(), between.begin(), between.end());
  if (!is_disk_at_border(facets, count)) return std::nullopt;
  return facets;
}

}  // namespace sinew::deform
