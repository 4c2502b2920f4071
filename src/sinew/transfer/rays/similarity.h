// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// How alike guide weights are, as rays need it: a row of the target against a place inside a triangle of the
/// reference.

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/weights.h"
#include "sinew/geometry/mesh/triangle_soup.h"

namespace sinew::transfer {

/// Sparse rows of the three corners of every triangle side by side, so that a place inside costs one pass over a short
/// list and no merging. Linear in triangles × influences, also in memory: 16 bytes per joint of a triangle.
class CornerRows {
 public:
  struct Entry {
    Index joint = kNone;
    float a = 0, b = 0, c = 0;  ///< Weights at the corners.

    /// The weight where the second and third corner have the shares u and v.
    float at(float u, float v) const { return (1 - u - v) * a + u * b + v * c; }
  };

  CornerRows(std::span<const geometry::TriangleVertices> triangles, const SkinWeights& rows);

  /// By rising joint; all joints of the three corners.
  std::span<const Entry> of(Index triangle) const {
    return {entries_.data() + offsets_[triangle],
            static_cast<std::size_t>(offsets_[triangle + 1] - offsets_[triangle])};
  }

 private:
  std::vector<std::uint64_t> offsets_ = {0};
  std::vector<Entry> entries_;
};

/// One row spread out, to be compared with many places.
class SpreadRow {
 public:
  explicit SpreadRow(Index joints) : weight_(joints, 0.0F) {}

  /// Takes the place of the row before.
  void set(std::span<const Influence> row);

  /// `canberra_similarity` and `braycurtis_similarity` of the row and a place in a triangle.
  float canberra(std::span<const CornerRows::Entry> corners, float u, float v) const;
  float braycurtis(std::span<const CornerRows::Entry> corners, float u, float v) const;

 private:
  std::vector<float> weight_;  // Per joint.
  std::vector<Index> set_;     // Joints of the row.
  float sum_ = 0;
};

}  // namespace sinew::transfer
