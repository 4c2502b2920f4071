// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/voxel_distances.h"

#include <gtest/gtest.h>

#include <cmath>
#include <queue>
#include <set>

#include "sinew/geometry/voxels/voxel_distances_seeds.h"
#include "tests/geometry/field_meshes.h"
#include "tests/geometry/voxel_blocks.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

Vec3 voxel_center(const SolidVoxels& voxels, Index solid) { return voxels.center(voxels.solid[solid]); }

// Distances from the bones, in units of the mesh.
std::vector<double> from_bones(const VoxelDistances& distances, std::span<const Segment> bones) {
  VoxelField field;
  const BoneSeeds seeds = BoneSeeder(distances).seeds(bones, field);
  distances.search(seeds.seeds, field);
  std::vector<double> result;
  for (const float d : field.distance) result.push_back(distances.voxels().cell * static_cast<double>(d));
  return result;
}

// How long a segment lies within a box.
double length_within(const Segment& s, const Vec3& lower, const Vec3& upper) {
  double from = 0, to = 1;
  for (int k = 0; k < 3; ++k) {
    const double way = s.b[k] - s.a[k];
    if (way == 0) {
      if (s.a[k] < lower[k] || s.a[k] > upper[k]) return -1;
      continue;
    }
    const double a = (lower[k] - s.a[k]) / way, b = (upper[k] - s.a[k]) / way;
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
  }
  return (to - from) * (s.b - s.a).norm();
}

TEST(VoxelDistances, SegmentsPassExactlyTheVoxelsTheyCross) {
  SolidVoxels voxels;
  voxels.origin = Vec3(-1, 0.5, 2);
  voxels.cell = 0.25;
  voxels.counts = {9, 7, 8};
  voxels.classes.assign(9 * 7 * 8, VoxelClass::kExterior);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-0.4, 1.4);
  const Vec3 extent = voxels.cell * Vec3(9, 7, 8);
  const auto point = [&] {
    const double x = unit(random), y = unit(random), z = unit(random);
    return Vec3(voxels.origin + Vec3(x, y, z).cwiseProduct(extent));
  };
  std::size_t crossed = 0;
  for (int i = 0; i < 400; ++i) {
    Segment segment{point(), point()};
    if (i % 5 == 0) segment.b.x() = segment.a.x();
    if (i % 7 == 0) segment.b.z() = segment.a.z();
    const std::vector<std::size_t> passed = voxels_along(voxels, segment);
    const std::set<std::size_t> visited(passed.begin(), passed.end());
    EXPECT_EQ(visited.size(), passed.size());
    for (std::size_t v = 0; v < voxels.classes.size(); ++v) {
      const Vec3 half = Vec3::Constant(0.5 * voxels.cell);
      const double length = length_within(segment, voxels.center(v) - half, voxels.center(v) + half);
      if (length > 1e-9) {
        EXPECT_TRUE(visited.count(v)) << i << " " << v;
        ++crossed;
      }
      if (length < -1e-9) {
        EXPECT_FALSE(visited.count(v)) << i << " " << v;
      }
    }
  }
  EXPECT_GT(crossed, 1000U);
}

TEST(VoxelDistances, TheNearestVoxelIsThatOfALook) {
  const SolidVoxels voxels = solid_voxels(torus(1, 0.3), {.resolution = 40});
  std::vector<Index> some;
  for (Index i = 0; i < voxels.solid.size(); i += 7) some.push_back(i);
  const NearestVoxel nearest(voxels, some);
  std::mt19937 random(8);
  std::uniform_real_distribution<double> unit(-40, 80);
  for (int i = 0; i < 300; ++i) {
    const Vec3 p(unit(random), unit(random) / 3, unit(random));
    double best = 1e30;
    for (const Index s : some)
      best = std::min(best, (voxel_center(voxels, s) - voxels.origin - voxels.cell * p).norm());
    EXPECT_NEAR(nearest.find(p).distance, best / voxels.cell, 1e-9);
    EXPECT_EQ(nearest.find(p, 0.5 * best / voxels.cell).solid, kNone);
  }
}

