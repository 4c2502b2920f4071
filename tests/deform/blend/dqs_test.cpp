// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/dqs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/LU>
#include <algorithm>

#include "sinew/core/angles.h"
#include "tests/deform/skin_rigs.h"

namespace sinew::deform {
namespace {

using namespace testing;
using test::scalar_dual_quaternions;

Mat4 turn(double angle_rad, const Vec3& axis) {
  return Transform{Vec3::Zero(), rotation_exp(angle_rad * axis), Vec3::Ones()}.matrix();
}

TEST(Dqs, TheBindPoseGivesTheMesh) {
  const Rig rig = random_cloud(2, 333);
  const Frame frame = frame_of("dqs", rig, {bind_pose_matrices(rig, 0), {}, {}});
  EXPECT_LT(worst_distance(frame.positions, rig.mesh.positions), 1e-6);
  EXPECT_LT(worst_distance(frame.normals, rig.mesh.normals.values), 1e-6);
}

TEST(Dqs, EqualsTheScalarReferenceForEveryLengthOfTail) {
  std::vector<Index> counts = {4095, 4096, 4097};
  for (Index n = 1; n <= 17; ++n) counts.push_back(n);
  for (const Index n : counts) {
    const Rig rig = random_cloud(n, n);
    const ModelPose pose = random_pose_of(n + 1, 7);
    const auto expected = scalar_dual_quaternions(rig, pose);
    const Frame frame = frame_of("dqs", rig, pose);
    EXPECT_LT(worst_distance(frame.positions, expected.positions), 1e-5) << n;
    EXPECT_LT(worst_distance(frame.normals, expected.normals), 1e-5) << n;
  }
}

RC_GTEST_PROP(DqsProperty, EqualsTheScalarReferenceForAnyNumberOfInfluencesAndAnyStretch, ()) {
  const auto seed = *rc::gen::inRange(0U, 1000000U);
  const auto joints = *rc::gen::inRange<Index>(1, 40);
  const auto most = *rc::gen::inRange<Index>(1, joints + 1);
  const Rig rig = random_cloud(seed, 300, joints, most);
  ModelPose pose = random_pose_of(seed + 1, joints);
  if (seed % 2) stretch_joints(pose, seed + 2);
  const auto expected = scalar_dual_quaternions(rig, pose);
  const Frame frame = frame_of("dqs", rig, pose);
  RC_ASSERT(worst_distance(frame.positions, expected.positions) < 1e-5);
  RC_ASSERT(worst_distance(frame.normals, expected.normals) < 2e-5);
}

RC_GTEST_PROP(DqsProperty, ARigidMotionOfAllJointsMovesTheSurfaceRigidly, ()) {
  const auto seed = *rc::gen::inRange(0U, 1000000U);
  const Rig rig = random_cloud(seed, 100);
  ModelPose pose = random_pose_of(seed + 1, 7);
  std::mt19937 rng(seed + 2);
  const Mat4 motion = random_motion(rng, 1);
  for (const char* method : {"lbs", "dqs"}) {
    ModelPose moved = pose;
    const Frame before = frame_of(method, rig, pose);
    for (Mat4& joint : moved.joints) joint = motion * joint;
    const Frame after = frame_of(method, rig, moved);
    for (Index v = 0; v < 100; ++v)
      RC_ASSERT(
          (after.positions[v].cast<double>() - transform_point(motion, before.positions[v].cast<double>())).norm() <
          1e-5);
  }
}

// A turn by 2π − ε is one by −ε whose quaternion has the other sign; Eigen gives each branch its own sign.
RC_GTEST_PROP(DqsProperty, TheSignOfAQuaternionDoesNotMatter, ()) {
  const auto seed = *rc::gen::inRange(0U, 1000000U);
  std::mt19937 rng(seed);
  Rig rig = two_joint_tube(16, 9);
  const Vec3 axis = random_vector(rng).normalized();
  // Close to half a turn from the identity on both sides, so that the matrices' quaternions may come with either sign.
  const double start = std::uniform_real_distribution<double>(0.9, 1.1)(rng) * kPi;
  const double apart = std::uniform_real_distribution<double>(-1, 1)(rng);
  const ModelPose pose{{turn(start, axis), turn(start + apart, axis)}, {}, {}};
  const Frame frame = frame_of("dqs", rig, pose);
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    // About one axis the blend of two unit quaternions has this angle.
    double w = 0;
    for (const Influence& i : rig.weights.row(v))
      if (i.joint == 1) w = i.weight;
    const double between = 2 * std::atan2(w * std::sin(apart / 2), 1 - w + w * std::cos(apart / 2));
    const Vec3 expected = transform_point(turn(start + between, axis), rig.mesh.positions[v]);
    RC_ASSERT((frame.positions[v].cast<double>() - expected).norm() < 1e-5);
  }
}

TEST(Dqs, ForTwoInfluencesTheOrderDoesNotMatter) {
  Rig rig = random_cloud(5, 200, 2, 2);
  Rig turned = rig;
  std::swap(turned.skins[0].inverse_bind[0], turned.skins[0].inverse_bind[1]);
  turned.weights = {};
  for (Index v = 0; v < 200; ++v) {
    std::vector<Influence> row;
    // Equal weights too: there the pivot is a matter of order.
    for (const Influence& i : rig.weights.row(v)) row.push_back({1 - i.joint, v % 2 ? i.weight : 0.5F});
    turned.weights.add_row(row);
  }
  SkinWeights equal;
  for (Index v = 0; v < 200; ++v) {
    std::vector<Influence> row;
    for (const Influence& i : rig.weights.row(v)) row.push_back({i.joint, v % 2 ? i.weight : 0.5F});
    equal.add_row(row);
  }
  rig.weights = equal;
  for (unsigned seed = 0; seed < 20; ++seed) {
    ModelPose pose = random_pose_of(seed, 2);
    const Frame a = frame_of("dqs", rig, pose);
    std::swap(pose.joints[0], pose.joints[1]);
    EXPECT_LT(worst_distance(a.positions, frame_of("dqs", turned, pose).positions), 1e-5);
  }
}

// The cloud with its joints in another order, the pose likewise: the same character.
struct Reordered {
  Rig rig;
  ModelPose pose;

