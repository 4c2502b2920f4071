// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/lbs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/LU>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "tests/deform/skin_rigs.h"

namespace sinew::deform {
namespace {

using namespace testing;
using test::scalar_linear;

ModelPose bind_pose(const Rig& rig) { return {bind_pose_matrices(rig, 0), {}, {}}; }

TEST(Lbs, TheBindPoseGivesTheMesh) {
  const Rig rig = random_cloud(1, 333);
  const Frame frame = frame_of("lbs", rig, bind_pose(rig));
  EXPECT_LT(worst_distance(frame.positions, rig.mesh.positions), 1e-6);
  EXPECT_LT(worst_distance(frame.normals, rig.mesh.normals.values), 1e-6);
}

TEST(Lbs, EqualsTheScalarReferenceForEveryLengthOfTail) {
  std::vector<Index> counts = {4095, 4096, 4097};
  for (Index n = 1; n <= 17; ++n) counts.push_back(n);
  for (const Index n : counts) {
    const Rig rig = random_cloud(n, n);
    ModelPose pose = random_pose_of(n + 1, 7);
    const auto expected = scalar_linear(rig, pose, false);
    const Frame frame = frame_of("lbs", rig, pose);
    EXPECT_LT(worst_distance(frame.positions, expected.positions), 1e-5) << n;
    EXPECT_LT(worst_distance(frame.normals, expected.normals), 1e-4) << n;
  }
}

RC_GTEST_PROP(LbsProperty, EqualsTheScalarReferenceForAnyNumberOfInfluences, ()) {
  const auto seed = *rc::gen::inRange(0U, 1000000U);
  const auto joints = *rc::gen::inRange<Index>(1, 40);
  const auto most = *rc::gen::inRange<Index>(1, joints + 1);
  const Rig rig = random_cloud(seed, 300, joints, most);
  ModelPose pose = random_pose_of(seed + 1, joints);
  const auto expected = scalar_linear(rig, pose, false);
  const Frame frame = frame_of("lbs", rig, pose);
  RC_ASSERT(worst_distance(frame.positions, expected.positions) < 1e-5);
}

TEST(Lbs, NormalsGoByCofactorsWhereAMatrixScalesUnevenly) {
  const Rig rig = random_cloud(11, 500);
  ModelPose pose = random_pose_of(12, 7);
  stretch_joints(pose, 13);
  const auto expected = scalar_linear(rig, pose, true);
  const Frame frame = frame_of("lbs", rig, pose);
  EXPECT_LT(worst_distance(frame.positions, expected.positions), 1e-5);
  // Blends of random rotations can be nearly singular; there the direction is ill defined, so look at the typical
  // vertex.
  std::vector<double> errors;
  for (std::size_t v = 0; v < expected.normals.size(); ++v)
    errors.push_back((frame.normals[v].cast<double>() - expected.normals[v]).norm());
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() * 9 / 10], 1e-5);
  EXPECT_LT(errors.back(), 1e-2);
}

// A single stretched joint: the normal must stay at right angles to the images of two tangents.
RC_GTEST_PROP(LbsProperty, NormalsStayAtRightAnglesToTheSurfaceUnderAStretch, ()) {
  const auto seed = *rc::gen::inRange(0U, 1000000U);
  Rig rig = random_cloud(seed, 40, 3, 1);
  ModelPose pose = random_pose_of(seed + 1, 3);
  stretch_joints(pose, seed + 2);
  const Frame frame = frame_of("lbs", rig, pose);
  const auto inverse_bind = inverse_bind_of_part(rig, 0);
  for (Index v = 0; v < 40; ++v) {
    const Index j = rig.weights.row(v)[0].joint;
    const Mat3 a = (pose.joints[j] * inverse_bind[j]).topLeftCorner<3, 3>();
    const Vec3 n = rig.mesh.normals.values[v].cast<double>();
    const Vec3 s = n.unitOrthogonal(), t = n.cross(s);
    RC_ASSERT(std::abs(frame.normals[v].cast<double>().dot((a * s).normalized())) < 2e-6);
    RC_ASSERT(std::abs(frame.normals[v].cast<double>().dot((a * t).normalized())) < 2e-6);
  }
}

