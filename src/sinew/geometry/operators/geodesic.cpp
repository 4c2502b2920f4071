// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/operators/geodesic.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <queue>
#include <tuple>

#include "sinew/core/parallel.h"

namespace sinew::geometry {
namespace {

// Sources by position, so that ties do not depend on the order in which they are given.
std::vector<Index> rank_of_sources(const EdgeGraph& graph, std::span<const Index> sources) {
  std::vector<Index> order(sources.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto key = [&](Index i) {
    const Vec3& p = graph.positions[sources[i]];
    return std::tuple(p.x(), p.y(), p.z(), sources[i], i);
  };
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return key(i) < key(j); });
  std::vector<Index> rank(sources.size());
  for (Index i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

struct Reach {
  double distance;
  Index rank;  // Of the source it comes from.
  Index vertex;

  bool operator>(const Reach& other) const {
    return std::tie(distance, rank, vertex) > std::tie(other.distance, other.rank, other.vertex);
  }
};

}  // namespace

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

EdgeDistances edge_geodesics(const EdgeGraph& graph, std::span<const Index> sources, double max_distance) {
  const double infinity = std::numeric_limits<double>::infinity();
  EdgeDistances result;
  result.distance.assign(graph.size(), infinity);
  result.owner.assign(graph.size(), kNone);
  const std::vector<Index> rank = rank_of_sources(graph, sources);
  std::vector<Index> best(graph.size(), kNone), by_rank(sources.size());
  // Distance first, the source's rank second: a total order, so that the outcome is unique.
  std::priority_queue<Reach, std::vector<Reach>, std::greater<>> queue;
  for (Index i = 0; i < sources.size(); ++i) {
    assert(sources[i] < graph.size());
    by_rank[rank[i]] = i;
    if (rank[i] >= best[sources[i]]) continue;
    best[sources[i]] = rank[i];
    result.distance[sources[i]] = 0;
    queue.push({0, rank[i], sources[i]});
  }
  while (!queue.empty()) {
    const Reach reach = queue.top();
    queue.pop();
    const Index v = reach.vertex;
    if (reach.distance != result.distance[v] || reach.rank != best[v]) continue;
    for (Index k = graph.offsets[v]; k < graph.offsets[v + 1]; ++k) {
      const Index w = graph.neighbours[k];
      const double d = reach.distance + graph.lengths[k];
      if (d > max_distance || std::tie(d, reach.rank) >= std::tie(result.distance[w], best[w])) continue;
      result.distance[w] = d;
      best[w] = reach.rank;
      queue.push({d, reach.rank, w});
    }
  }
  for (Index v = 0; v < graph.size(); ++v)
    if (best[v] != kNone) result.owner[v] = by_rank[best[v]];
  return result;
}

}  // namespace sinew::geometry
