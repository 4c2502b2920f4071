// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/voxel_runs.h"

#include <gtest/gtest.h>

#include <random>

#include "sinew/geometry/voxels/voxel_cleanup.h"

namespace sinew::geometry {
namespace {

/// A grid of random classes with an exterior border, so dense in each class as asked.
SolidVoxels random_grid(unsigned seed, double boundary, double interior) {
  SolidVoxels voxels;
  voxels.counts = {13, 11, 9};
  voxels.cell = 1;
  voxels.classes.assign(std::size_t{13} * 11 * 9, VoxelClass::kExterior);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> share(0, 1);
  for (Index z = 1; z + 1 < voxels.counts[2]; ++z)
    for (Index y = 1; y + 1 < voxels.counts[1]; ++y)
      for (Index x = 1; x + 1 < voxels.counts[0]; ++x) {
        const double s = share(random);
        if (s < boundary) voxels.classes[voxels.index(x, y, z)] = VoxelClass::kBoundary;
        else if (s < boundary + interior) voxels.classes[voxels.index(x, y, z)] = VoxelClass::kInterior;
      }
  return voxels;
}

/// Voxels that one can walk to from `seed`, by steps that change at most `axes` coordinates by one, over voxels that
/// `same` allows. The slow and obvious way.
template <class Same>
std::vector<std::size_t> walk(const SolidVoxels& voxels, std::size_t seed, int axes, std::vector<char>& seen,
                              Same&& same) {
  std::vector<std::size_t> piece = {seed};
  seen[seed] = 1;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const std::array<Index, 3> at = voxels.coordinates(piece[i]);
    for (int step = 0; step < 27; ++step) {
      const std::array<int, 3> by = {step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1};
      if (std::abs(by[0]) + std::abs(by[1]) + std::abs(by[2]) > axes) continue;
      std::array<Index, 3> to;
      bool inside = true;
      for (std::size_t k = 0; k < 3; ++k) {
        to[k] = static_cast<Index>(static_cast<int>(at[k]) + by[k]);
        inside = inside && to[k] < voxels.counts[k];
      }
      if (!inside) continue;
      const std::size_t next = voxels.index(to[0], to[1], to[2]);
      if (seen[next] != 0 || !same(next)) continue;
      seen[next] = 1;
      piece.push_back(next);
    }
  }
  return piece;
}

std::size_t bodies_by_walking(const SolidVoxels& voxels) {
  std::vector<char> seen(voxels.classes.size(), 0);
  const auto solid = [&](std::size_t v) { return voxels.classes[v] != VoxelClass::kExterior; };
  std::size_t count = 0;
  for (std::size_t v = 0; v < voxels.classes.size(); ++v)
    if (solid(v) && seen[v] == 0) {
      walk(voxels, v, 3, seen, solid);
      ++count;
    }
  return count;
}

void clean_up_by_walking(SolidVoxels& voxels) {
  const SolidVoxels before = voxels;
  std::vector<char> seen(voxels.classes.size(), 0);
  for (std::size_t v = 0; v < before.classes.size(); ++v) {
    if (seen[v] != 0 || before.classes[v] == VoxelClass::kBoundary) continue;
    const auto piece =
        walk(before, v, 1, seen, [&](std::size_t next) { return before.classes[next] == before.classes[v]; });
    bool held = false, open = false;
    for (const std::size_t p : piece) {
      const std::array<Index, 3> at = before.coordinates(p);
      std::size_t stride = 1;
      for (std::size_t k = 0; k < 3; stride *= before.counts[k], ++k) {
        open = open || at[k] == 0 || at[k] + 1 == before.counts[k];
        if (at[k] > 0) held = held || before.classes[p - stride] == VoxelClass::kBoundary;
        if (at[k] + 1 < before.counts[k]) held = held || before.classes[p + stride] == VoxelClass::kBoundary;
      }
    }
    const bool inside = before.classes[v] == VoxelClass::kInterior;
    if (inside ? held : open || piece.size() >= kSmallestPocket) continue;
    for (const std::size_t p : piece) voxels.classes[p] = inside ? VoxelClass::kExterior : VoxelClass::kInterior;
    (inside ? voxels.removed_specks : voxels.filled_pockets) += static_cast<Index>(piece.size());
  }
}

TEST(VoxelRuns, CountAsManyBodiesAsAWalkFinds) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const SolidVoxels voxels = random_grid(seed, 0.02 + 0.004 * seed, 0.02);
    EXPECT_EQ(count_solid_bodies(voxels), bodies_by_walking(voxels)) << seed;
  }
}

TEST(VoxelRuns, CornersConnectBodies) {
  SolidVoxels voxels = random_grid(0, 0, 0);
  EXPECT_EQ(count_solid_bodies(voxels), 0U);
  voxels.classes[voxels.index(4, 4, 4)] = VoxelClass::kInterior;
  voxels.classes[voxels.index(5, 5, 5)] = VoxelClass::kBoundary;
  EXPECT_EQ(count_solid_bodies(voxels), 1U);
  voxels.classes[voxels.index(7, 5, 5)] = VoxelClass::kInterior;
  EXPECT_EQ(count_solid_bodies(voxels), 2U);
}

TEST(VoxelRuns, CleanupChangesWhatAWalkWouldChange) {
  Index specks = 0, pockets = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SolidVoxels voxels = random_grid(seed, 0.015 * seed, 0.3 - 0.004 * seed);
    SolidVoxels expected = voxels;
    clean_up_voxels(voxels, {});
    clean_up_by_walking(expected);
    EXPECT_EQ(voxels.classes, expected.classes) << seed;
    EXPECT_EQ(voxels.removed_specks, expected.removed_specks) << seed;
    EXPECT_EQ(voxels.filled_pockets, expected.filled_pockets) << seed;
    specks += voxels.removed_specks;
    pockets += voxels.filled_pockets;
  }
  EXPECT_GT(specks, 0U);
  EXPECT_GT(pockets, 0U);
}

}  // namespace
}  // namespace sinew::geometry
