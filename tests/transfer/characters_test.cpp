// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/characters.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "sinew/core/error.h"

namespace sinew::transfer {
namespace {

Vec3 random_direction(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Vec3(normal(random), normal(random), normal(random)).normalized();
}

double angle_of(const Mat3& turn) { return Eigen::AngleAxisd(turn).angle(); }

void expect_rotation(const Mat3& turn) {
  EXPECT_LT((turn * turn.transpose() - Mat3::Identity()).norm(), 1e-12);
  EXPECT_NEAR(turn.determinant(), 1, 1e-12);
}

/// Joints at places, with axes of the world.
struct Puppet {
  Skeleton skeleton;
  Mesh mesh;
  std::vector<Mat4> joints;

  void add(const char* name, Index parent, const Vec3& place, const Quat& rotation = Quat::Identity()) {
    Joint joint;
    joint.name = name;
    joint.parent = parent;
    skeleton.joints.push_back(joint);
    joints.push_back(Transform{place, rotation, Vec3::Ones()}.matrix());
    mesh.positions.push_back(place + Vec3(1, 1, 1));
    mesh.positions.push_back(place - Vec3(1, 1, 1));
  }
  TransferBody side() const { return {mesh, skeleton, joints}; }
};

std::vector<std::pair<Index, Index>> all_of(Index count) {
  std::vector<std::pair<Index, Index>> pairs;
  for (Index j = 0; j < count; ++j) pairs.emplace_back(j, j);
  return pairs;
}

RC_GTEST_PROP(SmallestTurn, TakesOneDirectionToTheOtherByTheAngleBetweenThem, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  const Vec3 a = random_direction(random), b = random_direction(random);
  const Mat3 turn = smallest_turn(2 * a, 3 * b, Vec3::UnitZ());
  RC_ASSERT((turn * a - b).norm() < 1e-12);
  RC_ASSERT((turn * turn.transpose() - Mat3::Identity()).norm() < 1e-12);
  RC_ASSERT(std::abs(angle_of(turn) - std::acos(std::clamp(a.dot(b), -1.0, 1.0))) < 1e-7);
}

TEST(SmallestTurn, IsNoneForEqualDirections) {
  EXPECT_LT((smallest_turn(Vec3(1, 2, 3), Vec3(2, 4, 6), Vec3::UnitZ()) - Mat3::Identity()).norm(), 1e-14);
}

TEST(SmallestTurn, TurnsOppositeDirectionsAboutTheGivenAxis) {
  const Mat3 turn = smallest_turn(Vec3::UnitX(), -Vec3::UnitX(), Vec3(5, 0, 1));
  expect_rotation(turn);
  EXPECT_LT((turn * Vec3::UnitX() + Vec3::UnitX()).norm(), 1e-14);
  EXPECT_LT((turn * Vec3::UnitZ() - Vec3::UnitZ()).norm(), 1e-14);
  // Where the axis lies along the direction itself, some other does.
  expect_rotation(smallest_turn(Vec3::UnitZ(), -Vec3::UnitZ(), Vec3::UnitZ()));
  EXPECT_LT((smallest_turn(Vec3::UnitZ(), -Vec3::UnitZ(), Vec3::UnitZ()) * Vec3::UnitZ() + Vec3::UnitZ()).norm(),
            1e-14);
}

TEST(SmallestTurn, KeepsItsDigitsNearOppositeDirections) {
  for (const double angle : {1e-3, 1e-5, 1e-6, 3e-7, 1e-8, 1e-12}) {
    const Vec3 to(-std::cos(angle), std::sin(angle), 0);
    const Mat3 turn = smallest_turn(Vec3::UnitX(), to, Vec3::UnitZ());
    expect_rotation(turn);
    EXPECT_LT((turn * Vec3::UnitX() - to).norm(), 2e-7) << angle;
  }
}

TEST(Correspond, PassesOverJointsWithoutAPartner) {
  Puppet reference, target;
  reference.add("hips", kNone, {0, 0, 0});
  reference.add("twist", 0, {0, 1, 0});
  reference.add("knee", 1, {0, 2, 0});
  target.add("root", kNone, {0, 0, 0});
  target.add("hips", 0, {0, 0, 0});
  target.add("knee", 1, {0, 2, 0});
  // In any order.
  const Correspondence made = correspond(reference.skeleton, target.skeleton, {{2, 2}, {0, 1}});
  ASSERT_EQ(made.pairs.size(), 2U);
  EXPECT_EQ(made.pairs[0].parent, kNone);
  EXPECT_EQ(made.pairs[1].reference, 2U);
  EXPECT_EQ(made.pairs[1].parent, 0U);
  EXPECT_EQ(made.of_reference(2), 1U);
  EXPECT_EQ(made.of_reference(1), kNone);
  EXPECT_EQ(made.of_target(1), 0U);
  EXPECT_EQ(made.of_target(0), kNone);
}

TEST(Correspond, RefusesWhatCannotBe) {
  Puppet a;
  a.add("hips", kNone, {0, 0, 0});
  a.add("knee", 0, {0, 1, 0});
  a.add("foot", 1, {0, 2, 0});
  const auto message = [&](const std::vector<std::pair<Index, Index>>& pairs) {
    try {
      correspond(a.skeleton, a.skeleton, pairs);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({{0, 0}, {0, 1}}).find("'hips' of the reference"), std::string::npos);
  EXPECT_NE(message({{0, 1}, {1, 1}}).find("'knee' of the target"), std::string::npos);
  const std::string upside_down = message({{0, 0}, {1, 2}, {2, 1}});
  EXPECT_NE(upside_down.find("'knee'"), std::string::npos);
  EXPECT_NE(upside_down.find("'foot'"), std::string::npos);
  EXPECT_EQ(message({{0, 0}, {2, 2}}), "");
}

TEST(PairedBones, TurnTheTargetsBoneToTheReferences) {
  std::mt19937 random(7);
  Puppet reference, target;
  for (Puppet* p : {&reference, &target}) {
    p->add("hips", kNone, random_direction(random));
    p->add("left", 0, 3 * random_direction(random));
    p->add("right", 0, 3 * random_direction(random));
    p->add("toe", 1, 9 * random_direction(random));
  }
  const Quat rotation(Eigen::AngleAxisd(0.7, random_direction(random)));
  const Correspondence pairs = correspond(reference.skeleton, target.skeleton, all_of(4), rotation.toRotationMatrix());
  const auto bones = paired_bones(reference.side(), target.side(), pairs);
  ASSERT_EQ(bones.size(), 4U);
  ASSERT_EQ(bones[0].size(), 2U);
  EXPECT_EQ(bones[0][0].child, 1U);
  EXPECT_EQ(bones[0][1].child, 2U);
  for (const Index pair : {0U, 1U})
    for (const PairedBone& bone : bones[pair]) {
      expect_rotation(bone.turn);
      const Vec3 to = (bone.reference_b - bone.reference_a).normalized(),
                 from = (bone.target_b - bone.target_a).normalized();
      EXPECT_LT((bone.turn * from - to).norm(), 1e-12);
      // No more than that, beside the rotation of the bone above.
      const Mat3& above = bones[0][0].turn;
      if (pair == 1) {
        EXPECT_NEAR(angle_of(bone.turn * above.transpose()), std::acos((above * from).dot(to)), 1e-9);
      }
    }
}

TEST(PairedBones, ALimbThatRotatesAsAWholeKeepsItsRotationInEveryBone) {
  const Quat raised(Eigen::AngleAxisd(0.8, Vec3::UnitZ()));
  Puppet reference, target;
  for (Puppet* p : {&reference, &target}) {
    const auto place = [&](const Vec3& q) { return p == &target ? Vec3(raised * q) : q; };
    p->add("shoulder", kNone, {0, 0, 0});
    p->add("elbow", 0, place({3, 0, 0}));
    p->add("hand", 1, place({6, 0, 0.5}));
    // The first bone of the thumb is nearly along the axis of the rotation.
    p->add("thumb", 2, place({6, 0, 1.5}));
    p->add("thumb_end", 3, place({6.4, 0.1, 2}));
    p->add("finger", 2, place({7, 0, 0.6}));
    p->add("finger_end", 5, place({7.5, 0.1, 0.6}));
  }
  const auto bones =
      paired_bones(reference.side(), target.side(), correspond(reference.skeleton, target.skeleton, all_of(7)));
  for (const auto& of_joint : bones)
    for (const PairedBone& bone : of_joint)
      EXPECT_LT(angle_of(bone.turn * raised.toRotationMatrix()), 0.02) << bone.pair << " " << bone.child;
}

TEST(PairedBones, SeveralBonesOfAJointTellItsRollAbout) {
  const Quat pronated(Eigen::AngleAxisd(1.2, Vec3::UnitX()));
  Puppet reference, target;
  for (Puppet* p : {&reference, &target}) {
    const auto place = [&](const Vec3& q) { return p == &target ? Vec3(pronated * q) : q; };
    p->add("elbow", kNone, {0, 0, 0});
    p->add("hand", 0, {3, 0, 0});
    for (int i = 0; i < 4; ++i) p->add("finger", 1, place({4, 0, 0.5 * (i - 1.5)}));
    p->add("thumb", 1, place({3.4, -0.3, 0.8}));
  }
  const auto bones =
      paired_bones(reference.side(), target.side(), correspond(reference.skeleton, target.skeleton, all_of(7)));
  for (const PairedBone& bone : bones[1]) EXPECT_LT(angle_of(bone.turn * pronated.toRotationMatrix()), 0.25);
}

TEST(PairedBones, LeavesArePointsThatTurnAsTheBoneBefore) {
  Puppet reference, target;
  reference.add("hips", kNone, {0, 0, 0});
  reference.add("hand", 0, {2, 0, 0});
  target.add("hips", kNone, {0, 0, 0});
  target.add("hand", 0, {1, -1, 0});
  const auto bones =
      paired_bones(reference.side(), target.side(), correspond(reference.skeleton, target.skeleton, all_of(2)));
  ASSERT_EQ(bones[1].size(), 1U);
  EXPECT_TRUE(bones[1][0].is_point());
  EXPECT_EQ(bones[1][0].target_length(), 0);
  EXPECT_EQ(bones[1][0].turn, bones[0][0].turn);
  EXPECT_LT((bones[1][0].turn * Vec3(1, -1, 0).normalized() - Vec3::UnitX()).norm(), 1e-12);
}

TEST(PairedBones, BonesWithoutLengthAreStillThereAsPoints) {
  Puppet reference, target;
  reference.add("root", kNone, {0, 0, 0});
  reference.add("hips", 0, {0, 0, 0});
  reference.add("knee", 1, {0, -1, 0});
  target.add("root", kNone, {0, 0, 0});
  target.add("hips", 0, {0, 0.5, 0});
  target.add("knee", 1, {0, -1, 0});
  const auto bones =
      paired_bones(reference.side(), target.side(), correspond(reference.skeleton, target.skeleton, all_of(3)));
  ASSERT_EQ(bones[0].size(), 1U);
  EXPECT_EQ(bones[0][0].child, 1U);
  EXPECT_EQ(bones[0][0].target_length(), 0);
  EXPECT_EQ(bones[0][0].turn, Mat3::Identity());
  EXPECT_GT(bones[1][0].target_length(), 1);
}

TEST(PairedBones, OppositeBonesTurnAboutForward) {
  Puppet reference, target;
  reference.add("hips", kNone, {0, 0, 0});
  reference.add("hand", 0, {1, 0, 0});
  target.add("hips", kNone, {0, 0, 0});
  target.add("hand", 0, {-1, 0, 0});
  const auto bones =
      paired_bones(reference.side(), target.side(), correspond(reference.skeleton, target.skeleton, all_of(2)));
  EXPECT_LT((bones[0][0].turn * Vec3::UnitZ() - Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_LT((bones[0][0].turn * Vec3::UnitY() + Vec3::UnitY()).norm(), 1e-12);
}

TEST(PairedBones, JointFramesTakeRollOver) {
  const Quat roll(Eigen::AngleAxisd(0.9, Vec3::UnitX()));
  Puppet reference, target;
  reference.add("hips", kNone, {0, 0, 0}, roll);
  reference.add("hand", 0, {1, 0, 0}, roll);
  target.add("hips", kNone, {0, 0, 0});
  target.add("hand", 0, {1, 0, 0});
  const Correspondence pairs = correspond(reference.skeleton, target.skeleton, all_of(2));
  const auto by_place = paired_bones(reference.side(), target.side(), pairs, Directions::kPositions);
  const auto by_frame = paired_bones(reference.side(), target.side(), pairs, Directions::kJointFrames);
  EXPECT_LT((by_place[0][0].turn - Mat3::Identity()).norm(), 1e-12);
  EXPECT_LT((by_frame[0][0].turn - roll.toRotationMatrix()).norm(), 1e-12);
  EXPECT_LT((by_frame[1][0].turn - roll.toRotationMatrix()).norm(), 1e-12);
}

}  // namespace
}  // namespace sinew::transfer
