// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::deform {

/// Points in blocks of a few that have one owner and are near each other, so that most can be tested all at once.
class SkinBlocks {
 public:
  struct Block {
    Index begin = 0, end = 0;  ///< In the order of all points.
    Index owner = 0;
  };

  SkinBlocks() = default;

  /// Points without an owner (kNone) are in no block. n log n.
  SkinBlocks(std::span<const Vec3f> points, std::span<const Index> owner);

  std::span<const Block> blocks() const { return blocks_; }
  std::span<const Index> points_of(const Block& block) const {
    return std::span(order_).subspan(block.begin, block.end - block.begin);
  }

 private:
  void add(std::span<const Vec3f> points, Index begin, Index end, Index owner);

  std::vector<Block> blocks_;
  std::vector<Index> order_;
};

}  // namespace sinew::deform
