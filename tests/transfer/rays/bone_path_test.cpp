// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/bone_path.h"

#include <gtest/gtest.h>

#include "tests/geometry/field_meshes.h"

namespace sinew::transfer {
namespace {

using namespace sinew::test;

// A capsule of radius 1 along y, from −4 to 4.
geometry::RayScene capsule_scene() { return geometry::RayScene(capsule(3, 1)); }

TEST(BonePath, OfABoneInsideIsTheBone) {
  const BonePath path(capsule_scene(), Vec3(0.2, -2, 0.1), Vec3(-0.3, 3, 0), Vec3::Zero());
  EXPECT_FALSE(path.leaves_the_skin());
  for (const double along : {0.0, 0.25, 0.7, 1.0}) {
    EXPECT_FALSE(path.at(along).moved);
    EXPECT_LT((path.at(along).point - (Vec3(0.2, -2, 0.1) + along * Vec3(-0.5, 5, -0.1))).norm(), 1e-12);
  }
}

TEST(BonePath, OfABoneBesideTheSkinRunsThroughTheMiddle) {
  const BonePath path(capsule_scene(), Vec3(1.5, -2, 0), Vec3(1.5, 2, 0), Vec3::Zero());
  EXPECT_TRUE(path.leaves_the_skin());
  for (const double along : {0.0, 0.3, 1.0}) {
    const BonePath::Start start = path.at(along);
    EXPECT_TRUE(start.moved);
    EXPECT_NEAR(start.point.y(), -2 + 4 * along, 1e-6);
    EXPECT_LT(std::hypot(start.point.x(), start.point.z()), 0.25);
  }
}

TEST(BonePath, MovesWithoutJumpsWhereABoneLeavesTheSkin) {
  const BonePath path(capsule_scene(), Vec3(0, -2, 0), Vec3(2, 2, 0), Vec3::Zero());
  EXPECT_FALSE(path.at(0).moved);
  EXPECT_TRUE(path.at(1).moved);
  for (int i = 0; i < 1000; ++i)
    EXPECT_LT((path.at(i / 1000.0).point - path.at((i + 1) / 1000.0).point).norm(), 0.08) << i;
}

TEST(BonePath, OfAPointMovesAcrossItsAxisOrAnyWay) {
  const Vec3 place(0, 0, 1.4);
  const BonePath across(capsule_scene(), place, place, Vec3::UnitY()), any(capsule_scene(), place, place, Vec3::Zero());
  EXPECT_NEAR(across.at(0).point.y(), 0, 1e-6);
  EXPECT_LT(std::abs(across.at(0).point.z()), 0.2);
  EXPECT_LT(std::abs(any.at(0).point.z()), 0.4);
  EXPECT_FALSE(BonePath(capsule_scene(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()).leaves_the_skin());
}

TEST(BonePath, StaysInHollowBodiesAndBehindSheets) {
  // Two walls that face away from each other: winding numbers are 0 in the hollow.
  Mesh hollow = capsule(3, 1);
  const Mesh inner = flipped(capsule(3, 0.9));
  const Index first = hollow.vertex_count();
  hollow.positions.insert(hollow.positions.end(), inner.positions.begin(), inner.positions.end());
  for (Index f = 0; f < inner.face_count(); ++f) {
    std::vector<Index> face(inner.face(f).begin(), inner.face(f).end());
    for (Index& v : face) v += first;
    hollow.add_face(face);
  }
  EXPECT_FALSE(BonePath(geometry::RayScene(hollow), Vec3(0, -2, 0), Vec3(0, 2, 0), Vec3::Zero()).leaves_the_skin());
  Mesh sheet;
  sheet.positions = {{-1, -3, 1}, {1, -3, 1}, {1, 3, 1}, {-1, 3, 1}};
  sheet.add_face(std::vector<Index>{0, 1, 2, 3});
  EXPECT_FALSE(BonePath(geometry::RayScene(sheet), Vec3(0, -2, 0), Vec3(0, 2, 0), Vec3::Zero()).leaves_the_skin());
  // Nothing lies beside it.
  EXPECT_FALSE(BonePath(capsule_scene(), Vec3(0, 20, 0), Vec3(0, 22, 0), Vec3::Zero()).leaves_the_skin());
}

}  // namespace
}  // namespace sinew::transfer
