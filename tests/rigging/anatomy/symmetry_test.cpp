// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/symmetry.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "tests/geometry/named_meshes.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

constexpr Index kColumns = 11, kRows = 7;

/// Points on a grid about `center`, its columns along x, each moved by up to `jitter` of the grid's size.
Mesh jittered_grid(double jitter, const Vec3& center = Vec3::Zero()) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Mesh mesh;
  for (Index r = 0; r < kRows; ++r)
    for (Index c = 0; c < kColumns; ++c) mesh.positions.push_back(center + Vec3(c - 5.0, r - 3.0, 0.1 * r * r));
  const double size = mesh.size();
  for (Vec3& p : mesh.positions) {
    const double x = normal(random), y = normal(random), z = normal(random);
    p += jitter * size * Vec3(x, y, z).normalized();
  }
  return mesh;
}

Index mirrored_column(Index v) { return v / kColumns * kColumns + (kColumns - 1 - v % kColumns); }

TEST(MirrorVertices, FindTheirImagesOnAGridThatIsNearlySymmetric) {
  const Vec3 center(4, -2, 1);
  for (const double jitter : {0.0, 4e-5}) {  // Two of them add up.
    const Mesh mesh = jittered_grid(jitter, center);
    const std::vector<Index> images = mirror_vertices(mesh, center, Vec3::UnitX());
    ASSERT_EQ(images.size(), mesh.positions.size());
    for (Index v = 0; v < images.size(); ++v) EXPECT_EQ(images[v], mirrored_column(v)) << jitter;
    EXPECT_EQ(mirrored_share(images), 1);
  }
}

TEST(MirrorVertices, HaveNoImageBeyondTheTolerance) {
  const Mesh mesh = jittered_grid(3e-4);
  const std::vector<Index> images = mirror_vertices(mesh, Vec3::Zero(), Vec3::UnitX());
  EXPECT_LT(mirrored_share(images), 0.2);
  const std::vector<Index> wide = mirror_vertices(mesh, Vec3::Zero(), Vec3::UnitX(), 1e-3);
  EXPECT_EQ(mirrored_share(wide), 1);
  // One that was moved away leaves its partner alone too.
  Mesh torn = jittered_grid(0);
  torn.positions[3].y() += 0.01 * torn.size();
  const std::vector<Index> rest = mirror_vertices(torn, Vec3::Zero(), Vec3::UnitX());
  for (Index v = 0; v < rest.size(); ++v)
    EXPECT_EQ(rest[v], v == 3 || v == mirrored_column(3) ? kNone : mirrored_column(v));
}

TEST(MirrorVertices, WorkAcrossAnyPlane) {
  Mesh mesh = moved(jittered_grid(0));
  const Mesh origin = moved(mesh_of({Vec3::Zero(), Vec3::UnitX()}, {}));
  const Vec3 normal = origin.positions[1] - origin.positions[0];
  const std::vector<Index> images = mirror_vertices(mesh, origin.positions[0], normal);
  for (Index v = 0; v < images.size(); ++v) EXPECT_EQ(images[v], mirrored_column(v));
}

TEST(MirrorVertices, OfCopiesInOnePlaceTheFirstIsTaken) {
  Mesh mesh = jittered_grid(0);
  const Index copy = mesh.vertex_count();
  mesh.positions.push_back(mesh.positions[0]);
  const std::vector<Index> images = mirror_vertices(mesh, Vec3::Zero(), Vec3::UnitX());
  EXPECT_EQ(images[mirrored_column(0)], 0U);
  EXPECT_EQ(images[copy], mirrored_column(0));
}

TEST(MirrorVertices, OfNothingAreNone) {
  EXPECT_TRUE(mirror_vertices(Mesh{}, Vec3::Zero(), Vec3::UnitX()).empty());
  EXPECT_EQ(mirrored_share({}), 0);
}

SkeletonPlan pair_at(const Vec3& left, const Vec3& right) {
  SkeletonPlan plan;
  plan.joints.resize(3);
  plan.joints[1].position = left, plan.joints[2].position = right;
  plan.joints[1].partner = 2, plan.joints[2].partner = 1;
  return plan;
}

