// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/voxels.h"

#include <gtest/gtest.h>

#include <functional>

#include "sinew/core/angles.h"
#include "sinew/geometry/voxels/voxel_cleanup.h"
#include "tests/geometry/field_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

double solid_volume(const SolidVoxels& voxels) {
  return static_cast<double>(voxels.solid.size()) * voxels.cell * voxels.cell * voxels.cell;
}

Mesh box_mesh(const Vec3& lower, const Vec3& upper) {
  Mesh mesh = cube();
  for (Vec3& p : mesh.positions) p = lower + p.cwiseProduct(upper - lower);
  return mesh;
}

// The part of a triangle within a box, cut by its six planes one after the other: empty or not.
bool clipped_is_left(const std::array<Vec3, 3>& triangle, const Vec3& center, const Vec3& half) {
  std::vector<Vec3> polygon(triangle.begin(), triangle.end());
  for (int k = 0; k < 3; ++k)
    for (const double side : {-1.0, 1.0}) {
      std::vector<Vec3> next;
      const auto depth = [&](const Vec3& p) { return half[k] - side * (p[k] - center[k]); };
      for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Vec3 &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
        const double dp = depth(p), dq = depth(q);
        if (dp >= 0) next.push_back(p);
        if ((dp < 0) != (dq < 0)) next.push_back(p + dp / (dp - dq) * (q - p));
      }
      polygon = next;
    }
  return !polygon.empty();
}

TEST(Voxels, TriangleBoxTestMissesNoneOfManyRandomPairs) {
  std::mt19937 random(31);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto vector = [&] { return Vec3(unit(random), unit(random), unit(random)); };
  int hits = 0, missed = 0, false_alarms = 0;
  for (int i = 0; i < 100000; ++i) {
    std::array<Vec3, 3> triangle = {2 * vector(), 2 * vector(), 2 * vector()};
    if (i % 10 == 0) triangle[2] = triangle[0];
    const Vec3 center = vector(), half = 0.5 * (vector() + Vec3::Constant(1.05));
    const bool claimed = triangle_meets_box(triangle, center, half);
    bool sampled = false;
    for (int s = 0; s < 30 && !sampled; ++s) {
      double u = 0.5 + 0.5 * unit(random), v = 0.5 + 0.5 * unit(random);
      if (u + v > 1) u = 1 - u, v = 1 - v;
      const Vec3 p = triangle[0] + u * (triangle[1] - triangle[0]) + v * (triangle[2] - triangle[0]);
      sampled = ((p - center).cwiseAbs().array() <= half.array()).all();
    }
    if (sampled && !claimed) ++missed;
    hits += sampled ? 1 : 0;
    // Clipping is a second opinion on both kinds of error.
    if (clipped_is_left(triangle, center, half) && !triangle_meets_box(triangle, center, (1 + 1e-9) * half)) ++missed;
    if (claimed && !clipped_is_left(triangle, center, (1 + 1e-9) * half)) ++false_alarms;
  }
  EXPECT_GT(hits, 10000);
  EXPECT_EQ(missed, 0);
  EXPECT_EQ(false_alarms, 0);
}

TEST(Voxels, BoundaryIsEveryVoxelThatATriangleMeets) {
  const Mesh mesh = moved(joined(tetrahedron(), moebius_strip()));
  const SolidVoxels voxels = solid_voxels(mesh, {.resolution = 20});
  const std::vector<Triangle> triangles = triangulate(mesh);
  for (std::size_t i = 0; i < voxels.classes.size(); ++i) {
    bool met = false;
    for (const Triangle& t : triangles)
      met = met || triangle_meets_box(
                       {mesh.positions[t.vertices[0]], mesh.positions[t.vertices[1]], mesh.positions[t.vertices[2]]},
                       voxels.center(i), Vec3::Constant(voxels.cell * (0.5 + 1e-6)));
    EXPECT_EQ(met, voxels.classes[i] == VoxelClass::kBoundary) << i;
  }
}

TEST(Voxels, VolumeOfSphereTorusAndOverlappingCubesIsWithinTheSurfaceLayer) {
  struct Case {
    Mesh mesh;
    double volume, area;
    std::function<bool(const Vec3&)> inside;
  };
  const std::vector<Case> cases = {
      {sphere(64, 96), 4 * kPi / 3, 4 * kPi, [](const Vec3& p) { return p.norm() < 1; }},
      {torus(1, 0.4), 2 * kPi * kPi * 0.16, 4 * kPi * kPi * 0.4,
       [](const Vec3& p) { return torus_distance(p, 1, 0.4) < 0; }},
      {joined(box_mesh({0, 0, 0}, {1, 1, 1}), box_mesh({0.4, 0.3, 0.5}, {1.4, 1.3, 1.5})), 2 - 0.6 * 0.7 * 0.5,
       12 - 2 * (0.6 * 0.7 + 0.7 * 0.5 + 0.6 * 0.5), [](const Vec3& p) {
         const Vec3 q = p - Vec3(0.4, 0.3, 0.5);
         return (p.minCoeff() > 0 && p.maxCoeff() < 1) || (q.minCoeff() > 0 && q.maxCoeff() < 1);
       }}};
  for (const Case& c : cases)
    for (const int resolution : {32, 64}) {
      const SolidVoxels voxels = solid_voxels(c.mesh, {.resolution = resolution});
      EXPECT_LE(std::abs(solid_volume(voxels) - c.volume), c.area * voxels.cell) << resolution;
      EXPECT_EQ(voxels.undecided, 0U);
      for (std::size_t i = 0; i < voxels.classes.size(); ++i) {
        if (voxels.classes[i] == VoxelClass::kInterior) {
          EXPECT_TRUE(c.inside(voxels.center(i)));
        }
        if (voxels.classes[i] == VoxelClass::kExterior) {
          EXPECT_FALSE(c.inside(voxels.center(i)));
        }
      }
    }
}

