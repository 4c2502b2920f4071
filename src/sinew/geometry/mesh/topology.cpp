// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// One pass over the vertices sees everything: a vertex gathers the corners of its faces, two half-edges for each, and
// sorts them by the vertex at the other end. Runs of equal neighbours are edges; corners linked by a run belong to one
// fan. One sort of all half-edges instead would alone take longer than the whole of this (bench/info_bench).

#include "sinew/geometry/mesh/topology.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/part_ranges.h"

namespace sinew::geometry {
namespace {

// Corners of the faces with welded vertices, and the corners around each vertex.
class Corners {
 public:
  Corners(const Mesh& mesh, const Welding& welding)
      : mesh_(mesh),
        vertex_(mesh.face_vertices.size()),
        offsets_(welding.count() + std::size_t{1}, 0),
        around_(mesh.face_vertices.size()) {
    parallel_for(
        vertex_.size(), [&](std::size_t c) { vertex_[c] = welding.welded[mesh.face_vertices[c]]; }, 65536);
    triangles_only_ = mesh.face_vertices.size() == 3 * std::size_t{mesh.face_count()};
    for (Index f = 0; f < mesh.face_count() && triangles_only_; ++f) triangles_only_ = mesh.face_offsets[f] == 3 * f;
    if (!triangles_only_) {
      face_.resize(vertex_.size());
      for (Index f = 0; f < mesh.face_count(); ++f)
        std::fill(face_.begin() + mesh.face_offsets[f], face_.begin() + mesh.face_offsets[f + 1], f);
    }
    // Counting sort; the offsets slide back while they serve as cursors.
    for (const Index v : vertex_) ++offsets_[v];
    Index sum = 0;
    for (Index& offset : offsets_) offset = sum += offset;
    for (std::size_t c = vertex_.size(); c-- > 0;) around_[--offsets_[vertex_[c]]] = static_cast<Index>(c);
  }

  Index vertex(Index corner) const { return vertex_[corner]; }
  std::span<const Index> around(Index v) const { return {around_.data() + offsets_[v], offsets_[v + 1] - offsets_[v]}; }
  std::span<const Index> face_vertices(Index f) const {
    return {vertex_.data() + mesh_.face_offsets[f], mesh_.face_offsets[f + 1] - mesh_.face_offsets[f]};
  }
  bool triangles_only() const { return triangles_only_; }
  Index face(Index corner) const { return triangles_only_ ? corner / 3 : face_[corner]; }
  // The vertices after and before a corner in its face.
  std::pair<Index, Index> neighbours(Index corner) const {
    const Index f = face(corner);
    const Index begin = triangles_only_ ? 3 * f : mesh_.face_offsets[f];
    const Index end = triangles_only_ ? 3 * f + 3 : mesh_.face_offsets[f + 1];
    return {vertex_[corner + 1 == end ? begin : corner + 1], vertex_[corner == begin ? end - 1 : corner - 1]};
  }