TEST(VoxelDistances, InAStraightTubeChamferIsWithinItsBoundAndMarchingWithinThreePercent) {
  const Mesh tube = block_mesh({0, 1}, {0, 5}, {0, 1}, [](const Vec3&) { return true; });
  const SolidVoxels voxels = solid_voxels(tube, {.resolution = 80});
  const Vec3 source(0.51, 0.53, 0.52);
  const std::vector<Segment> bones = {{source, source}};
  for (const VoxelMetric metric : {VoxelMetric::kChamfer, VoxelMetric::kMarching}) {
    const VoxelDistances distances(voxels, nullptr, metric);
    const std::vector<double> d = from_bones(distances, bones);
    for (Index i = 0; i < d.size(); ++i) {
      const double straight = (voxel_center(voxels, i) - source).norm();
      EXPECT_GE(d[i], straight - voxels.cell);
      if (straight < 4 * voxels.cell) continue;
      EXPECT_LE(d[i], metric == VoxelMetric::kChamfer ? 1.128 * straight + 2 * voxels.cell : 1.03 * straight);
    }
  }
}

TEST(VoxelDistances, AroundCornersTheWayIsThatOfATautString) {
  const double gap = 0.5;
  const SolidVoxels voxels = solid_voxels(u_tube(gap), {.resolution = 96});
  const Vec3 source(0.5, 5, 0.5);
  const std::vector<Segment> bones = {{source, source}};
  for (const VoxelMetric metric : {VoxelMetric::kChamfer, VoxelMetric::kMarching}) {
    const VoxelDistances distances(voxels, nullptr, metric);
    const std::vector<double> d = from_bones(distances, bones);
    const double tolerance = metric == VoxelMetric::kChamfer ? 0.13 : 0.04;
    std::size_t checked = 0;
    for (Index i = 0; i < d.size(); ++i) {
      const Vec3 p = voxel_center(voxels, i);
      if (p.x() < 1 + gap || p.y() < 1.5 || std::abs(p.z() - 0.5) > voxels.cell) continue;
      const double way = way_around(source, p, gap);
      EXPECT_NEAR(d[i], way, tolerance * way) << p.transpose();
      ++checked;
    }
    EXPECT_GT(checked, 500U);
  }
}

TEST(VoxelDistances, NeighboursDifferByNoMoreThanTheStep) {
  const SolidVoxels voxels = solid_voxels(moved(torus(1, 0.3)), {.resolution = 48});
  const Vec3 source = moved(torus(1, 0.3)).positions[0];
  const std::vector<Segment> bones = {{source, source + Vec3(0.05, 0.1, 0)}};
  for (const VoxelMetric metric : {VoxelMetric::kChamfer, VoxelMetric::kMarching}) {
    const VoxelDistances distances(voxels, nullptr, metric);
    VoxelField field;
    distances.search(BoneSeeder(distances).seeds(bones, field).seeds, field);
    // Marching knows no diagonal steps inside: two across faces.
    const std::size_t steps = metric == VoxelMetric::kChamfer ? kVoxelSteps : 6;
    for (Index i = 0; i < voxels.solid.size(); ++i)
      for (std::size_t s = 0; s < steps; ++s) {
        const Index n = distances.neighbour(i, s);
        if (n == kNone) continue;
        const float step = std::sqrt(s < 6 ? 1.0F : s < 18 ? 2.0F : 3.0F);
        EXPECT_LE(std::abs(field.distance[i] - field.distance[n]), step + 1e-4F);
      }
  }
}

