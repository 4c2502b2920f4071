// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/subject.h"

#include <gtest/gtest.h>

#include <limits>

#include "sinew/core/error.h"
#include "sinew/core/rotation.h"

namespace sinew::binding {
namespace {

// A skeleton of joints at places, on a mesh of two points that makes the size 10.
struct Joints {
  Mesh mesh;
  Skeleton skeleton;
  std::vector<Mat4> matrices;

  Joints() { mesh.positions = {Vec3(0, 0, 0), Vec3(0, 0, 10)}; }

  Index add(Index parent, const Vec3& place) {
    Joint joint;
    joint.name = "j" + std::to_string(skeleton.size());
    joint.parent = parent;
    skeleton.joints.push_back(joint);
    Mat4 m = Mat4::Identity();
    m.topRightCorner<3, 1>() = place;
    matrices.push_back(m);
    return skeleton.size() - 1;
  }
  Subject subject() const { return {mesh, skeleton, matrices, std::vector<char>(matrices.size(), 1)}; }
};

TEST(ClosestOnBone, AlongIsZeroAtTheJointAndOneAtTheChildOfARotatedLink) {
  const Quat turn = rotation_exp(Vec3(0.3, -1.1, 0.7));
  const Vec3 a(1, 2, 3), u = turn * Vec3::UnitX(), side = turn * Vec3::UnitZ();
  const double length = 2.5;
  Joints joints;
  joints.add(kNone, a);
  joints.add(0, a + length * u);
  const BoneTree tree = bone_tree(joints.subject());
  ASSERT_EQ(tree.bones.size(), 2U);
  for (const double along : {0.0, 1.0, 2.5, -0.3, 0.4}) {
    const BonePoint at = closest_on_bone(tree.bones[0], a + along * length * u + 0.7 * side);
    EXPECT_NEAR(at.along, along, 1e-12);
    const double over = length * std::max({0.0, along - 1, -along});
    EXPECT_NEAR(at.distance, std::hypot(0.7, over), 1e-12);
  }
}

TEST(BoneTree, BonesGoByJointThenByChildWithTheEndSegmentLast) {
  Joints joints;
  joints.add(kNone, Vec3(0, 0, 0));
  joints.add(0, Vec3(1, 0, 0));
  joints.add(0, Vec3(0, 1, 0));
  joints.add(1, Vec3(3, 0, 0));
  const BoneTree tree = bone_tree(joints.subject());
  ASSERT_EQ(tree.bones.size(), 5U);
  const std::vector<std::pair<Index, Index>> expected = {{0, 1}, {0, 2}, {1, 3}, {2, kNone}, {3, kNone}};
  for (std::size_t b = 0; b < expected.size(); ++b) {
    EXPECT_EQ(tree.bones[b].joint, expected[b].first);
    EXPECT_EQ(tree.bones[b].child, expected[b].second);
    EXPECT_NEAR((tree.bones[b].b - tree.bones[b].a).norm(), tree.bones[b].length, 1e-12);
  }
  EXPECT_EQ(tree.outgoing[0], (std::vector<Index>{0, 1}));
  EXPECT_EQ(tree.incoming, (std::vector<Index>{kNone, 0, 1, 2}));
  EXPECT_EQ(tree.parent, (std::vector<Index>{kNone, 0, 0, 1}));
  EXPECT_TRUE(tree.bones[4].b.isApprox(Vec3(5, 0, 0)));  // As far again as the bone before.
}

TEST(BoneTree, EndSegmentsGoWhereTheSkeletonSays) {
  Joints joints;
  joints.add(kNone, Vec3(0, 0, 0));
  joints.add(0, Vec3(1, 0, 0));
  joints.skeleton.joints[1].end_local = Vec3(0, 0.5, 0);
  EXPECT_TRUE(bone_tree(joints.subject()).bones[1].b.isApprox(Vec3(1, 0.5, 0)));
  // An end node that is not bound says so too.
  joints.skeleton.joints[1].end_local.reset();
  joints.add(1, Vec3(1, 0, 2));
  Subject subject = joints.subject();
  subject.bound[2] = 0;
  BoneTree tree = bone_tree(subject);
  ASSERT_EQ(tree.bones.size(), 2U);
  EXPECT_TRUE(tree.bones[1].b.isApprox(Vec3(1, 0, 2)));
  // Not if it lies at the joint, nor if there are two.
  subject.joints[2] = subject.joints[1];
  EXPECT_TRUE(bone_tree(subject).bones[1].b.isApprox(Vec3(2, 0, 0)));
  joints.add(1, Vec3(1, 3, 0));
  Subject forked = joints.subject();
  forked.bound[2] = forked.bound[3] = 0;
  EXPECT_TRUE(bone_tree(forked).bones[1].b.isApprox(Vec3(2, 0, 0)));
}

// A spine along x from 0 to 3 whose last joint has a limb; the limb begins at `along` of the bone before that joint.
Joints spine_with_limb(double along) {
  Joints joints;
  joints.add(kNone, Vec3(0, 0, 0));
  joints.add(0, Vec3(1, 0, 0));
  joints.add(1, Vec3(2, 0, 0));            // The neck.
  joints.add(2, Vec3(3, 0, 0));            // The head.
  joints.add(2, Vec3(1 + along, 0.3, 0));  // A collar bone.
  joints.add(4, Vec3(1 + along, 1, 0));    // An arm.
  return joints;
}

TEST(BoneTree, ALimbBesideTheBoneBeforeItsParentBelongsToTheJointAbove) {
  const BoneTree beside = bone_tree(spine_with_limb(0.6).subject());
  EXPECT_EQ(beside.parent[4], 1U);
  EXPECT_EQ(beside.children[1], (std::vector<Index>{2, 4}));
  EXPECT_EQ(beside.children[2], (std::vector<Index>{3}));
  EXPECT_TRUE(beside.bones[beside.incoming[4]].a.isApprox(Vec3(1, 0, 0)));
  // Beyond the parent it stays where it is.
  EXPECT_EQ(bone_tree(spine_with_limb(1.1).subject()).parent[4], 2U);
}

TEST(BoneTree, ALimbStaysWhereNothingContinuesTheBoneOrItIsALeaf) {
  Joints turned = spine_with_limb(0.6);  // The head is beside the bone as well: the chain turns back.
  turned.matrices[3].topRightCorner<3, 1>() = Vec3(1.5, -1, 0);
  EXPECT_EQ(bone_tree(turned.subject()).parent[4], 2U);
  const Joints joints = spine_with_limb(0.6);
  Subject without_arm = joints.subject();
  without_arm.bound[5] = 0;
  EXPECT_EQ(bone_tree(without_arm).parent[4], 2U);
}

// A head of two joints with an eye and a brow on it; the skin is 0.2 from the eye.
Joints head_with_face() {
  Joints joints;
  joints.add(kNone, Vec3(0, 0, 0));
  joints.add(0, Vec3(0, 0, 5));
  joints.add(1, Vec3(0, 2, 6));
  joints.add(1, Vec3(0, 2, 7));
  joints.skeleton.joints[2].name = "LeftEye";
  joints.skeleton.joints[3].name = "LeftBrow";
  joints.mesh.positions.emplace_back(0, 2.2, 6);
  return joints;
}

TEST(BoneTree, JointsOfAFaceReachOnlyTheSkinNearThem) {
  const Joints joints = head_with_face();
  const BoneTree tree = bone_tree(joints.subject());
  EXPECT_EQ(tree.eyes, (std::vector<Index>{2}));
  ASSERT_EQ(tree.outgoing[2].size(), 1U);
  const Bone& eye = tree.bones[tree.outgoing[2].front()];
  EXPECT_NEAR(eye.reach, 1.1 * 0.2, 1e-9);
  EXPECT_LT(eye.length, 0.3);
  EXPECT_LT(competing_distance(eye, 0.2), 0.2);
  EXPECT_GT(competing_distance(eye, 0.25), 0.25);
  EXPECT_GT(tree.bones[tree.outgoing[3].front()].reach, eye.reach);
  EXPECT_EQ(tree.bones[tree.incoming[2]].reach, 0);  // The bone of the head to the eye has no limit.
}

TEST(BoneTree, AHeadWithAFaceHasABoneOfItsOwn) {
  Joints joints = head_with_face();
  BoneTree tree = bone_tree(joints.subject());
  ASSERT_EQ(tree.outgoing[1].size(), 3U);
  const Bone& crown = tree.bones[tree.outgoing[1].back()];
  EXPECT_TRUE(crown.is_end());
  EXPECT_TRUE(crown.direction.isApprox(Vec3::UnitZ()));
  // Other leaves tell nothing about a head.
  joints.skeleton.joints[2].name = joints.skeleton.joints[3].name = "Feather";
  tree = bone_tree(joints.subject());
  EXPECT_EQ(tree.outgoing[1].size(), 2U);
  EXPECT_TRUE(tree.eyes.empty());
}

TEST(BoneTree, AHeadWithEarsHasABoneOfItsOwnWhereItSaysSo) {
  Joints joints;
  joints.add(kNone, Vec3(0, 0, 0));
  joints.add(0, Vec3(0, 1, 0));
  joints.add(0, Vec3(0, -1, 0));
  joints.skeleton.joints[0].end_local = Vec3(2, 0, 0);
  BoneTree tree = bone_tree(joints.subject());
  ASSERT_EQ(tree.outgoing[0].size(), 3U);
  EXPECT_TRUE(tree.bones[tree.outgoing[0].back()].is_end());
  joints.skeleton.joints[0].end_local = Vec3(0, 1, 0);  // Where an ear begins: the bone is there.
  tree = bone_tree(joints.subject());
  EXPECT_EQ(tree.outgoing[0].size(), 2U);
}

TEST(BoneTree, JointsThatMayNotMoveTheSkinArePassedOver) {
  Joints joints;
  joints.add(kNone, Vec3(0, -5, 0));
  joints.add(0, Vec3(0, 0, 0));
  joints.add(1, Vec3(1, 0, 0));
  joints.add(2, Vec3(3, 0, 0));
  Subject subject = joints.subject();
  subject.bound = {0, 1, 0, 1};
  const BoneTree tree = bone_tree(subject);
  EXPECT_EQ(tree.joints, (std::vector<Index>{1, 3}));
  ASSERT_EQ(tree.bones.size(), 2U);
  EXPECT_EQ(tree.bones[0].joint, 1U);
  EXPECT_EQ(tree.bones[0].child, 3U);
  EXPECT_EQ(tree.parent[3], 1U);
  EXPECT_EQ(tree.parent[1], kNone);
}

TEST(BoneTree, ABoneWithoutLengthJoinsItsJointsInOnePlace) {
  Joints joints;
  joints.add(kNone, Vec3(0, 0, 0));
  joints.add(0, Vec3(1, 0, 0));
  joints.add(1, Vec3(1, 0, 0));
  joints.add(2, Vec3(3, 0, 0));
  const BoneTree tree = bone_tree(joints.subject());
  ASSERT_EQ(tree.bones.size(), 3U);
  EXPECT_EQ(tree.bones[0].child, 1U);
  EXPECT_EQ(tree.bones[1].joint, 2U);
  EXPECT_EQ(tree.incoming[2], 0U);
  EXPECT_EQ(tree.parent[2], 0U);
  EXPECT_TRUE(tree.outgoing[1].empty());
  EXPECT_EQ(tree.place, (std::vector<Index>{0, 1, 1, 3}));
}

TEST(BoneTree, ARootAtTheHipsAndATwistHelperHaveNoSegmentOfTheirOwn) {
  Joints joints;
  joints.add(kNone, Vec3(0, 0, 0));
  joints.add(0, Vec3(0, 0, 0));
  joints.add(1, Vec3(1, 0, 0));
  joints.add(2, Vec3(2, 0, 0));
  joints.add(2, Vec3(1, 0, 0));  // A helper at the place of joint 2.
  const BoneTree tree = bone_tree(joints.subject());
  EXPECT_TRUE(tree.outgoing[0].empty());
  EXPECT_TRUE(tree.outgoing[4].empty());
  EXPECT_EQ(tree.bones.size(), 3U);
}

TEST(BoneTree, ThereIsAlwaysABone) {
  Joints joints;
  joints.add(kNone, Vec3(1, 0, 0));
  BoneTree tree = bone_tree(joints.subject());
  ASSERT_EQ(tree.bones.size(), 1U);
  EXPECT_TRUE(tree.bones[0].direction.isApprox(Vec3::UnitZ()));  // The longest axis of the mesh.
  joints.add(0, Vec3(1, 0, 0));
  joints.add(1, Vec3(1, 0, 0));
  tree = bone_tree(joints.subject());
  ASSERT_EQ(tree.bones.size(), 1U);
  EXPECT_GT(tree.bones[0].length, 0);
  joints.mesh.positions.clear();
  EXPECT_EQ(bone_tree(joints.subject()).bones.size(), 1U);
}

TEST(BoneTree, RefusesWhatCannotBeBound) {
  Joints joints;
  joints.add(kNone, Vec3(0, 0, 0));
  Subject subject = joints.subject();
  subject.bound[0] = 0;
  EXPECT_THROW(bone_tree(subject), Error);
  subject.bound[0] = 1;
  subject.joints[0](0, 3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(bone_tree(subject), Error);
}

}  // namespace
}  // namespace sinew::binding