TEST(Voxels, OverlappingAndNestedAndFlippedShellsStaySolid) {
  // Parity would carve the common part out.
  for (const Mesh& second : {shifted(sphere(24, 32), Vec3(0.8, 0, 0)), flipped(shifted(sphere(24, 32), Vec3(3, 0, 0))),
                             sphere(24, 32, Vec3::Zero(), 0.5)}) {
    const Mesh mesh = joined(sphere(24, 32), second);
    const Vec3 middle = second.bounds().center();
    const SolidVoxels voxels = solid_voxels(mesh, {.resolution = 48});
    for (std::size_t i = 0; i < voxels.classes.size(); ++i) {
      const Vec3 p = voxels.center(i);
      const double distance = std::min(p.norm() - 1, (p - middle).norm() - 0.5 * second.bounds().extent().x());
      if (distance < -voxels.cell) {
        EXPECT_NE(voxels.classes[i], VoxelClass::kExterior);
      }
      if (distance > 2 * voxels.cell) {
        EXPECT_EQ(voxels.classes[i], VoxelClass::kExterior);
      }
    }
  }
}

TEST(Voxels, CavitiesStayEmpty) {
  const Mesh mesh = joined(sphere(24, 32), flipped(sphere(24, 32, Vec3::Zero(), 0.5)));
  const SolidVoxels voxels = solid_voxels(mesh, {.resolution = 48});
  for (std::size_t i = 0; i < voxels.classes.size(); ++i)
    if (voxels.center(i).norm() < 0.5 - 2 * voxels.cell) {
      EXPECT_EQ(voxels.classes[i], VoxelClass::kExterior);
    }
}

TEST(Voxels, DamageChangesNoVoxelThatNoTriangleMeets) {
  for (const Mesh& whole : {sphere(48, 64), torus(1, 0.4), capsule(0.8, 0.5)}) {
    const Mesh mesh = with_holes(whole, 0.05, 6);
    const SolidVoxels wanted = solid_voxels(whole, {.resolution = 40});
    const SolidVoxels got = solid_voxels(mesh, {.resolution = 40});
    ASSERT_EQ(wanted.counts, got.counts);
    std::size_t wrong = 0, checked = 0;
    for (std::size_t i = 0; i < wanted.classes.size(); ++i) {
      if (wanted.classes[i] == VoxelClass::kBoundary || got.classes[i] == VoxelClass::kBoundary) continue;
      ++checked;
      wrong += wanted.classes[i] != got.classes[i] ? 1 : 0;
    }
    EXPECT_GT(got.undecided, 0U);
    EXPECT_LE(wrong, checked / 1000) << got.undecided;
  }
}

TEST(Voxels, WhatTwoHolesLeaveOpenIsDecidedByTheWindingNumber) {
  const Mesh mesh = sphere(40, 48);
  Mesh open;
  open.positions = mesh.positions;
  for (Index f = 0; f < mesh.face_count(); ++f)
    if (mesh.positions[mesh.face(f)[0]].y() < 0.9 && mesh.positions[mesh.face(f)[0]].x() < 0.9)
      open.add_face(mesh.face(f));
  const SolidVoxels voxels = solid_voxels(open, {.resolution = 40});
  EXPECT_GT(voxels.undecided, 0U);
  for (std::size_t i = 0; i < voxels.classes.size(); ++i) {
    const Vec3 p = voxels.center(i);
    if (p.norm() < 0.9 && p.y() < 0.6 && p.x() < 0.6) {
      EXPECT_NE(voxels.classes[i], VoxelClass::kExterior);
    }
    if (p.norm() > 1.1) {
      EXPECT_EQ(voxels.classes[i], VoxelClass::kExterior);
    }
  }
}

