// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/weight_tools.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "sinew/core/parallel.h"

namespace sinew::binding {
namespace {

// What a row may lose in a round without anybody noticing: less than half a step of a float near 1.
constexpr double kNegligibleShare = 1e-8;

bool is_share(const Influence& i) { return i.weight > 0 && std::isfinite(i.weight); }

// Rows of positive shares, one after another, which can be made in parallel: those of a block of vertices come
// together.
struct ShareRows {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<Influence> items;

  std::span<const Influence> operator[](std::size_t i) const {
    return {items.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  std::size_t size() const { return offsets.size() - 1; }
};

// Calls `make(i, scratch, out)`, which appends row i to `out`; `scratch` is one object per block.
template <class Scratch, class Make>
ShareRows make_rows(std::size_t count, const Scratch& fresh, Make&& make) {
  constexpr std::size_t kBlock = 4096;
  struct Block {
    std::vector<Influence> items;
    std::vector<std::uint32_t> sizes;
  };
  std::vector<Block> blocks((count + kBlock - 1) / kBlock);
  parallel_blocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
    Block& block = blocks[begin / kBlock];
    Scratch scratch = fresh;
    block.sizes.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t before = block.items.size();
      make(i, scratch, block.items);
      block.sizes.push_back(static_cast<std::uint32_t>(block.items.size() - before));
    }
  });
  ShareRows rows;
  rows.offsets.reserve(count + 1);
  for (const Block& block : blocks)
    for (const std::uint32_t size : block.sizes) rows.offsets.push_back(rows.offsets.back() + size);
  rows.items.resize(rows.offsets.back());
  parallel_for(
      blocks.size(),
      [&](std::size_t b) {
        std::copy(blocks[b].items.begin(), blocks[b].items.end(),
                  rows.items.begin() + static_cast<std::ptrdiff_t>(rows.offsets[b * kBlock]));
      },
      1);
  return rows;
}

SkinWeights weights_of(const ShareRows& rows) {
  SkinWeights weights;
  weights.reserve(rows.size(), rows.items.size());
  for (std::size_t i = 0; i < rows.size(); ++i) weights.add_row(rows[i]);
  return weights;
}

// Sums per joint, with the joints that have one in order of their first mention.
struct JointSums {
  std::vector<double> sum;
  std::vector<Index> mentioned;

  void add(std::span<const Influence> row, double factor) {
    for (const Influence& i : row) {
      if (sum[i.joint] == 0) mentioned.push_back(i.joint);
      sum[i.joint] += factor * static_cast<double>(i.weight);
    }
  }
};

// One round for one row. \pre `sums` is all zero; it is again afterwards.
void smooth_row(const ShareRows& rows, std::span<const Index> ring, std::size_t i, double strength, JointSums& sums,
                std::vector<Influence>& out) {
  const auto own = rows[i];
  std::size_t neighbours = 0;
  for (const Index other : ring) neighbours += rows[other].empty() ? 0 : 1;
  if (own.empty() || neighbours == 0) {
    out.insert(out.end(), own.begin(), own.end());
    return;
  }
  if (strength < 1) sums.add(own, 1 - strength);
  if (strength > 0)
    for (const Index other : ring) sums.add(rows[other], strength / static_cast<double>(neighbours));
  double all = 0, kept = 0;
  for (const Index joint : sums.mentioned) all += sums.sum[joint];
  for (const Index joint : sums.mentioned)
    if (sums.sum[joint] >= kNegligibleShare * all) kept += sums.sum[joint];
  for (const Index joint : sums.mentioned) {
    if (sums.sum[joint] >= kNegligibleShare * all) out.push_back({joint, static_cast<float>(sums.sum[joint] / kept)});
    sums.sum[joint] = 0;
  }
  sums.mentioned.clear();
}

}  // namespace

SkinWeights smoothed(const SkinWeights& weights, const geometry::Lists& rings, int rounds, double strength) {
  if (rounds <= 0 || weights.empty()) return weights;
  Index joints = 0;
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& i : weights.row(v)) joints = std::max(joints, i.joint + 1);
  ShareRows rows = make_rows(weights.row_count(), char(), [&](std::size_t i, char&, std::vector<Influence>& out) {
    for (const Influence& influence : weights.row(static_cast<Index>(i)))
      if (is_share(influence)) out.push_back(influence);
  });
  for (int round = 0; round < rounds; ++round)
    rows = make_rows(rows.size(), JointSums{std::vector<double>(joints, 0.0), {}},
                     [&](std::size_t i, JointSums& sums, std::vector<Influence>& out) {
                       smooth_row(rows, rings[i], i, strength, sums, out);
                     });
  return weights_of(rows);
}

SkinWeights unwelded(const SkinWeights& of_welded, const geometry::Welding& welding) {
  SkinWeights weights;
  weights.reserve(welding.welded.size(), of_welded.influence_count());
  for (const Index w : welding.welded) weights.add_row(of_welded.row(w));
  return weights;
}

}  // namespace sinew::binding
