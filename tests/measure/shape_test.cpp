// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/shape.h"

#include <gtest/gtest.h>

#include "tests/measure/limb_rigs.h"

namespace sinew::measure {
namespace {

TEST(BoundShape, IsTheMeshWithTheSkeletonOfTheBindPose) {
  Rig rig = test::cylinder_rig(3, 8, 8);
  const std::vector<Mat4> bound = rest_matrices(rig.skeleton);
  rig.skeleton.joints[1].rest.rotation = test::turn(Vec3::UnitX(), 1) * rig.skeleton.joints[1].rest.rotation;
  const Shape shape = bound_shape(rig);
  EXPECT_EQ(shape.positions, rig.mesh.positions);
  for (Index j = 0; j < 3; ++j) EXPECT_LT((shape.joints[j] - bound[j]).norm(), 1e-12);
}

TEST(Limbs, OwnTheVerticesAlongThem) {
  const Rig rig = test::cylinder_rig(5, 80, 16);
  const Limbs found = limbs(rig, bound_shape(rig));
  ASSERT_EQ(found.owners.segments.size(), 4U);
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    const Vec3& p = rig.mesh.positions[v];
    const double link = p.y() / 2;
    if (std::abs(link - std::round(link)) < 1e-3) continue;  // At joints two joints are equally strong.
    const auto& segment = found.owners.segments[found.owners.owner[v]];
    EXPECT_EQ(segment.joint, static_cast<Index>(link)) << p.transpose();
    EXPECT_NEAR(found.owners.along[v], link - std::floor(link), 1e-6);
    EXPECT_NEAR(found.radius[v], std::hypot(p.x(), p.z()), 1e-9);
  }
}

TEST(Limbs, BonesLeaveOutJointsThatMoveNothing) {
  Rig rig = test::cylinder_rig(4, 30, 8);
  SkinWeights weights;  // The second joint gives its vertices to the first.
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    std::vector<Influence> row;
    for (const Influence& i : rig.weights.row(v)) row.push_back({i.joint == 1 ? 0 : i.joint, i.weight});
    weights.add_row(row);
  }
  rig.weights = weights.normalized();
  const Limbs found = limbs(rig, bound_shape(rig));
  ASSERT_EQ(found.owners.segments.size(), 2U);
  EXPECT_EQ(found.owners.segments[0].joint, 0U);
  EXPECT_EQ(found.owners.segments[0].child, 2U);
}

TEST(Limbs, TheLastJointOfAChainHasABoneToAChildThatMovesNothing) {
  Rig rig = test::cylinder_rig(3, 8, 8);
  test::share_evenly(rig, 0.5);
  const Limbs found = limbs(rig, bound_shape(rig));
  ASSERT_EQ(found.owners.segments.size(), 2U);
  EXPECT_EQ(found.owners.segments[1].joint, 1U);
  EXPECT_EQ(found.owners.segments[1].child, 2U);
  EXPECT_EQ(found.moves, (std::vector<char>{1, 1, 0}));
}

TEST(Limbs, AreNoneWithoutASkeleton) {
  Rig rig;
  rig.mesh = test::cylinder_rig(2, 4, 4).mesh;
  for (MeshPart& part : rig.mesh.parts) part.skin = kNone;
  const Limbs found = limbs(rig, bound_shape(rig));
  EXPECT_TRUE(found.owners.segments.empty());
  EXPECT_EQ(found.radius, std::vector<double>(rig.mesh.positions.size(), 0.0));
}

TEST(DistanceToBone, EndsAreRound) {
  const BoneEnds bone{{0, 0, 0}, {0, 2, 0}};
  EXPECT_EQ(distance_to_bone({3, 1, 0}, bone), 3);
  EXPECT_EQ(distance_to_bone({3, 6, 0}, bone), 5);
  EXPECT_EQ(distance_to_bone({3, -4, 0}, bone), 5);
}

}  // namespace
}  // namespace sinew::measure
