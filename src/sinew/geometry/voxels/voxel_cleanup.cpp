// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/voxel_cleanup.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/voxels/voxel_runs.h"

namespace sinew::geometry {
namespace {

// Voxels that a bone passes, found by steps of an eighth of a voxel.
std::vector<std::uint8_t> voxels_on_bones(const SolidVoxels& voxels, std::span<const Segment> bones) {
  std::vector<std::uint8_t> on_bone(voxels.classes.size(), 0);
  Box grid;
  grid.extend(voxels.origin);
  grid.extend(voxels.origin + voxels.cell * Vec3(voxels.counts[0], voxels.counts[1], voxels.counts[2]));
  for (const Segment& bone : bones) {
    // The part of the bone inside the grid: a stray joint may be anywhere.
    double from = 0, to = 1;
    const Vec3 way = bone.b - bone.a;
    for (int k = 0; k < 3; ++k) {
      if (way[k] == 0) {
        if (bone.a[k] < grid.lower[k] || bone.a[k] > grid.upper[k]) to = -1;
        continue;
      }
      const double low = (grid.lower[k] - bone.a[k]) / way[k], high = (grid.upper[k] - bone.a[k]) / way[k];
      from = std::max(from, std::min(low, high));
      to = std::min(to, std::max(low, high));
    }
    if (!(from <= to)) continue;
    const auto steps = static_cast<std::size_t>(std::ceil(8 * (to - from) * way.norm() / voxels.cell)) + 1;
    for (std::size_t i = 0; i <= steps; ++i) {
      const double t = from + (to - from) * static_cast<double>(i) / static_cast<double>(steps);
      std::array<Index, 3> at;
      for (int k = 0; k < 3; ++k) {
        const double c = std::floor((bone.a[k] + t * way[k] - voxels.origin[k]) / voxels.cell);
        const auto n = static_cast<std::size_t>(k);
        at[n] = static_cast<Index>(std::clamp(c, 0.0, static_cast<double>(voxels.counts[n] - 1)));
      }
      on_bone[voxels.index(at[0], at[1], at[2])] = 1;
    }
  }
  return on_bone;
}

// Connected runs of interior and of exterior voxels, and what is known of each set.
class Pieces {
 public:
  explicit Pieces(const SolidVoxels& voxels)
      : runs(voxels, {kOutside, kSurface, kInside}), sets_(runs.runs.size()), marks_(runs.runs.size()) {
    for (Index z = 0; z < runs.depth; ++z)
      for (Index y = 0; y < runs.height; ++y) {
        const std::size_t row = runs.row(y, z);
        look_along(row, y == 0 || z == 0 || y + 1 == runs.height || z + 1 == runs.depth, voxels.counts[0]);
        if (y > 0) runs.for_touching(row, runs.row(y - 1, z), false, [&](Index a, Index b) { meet(a, b); });
        if (z > 0) runs.for_touching(row, runs.row(y, z - 1), false, [&](Index a, Index b) { meet(a, b); });
      }
    for (Index r = 0; r < runs.runs.size(); ++r) {
      const Index set = sets_.find(r);
      marks_[set].size += runs.runs[r].end - runs.runs[r].begin;
      if (set == r) continue;
      marks_[set].on_surface = marks_[set].on_surface || marks_[r].on_surface;
      marks_[set].at_border = marks_[set].at_border || marks_[r].at_border;
    }
  }

  struct Marks {
    std::size_t size = 0;
    bool on_surface = false;  // Next to a boundary voxel.
    bool at_border = false;   // At the border of the grid.
  };
  static constexpr std::uint8_t kOutside = 1, kSurface = 2, kInside = 3;

  Marks& of(Index run) { return marks_[sets_.find(run)]; }

  const VoxelRuns runs;

 private:
  // Neighbours within a row, and the grid's border.
  void look_along(std::size_t row, bool border_row, Index width) {
    for (Index r = runs.first[row]; r < runs.first[row + 1]; ++r) {
      const VoxelRuns::Run& run = runs.runs[r];
      marks_[r].at_border = border_row || run.begin == 0 || run.end == width;
      if (r > runs.first[row]) touch(r - 1, r);
    }
  }

  void meet(Index a, Index b) {
    if (runs.runs[a].kind == runs.runs[b].kind) sets_.join(a, b);
    else touch(a, b);
  }

  void touch(Index a, Index b) {
    if (runs.runs[a].kind == kSurface) marks_[b].on_surface = true;
    if (runs.runs[b].kind == kSurface) marks_[a].on_surface = true;
  }

  UnionFind sets_;
  std::vector<Marks> marks_;  // Per run; whole sets have them at their first one.
};

// Sets the class of a run's voxels; returns how many they are.
Index reclassify(SolidVoxels& voxels, std::size_t row, const VoxelRuns::Run& run, VoxelClass as) {
  const auto line = voxels.classes.begin() + static_cast<std::ptrdiff_t>(row * voxels.counts[0]);
  std::fill(line + run.begin, line + run.end, as);
  return run.end - run.begin;
}

}  // namespace

void clean_up_voxels(SolidVoxels& voxels, std::span<const Segment> bones) {
  Pieces pieces(voxels);
  const VoxelRuns& runs = pieces.runs;
  const auto for_runs = [&](auto&& body) {
    for (std::size_t row = 0; row + 1 < runs.first.size(); ++row)
      for (Index r = runs.first[row]; r < runs.first[row + 1]; ++r) body(row, r);
  };
  if (!bones.empty()) {  // What a bone passes is held as well.
    const std::vector<std::uint8_t> on_bone = voxels_on_bones(voxels, bones);
    for_runs([&](std::size_t row, Index r) {
      const auto line = on_bone.begin() + static_cast<std::ptrdiff_t>(row * voxels.counts[0]);
      if (std::any_of(line + runs.runs[r].begin, line + runs.runs[r].end, [](std::uint8_t on) { return on != 0; }))
        pieces.of(r).on_surface = true;
    });
  }
  voxels.removed_specks = voxels.filled_pockets = 0;
  for_runs([&](std::size_t row, Index r) {
    const VoxelRuns::Run& run = runs.runs[r];
    const Pieces::Marks& piece = pieces.of(r);
    if (run.kind == Pieces::kInside && !piece.on_surface)
      voxels.removed_specks += reclassify(voxels, row, run, VoxelClass::kExterior);
    if (run.kind == Pieces::kOutside && !piece.at_border && piece.size < kSmallestPocket)
      voxels.filled_pockets += reclassify(voxels, row, run, VoxelClass::kInterior);
  });
}

}  // namespace sinew::geometry
