// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/self_intersection.h"

#include <algorithm>
#include <bit>

#include "sinew/core/parallel.h"
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
    std::vector<std::uint64_t> keys(faces_.size());
    parallel_for(
        faces_.size(),
        [&](std::size_t i) {
          keys[i] = (std::uint64_t{place_hash(static_cast<Index>(i))} << 32) | static_cast<Index>(i);
        },
        4096);
    parallel_sort(keys);
    const auto same_hash = [](std::uint64_t a, std::uint64_t b) { return (a >> 32) == (b >> 32); };
    if (std::adjacent_find(keys.begin(), keys.end(), same_hash) == keys.end()) return;
    std::vector<Face> merged;
    std::size_t run = 0;  // The first merged face with the present hash.
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const auto face = static_cast<Index>(keys[k] & 0xFFFFFFFFU);
      if (k > 0 && !same_hash(keys[k], keys[k - 1])) run = merged.size();
      std::size_t same = run;
      while (same < merged.size() &&
             !(merged[same].part == faces_[face].part && sorted_points(members_[same].front()) == sorted_points(face)))
        ++same;
      if (same < merged.size()) {
        members_[same].push_back(face);
        continue;
      }
      merged.push_back(faces_[face]);
      members_.push_back({face});
    }
    faces_ = std::move(merged);
  }

  TrianglePoints sorted_points(Index i) const {
    TrianglePoints p = points(i);
    std::sort(p.begin(), p.end(), [](const Vec3& a, const Vec3& b) {
      return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
    });
    return p;
  }

  // The same for equal corners in any order.
  std::uint32_t place_hash(Index i) const {
    std::uint64_t sum = faces_[i].part;
    for (const Vec3& p : points(i)) {
      std::uint64_t word = 0;
      for (int k = 0; k < 3; ++k) {
        const double x = p[k] + 0.0;  // −0 is 0.
        word = (word ^ std::bit_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15U;
        word ^= word >> 29;
      }
      sum += word;
    }
    return static_cast<std::uint32_t>((sum * 0xBF58476D1CE4E5B9U) >> 32);
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
