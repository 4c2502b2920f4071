// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/curves/curve_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/error.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/weld_within.h"

namespace sinew::geometry {
namespace {

constexpr double kWeldRel = 1e-6;

/// The welded vertices and the faces that keep three different corners.
Mesh welded_mesh(const Mesh& mesh, const Welding& welding) {
  Mesh result;
  result.positions.reserve(welding.count());
  for (const Index v : welding.first) result.positions.push_back(mesh.positions[v]);
  result.face_offsets.reserve(mesh.face_offsets.size());
  result.face_vertices.reserve(mesh.face_vertices.size());
  std::vector<Index> corners;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    corners.clear();
    for (const Index v : mesh.face(f))
      if (corners.empty() || corners.back() != welding.welded[v]) corners.push_back(welding.welded[v]);
    while (corners.size() > 1 && corners.front() == corners.back()) corners.pop_back();
    if (corners.size() >= 3) result.add_face(corners);
  }
  return result;
}

double six_volumes(const Mesh& mesh) {
  double sum = 0;
  const Vec3 middle = mesh.bounds().center();
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    const Vec3 a = mesh.positions[face[0]] - middle;
    for (std::size_t i = 2; i < face.size(); ++i)
      sum += a.dot((mesh.positions[face[i - 1]] - middle).cross(mesh.positions[face[i]] - middle));
  }
  return sum;
}

void describe_vertices(CurveSurface& s) {
  const Index n = s.mesh.vertex_count();
  s.out.assign(n, kNone);
  s.valence.assign(n, 0);
  s.regular.assign(n, 1);
  for (Index h = 0; h < s.edges.size(); ++h) {
    const Index v = s.from(h);
    if (s.out[v] == kNone) s.out[v] = h;
    ++s.valence[v];
    if (!s.quad(s.edges.face[h]) || s.edges.twin[h] == kNone || s.edges.twin[s.edges.prev[h]] == kNone)
      s.regular[v] = 0;
  }
  for (Index v = 0; v < n; ++v)
    if (s.valence[v] != 4) s.regular[v] = 0;
}

void describe_components(CurveSurface& s) {
  const Components parts = components(s.mesh);
  s.component = parts.of_vertex;
  s.part_area.assign(parts.count, 0);
  for (Index f = 0; f < s.mesh.face_count(); ++f) {
    const auto face = s.mesh.face(f);
    Vec3 normal = Vec3::Zero();
    for (std::size_t i = 2; i < face.size(); ++i)
      normal += (s.position(face[i - 1]) - s.position(face[0])).cross(s.position(face[i]) - s.position(face[0]));
    s.part_area[parts.of_face[f]] += 0.5 * normal.norm();
  }
}

/// A 4-ary heap of vertices by distance, each once.
class DistanceHeap {
 public:
  explicit DistanceHeap(const std::vector<double>& key) : key_(key), at_(key.size(), kNone) {}
  bool empty() const { return heap_.empty(); }
  void raise(Index v) {
    if (at_[v] == kNone) at_[v] = static_cast<Index>(heap_.size()), heap_.push_back(v);
    up(at_[v]);
  }
  Index pop() {
    const Index top = heap_.front();
    const Index last = heap_.back();
    heap_.pop_back();
    at_[top] = kNone;
    if (!heap_.empty()) place(0, last), down(0);
    return top;
  }

 private:
  bool less(Index a, Index b) const { return key_[a] < key_[b] || (key_[a] == key_[b] && a < b); }
  void place(Index i, Index v) { heap_[i] = v, at_[v] = i; }
  void up(Index i) {
    const Index v = heap_[i];
    while (i > 0 && less(v, heap_[(i - 1) / 4])) place(i, heap_[(i - 1) / 4]), i = (i - 1) / 4;
    place(i, v);
  }
  void down(Index i) {
    const Index v = heap_[i];
    const auto count = static_cast<Index>(heap_.size());
    for (;;) {
      Index best = kNone;
      for (Index c = 4 * i + 1; c < std::min(count, 4 * i + 5); ++c)
        if (best == kNone || less(heap_[c], heap_[best])) best = c;
      if (best == kNone || !less(heap_[best], v)) break;
      place(i, heap_[best]), i = best;
    }
    place(i, v);
  }

