// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/interior.h"

#include <gtest/gtest.h>

#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/shapes/kinds.h"
#include "tests/geometry/field_meshes.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;
using geometry::VoxelClass;

// How many voxels one can walk to from the first, through faces.
std::size_t reached(const geometry::SolidVoxels& voxels) {
  std::vector<std::uint8_t> seen(voxels.solid.size(), 0);
  std::vector<Index> queue = {voxels.solid.front()};
  seen[0] = 1;
  const std::array<std::size_t, 3> strides = {1, voxels.counts[0], std::size_t{voxels.counts[0]} * voxels.counts[1]};
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const std::size_t stride : strides)
      for (const std::size_t next : {queue[i] - stride, queue[i] + stride}) {
        const Index id = voxels.ids[next];
        if (id == kNone || seen[id] != 0) continue;
        seen[id] = 1;
        queue.push_back(static_cast<Index>(next));
      }
  return queue.size();
}

Mesh two_balls(double gap, double second = 0.5) {
  return joined(sphere(48, 64, Vec3::Zero(), 1), sphere(32, 48, Vec3(0, 1 + gap + second, 0), second));
}

TEST(Interior, FrameCentresTheMeshInTheUnitCube) {
  Mesh mesh = shifted(capsule(0.8, 0.5), Vec3(10, 20, -3), 7);
  mesh.positions.push_back(Vec3(1e6, 0, 0));  // No face uses it.
  const Interior inside = interior(mesh, {.resolution = 50});
  Box box;
  for (const Index v : mesh.face_vertices) box.extend(inside.to_unit(mesh.positions[v]));
  EXPECT_NEAR(box.extent().maxCoeff(), 0.9, 1e-12);
  EXPECT_TRUE(box.center().isApprox(Vec3::Constant(0.5), 1e-12));
  EXPECT_TRUE(inside.to_model(inside.to_unit(Vec3(1, 2, 3))).isApprox(Vec3(1, 2, 3), 1e-9));
  EXPECT_NEAR(inside.voxels.cell, 0.9 / 50, 1e-12);
  EXPECT_EQ(inside.left_out, 0);
}

TEST(Interior, DepthIsThatOfTheShape) {
  const Mesh mesh = capsule(0.8, 0.5);
  const Interior inside = interior(mesh, {.resolution = 80});
  for (std::size_t i = 0; i < inside.voxels.classes.size(); ++i) {
    const double truth = inside.scale * capsule_distance(inside.to_model(inside.voxels.center(i)), 0.8, 0.5);
    EXPECT_NEAR(inside.depth.values[i], truth, 1.4 * inside.voxels.cell);
  }
}

TEST(Interior, BodiesAcrossASmallGapAreJoinedByABridgeAsDeepAsAWayNeeds) {
  const Interior inside = interior(two_balls(0.05), {.resolution = 120});  // 0.05 of 2.05 · 0.9 is 0.022.
  EXPECT_EQ(inside.left_out, 0);
  EXPECT_EQ(reached(inside.voxels), inside.voxels.solid.size());
  const double least = 0.5 * 0.5 * inside.scale;
  for (double y = 0; y <= 1.55; y += 0.01)
    EXPECT_LT(geometry::sample(inside.depth, inside.to_unit(Vec3(0, y, 0))), -least) << y;
}

TEST(Interior, ABodyAcrossALargeGapIsLeftOutAndCounted) {
  const Interior inside = interior(two_balls(0.4), {.resolution = 120});  // 0.4 · 0.9 of 2.9 is 0.124.
  EXPECT_NEAR(inside.left_out, 0.125 / 1.125, 0.01);
  EXPECT_EQ(reached(inside.voxels), inside.voxels.solid.size());
  EXPECT_GT(geometry::sample(inside.depth, inside.to_unit(Vec3(0, 1.9, 0))), 0.15);
  for (const Index v : inside.voxels.solid) EXPECT_LT(inside.to_model(inside.voxels.center(v)).norm(), 1.1);
}

TEST(Interior, ALooseLimbIsJoinedAcrossAWiderGapThanASpeck) {
  // A gap of 0.2 in 3.2 is 0.056. The ball has an eighth of the volume of the body, the speck a thousandth.
  EXPECT_EQ(interior(two_balls(0.2), {.resolution = 120}).left_out, 0);
  const Mesh speck = joined(sphere(24, 32, Vec3::Zero(), 1), sphere(12, 16, Vec3(0, 1.35, 0), 0.16));
  EXPECT_GT(interior(speck, {.resolution = 120}).left_out, 0);
}

TEST(Interior, AChainOfBodiesIsJoinedOneAfterAnother) {
  Mesh mesh;
  for (int i = 0; i < 5; ++i) mesh = joined(mesh, sphere(24, 32, Vec3(2.1 * i, 0, 0), i == 0 ? 1.02 : 1));
  const Interior inside = interior(mesh, {.resolution = 100});
  EXPECT_EQ(inside.left_out, 0);
  EXPECT_EQ(reached(inside.voxels), inside.voxels.solid.size());
}

TEST(Interior, ASpeckNearTheBodyIsLeftOut) {
  const Interior inside = interior(two_balls(0.04, 0.05), {.resolution = 100});
  EXPECT_GT(inside.left_out, 0);
  EXPECT_LT(inside.left_out, 0.002);
}

TEST(Interior, ListsOfVoxelsFitTogether) {
  const Interior inside = interior(two_balls(0.05), {.resolution = 60});
  for (std::size_t i = 0; i < inside.voxels.classes.size(); ++i) {
    const bool solid = inside.voxels.classes[i] != VoxelClass::kExterior;
    ASSERT_EQ(solid, inside.voxels.ids[i] != kNone);
    ASSERT_EQ(solid, inside.depth.values[i] < 0);
    if (solid) {
      ASSERT_EQ(inside.voxels.solid[inside.voxels.ids[i]], i);
    }
  }
}

TEST(Interior, RefusesAMeshThatEnclosesNothing) {
  Mesh sheet;
  sheet.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0.05), Vec3(1, 1, 0.02), Vec3(0, 1, 0)};
  sheet.add_face(std::vector<Index>{0, 1, 2});
  sheet.add_face(std::vector<Index>{0, 2, 3});
  EXPECT_THROW(interior(sheet), Error);
  EXPECT_THROW(interior(Mesh{}), Error);
  Mesh point = sheet;
  for (Vec3& p : point.positions) p.setOnes();
  EXPECT_THROW(interior(point), Error);
}

TEST(Interior, IsTheSameForAnyNumberOfThreads) {
  const auto run = [](int count) {
    const Threads threads(count);
    return interior(two_balls(0.05), {.resolution = 80});
  };
  const Interior one = run(1), two = run(2);
  EXPECT_EQ(one.voxels.classes, two.voxels.classes);
  EXPECT_EQ(one.depth.values, two.depth.values);
}

TEST(Interior, OfADressedHumanIsOneBodyWithAllJointsInside) {
  const shapes::Finished human = shapes::make("human", {.clothes = true});
  const Rig& rig = human.made.character.rig;
  const Interior inside = interior(rig.mesh, {.resolution = 120});
  EXPECT_LT(inside.left_out, 0.01);
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  for (const auto& joint : human.made.template_joints)
    EXPECT_LT(geometry::sample(inside.depth, inside.to_unit(rest[joint.joint].topRightCorner<3, 1>())), 0)
        << joint.name;
}

}  // namespace
}  // namespace sinew::rigging
