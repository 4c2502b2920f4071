// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/spatial/bvh.h"

namespace sinew::deform {

/// Finds triangles that intersect in a frame and are close to each other, but apart, at binding.
///
/// Triangles near each other form groups, which are the leaves of a tree of boxes that is fitted to each frame. Groups
/// of one shell that have corners in common are passed over where no two normals of both are more than half a turn
/// apart, as they are only in folds.
class CloseTriangles {
 public:
  /// Two triangles that intersect, a < b.
  struct Pair {
    Index a = 0, b = 0;
    /// How much they count, from 0 to 1: grows with the length of the segment in which they intersect, and is less for
    /// nearly parallel triangles and for those that are only just close.
    float part = 0;
  };
  /// Memory for one mesh in one pose at a time.
  struct Scratch {
    std::vector<geometry::BoxF> boxes, node_boxes;
    std::vector<Vec3f> axes;     ///< Per group the mean normal,
    std::vector<float> spreads;  ///< and the largest angle of a normal from it.
    std::vector<char> moved_groups;
    std::vector<std::vector<Pair>> chunks;
    std::vector<Pair> pairs;  ///< The result of `find`, always in the same order.
  };

  CloseTriangles() = default;

  /// `triangles` are of vertices at `rest`, which are `size` wide in all. n log n. \throws Cancelled.
  CloseTriangles(std::span<const std::array<Index, 3>> triangles, std::span<const Vec3f> rest, float size,
                 const Progress& progress);

  /// Finds all pairs. With `moved`, one value per vertex, only pairs with a triangle of which a corner has moved (is
  /// not 0) since the last call for the same scratch.
  void find(std::span<const Vec3f> points, std::span<const float> moved, Scratch& scratch) const;

  float edge(Index triangle) const { return edge_[triangle]; }  ///< Its mean length at binding.

 private:
  struct Group {
    Index begin = 0, end = 0;                    ///< In `grouped_`.
    Index first_touching = 0, end_touching = 0;  ///< In `touching_`.
    Index node = 0;
  };
  struct Node {
    Index second = kNone;  ///< The second child; the first one follows its parent. kNone: a leaf.
    Index group = 0;       ///< Of a leaf.
  };

  float close(Index triangle) const;
  void add_groups(std::span<Index> triangles);
  void find_touching();
  bool touch(Index g, Index h) const;
  static bool folded(Index g, Index h, const Scratch& scratch);
  void find_boxes(std::span<const Vec3f> points, std::span<const float> moved, Scratch& scratch) const;
  float part_of(Index a, Index b, std::span<const Vec3f> points, bool at_binding) const;
  void find_pairs(std::span<const Vec3f> points, Scratch& scratch, bool at_binding) const;
  void find_pairs_of(Index g, Index h, std::span<const Vec3f> points, const Scratch& scratch, bool at_binding,
                     std::vector<Pair>& found) const;

  std::vector<std::array<Index, 3>> triangles_;
  std::vector<Vec3f> rest_;
  float size_ = 1;
  std::vector<float> edge_;
  std::vector<Group> groups_;
  std::vector<Index> grouped_;                    // Triangles.
  std::vector<Node> nodes_;                       // Parents before children.
  std::vector<Index> touching_;                   // Groups of one shell with common corners, also each itself.
  std::vector<std::pair<Index, Index>> at_rest_;  // Triangles that intersect at binding, sorted.
};

}  // namespace sinew::deform
