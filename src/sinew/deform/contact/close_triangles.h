// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/spatial/bvh.h"

namespace sinew::deform {

/// Finds triangles that intersect in a frame and are close to each other, but apart, at binding.
///
/// Triangles near each other form groups, which are the leaves of a tree of boxes that is fitted to each frame. Pairs
/// of nodes that are close at binding are descended together, from pairs of small subtrees that are found at binding.
/// Connected patches that have corners in common are passed over where no two normals of both are more than 0.6 of half
/// a turn apart, as they are only in folds.
class CloseTriangles {
 public:
  static constexpr std::size_t kGroup = 8;  ///< Triangles of a group, at most.

  /// Two triangles that intersect, a < b.
  struct Pair {
    Index a = 0, b = 0;
    /// How much they count, from 0 to 1: grows with the length of the segment in which they intersect, and is less for
    /// nearly parallel triangles and for those that are only just close.
    float part = 0;
  };
  /// The boxes of the triangles of a group, one in each row; empty boxes at the end.
  struct TriangleBoxes {
    using Rows = Eigen::Array<float, kGroup, 3>;
    Rows lower, upper;
  };
  struct PosedNode {
    geometry::BoxF box;
    geometry::BoxF normals;  ///< The box around the unit normals of its triangles.
  };
  /// Memory for one mesh in one pose at a time.
  struct Scratch {
    std::vector<TriangleBoxes> groups;
    std::vector<PosedNode> nodes;
    std::vector<char> moved;  ///< Per node: whether a triangle of it has moved since the last call.
    std::vector<Index> moved_nodes;
    std::vector<std::vector<Pair>> chunks;
    std::vector<Pair> pairs;  ///< The result, sorted.
  };

  CloseTriangles() = default;

  /// `triangles` are of vertices at `rest`, which are `size` wide in all. n log n. \throws Cancelled.
  CloseTriangles(std::span<const std::array<Index, 3>> triangles, std::span<const Vec3f> rest, float size,
                 const Progress& progress);

  /// Finds all pairs.
  void find(std::span<const Vec3f> points, Scratch& scratch) const;

  /// Finds pairs with a triangle near vertices that have moved since the last call for the same scratch, which are
  /// `moved`, each once. At least those with a triangle of which a corner has moved.
  void find_again(std::span<const Vec3f> points, std::span<const Index> moved, Scratch& scratch) const;

 private:
  struct Group {
    Index begin = 0, end = 0;  ///< In `grouped_`.
    Index node = 0;
  };
  struct Node {
    Index second = kNone;  ///< The second child; the first one follows its parent. kNone: a leaf.
    Index group = 0;       ///< Of a leaf.
    Index parent = kNone;
    Index begin = 0, end = 0;  ///< In `grouped_`.

    Index triangles() const { return end - begin; }
  };
  /// Two nodes that are close at binding, or one twice.
  struct Couple {
    Index a = 0, b = 0;
  };

  float close(Index triangle) const;
  void add_nodes(std::span<Index> triangles, Index parent);
  void find_touching();
  bool is_connected(Index n) const;
  void find_groups_of_vertices();
  void find_rest_boxes();
  void find_couples(Index a, Index b);
  bool are_close(Index a, Index b) const;
  bool touch(Index a, Index b) const;
  void fit(std::span<const Vec3f> points, Scratch& scratch) const;
  void fit_group(std::span<const Vec3f> points, Index g, Scratch& scratch) const;
  void fit_node(Index n, Scratch& scratch) const;
  void find_pairs(std::span<const Vec3f> points, Scratch& scratch, bool at_binding) const;
  void find_pairs_of(Couple couple, std::span<const Vec3f> points, const Scratch& scratch, bool at_binding,
                     std::vector<Pair>& found) const;
  void find_pairs_of_groups(Index g, Index h, std::span<const Vec3f> points, const Scratch& scratch, bool at_binding,
                            std::vector<Pair>& found) const;
  float part_of(Index a, Index b, std::span<const Vec3f> points, bool at_binding) const;

  std::vector<std::array<Index, 3>> triangles_;
  std::vector<Vec3f> rest_;
  float size_ = 1;
  std::vector<float> edge_;  // Of each triangle: the mean length of its edges at binding.
  std::vector<Group> groups_;
  std::vector<Index> grouped_;                 // Triangles,
  std::vector<std::array<Index, 3>> corners_;  // and their corners.
  std::vector<Node> nodes_;                    // Parents before children.
  std::vector<geometry::BoxF> rest_boxes_;     // Of nodes at binding.
  std::vector<float> far_;                     // Of nodes: what is not nearer at binding never counts.
  std::vector<Couple> couples_;                // Of small subtrees.
  // Of each node that is a connected patch: later patches that have corners in common with it, also itself; sorted.
  geometry::Lists touching_;
  geometry::Lists groups_of_;                     // Of vertices.
  std::vector<std::pair<Index, Index>> at_rest_;  // Triangles that intersect at binding, sorted.
};

}  // namespace sinew::deform
