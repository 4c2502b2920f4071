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

TEST(Limbs, JointsWithADriverHaveNoBones) {
  const Rig before = test::cylinder_rig(4, 30, 8);
  Rig after = before;
  Joint helper = after.skeleton.joints[1];
  helper.name = "helper", helper.parent = 1, helper.rest.translation = Vec3(0, 1, 0);
  helper.driver = Driver{};
  helper.driver->source = 2;
  after.skeleton.joints.push_back(helper);
  after.skins[0].joints.push_back(4);
  after.skins[0].inverse_bind.push_back(after.skins[0].inverse_bind[1]);
  SkinWeights weights;  // The helper gets most of what its parent moves.
  for (Index v = 0; v < before.mesh.vertex_count(); ++v) {
    std::vector<Influence> row;
    for (const Influence& i : before.weights.row(v)) {
      row.push_back({i.joint, i.joint == 1 ? 0.25F * i.weight : i.weight});
      if (i.joint == 1) row.push_back({4, 0.75F * i.weight});
    }
    weights.add_row(row);
  }
  after.weights = weights;
  const Limbs a = limbs(before, bound_shape(before)), b = limbs(after, bound_shape(after));
  ASSERT_EQ(a.owners.segments.size(), b.owners.segments.size());
  for (std::size_t s = 0; s < a.owners.segments.size(); ++s) {
    EXPECT_EQ(a.owners.segments[s].joint, b.owners.segments[s].joint);
    EXPECT_EQ(a.owners.segments[s].child, b.owners.segments[s].child);
  }
  for (Index v = 0; v < before.mesh.vertex_count(); ++v) {
    const double link = before.mesh.positions[v].y() / 2;
    if (std::abs(link - std::round(link)) < 1e-3) continue;  // At joints two joints are equally strong.
    EXPECT_EQ(a.owners.owner[v], b.owners.owner[v]) << v;
  }
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
