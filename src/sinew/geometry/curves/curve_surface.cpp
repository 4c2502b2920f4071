// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/curves/curve_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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

/// Takes a mesh as it is if nothing needs welding: every edge has two faces, and none is too short. This is twice as
/// fast as to compare positions.
bool take_closed(const Mesh& mesh, CurveSurface& s) {
  HalfEdges edges = half_edges(mesh);
  if (edges.size() == 0 || edges.count(EdgeKind::kInterior) * 2 != edges.size()) return false;
  const double least = kWeldRel * s.size;
  for (Index h = 0; h < edges.size(); ++h) {
    const Index a = edges.vertex[h], b = edges.vertex[edges.next[h]];
    if (a < b && (mesh.positions[a] - mesh.positions[b]).squaredNorm() <= least * least) return false;
  }
  s.edges = std::move(edges);
  s.mesh.positions = mesh.positions;
  s.mesh.face_offsets = mesh.face_offsets;
  s.mesh.face_vertices = mesh.face_vertices;
  s.welding.welded.resize(mesh.vertex_count());
  std::iota(s.welding.welded.begin(), s.welding.welded.end(), 0U);
  s.welding.first = s.welding.welded;
  return true;
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

/// Vertices by distance, in buckets of half a mean edge. Within a bucket they come in any order and may come again when
/// their distance falls. Distances end as the smallest sum over all paths, which no order changes; a heap that keeps
/// the order takes three times as long.
class DistanceBuckets {
 public:
  explicit DistanceBuckets(const SurfaceGraph& graph) {
    constexpr double kMostBuckets = 4096;
    const double width = std::max({0.5 * graph.mean_length, graph.longest / kMostBuckets, 1e-300});
    per_length_ = 1 / width;
    buckets_.resize(static_cast<std::size_t>(graph.longest * per_length_) + 2);
  }

  void add(Index v, double distance) {
    buckets_[number(distance) % buckets_.size()].push_back(v);
    ++count_;
  }

  /// Calls visit(v) for vertices by rising bucket; it may add more, not farther than an edge away.
  template <class Visit>
  void drain(const std::vector<double>& distance, Visit&& visit) {
    for (std::size_t now = 0; count_ > 0; ++now) {
      std::vector<Index>& bucket = buckets_[now % buckets_.size()];
      for (std::size_t i = 0; i < bucket.size(); ++i) {
        const Index v = bucket[i];
        if (number(distance[v]) == now) visit(v);  // Otherwise it came in an earlier bucket.
      }
      count_ -= bucket.size();
      bucket.clear();
    }
  }

 private:
  std::size_t number(double distance) const { return static_cast<std::size_t>(distance * per_length_); }

  std::vector<std::vector<Index>> buckets_;
  double per_length_ = 0;
  std::size_t count_ = 0;
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
  if (!take_closed(mesh, s)) {
    s.welding = weld_within(mesh, kWeldRel * s.size, true);
    s.mesh = welded_mesh(mesh, s.welding);
    if (s.mesh.face_count() == 0) throw Error("The mesh has no faces, so no curves can be found on it.");
    s.edges = half_edges(s.mesh);
  }
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
  for (const double length : graph.lengths) {
    graph.mean_length += length;
    graph.longest = std::max(graph.longest, length);
  }
  if (!graph.lengths.empty()) graph.mean_length /= static_cast<double>(graph.lengths.size());
  return graph;
}

std::vector<double> graph_distances(const SurfaceGraph& graph, std::span<const Index> sources,
                                    const std::vector<char>* allowed) {
  std::vector<double> distance(graph.size(), std::numeric_limits<double>::infinity());
  DistanceBuckets buckets(graph);
  for (const Index v : sources) distance[v] = 0, buckets.add(v, 0);
  buckets.drain(distance, [&](Index v) {
    const double from = distance[v];
    for (Index i = graph.offsets[v]; i < graph.offsets[v + 1]; ++i) {
      const Index u = graph.neighbours[i];
      const double d = from + graph.lengths[i];
      if (!(d < distance[u]) || (allowed && !(*allowed)[u])) continue;
      distance[u] = d;
      buckets.add(u, d);
    }
  });
  return distance;
}

}  // namespace sinew::geometry