  Reordered(const Rig& from, const ModelPose& from_pose, std::mt19937& rng) : rig(from), pose(from_pose) {
    const auto joints = static_cast<Index>(from.skeleton.joints.size());
    std::vector<Index> place(joints);
    for (Index j = 0; j < joints; ++j) place[j] = j;
    std::shuffle(place.begin(), place.end(), rng);
    for (Index j = 0; j < joints; ++j) {
      rig.skins[0].inverse_bind[place[j]] = from.skins[0].inverse_bind[j];
      pose.joints[place[j]] = from_pose.joints[j];
    }
    rig.weights = {};
    for (Index v = 0; v < from.mesh.vertex_count(); ++v) {
      std::vector<Influence> row;
      for (const Influence& i : from.weights.row(v)) row.push_back({place[i.joint], i.weight});
      std::shuffle(row.begin(), row.end(), rng);
      rig.weights.add_row(row);
    }
  }
};

// Rows of a cloud where the two or more heaviest weights are equal, to rounding.
void tie_weights(Rig& rig, std::mt19937& rng) {
  std::uniform_real_distribution<float> small(0.05F, 0.9F), rounding(-1e-6F, 1e-6F);
  SkinWeights tied;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    std::vector<Influence> row(rig.weights.row(v).begin(), rig.weights.row(v).end());
    const std::size_t equal = 2 + rng() % 2;
    for (std::size_t k = 0; k < row.size(); ++k) row[k].weight = k < equal ? 1 + rounding(rng) : small(rng);
    tied.add_row(row);
  }
  rig.weights = tied;
}

// Joints turn by any angle, so that most vertices have joints that are on opposite sides of each other.
// Where two sums are equally long to rounding, rounding decides which one counts: hardly any vertex.
Index vertices_apart(const std::vector<Vec3f>& a, const std::vector<Vec3f>& b) {
  Index count = 0;
  for (std::size_t v = 0; v < a.size(); ++v) count += (a[v] - b[v]).norm() > 1e-5F ? 1 : 0;
  return count;
}

RC_GTEST_PROP(DqsProperty, WhereTheHeaviestWeightsAreEqualTheOrderOfJointsDoesNotMatter, ()) {
  const auto seed = *rc::gen::inRange(0U, 1000000U);
  std::mt19937 rng(seed);
  Rig rig = random_cloud(seed, 300, 7, 6);
  tie_weights(rig, rng);
  const ModelPose pose = random_pose_of(seed + 1, 7);
  const Frame frame = frame_of("dqs", rig, pose);
  const Reordered other(rig, pose, rng);
  RC_ASSERT(vertices_apart(frame.positions, frame_of("dqs", other.rig, other.pose).positions) <= 3);
  std::vector<Vec3f> scalar;
  for (const auto& p : scalar_dual_quaternions(rig, pose).positions) scalar.push_back(p.template cast<float>());
  RC_ASSERT(vertices_apart(frame.positions, scalar) <= 3);
}

// The quaternion of a matrix comes with either sign, depending on where the character is.
TEST(Dqs, HalfATurnApartTheWayDoesNotDependOnWhereTheCharacterIs) {
  const Rig rig = two_joint_tube(16, 9);
  std::mt19937 rng(3);
  for (int trial = 0; trial < 50; ++trial) {
    const Vec3 axis = random_vector(rng).normalized();
    const ModelPose pose{{Mat4::Identity(), turn(kPi, axis)}, {}, {}};
    const Mat4 motion = random_motion(rng);
    const ModelPose moved{{motion, motion * pose.joints[1]}, {}, {}};
    const Frame before = frame_of("dqs", rig, pose), after = frame_of("dqs", rig, moved);
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
      EXPECT_LT(
          (after.positions[v].cast<double>() - transform_point(motion, before.positions[v].cast<double>())).norm(),
          1e-5);
  }
}

