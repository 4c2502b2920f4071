// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::geometry {

/// A box in single precision.
struct BoxF {
  std::array<float, 3> lower;
  std::array<float, 3> upper;

  bool overlaps(const BoxF& other) const {
    return lower[0] <= other.upper[0] && other.lower[0] <= upper[0] && lower[1] <= other.upper[1] &&
           other.lower[1] <= upper[1] && lower[2] <= other.upper[2] && other.lower[2] <= upper[2];
  }
};

/// The smallest single-precision box around points; it never cuts any of them off.
BoxF box_around(std::span<const Vec3> points);

/// A tree of boxes over primitives of any kind, built by Embree's surface-area builder.
class Bvh {
 public:
  struct Node {
    BoxF box;
    Index first = 0;  ///< Leaf: of `primitives()`. Inner node: the first of two children, which lie side by side.
    Index count = 0;  ///< Primitives of a leaf; 0 for an inner node.
  };

  Bvh() = default;

  /// n log n. Which primitives share a leaf can depend on the number of threads where boxes have equal centres, so
  /// results must not depend on the order of visits. \throws std::bad_alloc when memory ends.
  explicit Bvh(std::span<const BoxF> boxes);

  std::span<const Node> nodes() const { return nodes_; }  ///< The root first; none for no primitives.
  std::span<const Index> primitives() const { return primitives_; }

  /// Calls `visit(primitive)` for every primitive in a leaf whose box overlaps `box`; the primitive's own may not.
  template <class Visit>
  void for_overlapping_leaves(const BoxF& box, Visit&& visit) const {
    if (nodes_.empty()) return;
    std::array<Index, kMaxDepth + 1> stack;
    std::size_t size = 0;
    stack[size++] = 0;
    while (size > 0) {
      const Node& node = nodes_[stack[--size]];
      if (!node.box.overlaps(box)) continue;
      if (node.count == 0) {
        stack[size++] = node.first + 1;
        stack[size++] = node.first;
        continue;
      }
      for (Index i = 0; i < node.count; ++i) visit(primitives_[node.first + i]);
    }
  }

  static constexpr std::size_t kMaxDepth = 192;

 private:
  std::vector<Node> nodes_;
  std::vector<Index> primitives_;
};

}  // namespace sinew::geometry
