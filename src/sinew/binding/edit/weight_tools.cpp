// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/weight_tools.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "sinew/core/parallel.h"

namespace sinew::binding {
namespace {

// What a row may lose in a round without anybody noticing: less than half a step of a float near 1.
constexpr double kNegligibleShare = 1e-8;
constexpr double kUsualStrength = 0.5;

bool is_share(const Influence& i) { return i.weight > 0 && std::isfinite(i.weight); }

// A row of up to four joints in half a line of the cache, in rising order of the joints. Empty places have kNone and
// the weight 0. Longer rows have kLong in the first place and are stored elsewhere.
struct alignas(32) ShortRow {
  static constexpr std::size_t kRoom = 4;
  static constexpr Index kLong = kNone - 1;
  std::array<Index, kRoom> joints = {kNone, kNone, kNone, kNone};
  std::array<float, kRoom> weights = {};

  bool has_joints_of(const ShortRow& other) const {
    Index differences = 0;  // A comparison of the arrays would be a call.
    for (std::size_t k = 0; k < kRoom; ++k) differences |= joints[k] ^ other.joints[k];
    return differences == 0;
  }
};

// Rows of positive shares, which can be made in parallel. What a round reads is scattered over memory, so a row is
// fetched as one piece.
class ShareRows {
 public:
  std::size_t size() const { return rows_.size(); }
  const ShortRow& short_row(std::size_t i) const { return rows_[i]; }
  bool empty(std::size_t i) const { return rows_[i].joints[0] == kNone; }

  // Calls `body(joint, weight)` for each entry of row i.
  template <class Body>
  void for_each(std::size_t i, Body&& body) const {
    const ShortRow& row = rows_[i];
    if (row.joints[0] == ShortRow::kLong) {
      const std::vector<Influence>& items = long_rows_[i / kBlock];
      for (Index k = row.joints[1]; k < row.joints[2]; ++k) body(items[k].joint, items[k].weight);
      return;
    }
    for (std::size_t k = 0; k < ShortRow::kRoom && row.joints[k] != kNone; ++k) body(row.joints[k], row.weights[k]);
  }

  // Replaces all rows. `make(i, scratch, row)` either fills the short row and returns true, or leaves the entries in
  // `scratch.row` and returns false; `scratch` is one object per block. Room is kept from call to call, because new
  // pages cost more than what is written to them.
  template <class Scratch, class Make>
  void make(std::size_t count, const Scratch& fresh, Make&& make) {
    rows_.resize(count);
    long_rows_.resize((count + kBlock - 1) / kBlock);
    parallel_blocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
      std::vector<Influence>& longer = long_rows_[begin / kBlock];
      longer.clear();
      Scratch scratch = fresh;
      for (std::size_t i = begin; i < end; ++i) {
        if (make(i, scratch, rows_[i])) continue;
        store(scratch.row, rows_[i], longer);
      }
    });
  }

 private:
  static void store(std::vector<Influence>& row, ShortRow& to, std::vector<Influence>& longer) {
    for (std::size_t i = 1; i < row.size(); ++i)
      for (std::size_t k = i; k > 0 && row[k].joint < row[k - 1].joint; --k) std::swap(row[k], row[k - 1]);
    to = {};
    if (row.size() <= ShortRow::kRoom) {
      for (std::size_t k = 0; k < row.size(); ++k) to.joints[k] = row[k].joint, to.weights[k] = row[k].weight;
      return;
    }
    to.joints[0] = ShortRow::kLong;
    to.joints[1] = static_cast<Index>(longer.size());
    longer.insert(longer.end(), row.begin(), row.end());
    to.joints[2] = static_cast<Index>(longer.size());
  }

  static constexpr std::size_t kBlock = 2048;
  std::vector<ShortRow> rows_;
  std::vector<std::vector<Influence>> long_rows_;  // Per block.
};

// Sums per joint, with the joints that have one in order of their first mention, and room for a row.
struct JointSums {
  std::vector<double> sum;
  std::vector<Index> mentioned;
  std::vector<Influence> row;

  void add(const ShareRows& rows, std::size_t i, double factor) {
    rows.for_each(i, [&](Index joint, float weight) {
      if (sum[joint] == 0) mentioned.push_back(joint);
      sum[joint] += factor * static_cast<double>(weight);
    });
  }
};

// A round for a row in the usual case, in which all rows of the ring have the same few joints. Returns false if they do
// not; the result is that of the general case.
bool smooth_alike(const ShareRows& rows, std::span<const Index> ring, std::size_t i, double strength, ShortRow& out) {
  const ShortRow& own = rows.short_row(i);
  if (own.joints[0] >= ShortRow::kLong || ring.empty()) return false;
  const double factor = strength / static_cast<double>(ring.size());
  std::array<double, ShortRow::kRoom> sum;
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] = (1 - strength) * static_cast<double>(own.weights[k]);
  for (const Index other : ring) {
    const ShortRow& row = rows.short_row(other);
    if (!row.has_joints_of(own)) return false;
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += factor * static_cast<double>(row.weights[k]);
  }
  const double all = sum[0] + sum[1] + sum[2] + sum[3];
  double kept = 0;
  for (std::size_t k = 0; k < sum.size() && own.joints[k] != kNone; ++k) {
    if (!(sum[k] >= kNegligibleShare * all)) return false;
    kept += sum[k];
  }
  out.joints = own.joints;
  for (std::size_t k = 0; k < sum.size(); ++k) out.weights[k] = static_cast<float>(sum[k] / kept);
  return true;
}

