// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/adjacency.h"

#include <algorithm>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/edge_table.h"

namespace sinew::geometry {
namespace {

Index adjacency_vertex_count(const Mesh& mesh, const Welding* welding) {
  return welding ? welding->count() : mesh.vertex_count();
}

std::vector<Index> faces_of_corners(const Mesh& mesh) {
  std::vector<Index> faces(mesh.face_vertices.size());
  for (Index f = 0; f < mesh.face_count(); ++f)
    std::fill(faces.begin() + mesh.face_offsets[f], faces.begin() + mesh.face_offsets[f + 1], f);
  return faces;
}

// Removes what repeats itself within sorted lists.
Lists without_repeats(const Lists& lists) {
  Lists result;
  result.offsets.reserve(lists.offsets.size());
  result.items.reserve(lists.items.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const Index item : lists[i])
      if (result.items.size() == result.offsets.back() || result.items.back() != item) result.items.push_back(item);
    result.offsets.push_back(static_cast<Index>(result.items.size()));
  }
  return result;
}

EdgeKind kind_of(const EdgeTable& table, const std::vector<Index>& vertex, Index e) {
  const auto around = table.around(e);
  if (around.size() == 1) return EdgeKind::kBoundary;
  if (around.size() > 2) return EdgeKind::kNonManifold;
  return vertex[around[0]] == vertex[around[1]] ? EdgeKind::kInconsistent : EdgeKind::kInterior;
}

}  // namespace

std::vector<Index> corner_vertices(const Mesh& mesh, const Welding* welding) {
  std::vector<Index> vertices = mesh.face_vertices;
  if (welding)
    for (Index& v : vertices) v = welding->welded[v];
  return vertices;
}

Lists vertex_corners(const Mesh& mesh, const Welding* welding) {
  const std::vector<Index> vertices = corner_vertices(mesh, welding);
  Lists lists;
  lists.offsets.assign(adjacency_vertex_count(mesh, welding) + std::size_t{1}, 0);
  const auto for_corners = [&](auto&& visit) {
    for (Index f = mesh.face_count(); f-- > 0;)
      if (mesh.face_offsets[f + 1] - mesh.face_offsets[f] >= 3)
        for (Index c = mesh.face_offsets[f + 1]; c-- > mesh.face_offsets[f];) visit(c);
  };
  for_corners([&](Index c) { ++lists.offsets[vertices[c]]; });
  Index sum = 0;
  for (Index& offset : lists.offsets) offset = sum += offset;
  lists.items.resize(sum);
  for_corners([&](Index c) { lists.items[--lists.offsets[vertices[c]]] = c; });
  return lists;
}

Lists vertex_faces(const Mesh& mesh, const Welding* welding) {
  Lists lists = vertex_corners(mesh, welding);
  const std::vector<Index> faces = faces_of_corners(mesh);
  parallel_for(
      lists.items.size(), [&](std::size_t i) { lists.items[i] = faces[lists.items[i]]; }, 65536);
  return without_repeats(lists);
}

Lists one_rings(const Mesh& mesh, const Welding* welding) {
  const Index count = adjacency_vertex_count(mesh, welding);
  const EdgeTable table = edge_table(mesh.face_offsets, corner_vertices(mesh, welding), count);
  Lists lists;
  lists.offsets.assign(count + std::size_t{1}, 0);
  for (const auto& ends : table.ends) ++lists.offsets[ends[0]], ++lists.offsets[ends[1]];
  Index sum = 0;
  for (Index& offset : lists.offsets) offset = sum += offset;
  lists.items.resize(sum);
  // Filled from behind by decreasing edges. The edges to lower neighbours come before those to higher ones, in order,
  // so that the lists are sorted.
  for (Index e = table.size(); e-- > 0;)
    for (const int end : {0, 1}) {
      const auto& ends = table.ends[e];
      lists.items[--lists.offsets[ends[static_cast<std::size_t>(end)]]] = ends[static_cast<std::size_t>(1 - end)];
    }
  return lists;
}

HalfEdges half_edges(const Mesh& mesh, const Welding* welding) {
  HalfEdges h;
  h.vertex = corner_vertices(mesh, welding);
  h.face = faces_of_corners(mesh);
  const EdgeTable table = edge_table(mesh.face_offsets, h.vertex, adjacency_vertex_count(mesh, welding));
  const std::size_t count = h.vertex.size();
  h.next.resize(count);
  h.prev.resize(count);
  h.twin.assign(count, kNone);
  h.kind.assign(count, EdgeKind::kNone);
  parallel_for(
      count,
      [&](std::size_t i) {
        const auto c = static_cast<Index>(i);
        const Index begin = mesh.face_offsets[h.face[c]], end = mesh.face_offsets[h.face[c] + 1];
        h.next[c] = c + 1 == end ? begin : c + 1;
        h.prev[c] = c == begin ? end - 1 : c - 1;
        const Index e = table.corner_edge[c];
        if (e == kNone) return;
        h.kind[c] = kind_of(table, h.vertex, e);
        const auto around = table.around(e);
        if (h.kind[c] == EdgeKind::kInterior) h.twin[c] = around[0] == c ? around[1] : around[0];
      },
      16384);
  for (Index c = 0; c < count; ++c) {
    const Index e = table.corner_edge[c];
    if (e == kNone || table.around(e)[0] == c) ++h.edges[static_cast<std::size_t>(h.kind[c])];
  }
  return h;
}

Lists boundary_loops(const HalfEdges& h) {
  Lists loops;
  std::vector<char> seen(h.size(), 0);
  const auto open = [&](Index i) { return h.twin[i] == kNone && h.kind[i] != EdgeKind::kNone; };
  for (Index first = 0; first < h.size(); ++first) {
    if (seen[first] || !open(first)) continue;
    Index at = first;
    do {
      seen[at] = 1;
      loops.items.push_back(at);
      // Round the fan at the end of the half-edge. The first step comes from an open half-edge, which no step leads to,
      // so that the walk cannot run in a circle.
      for (at = h.next[at]; !open(at);) at = h.next[h.twin[at] == kNone ? at : h.twin[at]];
    } while (at != first);
    loops.offsets.push_back(static_cast<Index>(loops.items.size()));
  }
  return loops;
}

}  // namespace sinew::geometry
