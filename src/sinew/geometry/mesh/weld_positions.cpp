// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/weld_positions.h"

#include <algorithm>

namespace sinew::geometry {

Welding weld_positions(const Mesh& mesh, Welding welding) {
  const auto has_morphs = [](const MeshPart& part) { return !part.morphs.empty(); };
  if (std::none_of(mesh.parts.begin(), mesh.parts.end(), has_morphs)) return welding;
  // The welded vertices as a mesh of their own, in the same parts, without morphs.
  Mesh bare;
  bare.positions.reserve(welding.count());
  for (const Index v : welding.first) bare.positions.push_back(mesh.positions[v]);
  Index next = 0;
  for (const MeshPart& part : mesh.parts) {
    const auto end =
        std::lower_bound(welding.first.begin(), welding.first.end(), part.first_vertex + part.vertex_count);
    bare.parts.emplace_back();
    bare.parts.back().first_vertex = next;
    bare.parts.back().vertex_count = static_cast<Index>(end - welding.first.begin()) - next;
    next += bare.parts.back().vertex_count;
  }
  const Welding again = weld(bare);
  for (Index& w : welding.welded) w = again.welded[w];
  std::vector<Index> first(again.count());
  for (Index i = 0; i < again.count(); ++i) first[i] = welding.first[again.first[i]];
  welding.first = std::move(first);
  return welding;
}

}  // namespace sinew::geometry