// One round for one row: `out`, or, if that returns false, `sums.row`. \pre `sums` is all zero; it is again afterwards.
bool smooth_row(const ShareRows& rows, std::span<const Index> ring, std::size_t i, double strength, JointSums& sums,
                ShortRow& out) {
  if (smooth_alike(rows, ring, i, strength, out)) return true;
  sums.row.clear();
  std::size_t neighbours = 0;
  for (const Index other : ring) neighbours += rows.empty(other) ? 0 : 1;
  if (rows.empty(i) || neighbours == 0) {
    rows.for_each(i, [&](Index joint, float weight) { sums.row.push_back({joint, weight}); });
    return false;
  }
  if (strength < 1) sums.add(rows, i, 1 - strength);
  if (strength > 0)
    for (const Index other : ring) sums.add(rows, other, strength / static_cast<double>(neighbours));
  double all = 0, kept = 0;
  for (const Index joint : sums.mentioned) all += sums.sum[joint];
  for (const Index joint : sums.mentioned)
    if (sums.sum[joint] >= kNegligibleShare * all) kept += sums.sum[joint];
  for (const Index joint : sums.mentioned) {
    if (sums.sum[joint] >= kNegligibleShare * all)
      sums.row.push_back({joint, static_cast<float>(sums.sum[joint] / kept)});
    sums.sum[joint] = 0;
  }
  sums.mentioned.clear();
  return false;
}

// The rows of `weights` after some rounds. \pre a ring for every row.
ShareRows rounds_of(const SkinWeights& weights, const geometry::Lists& rings, int rounds, double strength) {
  Index joints = 0;
  for (Index v = 0; v < weights.row_count(); ++v)
    for (const Influence& i : weights.row(v)) joints = std::max(joints, i.joint + 1);
  const JointSums fresh{std::vector<double>(joints, 0.0), {}, {}};
  ShareRows rows, next;
  rows.make(weights.row_count(), JointSums{}, [&](std::size_t i, JointSums& sums, ShortRow&) {
    sums.row.clear();
    for (const Influence& influence : weights.row(static_cast<Index>(i)))
      if (is_share(influence)) sums.row.push_back(influence);
    return false;
  });
  for (int round = 0; round < rounds; ++round) {
    next.make(rows.size(), fresh, [&](std::size_t i, JointSums& sums, ShortRow& out) {
      return smooth_row(rows, rings[i], i, strength, sums, out);
    });
    std::swap(rows, next);
  }
  return rows;
}

// Weights whose row i is `rows`' row `row_of(i)`.
template <class RowOf>
SkinWeights weights_of(const ShareRows& rows, std::size_t count, RowOf&& row_of) {
  SkinWeights weights;
  weights.reserve(count, 3 * count);
  std::vector<Influence> row;
  for (std::size_t i = 0; i < count; ++i) {
    row.clear();
    rows.for_each(row_of(i), [&](Index joint, float weight) { row.push_back({joint, weight}); });
    weights.add_row(row);
  }
  return weights;
}

}  // namespace

SkinWeights smoothed(const SkinWeights& weights, const geometry::Lists& rings, int rounds, double strength) {
  if (rounds <= 0 || weights.empty()) return weights;
  const ShareRows rows = rounds_of(weights, rings, rounds, strength);
  return weights_of(rows, rows.size(), [](std::size_t i) { return i; });
}

SkinWeights smoothed_on_mesh(const SkinWeights& of_welded, const geometry::Lists& rings, int rounds, int max_influences,
                             const geometry::Welding& welding) {
  if (rounds <= 0) return unwelded(capped_rows(of_welded, max_influences), welding);
  const ShareRows rows = rounds_of(of_welded, rings, rounds, kUsualStrength);
  ShareRows capped;
  capped.make(rows.size(), JointSums{}, [&](std::size_t i, JointSums& sums, ShortRow&) {
    sums.row.clear();
    rows.for_each(i, [&](Index joint, float weight) { sums.row.push_back({joint, weight}); });
    cap_row(sums.row, max_influences);
    return false;
  });
  return weights_of(capped, welding.welded.size(), [&](std::size_t v) { return welding.welded[v]; });
}

SkinWeights unwelded(const SkinWeights& of_welded, const geometry::Welding& welding) {
  SkinWeights weights;
  weights.reserve(welding.welded.size(), of_welded.influence_count());
  for (const Index w : welding.welded) weights.add_row(of_welded.row(w));
  return weights;
}

}  // namespace sinew::binding