TEST(VoxelDistances, BucketsGiveThePathsOfAPlainQueue) {
  const SolidVoxels voxels =
      solid_voxels(joined(torus(1, 0.3), shifted(sphere(), Vec3(1, 0, 0), 0.6)), {.resolution = 40});
  const VoxelDistances distances(voxels, nullptr, VoxelMetric::kChamfer);
  const std::vector<VoxelSeed> seeds = {{3, 0.4F, 0}, {static_cast<Index>(voxels.solid.size() / 2), 5.7F, 1}};
  VoxelField field;
  distances.search(seeds, field, VoxelField::kUnreached, true);
  std::vector<double> wanted(voxels.solid.size(), 1e30);
  std::priority_queue<std::pair<double, Index>> queue;
  for (const VoxelSeed& s : seeds) queue.push({-(wanted[s.solid] = static_cast<double>(s.distance)), s.solid});
  while (!queue.empty()) {
    const auto [minus, at] = queue.top();
    queue.pop();
    if (-minus > wanted[at]) continue;
    for (std::size_t s = 0; s < kVoxelSteps; ++s) {
      const Index n = distances.neighbour(at, s);
      if (n == kNone) continue;
      const double d = wanted[at] + Vec3(kVoxelStep[s][0], kVoxelStep[s][1], kVoxelStep[s][2]).norm();
      if (d < wanted[n]) queue.push({-(wanted[n] = d), n});
    }
  }
  for (Index i = 0; i < wanted.size(); ++i) EXPECT_NEAR(field.distance[i], wanted[i], 1e-3);
  EXPECT_EQ(field.source[3], 0U);
  EXPECT_EQ(std::count(field.source.begin(), field.source.end(), kNone), 0);
}

TEST(VoxelDistances, ALimitChangesNothingWithinIt) {
  const SolidVoxels voxels = solid_voxels(torus(1, 0.3), {.resolution = 48});
  const std::vector<VoxelSeed> seeds = {{0, 0.3F, 0}};
  for (const VoxelMetric metric : {VoxelMetric::kChamfer, VoxelMetric::kMarching}) {
    const VoxelDistances distances(voxels, nullptr, metric);
    VoxelField all, some;
    distances.search(seeds, all);
    distances.search(seeds, some, 20);
    std::size_t left_out = 0;
    for (Index i = 0; i < all.distance.size(); ++i) {
      EXPECT_EQ(some.distance[i], all.distance[i] <= 20 ? all.distance[i] : VoxelField::kUnreached);
      left_out += all.distance[i] > 20 ? 1 : 0;
    }
    EXPECT_GT(left_out, 100U);
  }
}

// Two balls, and a bar above both that touches neither.
Mesh balls_and_bar() {
  Mesh bar = block_mesh({-1.5, 1.5}, {1.15, 1.3}, {-0.2, 0.2}, [](const Vec3&) { return true; });
  return joined(joined(shifted(sphere(), Vec3(-1.5, 0, 0)), shifted(sphere(), Vec3(1.5, 0, 0))), bar);
}

TEST(VoxelDistances, BridgesReachShellsAndLeadNowhereElse) {
  const SolidVoxels voxels = solid_voxels(balls_and_bar(), {.resolution = 80});
  for (const VoxelMetric metric : {VoxelMetric::kChamfer, VoxelMetric::kMarching}) {
    VoxelDistances distances(voxels, nullptr, metric);
    const std::vector<Segment> left = {{Vec3(-1.5, 0, 0), Vec3(-1.5, 0.1, 0)}},
                               right = {{Vec3(1.5, 0, 0), Vec3(1.5, 0.1, 0)}};
    VoxelField field;
    const BoneSeeder seeder(distances);
    std::vector<VoxelSeed> seeds = seeder.seeds(left, field).seeds;
    const std::vector<VoxelSeed> more = seeder.seeds(right, field).seeds;
    seeds.insert(seeds.end(), more.begin(), more.end());
    distances.search(seeds, field);
    const auto unreached = [&] {
      return std::count(field.distance.begin(), field.distance.end(), VoxelField::kUnreached);
    };
    EXPECT_GT(unreached(), 0);
    const std::vector<VoxelBridge> bridges = bridges_to_shells(voxels, field);
    EXPECT_FALSE(bridges.empty());
    distances.add_bridges(bridges);
    distances.search(seeds, field);
    EXPECT_EQ(unreached(), 0);
    // From the left ball alone the bar is reached, and through it the right ball is not.
    distances.search(BoneSeeder(distances).seeds(left, field).seeds, field);
    for (Index i = 0; i < field.distance.size(); ++i) {
      const Vec3 p = voxel_center(voxels, i);
      if (p.y() > 1.1) {
        EXPECT_LT(field.distance[i], VoxelField::kUnreached);
      } else if (p.x() > 0.6) {
        EXPECT_EQ(field.distance[i], VoxelField::kUnreached);
      }
    }
  }
}

