// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Bodies made of blocks along the axes, in which the shortest way is known.

#include <functional>
#include <map>
#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::test {

/// From `from` to `to` in `count` equal steps, appended to what is there without its last value.
inline std::vector<double> and_then(std::vector<double> lines, double to, int count) {
  const double from = lines.back();
  for (int i = 1; i <= count; ++i) lines.push_back(from + (to - from) * i / count);
  return lines;
}

/// The surface of the blocks between the lines for which `filled(center)` holds, as quads that face outwards. Faces of
/// blocks that touch in an edge only share its vertices.
inline Mesh block_mesh(const std::vector<double>& xs, const std::vector<double>& ys, const std::vector<double>& zs,
                       const std::function<bool(const Vec3&)>& filled) {
  const std::array<const std::vector<double>*, 3> lines = {&xs, &ys, &zs};
  const std::array<int, 3> count = {static_cast<int>(xs.size()) - 1, static_cast<int>(ys.size()) - 1,
                                    static_cast<int>(zs.size()) - 1};
  const auto full = [&](std::array<int, 3> c) {
    Vec3 center;
    for (std::size_t k = 0; k < 3; ++k) {
      if (c[k] < 0 || c[k] >= count[k]) return false;
      const auto i = static_cast<std::size_t>(c[k]);
      center[static_cast<Eigen::Index>(k)] = 0.5 * ((*lines[k])[i] + (*lines[k])[i + 1]);
    }
    return filled(center);
  };
  Mesh mesh;
  std::map<std::array<int, 3>, Index> vertices;
  const auto vertex = [&](const std::array<int, 3>& at) {
    const auto [it, fresh] = vertices.try_emplace(at, mesh.vertex_count());
    if (fresh)
      mesh.positions.push_back({xs[static_cast<std::size_t>(at[0])], ys[static_cast<std::size_t>(at[1])],
                                zs[static_cast<std::size_t>(at[2])]});
    return it->second;
  };
  for (int z = 0; z < count[2]; ++z)
    for (int y = 0; y < count[1]; ++y)
      for (int x = 0; x < count[0]; ++x) {
        if (!full({x, y, z})) continue;
        for (std::size_t k = 0; k < 3; ++k)
          for (const int side : {0, 1}) {
            std::array<int, 3> beside = {x, y, z};
            beside[k] += side == 0 ? -1 : 1;
            if (full(beside)) continue;
            const std::size_t u = (k + 1) % 3, v = (k + 2) % 3;
            std::array<std::array<int, 3>, 4> corners;
            corners.fill({x, y, z});
            for (auto& c : corners) c[k] += side;
            ++corners[1][u], ++corners[2][u], ++corners[2][v], ++corners[3][v];
            std::array<Index, 4> face;
            for (std::size_t i = 0; i < 4; ++i) face[i] = vertex(corners[side == 1 ? i : 3 - i]);
            mesh.add_face(face);
          }
      }
  return mesh;
}

/// Two arms 1 wide and deep that hang from y = 6 to a common foot of height 1, `gap` apart: x in [0, 1] and [1 + gap, 2
/// + gap].
inline Mesh u_tube(double gap, int per_unit = 4) {
  const std::vector<double> xs = and_then(and_then(and_then({0}, 1, per_unit), 1 + gap, 1), 2 + gap, per_unit);
  const std::vector<double> ys = and_then(and_then({0}, 1, per_unit), 6, 5 * per_unit);
  return block_mesh(xs, ys, and_then({0}, 1, per_unit),
                    [&](const Vec3& c) { return c.y() < 1 || c.x() < 1 || c.x() > 1 + gap; });
}

/// The shortest way in the u-tube between a point of each arm, above the foot and at one depth: a string around two
/// corners.
inline double way_around(const Vec3& left, const Vec3& right, double gap) {
  const Vec3 a(1, 1, left.z()), b(1 + gap, 1, right.z());
  return (left - a).norm() + gap + (right - b).norm();
}

}  // namespace sinew::test
