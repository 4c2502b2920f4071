// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/depth_field.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sinew/core/parallel.h"

namespace sinew::geometry {
namespace {

constexpr std::int32_t kFar = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kTile = 16;  // Neighbouring lines that are copied out of the grid together, for the cache's sake.

// Squared distances, in cells, from every voxel to the nearest one of the other kind. One array does for both kinds:
// along a line a run of one kind ends at voxels of the other, whose distance is 0, and nothing beyond those can be
// nearer.
class SquaredDistances {
 public:
  // With `track` it remembers along each axis which voxel a distance goes to.
  explicit SquaredDistances(const SolidVoxels& voxels, bool track = false)
      : counts_(voxels.counts), solid_(voxels.classes.size()), values_(voxels.classes.size()) {
    if (track)
      for (auto& targets : targets_) targets.resize(voxels.classes.size());
    for ([[maybe_unused]] const Index count : counts_) assert(count <= 16384);  // Else squares overflow.
    parallel_for(solid_.size(), [&](std::size_t i) { solid_[i] = voxels.classes[i] == VoxelClass::kExterior ? 0 : 1; });
    along_x();
    along(counts_[2], std::size_t{counts_[0]} * counts_[1], counts_[1], counts_[0], targets_[1]);
    along(counts_[1], counts_[0], counts_[2], std::size_t{counts_[0]} * counts_[1], targets_[2]);
  }

  bool solid(std::size_t voxel) const { return solid_[voxel] != 0; }
  std::int32_t value(std::size_t voxel) const { return values_[voxel]; }

  // The voxel of the other kind that is nearest. \pre tracked, and there is one in the grid.
  std::size_t nearest(std::size_t voxel) const {
    const bool kind = solid(voxel);
    const std::size_t row = counts_[0], layer = row * counts_[1];
    voxel = voxel % layer + static_cast<std::size_t>(targets_[2][voxel]) * layer;
    if (solid(voxel) != kind) return voxel;
    voxel = voxel / layer * layer + static_cast<std::size_t>(targets_[1][voxel]) * row + voxel % row;
    if (solid(voxel) != kind) return voxel;
    return voxel / row * row + static_cast<std::size_t>(targets_[0][voxel]);
  }

 private:
  // A line of voxels and room to work in.
  struct Line {
    explicit Line(std::size_t n)
        : solid(n), values(n), results(n), targets(n), sites(n + 2), heights(n + 2), starts(n + 2) {}
    std::vector<std::uint8_t> solid;
    std::vector<std::int32_t> values, results, targets;
    std::vector<std::int32_t> sites, heights,
        starts;  // The lower envelope: parabolas, and where each begins to be lowest.
  };

  // Calls `body(begin, end, closed_below, closed_above)` for runs of one kind: closed where a voxel of the other kind
  // follows.
  template <class Body>
  static void for_runs(const std::uint8_t* solid, std::int32_t n, Body&& body) {
    for (std::int32_t begin = 0, end = 0; begin < n; begin = end) {
      for (end = begin + 1; end < n && solid[end] == solid[begin];) ++end;
      const bool in = solid[begin] != 0;  // Beyond the grid all is exterior.
      body(begin, end, in || begin > 0, in || end < n);
    }
  }

  void along_x() {
    const auto n = static_cast<std::int32_t>(counts_[0]);
    parallel_for(
        std::size_t{counts_[1]} * counts_[2],
        [&](std::size_t row) {
          std::int32_t* out = values_.data() + row * counts_[0];
          for_runs(solid_.data() + row * counts_[0], n,
                   [&](std::int32_t begin, std::int32_t end, bool below, bool above) {
                     for (std::int32_t i = begin; i < end; ++i) {
                       const std::int32_t way = std::min(below ? i - begin + 1 : kFar, above ? end - i : kFar);
                       out[i] = way == kFar ? kFar : way * way;
                       if (!targets_[0].empty())
                         targets_[0][row * counts_[0] + static_cast<std::size_t>(i)] =
                             static_cast<std::int16_t>(below && i - begin + 1 == way ? begin - 1 : end);
                     }
                   });
        },
        64);
  }