  const std::vector<double>& key_;
  std::vector<Index> at_;
  std::vector<Index> heap_;
};

/// Calls add(a, b, diagonal) once for each directed connection.
template <class Add>
void connections(const CurveSurface& s, Add&& add) {
  const HalfEdges& e = s.edges;
  for (Index h = 0; h < e.size(); ++h) {
    const Index a = s.from(h), b = s.to(h);
    add(a, b, false);
    if (e.twin[h] == kNone) {
      add(b, a, false);
      continue;
    }
    if (s.quad(e.face[h])) {
      add(a, s.from(e.next[e.next[h]]), true);
    } else if (const Index t = e.twin[h]; e.next[e.next[e.next[h]]] == h && e.next[e.next[e.next[t]]] == t) {
      add(s.from(e.prev[h]), s.from(e.prev[t]), true);
    }
  }
}

}  // namespace

double CurveSurface::quad_share() const {
  Index quads = 0;
  for (Index f = 0; f < mesh.face_count(); ++f) quads += quad(f) ? 1 : 0;
  return mesh.face_count() == 0 ? 0 : static_cast<double>(quads) / mesh.face_count();
}

CurveSurface curve_surface(const Mesh& mesh) {
  for (const Vec3& p : mesh.positions)
    if (!p.allFinite()) throw Error("A position of the mesh is not finite, so no curves can be found on it.");
  CurveSurface s;
  s.size = mesh.size();
  s.welding = weld_within(mesh, kWeldRel * s.size, true);
  s.mesh = welded_mesh(mesh, s.welding);
  if (s.mesh.face_count() == 0) throw Error("The mesh has no faces, so no curves can be found on it.");
  s.edges = half_edges(s.mesh);
  s.facing = six_volumes(s.mesh) < 0 ? -1 : 1;
  describe_vertices(s);
  describe_components(s);
  return s;
}

SurfaceGraph surface_graph(const CurveSurface& s) {
  SurfaceGraph graph;
  const Index n = s.mesh.vertex_count();
  graph.offsets.assign(n + 1, 0);
  connections(s, [&](Index a, Index, bool) { ++graph.offsets[a + 1]; });
  for (Index v = 0; v < n; ++v) graph.offsets[v + 1] += graph.offsets[v];
  graph.neighbours.resize(graph.offsets[n]);
  graph.lengths.resize(graph.offsets[n]);
  graph.across.resize(graph.offsets[n]);
  std::vector<Index> fill(graph.offsets.begin(), graph.offsets.end() - 1);
  connections(s, [&](Index a, Index b, bool diagonal) {
    const Index i = fill[a]++;
    graph.neighbours[i] = b;
    graph.lengths[i] = (s.position(a) - s.position(b)).norm();
    graph.across[i] = diagonal ? 1 : 0;
  });
  return graph;
}

std::vector<double> graph_distances(const SurfaceGraph& graph, std::span<const Index> sources,
                                    const std::vector<char>* allowed) {
  std::vector<double> distance(graph.size(), std::numeric_limits<double>::infinity());
  DistanceHeap heap(distance);
  for (const Index v : sources) distance[v] = 0, heap.raise(v);
  while (!heap.empty()) {
    const Index v = heap.pop();
    for (Index i = graph.offsets[v]; i < graph.offsets[v + 1]; ++i) {
      const Index u = graph.neighbours[i];
      if (allowed && !(*allowed)[u]) continue;
      const double d = distance[v] + graph.lengths[i];
      if (d < distance[u]) distance[u] = d, heap.raise(u);
    }
  }
  return distance;
}

}  // namespace sinew::geometry