TEST(Voxels, QuarterTurnsPermuteTheGrid) {
  const Mesh mesh = with_holes(moved(joined(torus(1, 0.3), sphere())), 0.03, 2);
  const SolidVoxels before = solid_voxels(mesh, {.resolution = 40});
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    Mesh turned = mesh;
    for (Vec3& p : turned.positions) {
      const Vec3 old = p;
      p[u] = -old[v];
      p[v] = old[u];
    }
    const SolidVoxels after = solid_voxels(turned, {.resolution = 40});
    std::size_t different = 0;
    for (std::size_t i = 0; i < before.classes.size(); ++i) {
      const std::array<Index, 3> at = before.coordinates(i);
      std::array<Index, 3> to = at;
      to[static_cast<std::size_t>(u)] =
          before.counts[static_cast<std::size_t>(v)] - 1 - at[static_cast<std::size_t>(v)];
      to[static_cast<std::size_t>(v)] = at[static_cast<std::size_t>(u)];
      different += before.classes[i] != after.classes[after.index(to[0], to[1], to[2])] ? 1 : 0;
    }
    EXPECT_EQ(different, 0U) << axis;
  }
}

TEST(Voxels, IdsAndSolidListFitTogetherAndTheBorderIsEmpty) {
  const SolidVoxels voxels = solid_voxels(torus(1, 0.4), {.resolution = 32, .padding = 2});
  for (std::size_t i = 0; i < voxels.classes.size(); ++i) {
    const bool solid = voxels.classes[i] != VoxelClass::kExterior;
    ASSERT_EQ(solid, voxels.ids[i] != kNone);
    if (!solid) continue;
    EXPECT_EQ(voxels.solid[voxels.ids[i]], i);
    const auto at = voxels.coordinates(i);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(at[k] >= 2 && at[k] + 2 < voxels.counts[k]);
  }
  EXPECT_TRUE(std::is_sorted(voxels.solid.begin(), voxels.solid.end()));
}

// A grid of 12³ with a shell of boundary around a pocket, and specks.
SolidVoxels painted() {
  SolidVoxels voxels;
  voxels.cell = 1;
  voxels.counts = {12, 12, 12};
  voxels.classes.assign(12 * 12 * 12, VoxelClass::kExterior);
  for (Index z = 2; z < 6; ++z)
    for (Index y = 2; y < 5; ++y)
      for (Index x = 2; x < 5; ++x) voxels.classes[voxels.index(x, y, z)] = VoxelClass::kBoundary;
  return voxels;
}

TEST(Voxels, CleanupRemovesSpecksButNotThoseABoneCrosses) {
  SolidVoxels voxels = painted();
  for (const Index x : {8U, 9U, 10U}) voxels.classes[voxels.index(x, 9, 9)] = VoxelClass::kInterior;
  voxels.classes[voxels.index(8, 3, 9)] = VoxelClass::kInterior;
  voxels.classes[voxels.index(5, 3, 3)] = VoxelClass::kInterior;  // Touches the boundary.
  const std::vector<Segment> bones = {{Vec3(-100, 9.5, 9.5), Vec3(8.2, 9.5, 9.5)}};
  clean_up_voxels(voxels, bones);
  EXPECT_EQ(voxels.removed_specks, 1U);
  EXPECT_EQ(voxels.classes[voxels.index(10, 9, 9)], VoxelClass::kInterior);
  EXPECT_EQ(voxels.classes[voxels.index(8, 3, 9)], VoxelClass::kExterior);
  EXPECT_EQ(voxels.classes[voxels.index(5, 3, 3)], VoxelClass::kInterior);
}

TEST(Voxels, CleanupFillsSmallPocketsOnly) {
  SolidVoxels voxels = painted();
  voxels.classes[voxels.index(3, 3, 3)] = VoxelClass::kExterior;
  voxels.classes[voxels.index(3, 3, 4)] = VoxelClass::kExterior;
  clean_up_voxels(voxels, {});
  EXPECT_EQ(voxels.filled_pockets, 2U);
  EXPECT_EQ(voxels.classes[voxels.index(3, 3, 4)], VoxelClass::kInterior);

  SolidVoxels large = painted();
  for (Index z = 1; z < 7; ++z)
    for (Index y = 1; y < 6; ++y)
      for (Index x = 1; x < 6; ++x) large.classes[large.index(x, y, z)] = VoxelClass::kBoundary;
  for (Index z = 2; z < 4; ++z)
    for (Index y = 2; y < 4; ++y)
      for (Index x = 2; x < 4; ++x) large.classes[large.index(x, y, z)] = VoxelClass::kExterior;
  clean_up_voxels(large, {});
  EXPECT_EQ(large.filled_pockets, 0U);
}

TEST(Voxels, AreTheSameForAnyNumberOfThreads) {
  const Mesh mesh = with_holes(joined(torus(1, 0.4), moved(sphere())), 0.05, 2);
  const auto run = [&](int count) {
    const Threads threads(count);
    return solid_voxels(mesh, {.resolution = 64});
  };
  const SolidVoxels one = run(1), two = run(2);
  EXPECT_EQ(one.classes, two.classes);
  EXPECT_EQ(one.solid, two.solid);
  EXPECT_EQ(one.undecided, two.undecided);
}

TEST(Voxels, RefuseAMeshWithoutFacesAndAGridTooLarge) {
  EXPECT_THROW(solid_voxels(Mesh{}), Error);
  EXPECT_THROW(solid_voxels(cube(), {.resolution = 5000}), Error);
}

}  // namespace
}  // namespace sinew::geometry