  // Lines of `n` voxels, `stride` apart; they begin at `outer` · `outer_stride` + x.
  void along(std::size_t outer_count, std::size_t outer_stride, std::size_t n, std::size_t stride,
             std::vector<std::int16_t>& targets) {
    const std::size_t tiles = (counts_[0] + kTile - 1) / kTile;
    parallel_blocks(outer_count * tiles, 8, [&](std::size_t begin, std::size_t end) {
      std::vector<Line> lines(kTile, Line(n));
      for (std::size_t task = begin; task < end; ++task) {
        const std::size_t x0 = task % tiles * kTile, width = std::min(kTile, counts_[0] - x0);
        const std::size_t first = task / tiles * outer_stride + x0;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t x = 0; x < width; ++x) {
            lines[x].solid[i] = solid_[first + i * stride + x];
            lines[x].values[i] = values_[first + i * stride + x];
          }
        for (std::size_t x = 0; x < width; ++x) solve(lines[x]);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t x = 0; x < width; ++x) {
            values_[first + i * stride + x] = lines[x].results[i];
            if (!targets.empty()) targets[first + i * stride + x] = static_cast<std::int16_t>(lines[x].targets[i]);
          }
      }
    });
  }

  static void solve(Line& line) {
    for_runs(line.solid.data(), static_cast<std::int32_t>(line.solid.size()),
             [&](std::int32_t begin, std::int32_t end, bool below, bool above) {
               std::int32_t top = -1;  // Of the envelope.
               if (below) push(line, top, begin - 1, 0, begin, end);
               for (std::int32_t i = begin; i < end; ++i) {
                 const std::int32_t height = line.values[static_cast<std::size_t>(i)];
                 if (height != kFar) push(line, top, i, height, begin, end);
               }
               if (above) push(line, top, end, 0, begin, end);
               for (std::int32_t i = end - 1; i >= begin; --i) {
                 while (top > 0 && line.starts[static_cast<std::size_t>(top)] > i) --top;
                 const auto t = static_cast<std::size_t>(std::max(top, 0));
                 const std::int32_t way = i - line.sites[t];
                 line.results[static_cast<std::size_t>(i)] = top < 0 ? kFar : way * way + line.heights[t];
                 line.targets[static_cast<std::size_t>(i)] = line.sites[t];
               }
             });
  }

  // Adds the parabola (x − site)² + height to the envelope over [begin, end), in whole numbers.
  static void push(Line& line, std::int32_t& top, std::int32_t site, std::int32_t height, std::int32_t begin,
                   std::int32_t end) {
    std::int32_t start = begin;
    for (; top >= 0; --top) {
      const auto t = static_cast<std::size_t>(top);
      const std::int32_t other = line.sites[t], width = 2 * (site - other);
      const std::int32_t rise = site * site - other * other + height - line.heights[t];
      start = std::max(begin, rise / width + (rise % width > 0 ? 1 : 0));  // From here on the new one is not higher.
      if (start > line.starts[t]) break;
    }
    if (top < 0) start = begin;
    if (start >= end) return;
    const auto t = static_cast<std::size_t>(++top);
    line.sites[t] = site;
    line.heights[t] = height;
    line.starts[t] = start;
  }

  const std::array<Index, 3> counts_;
  std::vector<std::uint8_t> solid_;
  std::vector<std::int32_t> values_;
  std::array<std::vector<std::int16_t>, 3> targets_;  // Per axis: the coordinate that a voxel's distance goes to.
};

}  // namespace

DistanceField depth_field(const SolidVoxels& voxels) {
  DistanceField field;
  field.origin = voxels.origin + Vec3::Constant(0.5 * voxels.cell);
  field.cell = voxels.cell;
  field.samples = voxels.counts;
  field.values.resize(voxels.classes.size());
  const SquaredDistances squared(voxels);
  const Vec3 counts(voxels.counts[0], voxels.counts[1], voxels.counts[2]);
  const auto farthest = static_cast<float>(voxels.cell * counts.norm());  // Where nothing is solid.
  parallel_for(field.values.size(), [&](std::size_t i) {
    const std::int32_t value = squared.value(i);
    const double distance = voxels.cell * (std::sqrt(static_cast<double>(value)) - 0.5);
    field.values[i] = value == kFar ? farthest : static_cast<float>(squared.solid(i) ? -distance : distance);
  });
  return field;
}

std::vector<Index> nearest_exterior(const SolidVoxels& voxels) {
  const SquaredDistances squared(voxels, true);
  std::vector<Index> nearest(voxels.solid.size());
  parallel_for(nearest.size(),
               [&](std::size_t i) { nearest[i] = static_cast<Index>(squared.nearest(voxels.solid[i])); });
  return nearest;
}

}  // namespace sinew::geometry