RC_GTEST_PROP(LbsProperty, AnAffineMapOfAllJointsMapsTheSurface, ()) {
  const auto seed = *rc::gen::inRange(0U, 1000000U);
  const Rig rig = random_cloud(seed, 100);
  ModelPose pose = random_pose_of(seed + 1, 7);
  const Frame before = frame_of("lbs", rig, pose);
  std::mt19937 rng(seed + 2);
  Mat4 map = Mat4::Identity();
  for (int c = 0; c < 4; ++c) map.block<3, 1>(0, c) = random_vector(rng);
  for (Mat4& joint : pose.joints) joint = map * joint;
  const Frame after = frame_of("lbs", rig, pose);
  for (Index v = 0; v < 100; ++v)
    RC_ASSERT((after.positions[v].cast<double>() - transform_point(map, before.positions[v].cast<double>())).norm() <
              1e-5);
}

RC_GTEST_PROP(LbsProperty, TheOrderOfTheJointsDoesNotMatter, ()) {
  const auto seed = *rc::gen::inRange(0U, 1000000U);
  const Rig rig = random_cloud(seed, 100);
  const ModelPose pose = random_pose_of(seed + 1, 7);
  Rig turned = rig;
  ModelPose turned_pose = pose;
  turned.weights = {};
  for (Index j = 0; j < 7; ++j) {
    turned.skins[0].inverse_bind[6 - j] = rig.skins[0].inverse_bind[j];
    turned_pose.joints[6 - j] = pose.joints[j];
  }
  for (Index v = 0; v < 100; ++v) {
    std::vector<Influence> row;
    for (const Influence& i : rig.weights.row(v)) row.push_back({6 - i.joint, i.weight});
    turned.weights.add_row(row);
  }
  for (const char* method : {"lbs", "dqs"})
    RC_ASSERT(worst_distance(frame_of(method, rig, pose).positions, frame_of(method, turned, turned_pose).positions) <
              1e-5);
}

RC_GTEST_PROP(LbsProperty, SplittingAJointIntoTwoEqualOnesChangesNothing, ()) {
  const auto seed = *rc::gen::inRange(0U, 1000000U);
  const Rig rig = random_cloud(seed, 100);
  const ModelPose pose = random_pose_of(seed + 1, 7);
  Rig split = rig;
  ModelPose split_pose = pose;
  split.skeleton.joints.push_back(rig.skeleton.joints[2]);
  split.skins[0].joints.push_back(7);
  split.skins[0].inverse_bind.push_back(rig.skins[0].inverse_bind[2]);
  split_pose.joints.push_back(pose.joints[2]);
  split.weights = {};
  for (Index v = 0; v < 100; ++v) {
    std::vector<Influence> row;
    for (const Influence& i : rig.weights.row(v))
      if (i.joint == 2) row.push_back({2, 0.75F * i.weight}), row.push_back({7, 0.25F * i.weight});
      else row.push_back(i);
    split.weights.add_row(row);
  }
  RC_ASSERT(worst_distance(frame_of("lbs", rig, pose).positions, frame_of("lbs", split, split_pose).positions) < 1e-5);
  // Dual quaternions choose signs against the heaviest joint, which a split may change; not if all lie on one side.
  for (std::size_t j = 0; j < split_pose.joints.size(); ++j) {
    const Mat4 small = Transform{0.1 * Vec3::UnitX(),
                                 rotation_exp(0.2 * static_cast<double>(j == 7 ? 2 : j) * Vec3::UnitY()), Vec3::Ones()}
                           .matrix();
    split_pose.joints[j] = small * split.skins[0].inverse_bind[j].inverse();
  }
  ModelPose near_pose = split_pose;
  near_pose.joints.pop_back();
  RC_ASSERT(worst_distance(frame_of("dqs", rig, near_pose).positions, frame_of("dqs", split, split_pose).positions) <
            1e-5);
}

// Blending a turn by θ at weight w with rest scales a cross-section's area by 1 − 4 w (1 − w) sin²(θ/2).
TEST(Lbs, ATwistScalesTheSectionByTheKnownLaw) {
  std::mt19937 rng(21);
  std::uniform_real_distribution<double> any(0, 1);
  Rig rig = two_joint_tube(256, 1);
  for (int trial = 0; trial < 50; ++trial) {
    const double theta = 4 * kPi * (any(rng) - 0.5);
    const auto w = static_cast<float>(any(rng));
    const auto other = static_cast<float>(1.0 - static_cast<double>(w));
    rig.weights = {};
    for (Index v = 0; v < 256; ++v) rig.weights.add_row({{0, other}, {1, w}});
    ModelPose pose{
        {Mat4::Identity(), Transform{Vec3::Zero(), rotation_exp(theta * Vec3::UnitZ()), Vec3::Ones()}.matrix()},
        {},
        {}};
    const auto area = [](const auto& points) {
      double sum = 0;
      for (std::size_t i = 0; i < 256; ++i) {
        const Vec3 a = points[i].template cast<double>(), b = points[(i + 1) % 256].template cast<double>();
        sum += 0.5 * (a.x() * b.y() - a.y() * b.x());
      }
      return sum;
    };
    const double share = w, factor = 1 - 4 * share * (1 - share) * std::pow(std::sin(theta / 2), 2);
    const double rest = area(rig.mesh.positions);
    EXPECT_NEAR(area(frame_of("lbs", rig, pose).positions) / rest, factor, 1e-6);
    EXPECT_NEAR(area(scalar_linear(rig, pose, false).positions) / rest, factor, 1e-7);
  }
}