TEST(VoxelDistances, ABoneThatSticksOutOfItsLimbDoesNotBeginInTheNext) {
  const double gap = 0.5;
  const SolidVoxels voxels = solid_voxels(u_tube(gap), {.resolution = 64});
  const VoxelDistances distances(voxels, nullptr, VoxelMetric::kMarching);
  VoxelField field;
  // From the left arm through the gap, almost to the right one.
  const std::vector<Segment> bones = {{Vec3(0.5, 5, 0.5), Vec3(1.49, 5, 0.5)}};
  const BoneSeeds seeds = BoneSeeder(distances).seeds(bones, field);
  EXPECT_GT(seeds.outside, 0U);
  EXPECT_FALSE(seeds.all_outside);
  for (const VoxelSeed& seed : seeds.seeds) EXPECT_LT(voxel_center(voxels, seed.solid).x(), 1.2);
}

TEST(VoxelDistances, ABoneBesideItsLimbHoldsItAlongItsLength) {
  const SolidVoxels voxels = solid_voxels(u_tube(3), {.resolution = 64});
  const VoxelDistances distances(voxels, nullptr, VoxelMetric::kMarching);
  VoxelField field;
  const std::vector<Segment> bones = {{Vec3(-0.6, 2, 0.5), Vec3(-0.6, 5, 0.5)}};
  const BoneSeeds seeds = BoneSeeder(distances).seeds(bones, field);
  EXPECT_TRUE(seeds.all_outside);
  double lowest = 9, highest = 0;
  for (const VoxelSeed& seed : seeds.seeds) {
    const Vec3 p = voxel_center(voxels, seed.solid);
    EXPECT_LT(p.x(), 1.1);
    EXPECT_NEAR(static_cast<double>(seed.distance) * voxels.cell, 0.6 + p.x(), 3 * voxels.cell);
    lowest = std::min(lowest, p.y());
    highest = std::max(highest, p.y());
  }
  EXPECT_LT(lowest, 2.3);
  EXPECT_GT(highest, 4.7);
  // A bone that is nowhere near begins somewhere too.
  EXPECT_FALSE(
      BoneSeeder(distances).seeds(std::vector<Segment>{{Vec3(90, 0, 0), Vec3(99, 0, 0)}}, field).seeds.empty());
}

TEST(VoxelDistances, ASheetOfOneVoxelIsNotMeasuredAlongTheAxes) {
  // A diagonal strip: steps along the axes alone would make it 1.41 times as long.
  Mesh strip;
  for (int i = 0; i <= 20; ++i)
    for (const double z : {0.0, 0.2}) strip.positions.push_back({0.1 * i, 0.1 * i, z});
  for (Index i = 0; i < 20; ++i) strip.add_face(std::array<Index, 4>{2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2});
  const SolidVoxels voxels = solid_voxels(strip, {.resolution = 64});
  const VoxelDistances distances(voxels, nullptr, VoxelMetric::kMarching);
  const Vec3 source(0, 0, 0.1);
  const std::vector<double> d = from_bones(distances, std::vector<Segment>{{source, source}});
  for (Index i = 0; i < d.size(); ++i) {
    const double straight = (voxel_center(voxels, i) - source).norm();
    EXPECT_LE(d[i], 1.1 * straight + 2 * voxels.cell);
  }
}

TEST(VoxelDistances, StopWhenAsked) {
  const SolidVoxels voxels = solid_voxels(sphere(), {.resolution = 64});
  const VoxelDistances distances(voxels, nullptr, VoxelMetric::kMarching);
  const Progress progress;
  progress.cancel();
  VoxelField field;
  EXPECT_THROW(distances.search(std::vector<VoxelSeed>{{0, 0, 0}}, field, VoxelField::kUnreached, false, progress),
               Cancelled);
}

}  // namespace
}  // namespace sinew::geometry
