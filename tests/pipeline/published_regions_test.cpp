// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/binding/distance/distance.h"
#include "sinew/pipeline/segment_colors.h"
#include "tests/support/made_human.h"

namespace sinew::pipeline {
namespace {

TEST(PublishedRegions, BallsAboutJointsComeFirstThenTheNearestBone) {
  const Character character = test::made_human("a", 1500);
  const binding::Subject subject = binding::rest_subject(character.rig.mesh, character.rig.skeleton);
  const Segmentation regions = published_regions(subject);
  ASSERT_TRUE(validate(regions, character.rig.mesh.vertex_count(), character.rig.skeleton.size()).empty());
  const binding::BoneTree tree = binding::bone_tree(subject);
  const auto balls = binding::joint_regions(subject.mesh, tree, subject);
  ASSERT_EQ(regions.segments.size(), tree.bones.size() + tree.joints.size());
  Index in_balls = 0;
  for (Index v = 0; v < regions.owner.size(); ++v) {
    const Vec3& p = subject.mesh.positions[v];
    const bool inside = std::any_of(balls.begin(), balls.end(), [&](const binding::JointRegion& ball) {
      return (p - ball.center).norm() < ball.radius;
    });
    EXPECT_EQ(regions.owner[v] >= tree.bones.size(), inside) << v;
    in_balls += inside ? 1 : 0;
    if (inside) continue;
    const double own = binding::closest_on_bone(tree.bones[regions.owner[v]], p).distance;
    for (const binding::Bone& bone : tree.bones) EXPECT_LE(own, binding::closest_on_bone(bone, p).distance) << v;
  }
  EXPECT_GT(in_balls, regions.owner.size() / 10);
  EXPECT_LT(in_balls, regions.owner.size() * 9 / 10);
}

}  // namespace
}  // namespace sinew::pipeline