TEST(Lbs, PositionsEqualWhatTheFileSaysForPartsOfAllKinds) {
  Rig rig = random_cloud(31, 50);
  std::mt19937 rng(32);
  const auto more = [&](Index skin, Index joint, const std::vector<Influence>& row) {
    MeshPart part;
    part.name = "more" + std::to_string(rig.mesh.parts.size());
    part.first_vertex = rig.mesh.vertex_count(), part.vertex_count = 30, part.skin = skin, part.joint = joint;
    part.to_model = random_motion(rng);
    part.morphs = {{"smile", {}}};
    part.morph_weights = {0};
    for (Index i = 0; i < 30; ++i) {
      rig.mesh.positions.push_back(0.3 * random_vector(rng));
      rig.mesh.normals.values.push_back(random_vector(rng).normalized().cast<float>());
      part.morphs[0].deltas.push_back(i % 3 ? Vec3f(random_vector(rng).cast<float>()) : Vec3f(Vec3f::Zero()));
      rig.weights.add_row(row);
    }
    rig.mesh.parts.push_back(part);
  };
  rig.skins.push_back({"second", {1, 2}, {random_motion(rng), random_motion(rng)}});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  more(1, kNone,
       {{1, 3.0F}, {2, 1.5F}, {1, -2.0F}, {2, nan}});  // Another skin, rows that sum to 4.5 and two bad weights.
  more(kNone, 4, {{4, 1.0F}});                         // Rigid.
  more(kNone, kNone, {});                              // Moved by nothing.
  more(0, kNone, {});                                  // Skinned without weights.
  ModelPose pose = random_pose_of(33, 7);
  for (const double weight : {0.0, 0.7, 0.7, -0.2}) {
    pose.morph_weights = {{}, {weight}, {1 - weight}, {0.5}, {weight}};
    const Frame frame = frame_of("lbs", rig, pose);
    EXPECT_LT(worst_distance(frame.positions, linear_positions(rig, pose)), 1e-5 * rig.mesh.size());
    EXPECT_LT(worst_distance(frame.positions, scalar_linear(rig, pose, false).positions), 1e-5 * rig.mesh.size());
  }
}

TEST(Lbs, MorphsThatChangeFromFrameToFrameLeaveNoTrace) {
  Rig rig = random_cloud(35, 77);
  std::mt19937 rng(36);
  rig.mesh.parts[0].morphs = {{"a", {}}, {"b", {}}};
  rig.mesh.parts[0].morph_weights = {0, 0};
  for (Morph& morph : rig.mesh.parts[0].morphs)
    for (Index v = 0; v < 77; ++v) morph.deltas.push_back(random_vector(rng).cast<float>());
  for (const char* method : {"lbs", "dqs"}) {
    const auto deformer = deform::bind(method, rig);
    const auto state = deformer->make_state();
    ModelPose pose = random_pose_of(37, 7);
    for (const auto& weights : std::vector<std::vector<double>>{{1, 0}, {0, 0}, {0.5, -1}, {0.5, -1}, {0, 2}}) {
      pose.morph_weights = {weights};
      EXPECT_EQ(frame_of(*deformer, *state, pose, 77), frame_of(method, rig, pose));
    }
  }
}

TEST(Lbs, ARigidPartFollowsItsJointAlsoWithoutWeights) {
  Rig rig = random_cloud(38, 20);
  rig.mesh.parts[0].skin = kNone;
  rig.mesh.parts[0].joint = 3;
  std::mt19937 rng(39);
  rig.mesh.parts[0].to_model = random_motion(rng);
  rig.weights = {};
  const ModelPose pose = random_pose_of(40, 7);
  const Mat4 m = pose.joints[3] * rig.mesh.parts[0].to_model.inverse();
  const Frame frame = frame_of("lbs", rig, pose);
  for (Index v = 0; v < 20; ++v)
    EXPECT_LT((frame.positions[v].cast<double>() - transform_point(m, rig.mesh.positions[v])).norm(), 1e-6);
}

