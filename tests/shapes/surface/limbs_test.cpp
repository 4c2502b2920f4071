// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/surface/limbs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/motion/resolve.h"
#include "sinew/shapes/kinds.h"

namespace sinew::shapes {
namespace {

MakeOptions published_bar() {
  MakeOptions options;
  options.joint_count = 5;
  options.checkerboard = true;
  return options;
}

/// Percent of the volume that linear blending loses after turns of joints about model axes, one after the other.
double loss(const Made& made, const std::vector<std::pair<Index, Quat>>& turns) {
  const Rig& rig = made.character.rig;
  Pose pose = rest_pose(rig);
  for (const auto& [joint, turn] : turns) pose.local[joint].rotation = turn * pose.local[joint].rotation;
  Mesh posed = rig.mesh;
  posed.positions = deform::linear_positions(rig, motion::resolve(rig.skeleton, pose));
  return 100 * (1 - geometry::volume(posed).volume / geometry::volume(rig.mesh).volume);
}

Quat about(const Vec3& axis, double degrees) { return Quat(Eigen::AngleAxisd(radians(degrees), axis)); }

TEST(Bar, IsThePublishedMesh) {
  const Made made = bar(published_bar());
  const Mesh& mesh = made.character.rig.mesh;
  EXPECT_EQ(mesh.vertex_count(), 1298U);
  EXPECT_EQ(mesh.face_count(), 2592U);
  EXPECT_NEAR(geometry::volume(mesh).volume, 32, 1e-12);
  EXPECT_EQ(made.character.rig.skeleton.size(), 5U);
  const std::vector<Mat4> rest = rest_matrices(made.character.rig.skeleton);
  for (Index j = 0; j < 5; ++j) EXPECT_LT((Vec3(rest[j].topRightCorner<3, 1>()) - Vec3(0, 2.0 * j, 0)).norm(), 1e-12);
}

TEST(Bar, LosesThePublishedVolumeToATwist) {
  // The closed form for one of four links turned by 180°: 4c²/n · sin²(90°) = 6.25 %; on this mesh 6.360 %.
  EXPECT_NEAR(loss(bar(published_bar()), {{1, about(Vec3::UnitY(), 180)}}), 6.360, 0.005);
  EXPECT_NEAR(loss(bar(published_bar()), {{1, about(Vec3::UnitY(), 180)}, {2, about(Vec3::UnitY(), 200)}}), 12.528,
              0.005);
  MakeOptions fine = published_bar();
  fine.layers = 640;
  EXPECT_NEAR(loss(bar(fine), {{1, about(Vec3::UnitY(), 180)}}), 6.25, 0.02);
}

TEST(Bar, DiagonalsAlternate) {
  const Mesh mesh = bar(published_bar()).character.rig.mesh;
  // One-handed diagonals would give a twist to one side more volume than to the other.
  const Made made = bar(published_bar());
  const double left = loss(made, {{2, about(Vec3::UnitY(), 70)}});
  const double right = loss(made, {{2, about(Vec3::UnitY(), -70)}});
  EXPECT_NEAR(left, right, 1e-9);
  // Every inner vertex has 4 or 8 neighbours.
  std::vector<int> used(mesh.positions.size(), 0);
  for (const Index v : mesh.face_vertices) ++used[v];
  for (Index v = 16; v < 80 * 16; ++v) EXPECT_TRUE(used[v] == 4 || used[v] == 8) << v;
}

TEST(Bar, WeightsAreEvenAtEveryJoint) {
  MakeOptions options;
  options.joint_count = 4;
  options.length = 3;
  options.layers = 30;
  const Made made = bar(options);
  const Rig& rig = made.character.rig;
  for (Index i = 0; i < rig.mesh.vertex_count(); ++i) {
    const double y = rig.mesh.positions[i].y();
    if (std::abs(y - 2) > 1e-9) continue;
    const auto row = rig.weights.row(i);
    ASSERT_GE(row.size(), 2U);
    EXPECT_NEAR(row[0].weight, 0.5, 1e-4);
    EXPECT_NEAR(row[1].weight, 0.5, 1e-4);
    EXPECT_EQ(row[0].joint + row[1].joint, 3U);
  }
}

TEST(Bar, HasTwoBonesAndQuadsByDefault) {
  const Made made = bar({});
  EXPECT_EQ(made.owners.segments.size(), 2U);
  EXPECT_EQ(made.character.rig.mesh.vertex_count(), 81U * 16 + 2 * 9);
  EXPECT_EQ(made.character.rig.mesh.face_count(), 80U * 16 + 2 * 16);
}

TEST(Limbs, SizeAndFinenessAreAsAsked) {
  MakeOptions options;
  options.length = 0.5;
  options.width = 0.1;
  options.vertices = 3000;
  for (const auto maker : {bar, cylinder}) {
    const Mesh mesh = maker(options, {}).character.rig.mesh;
    EXPECT_NEAR(mesh.vertex_count(), 3000, 600);
    EXPECT_NEAR(mesh.bounds().extent().y(), 0.5, 1e-12);
    EXPECT_LE(mesh.bounds().extent().x(), 0.1 + 1e-12);
    EXPECT_GT(mesh.bounds().extent().x(), 0.099);
  }
  options.layers = 7;
  EXPECT_NEAR(cylinder(options).character.rig.mesh.bounds().upper.y(), 0.5, 1e-12);
}

TEST(Cylinder, HasTheVolumeOfItsPolygon) {
  MakeOptions options;
  options.layers = 20;
  options.vertices = 21 * 256;
  options.checkerboard = true;
  const Mesh mesh = cylinder(options).character.rig.mesh;
  EXPECT_EQ(mesh.vertex_count(), 21U * 256 + 2);
  EXPECT_NEAR(geometry::volume(mesh).volume, 8 * 128 * std::sin(kTwoPi / 256), 1e-9);
}

TEST(Limbs, RefuseASingleJoint) {
  MakeOptions options;
  options.joint_count = 1;
  EXPECT_THROW(bar(options), Error);
}

}  // namespace
}  // namespace sinew::shapes
