// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/sanitize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/sanitize_triangles.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/mesh/weld_within.h"

namespace sinew::geometry {
namespace {

SanitizeTriangles make_soup(const Mesh& mesh, const Welding& welding) {
  SanitizeTriangles soup;
  soup.positions.resize(welding.count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    Vec3& lowest = soup.positions[welding.welded[v]];
    const Vec3& p = mesh.positions[v];
    if (welding.first[welding.welded[v]] == v ||
        std::lexicographical_compare(p.data(), p.data() + 3, lowest.data(), lowest.data() + 3))
      lowest = p;
  }
  const std::vector<Triangle> triangles = triangulate(mesh);
  soup.vertex.reserve(3 * triangles.size());
  soup.source.reserve(3 * triangles.size());
  for (const Triangle& t : triangles) {
    for (const Index v : t.vertices) {
      soup.vertex.push_back(welding.welded[v]);
      soup.source.push_back(v);
    }
    soup.source_face.push_back(t.face);
  }
  return soup;
}

// 4π times what a triangle adds to the winding number of a point. A. van Oosterom, J. Strackee, "The solid angle of a
// plane triangle", 1983.
double angle_seen(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  return 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
}

// Turns components of consistent triangles outwards.
class Outward {
 public:
  explicit Outward(Sanitized& result) : mesh_(result.mesh), result_(result), middle_(result.mesh.bounds().center()) {}

  void run(std::vector<char>& flip) {
    Lists faces = by_component();
    for (Index k = 0; k < faces.size(); ++k)
      if (faces_inwards(faces[k], result_.closed[k] != 0))
        for (const Index f : faces[k]) {
          flip[f] = !flip[f];
          std::swap(mesh_.face_vertices[3 * f + 1], mesh_.face_vertices[3 * f + 2]);
        }
  }

 private:
  Lists by_component() const {
    Lists lists;
    lists.offsets.assign(result_.closed.size() + 1, 0);
    for (const Index k : result_.component) ++lists.offsets[k];
    Index sum = 0;
    for (Index& offset : lists.offsets) offset = sum += offset;
    lists.items.resize(sum);
    for (Index f = mesh_.face_count(); f-- > 0;) lists.items[--lists.offsets[result_.component[f]]] = f;
    return lists;
  }

  std::array<Vec3, 3> corners(Index f, const Vec3& from) const {
    const auto face = mesh_.face(f);
    return {mesh_.positions[face[0]] - from, mesh_.positions[face[1]] - from, mesh_.positions[face[2]] - from};
  }

  template <class Term>
  double sum(std::span<const Index> faces, Term&& term) const {
    const auto chunk = [&](std::size_t begin, std::size_t end) {
      double total = 0;
      for (std::size_t i = begin; i < end; ++i) total += term(faces[i]);
      return total;
    };
    const auto plus = [](double a, double b) { return a + b; };
    return parallel_reduce(faces.size(), 0.0, chunk, plus);
  }

  bool faces_inwards(std::span<const Index> faces, bool closed) const {
    if (closed) {
      const Vec3& from = mesh_.positions[mesh_.face(faces[0])[0]];
      return sum(faces, [&](Index f) {
               const auto p = corners(f, from);
               return p[0].dot(p[1].cross(p[2]));
             }) < 0;
    }
    const double winding = mean_winding(faces);
    // On the surface itself it is ½ for a body with a small hole, 0 for a flat piece.
    if (std::abs(winding) > 0.02) return winding < 0;
    return sum(faces, [&](Index f) {
             const auto p = corners(f, middle_);
             return (p[1] - p[0]).cross(p[2] - p[0]).dot(p[0] + p[1] + p[2]);
           }) < 0;
  }

  // The component's own winding number in the middle of some of its triangles, one in each of equal shares of the area.
  double mean_winding(std::span<const Index> faces) const {
    constexpr int kSamples = 16;
    std::vector<double> areas(faces.size());
    for (std::size_t i = 0; i < faces.size(); ++i) {
      const auto p = corners(faces[i], middle_);
      areas[i] = (p[1] - p[0]).cross(p[2] - p[0]).norm();
    }
    std::partial_sum(areas.begin(), areas.end(), areas.begin());
    double total = 0;
    for (int i = 0; i < kSamples; ++i) {
      const auto at = std::lower_bound(areas.begin(), areas.end(), (i + 0.5) / kSamples * areas.back());
      const Index own = faces[static_cast<std::size_t>(at - areas.begin())];
      const auto p = corners(own, Vec3::Zero());
      const Vec3 from = (p[0] + p[1] + p[2]) / 3;
      total += sum(faces, [&](Index f) {
        if (f == own) return 0.0;
        const auto q = corners(f, from);
        return angle_seen(q[0], q[1], q[2]);
      });
    }
    return total / (4 * kPi * kSamples);
  }