 private:
  const Mesh& mesh_;
  std::vector<Index> vertex_;
  std::vector<Index> face_;  // Empty when all faces are triangles.
  std::vector<Index> offsets_;
  std::vector<Index> around_;
  bool triangles_only_ = false;
};

Index find_root(std::vector<Index>& parent, Index i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// Says whether the two were apart before.
bool join(std::vector<Index>& parent, Index a, Index b) {
  a = find_root(parent, a), b = find_root(parent, b);
  if (a == b) return false;
  parent[std::max(a, b)] = std::min(a, b);
  return true;
}

// Two facts about each face, kept only where looking again could take long: triangles answer at once.
class FaceFacts {
 public:
  FaceFacts(const Mesh& mesh, const Corners& corners) {
    if (corners.triangles_only()) return;
    lowest_.resize(mesh.face_count());
    repeats_.resize(mesh.face_count());
    parallel_blocks(lowest_.size(), 16384, [&](std::size_t begin, std::size_t end) {
      std::vector<Index> sorted;
      for (std::size_t f = begin; f < end; ++f) {
        const auto vertices = corners.face_vertices(static_cast<Index>(f));
        sorted.assign(vertices.begin(), vertices.end());
        std::sort(sorted.begin(), sorted.end());
        lowest_[f] = sorted.empty() ? kNone : sorted.front();
        repeats_[f] = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
      }
    });
  }

  Index lowest(const Corners& corners, Index f) const {
    if (!lowest_.empty()) return lowest_[f];
    const auto v = corners.face_vertices(f);
    return std::min({v[0], v[1], v[2]});
  }
  // Whether the face uses a vertex twice.
  bool repeats(const Corners& corners, Index f) const {
    if (!repeats_.empty()) return repeats_[f] != 0;
    const auto v = corners.face_vertices(f);
    return v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
  }

 private:
  std::vector<Index> lowest_;
  std::vector<char> repeats_;
};

// What the vertices of a block add to the counts.
struct Found {
  TopologyCounts counts;
  std::vector<OpenEdge> open_edges;
};

class VertexPass {
 public:
  VertexPass(const Corners& corners, const FaceFacts& facts) : corners_(corners), facts_(facts) {}

  Found run(Index begin, Index end) {
    Found found;
    for (Index v = begin; v < end; ++v) {
      if (count_regular(v, found)) continue;
      gather(v);
      count_edges(v, found);
      count_duplicates(v, found);
    }
    return found;
  }

 private:
  // Packs a half-edge at the vertex: the other end, the local corner, and whether it runs away from the vertex.
  static std::uint64_t pack(Index other, std::size_t local, bool away) {
    return (std::uint64_t{other} << 32) | (std::uint64_t{local} << 1) | std::uint64_t{away};
  }

  // A vertex in the middle of plain surface: each neighbour is left once and reached once, and going from face to face
  // leads round all of them. Says whether it is one; nearly all are, and need no sorting. Two triangles over the same
  // vertices would leave a neighbour twice, or be the only two; larger polygons can be twins and still pass, so that
  // they always take the slow way.
  bool count_regular(Index v, Found& found) const {
    constexpr std::size_t kMost = 12;
    const auto around = corners_.around(v);
    const std::size_t n = around.size();
    if (!corners_.triangles_only() || n < 3 || n > kMost) return false;
    std::array<Index, kMost> next, previous;
    for (std::size_t i = 0; i < n; ++i) std::tie(next[i], previous[i]) = corners_.neighbours(around[i]);
    Index edges = 0;
    for (std::size_t i = 0; i < n; ++i) edges += next[i] > v;
    // Each corner leads to the first one reached from its next neighbour. Two corners with the same neighbour would
    // lead to the same corner, so that a round of all n proves that the neighbours differ.
    std::size_t at = 0;
    for (std::size_t step = 1; step <= n; ++step) {
      std::size_t j = 0;
      while (j < n && previous[j] != next[at]) ++j;
      if (j == n || (j == 0) != (step == n)) return false;
      at = j;
    }
    found.counts.edges += edges;
    return true;
  }

  void gather(Index v) {
    const auto around = corners_.around(v);
    edges_.clear();
    fan_.resize(around.size());
    fans_ = 0;
    for (std::size_t i = 0; i < around.size(); ++i) {
      const auto [next, previous] = corners_.neighbours(around[i]);
      const bool surface = !facts_.repeats(corners_, corners_.face(around[i]));
      fan_[i] = surface ? static_cast<Index>(i) : kNone;
      fans_ += surface;
      if (next != v) edges_.push_back(pack(next, i, true));
      if (previous != v) edges_.push_back(pack(previous, i, false));
    }
    if (edges_.size() > 48) {
      std::sort(edges_.begin(), edges_.end());
      return;
    }
    for (std::size_t i = 1; i < edges_.size(); ++i) {
      const std::uint64_t key = edges_[i];
      std::size_t j = i;
      for (; j > 0 && edges_[j - 1] > key; --j) edges_[j] = edges_[j - 1];
      edges_[j] = key;
    }
  }

  void count_edges(Index v, Found& found) {
    for (std::size_t begin = 0, end = 0; begin < edges_.size(); begin = end) {
      const auto other = static_cast<Index>(edges_[begin] >> 32);
      Index away = 0, faces = 0, first = kNone;
      for (end = begin; end < edges_.size() && (edges_[end] >> 32) == other; ++end) {
        const auto local = static_cast<Index>((edges_[end] & 0xFFFFFFFFU) >> 1);
        away += static_cast<Index>(edges_[end] & 1);
        ++faces;
        if (fan_[local] == kNone) continue;
        if (first == kNone) first = local;
        else if (join(fan_, first, local)) --fans_;
      }
      if (other > v) count_edge(v, other, away, faces, found);
    }
    found.counts.nonmanifold_vertices += fans_ > 1;
  }

  static void count_edge(Index v, Index other, Index away, Index faces, Found& found) {
    const Index back = faces - away;
    ++found.counts.edges;
    found.counts.boundary_edges += faces == 1;
    found.counts.nonmanifold_edges += faces > 2;
    found.counts.inconsistent_edges += static_cast<std::uint64_t>(away > 1) + static_cast<std::uint64_t>(back > 1);
    if (away > back) found.open_edges.push_back({v, other, away - back, faces});
    if (back > away) found.open_edges.push_back({other, v, back - away, faces});
  }

  // Faces with the same vertices meet in the lowest of them.
  void count_duplicates(Index v, Found& found) {
    same_.clear();
    Index last = kNone;
    for (const Index corner : corners_.around(v)) {
      const Index f = corners_.face(corner);
      if (facts_.lowest(corners_, f) != v || f == last) continue;
      last = f;
      std::uint64_t sum = 0;
      for (const Index u : corners_.face_vertices(f)) {
        // Adds up scrambled numbers: the order of the corners does not matter. Equal sums are looked at below.
        std::uint64_t h = (u + std::uint64_t{1}) * 0x9E3779B97F4A7C15U;
        h ^= h >> 32;
        sum += h * 0xD6E8FEB86659FD93U;
      }
      same_.emplace_back(sum, f);
    }
    if (same_.size() < 2) return;
    std::sort(same_.begin(), same_.end());
    for (std::size_t i = 1; i < same_.size(); ++i)
      if (same_[i].first == same_[i - 1].first && same_vertices(same_[i - 1].second, same_[i].second))
        ++found.counts.duplicate_faces;
  }

  bool same_vertices(Index f, Index g) {
    const auto a = corners_.face_vertices(f), b = corners_.face_vertices(g);
    sorted_[0].assign(a.begin(), a.end());
    sorted_[1].assign(b.begin(), b.end());
    for (auto& list : sorted_) std::sort(list.begin(), list.end());
    return sorted_[0] == sorted_[1];
  }

  const Corners& corners_;
  const FaceFacts& facts_;
  std::vector<std::uint64_t> edges_;
  std::vector<Index> fan_;
  std::uint64_t fans_ = 0;
  std::vector<std::pair<std::uint64_t, Index>> same_;
  std::array<std::vector<Index>, 2> sorted_;
};

// Whether all corners lie on a line, nearer to it than `thin`: what rounding makes of a face without area.
bool has_no_area(const Mesh& mesh, std::span<const Index> face, double thin) {
  if (face.size() < 3) return true;
  const Vec3& origin = mesh.positions[face[0]];
  // Nearly always settled by the first three corners.
  const Vec3 a = mesh.positions[face[1]] - origin, b = mesh.positions[face[2]] - origin;
  if (a.cross(b).squaredNorm() > thin * thin * (a.squaredNorm() + b.squaredNorm()) && face.size() == 3) return false;
  Vec3 line = Vec3::Zero();  // To the corner furthest from the first.
  for (const Index v : face)
    if (const Vec3 to = mesh.positions[v] - origin; to.squaredNorm() > line.squaredNorm()) line = to;
  for (const Index v : face)
    if (line.cross(mesh.positions[v] - origin).squaredNorm() > thin * thin * line.squaredNorm()) return false;
  return true;
}

TopologyCounts count_faces(const Mesh& mesh, const PartRange& part, double thin) {
  return parallel_reduce(
      part.face_count, TopologyCounts{},
      [&](std::size_t begin, std::size_t end) {
        TopologyCounts counts;
        for (std::size_t i = begin; i < end; ++i) {
          const auto face = mesh.face(part.first_face + static_cast<Index>(i));
          counts.triangles += face.size() == 3;
          counts.quads += face.size() == 4;
          counts.ngons += face.size() > 4;
          counts.zero_area_faces += has_no_area(mesh, face, thin);
        }
        return counts;
      },
      [](TopologyCounts a, const TopologyCounts& b) { return a += b; });
}

// The welded vertices of a part: they are numbered part by part.
std::pair<Index, Index> welded_range(const Welding& welding, const PartRange& part) {
  const auto find = [&](Index v) {
    return static_cast<Index>(std::lower_bound(welding.first.begin(), welding.first.end(), v) - welding.first.begin());
  };
  return {find(part.first_vertex), find(part.first_vertex + part.vertex_count)};
}

Found look_at_vertices(const Corners& corners, const FaceFacts& facts, std::pair<Index, Index> range) {
  return parallel_reduce(
      range.second - range.first, Found{},
      [&](std::size_t begin, std::size_t end) {
        return VertexPass(corners, facts)
            .run(range.first + static_cast<Index>(begin), range.first + static_cast<Index>(end));
      },
      [](Found a, Found b) {
        a.counts += b.counts;
        if (a.open_edges.empty()) a.open_edges = std::move(b.open_edges);
        else a.open_edges.insert(a.open_edges.end(), b.open_edges.begin(), b.open_edges.end());
        return a;
      },
      8192);
}

std::uint64_t count_components(const Corners& corners, const PartRange& part, std::pair<Index, Index> range,
                               std::vector<Index>& parent) {
  for (Index v = range.first; v < range.second; ++v) parent[v] = v;
  for (Index f = part.first_face; f < part.first_face + part.face_count; ++f) {
    const auto vertices = corners.face_vertices(f);
    for (std::size_t i = 1; i < vertices.size(); ++i) join(parent, vertices[0], vertices[i]);
  }
  std::uint64_t count = 0;
  for (Index v = range.first; v < range.second; ++v) count += parent[v] == v && !corners.around(v).empty();
  return count;
}

// Every vertex begins a loop of its own; every join of two makes one of them.
std::uint64_t count_loops(const std::vector<OpenEdge>& edges, std::vector<Index>& parent) {
  std::uint64_t loops = 0;
  for (const OpenEdge& edge : edges) parent[edge.from] = parent[edge.to] = kNone;
  for (const OpenEdge& edge : edges) {
    if (edge.faces != 1) continue;
    for (const Index v : {edge.from, edge.to})
      if (parent[v] == kNone) parent[v] = v, ++loops;
    loops -= join(parent, edge.from, edge.to);
  }
  return loops;
}

std::uint64_t count_unreferenced(const Mesh& mesh, const PartRange& part, std::vector<char>& used) {
  for (Index f = part.first_face; f < part.first_face + part.face_count; ++f)
    for (const Index v : mesh.face(f)) used[v] = 1;
  std::uint64_t count = 0;
  for (Index i = 0; i < part.vertex_count; ++i) count += !used[part.first_vertex + i];
  return count;
}

}  // namespace

TopologyCounts& TopologyCounts::operator+=(const TopologyCounts& other) {
  static constexpr std::array members = {&TopologyCounts::render_vertices,
                                         &TopologyCounts::vertices,
                                         &TopologyCounts::unreferenced_vertices,
                                         &TopologyCounts::triangles,
                                         &TopologyCounts::quads,
                                         &TopologyCounts::ngons,
                                         &TopologyCounts::faces,
                                         &TopologyCounts::edges,
                                         &TopologyCounts::components,
                                         &TopologyCounts::boundary_edges,
                                         &TopologyCounts::boundary_loops,
                                         &TopologyCounts::nonmanifold_edges,
                                         &TopologyCounts::nonmanifold_vertices,
                                         &TopologyCounts::inconsistent_edges,
                                         &TopologyCounts::zero_area_faces,
                                         &TopologyCounts::duplicate_faces};
  static_assert(members.size() * sizeof(std::uint64_t) == sizeof(TopologyCounts));
  for (const auto member : members) this->*member += other.*member;
  return *this;
}

Topology topology(const Mesh& mesh, const Welding& welding) {
  Topology result;
  const Corners corners(mesh, welding);
  const FaceFacts facts(mesh, corners);
  std::vector<Index> parent(welding.count());
  std::vector<char> used(mesh.vertex_count(), 0);
  double reach = 0;  // The largest coordinate: what rounding is relative to.
  const Box box = mesh.bounds();
  if (!box.empty()) reach = std::max(box.lower.cwiseAbs().maxCoeff(), box.upper.cwiseAbs().maxCoeff());

  for (const PartRange& part : part_ranges(mesh)) {
    const auto range = welded_range(welding, part);
    Found found;
    TopologyCounts counts;
    // What cannot be split among threads runs beside what can.
    parallel_for(
        2,
        [&](std::size_t task) {
          if (task == 0) {
            counts.components = count_components(corners, part, range, parent);
            counts.unreferenced_vertices = count_unreferenced(mesh, part, used);
          } else {
            found = look_at_vertices(corners, facts, range);
            found.counts += count_faces(mesh, part, 1e-14 * reach);
          }
        },
        1);
    counts += found.counts;
    counts.faces = part.face_count;
    counts.render_vertices = part.vertex_count;
    counts.vertices = range.second - range.first;
    counts.boundary_loops = count_loops(found.open_edges, parent);
    result.total += counts;
    result.parts.push_back(counts);
    result.open_edges.insert(result.open_edges.end(), found.open_edges.begin(), found.open_edges.end());
  }
  return result;
}

}  // namespace sinew::geometry
