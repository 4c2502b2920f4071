// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/mirror_plane.h"

#include <gtest/gtest.h>

#include "tests/rigging/bodies.h"
#include "tests/rigging/made_parts.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

Mat3 turn_about(const Vec3& axis, double angle_rad) { return Eigen::AngleAxisd(angle_rad, axis).toRotationMatrix(); }

/// A trunk with a head and arms, finely divided, whose two sides have different triangles.
Mesh lumpy_body() {
  Mesh mesh = sphere(20, 31, Vec3(0, 0, 0), 1);
  append(mesh, sphere(12, 17, Vec3(0, 1.3, 0.2), 0.5));
  append(mesh, sphere(11, 14, Vec3(1.4, 0.3, 0), 0.5));
  append(mesh, sphere(13, 19, Vec3(-1.4, 0.3, 0), 0.5));
  return mesh;
}

TEST(MirrorPlane, IsFoundThoughTheTwoSidesHaveOtherVertices) {
  const std::optional<MirrorPlane> plane = find_mirror_plane_near(lumpy_body(), Vec3::UnitX());
  ASSERT_TRUE(plane);
  EXPECT_TRUE(plane->whole());
  EXPECT_FALSE(plane->exact);
  EXPECT_NEAR(plane->normal.dot(plane->point), 0, 0.02);
  EXPECT_GT(plane->normal.x(), 0.999);
}

TEST(MirrorPlane, FollowsABodyThatIsMovedAndTurnedByAFewDegrees) {
  const Mat3 turn = turn_about(Vec3::UnitY(), 0.08) * turn_about(Vec3::UnitZ(), -0.05);
  Mesh mesh = lumpy_body();
  for (Vec3& p : mesh.positions) p = turn * p + Vec3(5, 1, -2);
  const std::optional<MirrorPlane> plane = find_mirror_plane_near(mesh, Vec3::UnitX());
  ASSERT_TRUE(plane);
  EXPECT_TRUE(plane->whole());
  EXPECT_GT(plane->normal.dot(turn.col(0)), 0.9995);
  EXPECT_NEAR(plane->normal.dot(Vec3(5, 1, -2) - plane->point), 0, 0.03);
}

TEST(MirrorPlane, StaysInTheMiddleOfABodyThatHoldsAWeapon) {
  Mesh mesh = lumpy_body();
  append(mesh, box(Vec3(2.6, 0.3, 1), Vec3(0.1, 0.1, 4)));
  const std::optional<MirrorPlane> plane = find_mirror_plane_near(mesh, Vec3::UnitX());
  ASSERT_TRUE(plane);
  EXPECT_TRUE(plane->symmetric());
  EXPECT_FALSE(plane->whole());
  EXPECT_NEAR(plane->normal.dot(plane->point), 0, 0.03);
}

TEST(MirrorPlane, IsExactWhereVerticesAreImagesOfEachOther) {
  const Mesh human = bare(small_made("human"));
  const std::optional<MirrorPlane> plane = find_mirror_plane_near(human, Vec3::UnitX());
  ASSERT_TRUE(plane);
  EXPECT_TRUE(plane->exact);
  EXPECT_EQ(plane->normal, Vec3::UnitX());
}

TEST(MirrorPlane, OfALopsidedBodyIsNotSymmetric) {
  Mesh mesh = sphere(20, 30, Vec3::Zero(), 1);
  append(mesh, sphere(20, 30, Vec3(1.5, 1, 0), 1));
  append(mesh, box(Vec3(-1, -1.5, 0), Vec3(0.4, 3, 0.6)));
  const std::optional<MirrorPlane> plane = find_mirror_plane_near(mesh, Vec3::UnitX());
  ASSERT_TRUE(plane);
  EXPECT_FALSE(plane->symmetric());
  EXPECT_FALSE(find_mirror_plane_near(Mesh{}, Vec3::UnitX()));
}

TEST(MirrorPlanes, FindTheSidesOfABodyThatIsTurnedAnyhow) {
  const Mat3 turn = turn_about(Vec3::UnitY(), 0.7);
  for (const char* kind : {"human", "quadruped"}) {
    const Mesh mesh = rotated(bare(small_made(kind)), turn);
    const std::vector<MirrorPlane> planes = find_mirror_planes(mesh);
    ASSERT_FALSE(planes.empty());
    EXPECT_TRUE(planes.front().whole()) << kind;
    EXPECT_GT(std::abs(planes.front().normal.dot(turn.col(0))), 0.9995) << kind;
    for (std::size_t i = 1; i < planes.size(); ++i) EXPECT_GE(planes[i].p95_rel, planes.front().p95_rel) << kind;
  }
  EXPECT_TRUE(find_mirror_planes(Mesh{}).empty());
}

TEST(MirrorPlanes, AreTheSameForAnyNumberOfThreads) {
  const Mesh mesh = lumpy_body();
  const auto planes = [&](int threads) {
    const Threads scope(threads);
    std::vector<double> numbers;
    for (const MirrorPlane& p : find_mirror_planes(mesh))
      for (const double x : {p.normal.x(), p.normal.y(), p.point.z(), p.median_rel, p.p95_rel}) numbers.push_back(x);
    return numbers;
  };
  EXPECT_EQ(planes(1), planes(4));
}

}  // namespace
}  // namespace sinew::rigging
