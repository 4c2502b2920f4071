// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/voxel_leaks.h"

#include <gtest/gtest.h>

#include "sinew/geometry/voxels/voxel_distances.h"
#include "sinew/geometry/voxels/voxel_distances_seeds.h"
#include "tests/geometry/field_meshes.h"
#include "tests/geometry/voxel_blocks.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

// The least distance from a point of the left arm to the right arm's upper half.
double way_across(const SolidVoxels& voxels, const VoxelLeaks* leaks, double gap, VoxelMetric metric) {
  const VoxelDistances distances(voxels, leaks, metric);
  VoxelField field;
  const Vec3 source(0.5, 5, 0.5);
  distances.search(BoneSeeder(distances).seeds(std::vector<Segment>{{source, source}}, field).seeds, field);
  double least = 1e30;
  for (Index i = 0; i < voxels.solid.size(); ++i) {
    const Vec3 p = voxels.center(voxels.solid[i]);
    if (p.x() > 1.2 + gap && p.y() > 4) least = std::min(least, voxels.cell * static_cast<double>(field.distance[i]));
  }
  return least;
}

TEST(VoxelLeaks, ArmsThatTouchAreReachedAroundTheBendOnly) {
  for (const double gap : {0.0, 0.02, 0.06, 0.1, 0.14, 0.19, 0.25})
    for (const double shift : {0.0, 0.03}) {
      // With a gap of nothing the arms share no vertex: they are pushed together.
      Mesh mesh = u_tube(0.25);
      for (Vec3& p : mesh.positions)
        if (p.x() > 1.1) p.x() += gap - 0.25;
      // A ball beside it moves the grid.
      const Mesh both = joined(mesh, shifted(sphere(8, 8), Vec3(-1 - shift, 0, 0), 0.1));
      const SolidVoxels voxels = solid_voxels(both, {.resolution = 64});
      const VoxelLeaks leaks(both, voxels);
      for (const VoxelMetric metric : {VoxelMetric::kChamfer, VoxelMetric::kMarching}) {
        const double around = way_around(Vec3(0.5, 5, 0.5), Vec3(1.2 + gap, 4, 0.5), gap);
        EXPECT_GT(way_across(voxels, &leaks, gap, metric), 0.9 * around) << gap << " " << shift;
        if (gap < voxels.cell) {
          EXPECT_LT(way_across(voxels, nullptr, gap, metric), 0.5 * around) << gap << " " << shift;
        }
      }
    }
}

TEST(VoxelLeaks, AreFoundWhicheverWayFacesTurn) {
  Mesh mesh = u_tube(0.05);
  const SolidVoxels voxels = solid_voxels(mesh, {.resolution = 64});
  const VoxelLeaks leaks(mesh, voxels);
  EXPECT_GT(leaks.closed_steps(), 100U);
  EXPECT_EQ(VoxelLeaks(flipped(mesh), voxels).closed(), leaks.closed());
  // A twentieth of the faces turned round.
  for (Index f = 0; f < mesh.face_count(); f += 20)
    std::reverse(mesh.face_vertices.begin() + mesh.face_offsets[f],
                 mesh.face_vertices.begin() + mesh.face_offsets[f + 1]);
  EXPECT_EQ(VoxelLeaks(mesh, voxels).closed(), leaks.closed());
}

TEST(VoxelLeaks, AThinPlateConductsThroughAndThrough) {
  for (const double thickness : {0.004, 0.02, 0.05, 0.1}) {
    const Mesh plate =
        block_mesh(and_then({0}, 2, 20), and_then({0}, 2, 20), {0, thickness}, [](const Vec3&) { return true; });
    const SolidVoxels voxels = solid_voxels(plate, {.resolution = 50});
    const VoxelLeaks leaks(plate, voxels);
    EXPECT_EQ(leaks.closed_steps(), 0U) << thickness;
  }
}

TEST(VoxelLeaks, ASmoothBodyHasNone) {
  for (const Mesh& mesh : {sphere(), torus(1, 0.4), capsule(0.8, 0.3)}) {
    EXPECT_EQ(VoxelLeaks(mesh, solid_voxels(mesh, {.resolution = 48})).closed_steps(), 0U);
  }
}

TEST(VoxelLeaks, ShellsOfDifferentPiecesAreNeverPartedByThem) {
  const Mesh two = joined(shifted(cube(), Vec3(0, 0, 0)), shifted(cube(), Vec3(1.01, 0, 0)));
  const SolidVoxels voxels = solid_voxels(two, {.resolution = 50});
  EXPECT_EQ(VoxelLeaks(two, voxels).closed_steps(), 0U);
  // One that sticks in another: the way from one to the other is straight.
  const Mesh stuck = joined(block_mesh({0, 1}, {0, 3}, {0, 1}, [](const Vec3&) { return true; }),
                            block_mesh({0.2, 0.8}, {2, 5}, {0.2, 0.8}, [](const Vec3&) { return true; }));
  const SolidVoxels one = solid_voxels(stuck, {.resolution = 60});
  const VoxelLeaks leaks(stuck, one);
  const VoxelDistances distances(one, &leaks, VoxelMetric::kMarching);
  VoxelField field;
  const Vec3 source(0.5, 1, 0.5);
  const std::vector<Segment> bones = {{source, source}};
  distances.search(BoneSeeder(distances).seeds(bones, field).seeds, field);
  for (Index i = 0; i < one.solid.size(); ++i) {
    const Vec3 p = one.center(one.solid[i]);
    if ((p - Vec3(0.5, 4, 0.5)).norm() > 0.2) continue;
    EXPECT_NEAR(static_cast<double>(field.distance[i]) * one.cell, (p - source).norm(), 0.1);
  }
}

TEST(VoxelLeaks, AreClosedBothWays) {
  const Mesh mesh = moved(u_tube(0.08));
  const SolidVoxels voxels = solid_voxels(mesh, {.resolution = 64});
  const VoxelLeaks leaks(mesh, voxels);
  const VoxelDistances open(voxels, nullptr, VoxelMetric::kChamfer);
  std::size_t closed = 0;
  for (Index i = 0; i < voxels.solid.size(); ++i)
    for (std::size_t s = 0; s < kVoxelSteps; ++s) {
      if ((leaks.closed()[i] >> s & 1U) == 0) continue;
      const Index n = open.neighbour(i, s);
      ASSERT_NE(n, kNone);
      EXPECT_NE(leaks.closed()[n] >> (s ^ 1U) & 1U, 0U);
      ++closed;
    }
  EXPECT_EQ(closed, 2 * leaks.closed_steps());
  EXPECT_GT(closed, 100U);
}

TEST(VoxelLeaks, AreTheSameForAnyNumberOfThreads) {
  const Mesh mesh = moved(u_tube(0.08));
  const SolidVoxels voxels = solid_voxels(mesh, {.resolution = 64});
  const auto run = [&](int count) {
    const Threads threads(count);
    return VoxelLeaks(mesh, voxels);
  };
  const VoxelLeaks one = run(1), two = run(2);
  EXPECT_EQ(one.closed(), two.closed());
}

}  // namespace
}  // namespace sinew::geometry