// Three joints a third of a turn apart: all sums are equally long, and rounding must not choose.
TEST(Dqs, OfEquallyLongSumsTheFirstJointDecides) {
  Rig rig = random_cloud(4, 64, 3, 3);
  rig.weights = {};
  for (Index v = 0; v < 64; ++v) rig.weights.add_row({{0, 1.0F}, {1, 1.0F}, {2, 1.0F}});
  rig.skins[0].inverse_bind.assign(3, Mat4::Identity());
  std::mt19937 rng(6);
  for (int trial = 0; trial < 50; ++trial) {
    const Mat4 motion = random_motion(rng);
    ModelPose pose;
    for (int j = 0; j < 3; ++j) pose.joints.push_back(motion * turn(j * kTwoPi / 3, Vec3::UnitZ()));
    const Frame frame = frame_of("dqs", rig, pose);
    for (Index v = 0; v < 64; ++v)
      EXPECT_LT((frame.positions[v].cast<double>() - transform_point(motion, rig.mesh.positions[v])).norm(), 1e-5);
  }
}

// Within rounding of half a turn, on either side of it, the surface twists the same way.
TEST(Dqs, HalfATurnApartAllVerticesGoTheSameWay) {
  const Rig rig = two_joint_tube(32, 33);
  for (const double off : {-1e-7, 0.0, 1e-7}) {
    const ModelPose pose{{Mat4::Identity(), turn(kPi + off, Vec3::UnitZ())}, {}, {}};
    const Frame frame = frame_of("dqs", rig, pose);
    double previous = 0;
    for (Index r = 0; r < 33; ++r) {
      const Vec3f& p = frame.positions[r * 32];
      double angle = std::atan2(p.y(), p.x());
      if (r == 32) angle = std::abs(angle);
      EXPECT_GE(angle, previous - 1e-6) << r << " " << off;
      previous = angle;
    }
    EXPECT_NEAR(previous, kPi, 1e-5);
  }
}

TEST(Dqs, APureTwistKeepsTheRadius) {
  std::mt19937 rng(7);
  std::uniform_real_distribution<double> any(-3.1, 3.1);
  const Rig rig = two_joint_tube(64, 17);
  for (int trial = 0; trial < 20; ++trial) {
    const ModelPose pose{{Mat4::Identity(), turn(any(rng), Vec3::UnitZ())}, {}, {}};
    const Frame frame = frame_of("dqs", rig, pose);
    for (std::size_t v = 0; v < frame.positions.size(); ++v)
      EXPECT_NEAR(frame.positions[v].head<2>().norm(), 1.0F, 1e-6F);
  }
}

TEST(Dqs, EqualMotionsAndPureTranslationsGiveWhatLinearBlendingGives) {
  const Rig rig = random_cloud(8, 200);
  std::mt19937 rng(9);
  ModelPose pose{bind_pose_matrices(rig, 0), {}, {}};
  ModelPose shifted = pose;
  const Mat4 motion = random_motion(rng);
  for (Mat4& joint : pose.joints) joint = motion * joint;
  for (Mat4& joint : shifted.joints) joint.topRightCorner<3, 1>() += random_vector(rng);
  const Frame rigid = frame_of("dqs", rig, pose);
  for (Index v = 0; v < 200; ++v)
    EXPECT_LT((rigid.positions[v].cast<double>() - transform_point(motion, rig.mesh.positions[v])).norm(), 1e-6);
  EXPECT_LT(worst_distance(rigid.positions, frame_of("lbs", rig, pose).positions), 1e-6);
  EXPECT_LT(worst_distance(frame_of("dqs", rig, shifted).positions, frame_of("lbs", rig, shifted).positions), 2e-6);
}

TEST(Dqs, AStretchAlongTheAxesEqualsLinearBlending) {
  Rig rig = two_joint_tube(16, 9);
  ModelPose pose{{Mat4::Identity(), Mat4::Identity()}, {}, {}};
  pose.joints[1].topLeftCorner<3, 3>() = Vec3(1.5, 0.75, 2).asDiagonal();
  const Frame dqs = frame_of("dqs", rig, pose), lbs = frame_of("lbs", rig, pose);
  EXPECT_LT(worst_distance(dqs.positions, lbs.positions), 2e-6);
  EXPECT_LT(worst_distance(dqs.normals, lbs.normals), 2e-6);
}

TEST(Dqs, MirroredAndFlatJointsAreRefusedByName) {
  const Rig rig = random_cloud(10, 64);
  for (const double factor : {-1.0, 0.0}) {
    ModelPose pose = random_pose_of(11, 7);
    pose.joints[4].col(1) *= factor;
    try {
      frame_of("dqs", rig, pose);
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("'joint4'"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace sinew::deform
