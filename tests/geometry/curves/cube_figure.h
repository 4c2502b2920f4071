// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Figures of cubes whose rings can be counted.

#include <array>
#include <map>
#include <set>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/subdivide.h"

namespace sinew::geometry {

/// Counts of cubes of a figure with a trunk, two legs, two arms and a head.
struct CubeCounts {
  int width = 3;
  int trunk = 4;
  int arm = 5;
  int leg = 5;
  int head = 2;

  int cubes() const { return width * trunk + 2 * (arm + leg) + head; }
};

using CubeAt = std::array<int, 3>;

inline std::set<CubeAt> figure_cube_list(const CubeCounts& c) {
  std::set<CubeAt> cubes;
  for (int x = 0; x < c.width; ++x)
    for (int z = 0; z < c.trunk; ++z) cubes.insert({x, 0, z});
  for (int i = 1; i <= c.leg; ++i) cubes.insert({0, 0, -i}), cubes.insert({c.width - 1, 0, -i});
  for (int i = 1; i <= c.arm; ++i) cubes.insert({-i, 0, c.trunk - 1}), cubes.insert({c.width - 1 + i, 0, c.trunk - 1});
  for (int i = 0; i < c.head; ++i) cubes.insert({c.width / 2, 0, c.trunk + i});
  return cubes;
}

/// The boundary of unit cubes, cut k times after Catmull and Clark.
inline Mesh cube_surface(const std::set<CubeAt>& cubes, int k) {
  std::map<CubeAt, Index> corners;
  Mesh mesh;
  for (const CubeAt& cube : cubes)
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int side : {0, 1}) {
        CubeAt beyond = cube;
        beyond[axis] += side == 0 ? -1 : 1;
        if (cubes.count(beyond)) continue;
        std::array<Index, 4> face{};
        const std::array<std::array<int, 2>, 4> round = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
        for (std::size_t i = 0; i < 4; ++i) {
          CubeAt at = cube;
          at[axis] += side;
          at[(axis + 1) % 3] += round[i][0];
          at[(axis + 2) % 3] += round[i][1];
          const auto [entry, is_new] = corners.emplace(at, mesh.vertex_count());
          if (is_new) mesh.positions.emplace_back(at[0], at[1], at[2]);
          face[side == 0 ? 3 - i : i] = entry->second;
        }
        mesh.add_face(face);
      }
  return subdivide(mesh, SubdivisionScheme::kCatmullClark, k).mesh;
}

inline Mesh cube_figure(int k, const CubeCounts& counts = {}) { return cube_surface(figure_cube_list(counts), k); }

}  // namespace sinew::geometry