TEST(SymmetricPose, IsDecidedByTheSurfaceOrElseByTheJoints) {
  MirrorPlane whole, most;
  whole.p95_rel = 0.01;
  most.median_rel = 0.001, most.p95_rel = 0.1;
  const SkeletonPlan waving = pair_at(Vec3(1, 0.3, 0), Vec3(-1, 0, 0));
  EXPECT_TRUE(is_symmetric_pose(waving, whole));
  EXPECT_FALSE(is_symmetric_pose(waving, most));
  EXPECT_TRUE(is_symmetric_pose(pair_at(Vec3(1, 0.05, 0), Vec3(-1, 0, 0)), most));
}

TEST(UsePlane, KeepsTheDirectionsOfThePlanPerpendicular) {
  SkeletonPlan plan;
  MirrorPlane plane;
  plane.normal = Vec3(1, 0.05, -0.04).normalized();
  plane.point = Vec3(0.3, 0, 0);
  use_plane(plan, plane);
  EXPECT_EQ(plan.left, plane.normal);
  EXPECT_EQ(plan.mirror_point, plane.point);
  Mat3 frame;
  frame << plan.left, plan.up, plan.forward;
  EXPECT_TRUE((frame.transpose() * frame).isApprox(Mat3::Identity(), 1e-12));
  EXPECT_NEAR(frame.determinant(), 1, 1e-12);
  EXPECT_GT(plan.up.y(), 0.99);
}

TEST(MakeSymmetric, GivesPartnersTheVerySameNumbers) {
  SkeletonPlan plan;
  plan.joints.resize(4);
  plan.joints[0].position = Vec3(0.013, 1.1, 0.2);
  plan.joints[1].position = Vec3(0.31, 1.237, -0.1);
  plan.joints[2].position = Vec3(-0.29, 1.241, -0.13);
  plan.joints[3].position = Vec3(0.007, 1.5, 0.1);
  plan.joints[1].partner = 2, plan.joints[2].partner = 1;
  plan.joints[1].end = Vec3(0.5, 1.1, 0.07), plan.joints[2].end = Vec3(-0.52, 1.13, 0.05);
  plan.joints[3].end = Vec3(-0.01, 1.7, 0.1);
  plan.joints[1].bend_axis = Vec3(0.1, -0.9, 0.3);
  make_symmetric(plan);
  const auto mirrored = [](const Vec3& p) { return Vec3(-p.x(), p.y(), p.z()); };
  EXPECT_EQ(plan.joints[0].position, Vec3(0, 1.1, 0.2));
  EXPECT_EQ(plan.joints[3].position.x(), 0);
  EXPECT_EQ(plan.joints[3].end->x(), 0);
  EXPECT_EQ(plan.joints[2].position, mirrored(plan.joints[1].position));
  EXPECT_EQ(*plan.joints[2].end, mirrored(*plan.joints[1].end));
  EXPECT_TRUE(plan.joints[1].position.isApprox(Vec3(0.30, 1.239, -0.115), 1e-12));
  // An axis is no direction: the turn about it is mirrored.
  EXPECT_EQ(plan.joints[2].bend_axis, Vec3(0.1, 0.9, -0.3));
}

TEST(MakeSymmetric, IsExactToRoundingAboutAPlaneElsewhere) {
  SkeletonPlan plan;
  plan.left = Vec3::UnitZ();
  plan.mirror_point = Vec3(0, 0, 3.3);
  plan.joints.resize(3);
  plan.joints[0].position = Vec3(1, 2, 3.4);
  plan.joints[1].position = Vec3(1, 2, 4.1), plan.joints[2].position = Vec3(1.2, 2, 2.4);
  plan.joints[1].partner = 2, plan.joints[2].partner = 1;
  make_symmetric(plan);
  EXPECT_NEAR(plan.joints[0].position.z(), 3.3, 1e-15);
  EXPECT_EQ(plan.joints[1].position.x(), plan.joints[2].position.x());
  EXPECT_NEAR(plan.joints[1].position.z() + plan.joints[2].position.z(), 6.6, 1e-14);
  const Vec3 first = plan.joints[1].position;
  make_symmetric(plan);
  EXPECT_TRUE(plan.joints[1].position.isApprox(first, 1e-14));
}

}  // namespace
}  // namespace sinew::rigging
