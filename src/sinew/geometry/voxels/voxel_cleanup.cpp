// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/voxel_cleanup.h"

#include <algorithm>
#include <cmath>

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

// Walks over connected voxels of one class.
class Flood {
 public:
  explicit Flood(const SolidVoxels& voxels) : voxels_(voxels), seen_(voxels.classes.size(), 0) {}

  // The piece of `seed`; calls `look(neighbour)` for each neighbour of another class, `look(kOutsideGrid)` at the
  // border.
  template <class Look>
  const std::vector<std::size_t>& walk(std::size_t seed, Look&& look) {
    piece_.assign(1, seed);
    seen_[seed] = 1;
    for (std::size_t i = 0; i < piece_.size(); ++i) {
      const std::size_t voxel = piece_[i];
      const std::array<Index, 3> at = voxels_.coordinates(voxel);
      std::size_t stride = 1;
      for (std::size_t k = 0; k < 3; ++k) {
        step(voxel, at[k] > 0 ? voxel - stride : kOutsideGrid, look);
        step(voxel, at[k] + 1 < voxels_.counts[k] ? voxel + stride : kOutsideGrid, look);
        stride *= voxels_.counts[k];
      }
    }
    return piece_;
  }

  bool seen(std::size_t voxel) const { return seen_[voxel] != 0; }
  static constexpr std::size_t kOutsideGrid = static_cast<std::size_t>(-1);

 private:
  template <class Look>
  void step(std::size_t from, std::size_t to, Look& look) {
    if (to == kOutsideGrid || voxels_.classes[to] != voxels_.classes[from]) {
      look(to);
    } else if (seen_[to] == 0) {
      seen_[to] = 1;
      piece_.push_back(to);
    }
  }

  const SolidVoxels& voxels_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::size_t> piece_;
};

}  // namespace

void clean_up_voxels(SolidVoxels& voxels, std::span<const Segment> bones) {
  const std::vector<std::uint8_t> on_bone = voxels_on_bones(voxels, bones);
  std::vector<std::size_t> specks, pockets;
  Flood flood(voxels);
  for (std::size_t i = 0; i < voxels.classes.size(); ++i) {
    if (flood.seen(i) || voxels.classes[i] == VoxelClass::kBoundary) continue;
    if (voxels.classes[i] == VoxelClass::kInterior) {
      bool held = false;
      const auto& piece = flood.walk(i, [&](std::size_t neighbour) {
        if (neighbour != Flood::kOutsideGrid && voxels.classes[neighbour] == VoxelClass::kBoundary) held = true;
      });
      held = held || std::any_of(piece.begin(), piece.end(), [&](std::size_t v) { return on_bone[v] != 0; });
      if (!held) specks.insert(specks.end(), piece.begin(), piece.end());
    } else {
      bool open = false;
      const auto& piece =
          flood.walk(i, [&](std::size_t neighbour) { open = open || neighbour == Flood::kOutsideGrid; });
      if (!open && piece.size() < kSmallestPocket) pockets.insert(pockets.end(), piece.begin(), piece.end());
    }
  }
  for (const std::size_t v : specks) voxels.classes[v] = VoxelClass::kExterior;
  for (const std::size_t v : pockets) voxels.classes[v] = VoxelClass::kInterior;
  voxels.removed_specks = static_cast<Index>(specks.size());
  voxels.filled_pockets = static_cast<Index>(pockets.size());
}

}  // namespace sinew::geometry
