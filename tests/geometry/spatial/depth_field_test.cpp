// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/depth_field.h"

#include <gtest/gtest.h>

#include <random>

#include "sinew/geometry/spatial/distance_field.h"
#include "tests/geometry/field_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

SolidVoxels random_voxels(std::array<Index, 3> counts, double share, unsigned seed) {
  SolidVoxels voxels;
  voxels.cell = 0.25;
  voxels.origin = Vec3(1, -2, 3);
  voxels.counts = counts;
  voxels.classes.assign(std::size_t{counts[0]} * counts[1] * counts[2], VoxelClass::kExterior);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  for (VoxelClass& c : voxels.classes)
    if (unit(random) < share) c = unit(random) < 0.5 ? VoxelClass::kInterior : VoxelClass::kBoundary;
  return voxels;
}

// All pairs. The space around the grid is one layer of exterior voxels here: the nearest one beyond is in it.
double by_all_pairs(const SolidVoxels& voxels, std::size_t voxel) {
  const bool solid = voxels.classes[voxel] != VoxelClass::kExterior;
  const std::array<Index, 3> at = voxels.coordinates(voxel);
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t other = 0; other < voxels.classes.size(); ++other)
    if ((voxels.classes[other] != VoxelClass::kExterior) != solid)
      nearest = std::min(nearest, (voxels.center(other) - voxels.center(voxel)).norm());
  if (solid)
    for (std::size_t k = 0; k < 3; ++k)
      nearest = std::min(nearest, voxels.cell * std::min(at[k] + 1, voxels.counts[k] - at[k]));
  return (solid ? -1 : 1) * (nearest - 0.5 * voxels.cell);
}

TEST(DepthField, IsTheDistanceToTheNearestVoxelOfTheOtherKind) {
  unsigned seed = 1;
  for (const double share : {0.02, 0.3, 0.9, 0.995})
    for (const std::array<Index, 3> counts :
         {std::array<Index, 3>{19, 11, 13}, std::array<Index, 3>{9, 21, 8}, std::array<Index, 3>{1, 17, 33}}) {
      const SolidVoxels voxels = random_voxels(counts, share, seed++);
      const DistanceField field = depth_field(voxels);
      ASSERT_EQ(field.values.size(), voxels.classes.size());
      for (std::size_t i = 0; i < voxels.classes.size(); ++i)
        ASSERT_NEAR(field.values[i], by_all_pairs(voxels, i), 1e-6) << share << " " << i;
    }
}

TEST(DepthField, SamplesLieAtTheCentresOfVoxels) {
  const SolidVoxels voxels = random_voxels({7, 8, 9}, 0.5, 5);
  const DistanceField field = depth_field(voxels);
  EXPECT_TRUE(validate(field).empty());
  EXPECT_EQ(field.samples, voxels.counts);
  for (std::size_t i = 0; i < voxels.classes.size(); ++i)
    EXPECT_NEAR(sample(field, voxels.center(i)), field.values[i], 1e-6);
}

TEST(DepthField, IsFiniteWhereNothingOrAllIsSolid) {
  const DistanceField empty = depth_field(random_voxels({5, 6, 7}, 0, 1));
  for (const float value : empty.values) EXPECT_TRUE(std::isfinite(value) && value > 0);
  const SolidVoxels full = random_voxels({5, 6, 7}, 1.1, 1);
  const DistanceField field = depth_field(full);
  for (std::size_t i = 0; i < full.classes.size(); ++i) EXPECT_NEAR(field.values[i], by_all_pairs(full, i), 1e-6);
}

TEST(DepthField, IsWithinOneAndAHalfCellsOfTheTrueDistanceAndBlindToWhatLiesInside) {
  const Mesh plain = capsule(0.8, 0.5);
  for (const Mesh& mesh : {plain, joined(plain, sphere(16, 24, Vec3(0, 0.3, 0), 0.2))}) {
    const SolidVoxels voxels = solid_voxels(mesh, {.resolution = 60});
    const DistanceField field = depth_field(voxels);
    for (std::size_t i = 0; i < voxels.classes.size(); ++i)
      EXPECT_NEAR(field.values[i], capsule_distance(voxels.center(i), 0.8, 0.5), 1.4 * voxels.cell);
  }
}

TEST(DepthField, NearestExteriorVoxelIsAsFarAsTheDepthSays) {
  unsigned seed = 30;
  for (const double share : {0.4, 0.95, 0.999}) {
    SolidVoxels voxels = random_voxels({23, 17, 20}, share, seed++);
    for (std::size_t i = 0; i < voxels.classes.size(); ++i) {
      const std::array<Index, 3> at = voxels.coordinates(i);
      for (std::size_t k = 0; k < 3; ++k)
        if (at[k] == 0 || at[k] + 1 == voxels.counts[k]) voxels.classes[i] = VoxelClass::kExterior;
      if (voxels.classes[i] != VoxelClass::kExterior) voxels.solid.push_back(static_cast<Index>(i));
    }
    const DistanceField field = depth_field(voxels);
    const std::vector<Index> nearest = nearest_exterior(voxels);
    ASSERT_EQ(nearest.size(), voxels.solid.size());
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      ASSERT_EQ(voxels.classes[nearest[i]], VoxelClass::kExterior);
      const double way = (voxels.center(nearest[i]) - voxels.center(voxels.solid[i])).norm();
      ASSERT_NEAR(-field.values[voxels.solid[i]], way - 0.5 * voxels.cell, 1e-6);
    }
  }
}

TEST(DepthField, IsTheSameForAnyNumberOfThreads) {
  const SolidVoxels voxels = random_voxels({61, 47, 53}, 0.97, 9);
  const auto run = [&](int count) {
    const Threads threads(count);
    return depth_field(voxels).values;
  };
  EXPECT_EQ(run(1), run(2));
}

}  // namespace
}  // namespace sinew::geometry
