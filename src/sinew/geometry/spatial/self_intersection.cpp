// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/self_intersection.h"

#include <algorithm>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/copies.h"
#include "sinew/geometry/mesh/part_ranges.h"
#include "sinew/geometry/spatial/bvh.h"
#include "sinew/geometry/spatial/triangle_overlap.h"

namespace sinew::geometry {
namespace {

// What is needed of a triangle to test it.
struct Face {
  std::array<Index, 3> vertices;  // Of the mesh.
  Index part;
};

bool share_vertex(const TrianglePoints& a, const TrianglePoints& b) {
  for (const Vec3& p : a)
    for (const Vec3& q : b)
      if (p == q) return true;
  return false;
}

class Search {
 public:
  Search(const Mesh& mesh, const SelfIntersectionOptions& options) : mesh_(mesh), options_(options) {
    std::vector<Triangle> scratch;
    const std::vector<PartRange> parts = part_ranges(mesh);
    faces_.reserve(mesh.face_vertices.size() / 3);
    for (Index part = 0; part < parts.size(); ++part)
      for (Index i = 0; i < parts[part].face_count; ++i) {
        scratch.clear();
        triangulate_face(mesh, parts[part].first_face + i, scratch);
        for (const Triangle& t : scratch) faces_.push_back({t.vertices, part});
      }
    merge_copies();
    boxes_.resize(faces_.size());
    parallel_for(faces_.size(), [&](std::size_t i) { boxes_[i] = box_around(points(static_cast<Index>(i))); });
    tree_ = Bvh(boxes_);
  }

  SelfIntersections run(const Progress& progress) const {
    const std::span<const Index> order = tree_.primitives();  // Neighbours in the tree share what is in the cache.
    Found found = parallel_reduce(
        order.size(), Found{},
        [&](std::size_t begin, std::size_t end) {
          progress.check();
          Found block;
          for (std::size_t i = begin; i < end; ++i) query(order[i], block);
          return block;
        },
        [](Found a, Found b) {
          a.inside_parts += b.inside_parts;
          a.between_parts += b.between_parts;
          a.adjacent += b.adjacent;
          a.keys.insert(a.keys.end(), b.keys.begin(), b.keys.end());
          return a;
        },
        1024);
    parallel_sort(found.keys);
    SelfIntersections result{found.inside_parts, found.between_parts, found.adjacent, {}};
    result.pairs.reserve(found.keys.size());
    for (const std::uint64_t key : found.keys)
      result.pairs.push_back({static_cast<Index>(key >> 32), static_cast<Index>(key & 0xFFFFFFFFU)});
    return result;
  }

 private:
  struct Found {
    std::uint64_t inside_parts = 0;
    std::uint64_t between_parts = 0;
    std::uint64_t adjacent = 0;
    std::vector<std::uint64_t> keys;
  };

  // Triangles of a part at the very same place become one that counts several times: hundreds of copies of a mesh would
  // take the square of their number otherwise.
  void merge_copies() {
    std::vector<std::array<Index, 3>> corners;
    corners.reserve(faces_.size());
    for (const Face& face : faces_) corners.push_back(face.vertices);
    const std::vector<Index> first = first_copies(mesh_.positions, corners);
    Index number = 0;
    if (std::all_of(first.begin(), first.end(), [&](Index f) { return f == number++; })) return;
    std::vector<Face> merged;
    std::vector<std::vector<Index>> here(faces_.size());  // Merged faces by the first face there, one for each part.
    for (Index f = 0; f < faces_.size(); ++f) {
      std::vector<Index>& groups = here[first[f]];
      const auto same = [&](Index g) { return merged[g].part == faces_[f].part; };
      if (const auto found = std::find_if(groups.begin(), groups.end(), same); found != groups.end()) {
        members_[*found].push_back(f);
        continue;
      }
      groups.push_back(static_cast<Index>(merged.size()));
      merged.push_back(faces_[f]);
      members_.push_back({f});
    }
    faces_ = std::move(merged);
  }

  std::uint64_t copies(Index i) const { return members_.empty() ? 1 : members_[i].size(); }

  // All pairs of a member of one and a member of the other.
  void count(Index i, Index j, bool neighbours, Found& found) const {
    const bool same_part = faces_[i].part == faces_[j].part;
    const std::uint64_t pairs = i == j ? copies(i) * (copies(i) - 1) / 2 : copies(i) * copies(j);
    (neighbours ? found.adjacent : same_part ? found.inside_parts : found.between_parts) += pairs;
    if (!options_.list) return;
    if (members_.empty()) {
      found.keys.push_back((std::uint64_t{i} << 32) | j);
      return;
    }
    for (const Index a : members_[i])
      for (const Index b : members_[j])
        if (i != j || a < b) found.keys.push_back((std::uint64_t{std::min(a, b)} << 32) | std::max(a, b));
  }

  TrianglePoints points(Index i) const { return points_of(faces_[i]); }
  TrianglePoints points_of(const Face& face) const {
    const auto& v = face.vertices;
    return {mesh_.positions[v[0]], mesh_.positions[v[1]], mesh_.positions[v[2]]};
  }

  void query(Index i, Found& found) const {
    const TrianglePoints own = points(i);
    if (copies(i) > 1) {
      const bool neighbours = share_vertex(own, own);
      if ((!neighbours || options_.adjacent) &&
          (neighbours ? triangles_meet_elsewhere(own, own) : triangles_intersect(own, own)))
        count(i, i, neighbours, found);
    }
    tree_.for_overlapping_leaves(boxes_[i], [&](Index j) {
      if (j <= i || !boxes_[i].overlaps(boxes_[j])) return;
      const bool same_part = faces_[i].part == faces_[j].part;
      if (!same_part && !options_.between_parts) return;
      const TrianglePoints other = points(j);
      const bool neighbours = share_vertex(own, other);
      if (neighbours && !options_.adjacent) return;
      if (!(neighbours ? triangles_meet_elsewhere(own, other) : triangles_intersect(own, other))) return;
      count(i, j, neighbours, found);
    });
  }

  const Mesh& mesh_;
  const SelfIntersectionOptions options_;
  std::vector<Face> faces_;
  std::vector<std::vector<Index>> members_;  // Triangles of the mesh that each face stands for; empty if itself alone.
  std::vector<BoxF> boxes_;
  Bvh tree_;
};

}  // namespace

SelfIntersections self_intersections(const Mesh& mesh, const SelfIntersectionOptions& options,
                                     const Progress& progress) {
  progress.step("self-intersections", 0);
  return Search(mesh, options).run(progress);
}

}  // namespace sinew::geometry