TEST(Lbs, CopiesOfAVertexLandOnTheSameBits) {
  const Rig once = random_cloud(41, 3000, 12, 5);
  Rig rig = once;
  // The same rows again in another order, so that they fall into other blocks.
  for (Index i = 0; i < 3000; ++i) {
    const Index v = (i * 1237 + 5) % 3000;
    rig.mesh.positions.push_back(once.mesh.positions[v]);
    rig.mesh.normals.values.push_back(once.mesh.normals.values[v]);
    const auto row = once.weights.row(v);
    rig.weights.add_row(row);
  }
  rig.mesh.parts[0].vertex_count = 6000;
  ModelPose pose = random_pose_of(42, 12);
  for (const char* method : {"lbs", "dqs"}) {
    const Frame frame = frame_of(method, rig, pose);
    for (Index i = 0; i < 3000; ++i) {
      const Index v = (i * 1237 + 5) % 3000;
      ASSERT_EQ(frame.positions[3000 + i], frame.positions[v]);
      ASSERT_EQ(frame.normals[3000 + i], frame.normals[v]);
    }
  }
}

TEST(Lbs, OneAndTwoThreadsGiveTheSameBytes) {
  const Rig rig = random_cloud(43, 20000);
  ModelPose pose = random_pose_of(44, 7);
  for (const char* method : {"lbs", "dqs"}) {
    set_thread_count(1);
    const Frame one = frame_of(method, rig, pose);
    set_thread_count(2);
    const Frame two = frame_of(method, rig, pose);
    set_thread_count(0);
    EXPECT_EQ(one, two);
  }
}

TEST(Lbs, FarFromTheOriginResultsKeepAFloatsPrecision) {
  Rig rig = random_cloud(45, 500);
  const Vec3 far(1000, -2000, 500);
  for (Vec3& p : rig.mesh.positions) p += far;
  const Mat4 there = Transform{far, Quat::Identity(), Vec3::Ones()}.matrix();
  for (Mat4& m : rig.skins[0].inverse_bind) m = m * there.inverse();
  ModelPose pose = random_pose_of(46, 7);
  for (Mat4& joint : pose.joints) joint = there * joint;
  // One unit in the last place of 2000 is 1.2e-4.
  EXPECT_LT(worst_distance(frame_of("lbs", rig, pose).positions, scalar_linear(rig, pose, false).positions), 1.3e-4);
  EXPECT_LT(worst_distance(frame_of("dqs", rig, pose).positions, test::scalar_dual_quaternions(rig, pose).positions),
            1.3e-4);
}

TEST(Lbs, PositionsAreTheSameWithoutNormals) {
  const Rig rig = random_cloud(47, 100);
  ModelPose pose = random_pose_of(48, 7);
  for (const char* method : {"lbs", "dqs"}) {
    const auto deformer = deform::bind(method, rig);
    const auto state = deformer->make_state();
    std::vector<Vec3f> positions(100);
    deformer->deform(*state, {pose}, {positions, {}});
    EXPECT_EQ(positions, frame_of(method, rig, pose).positions);
  }
}

TEST(Lbs, APoseThatIsNotFiniteIsRefusedByTheJointsName) {
  const Rig rig = random_cloud(49, 10);
  for (const char* method : {"lbs", "dqs"}) {
    ModelPose pose = random_pose_of(50, 7);
    pose.joints[5](1, 3) = std::numeric_limits<double>::quiet_NaN();
    try {
      frame_of(method, rig, pose);
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("'joint5'"), std::string::npos) << error.what();
    }
  }
}

TEST(Lbs, MirroredAndFlatMatricesAreTaken) {
  const Rig rig = random_cloud(51, 64);
  ModelPose pose = random_pose_of(52, 7);
  pose.joints[1].col(0) *= -1;
  pose.joints[2].topLeftCorner<3, 3>().setZero();
  const Frame frame = frame_of("lbs", rig, pose);
  EXPECT_LT(worst_distance(frame.positions, scalar_linear(rig, pose, true).positions), 1e-5);
  for (const Vec3f& n : frame.normals) EXPECT_TRUE(n.allFinite());
}

}  // namespace
}  // namespace sinew::deform