  Mesh& mesh_;
  Sanitized& result_;
  Vec3 middle_;
};

void build_mesh(const SanitizeTriangles& soup, const ManifoldCut& cut, Mesh& mesh) {
  mesh.positions.resize(cut.vertex_count);
  mesh.face_vertices = cut.vertex;
  mesh.face_offsets.resize(soup.size() + std::size_t{1});
  for (Index t = 0; t < soup.size(); ++t) {
    mesh.face_offsets[t + 1] = 3 * (t + 1);
    if (cut.flip[t]) std::swap(mesh.face_vertices[3 * t + 1], mesh.face_vertices[3 * t + 2]);
  }
  for (Index c = 0; c < soup.vertex.size(); ++c) mesh.positions[cut.vertex[c]] = soup.at(c);
}

void find_clean_components(const SanitizeTriangles& soup, const ManifoldCut& cut, Sanitized& result) {
  const EdgeTable edges = soup.edges(cut.vertex, cut.vertex_count);
  UnionFind sets(soup.size());
  for (Index e = 0; e < edges.size(); ++e)
    if (const auto around = edges.around(e); around.size() == 2) sets.join(around[0] / 3, around[1] / 3);
  result.component.resize(soup.size());
  for (Index t = 0; t < soup.size(); ++t) {  // The lowest triangle stands for its component.
    if (sets.find(t) == t) {
      result.component[t] = static_cast<Index>(result.closed.size());
      result.closed.push_back(1);
    } else {
      result.component[t] = result.component[sets.find(t)];
    }
  }
  for (Index e = 0; e < edges.size(); ++e)
    if (edges.around(e).size() == 1) result.closed[result.component[edges.around(e)[0] / 3]] = 0;
}

// The ways back, for every source vertex whose place is still there.
void map_vertices(const SanitizeTriangles& soup, const ManifoldCut& cut, const Welding& welding, Sanitized& result) {
  std::vector<Index> first_clean(welding.count(), kNone);
  std::vector<char> used(welding.welded.size(), 0);
  std::vector<std::uint64_t> pairs;
  pairs.reserve(soup.vertex.size());
  for (Index c = 0; c < soup.vertex.size(); ++c) {
    Index& first = first_clean[soup.vertex[c]];
    first = std::min(first, cut.vertex[c]);
    used[soup.source[c]] = 1;
    pairs.push_back((std::uint64_t{cut.vertex[c]} << 32) | soup.source[c]);
  }
  for (Index s = 0; s < used.size(); ++s)
    if (const Index clean = first_clean[welding.welded[s]]; !used[s] && clean != kNone)
      pairs.push_back((std::uint64_t{clean} << 32) | s);
  parallel_sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  result.clean_vertex.assign(welding.welded.size(), kNone);
  result.source_vertices.offsets.assign(cut.vertex_count + std::size_t{1}, 0);
  for (const std::uint64_t pair : pairs) {
    const auto clean = static_cast<Index>(pair >> 32), source = static_cast<Index>(pair);
    if (result.clean_vertex[source] == kNone) result.clean_vertex[source] = clean;
    result.source_vertices.items.push_back(source);
    result.source_vertices.offsets[clean + 1] = static_cast<Index>(result.source_vertices.items.size());
  }
  const auto left = std::count_if(first_clean.begin(), first_clean.end(), [](Index v) { return v != kNone; });
  result.counts.welded_vertices = welding.welded.size() - welding.count();
  result.counts.added_vertices = cut.vertex_count - static_cast<std::uint64_t>(left);
  result.counts.dropped_vertices =
      static_cast<std::uint64_t>(std::count(result.clean_vertex.begin(), result.clean_vertex.end(), kNone));
}

}  // namespace

Sanitized sanitize(const Mesh& mesh, const SanitizeOptions& options) {
  for (const double tolerance : {options.weld_tolerance_rel, options.thin_rel})
    if (!(tolerance >= 0 && tolerance < 1))
      throw Error(fmt::format(
          "The tolerance {} is invalid. Use a fraction of the mesh size that is at least 0 and less than 1.",
          tolerance));
  const double size = mesh.size();
  const Welding welding = weld_within(mesh, options.weld_tolerance_rel * size, options.across_parts);
  Sanitized result;
  SanitizeTriangles soup = make_soup(mesh, welding);
  remove_bad_triangles(soup, options.thin_rel * size, result.counts);
  ManifoldCut cut = cut_to_manifold(soup, result.counts);
  build_mesh(soup, cut, result.mesh);
  find_clean_components(soup, cut, result);
  Outward(result).run(cut.flip);
  map_vertices(soup, cut, welding, result);
  result.source_face = std::move(soup.source_face);
  result.counts.flipped_faces =
      static_cast<std::uint64_t>(std::count_if(cut.flip.begin(), cut.flip.end(), [](char f) { return f != 0; }));
  result.counts.components = result.closed.size();
  result.counts.closed_components = static_cast<std::uint64_t>(
      std::count_if(result.closed.begin(), result.closed.end(), [](char c) { return c != 0; }));
  return result;
}

}  // namespace sinew::geometry
