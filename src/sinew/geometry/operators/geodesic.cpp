// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/operators/geodesic.h"

#include <algorithm>

#include "sinew/core/parallel.h"

namespace sinew::geometry {

EdgeGraph edge_graph(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles) {
  const std::size_t count = positions.size();
  std::vector<Index> begin(count + 1, 0);
  for (const auto& t : triangles)
    for (const Index v : t) begin[v + std::size_t{1}] += 2;
  for (std::size_t v = 0; v < count; ++v) begin[v + 1] += begin[v];
  std::vector<Index> around(6 * triangles.size());
  std::vector<Index> cursor(begin.begin(), begin.end() - 1);
  for (const auto& t : triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      around[cursor[t[k]]++] = t[(k + 1) % 3];
      around[cursor[t[k]]++] = t[(k + 2) % 3];
    }
  EdgeGraph graph;
  graph.positions.assign(positions.begin(), positions.end());
  graph.offsets.assign(count + 1, 0);
  parallel_for(count, [&](std::size_t v) {
    const auto first = around.begin() + begin[v], last = around.begin() + begin[v + 1];
    std::sort(first, last);
    auto end = std::unique(first, last);
    end = std::remove(first, end, static_cast<Index>(v));
    graph.offsets[v + 1] = static_cast<Index>(end - first);
  });
  for (std::size_t v = 0; v < count; ++v) graph.offsets[v + 1] += graph.offsets[v];
  graph.neighbours.resize(graph.offsets.back());
  graph.lengths.resize(graph.offsets.back());
  parallel_for(count, [&](std::size_t v) {
    for (Index k = graph.offsets[v], from = begin[v]; k < graph.offsets[v + 1]; ++k, ++from) {
      const Index w = around[from];
      graph.neighbours[k] = w;
      graph.lengths[k] = (positions[std::max<std::size_t>(v, w)] - positions[std::min<std::size_t>(v, w)]).norm();
    }
  });
  return graph;
}

}  // namespace sinew::geometry
