// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Half-edges are bucketed by their lower vertex and each bucket sorts its few entries by the higher one: cheaper than
// one sort of them all.

#include "sinew/geometry/mesh/edge_table.h"

#include <algorithm>
#include <cstdint>

#include "sinew/core/parallel.h"

namespace sinew::geometry {
namespace {

// Calls visit(corner, lower, higher) for every half-edge that is one.
template <class Visit>
void for_half_edges(std::span<const Index> face_offsets, std::span<const Index> ids, Visit&& visit) {
  for (std::size_t f = 0; f + 1 < face_offsets.size(); ++f) {
    const Index begin = face_offsets[f], end = face_offsets[f + 1];
    if (end - begin < 3) continue;
    for (Index c = begin; c < end; ++c) {
      const Index a = ids[c], b = ids[c + 1 == end ? begin : c + 1];
      if (a != b && a != kNone && b != kNone) visit(c, std::min(a, b), std::max(a, b));
    }
  }
}

}  // namespace

EdgeTable edge_table(std::span<const Index> face_offsets, std::span<const Index> ids, Index id_count) {
  std::vector<Index> buckets(id_count + std::size_t{1}, 0);
  for_half_edges(face_offsets, ids, [&](Index, Index lower, Index) { ++buckets[lower]; });
  Index sum = 0;
  for (Index& bucket : buckets) bucket = sum += bucket;
  std::vector<std::uint64_t> keys(sum);
  for_half_edges(face_offsets, ids, [&](Index corner, Index lower, Index higher) {
    keys[--buckets[lower]] = (std::uint64_t{higher} << 32) | corner;
  });
  parallel_for(
      id_count, [&](std::size_t v) { std::sort(keys.begin() + buckets[v], keys.begin() + buckets[v + 1]); }, 8192);

  EdgeTable table;
  table.corners.resize(keys.size());
  table.corner_edge.assign(ids.size(), kNone);
  table.ends.reserve(keys.size() / 2);
  table.offsets.reserve(keys.size() / 2 + 1);
  for (Index v = 0; v < id_count; ++v)
    for (Index i = buckets[v]; i < buckets[v + 1]; ++i) {
      const auto higher = static_cast<Index>(keys[i] >> 32), corner = static_cast<Index>(keys[i]);
      if (i == buckets[v] || table.ends.back()[1] != higher) {
        table.ends.push_back({v, higher});
        table.offsets.push_back(i);
      }
      table.offsets.back() = i + 1;
      table.corners[i] = corner;
      table.corner_edge[corner] = table.size() - 1;
    }
  return table;
}

}  // namespace sinew::geometry
