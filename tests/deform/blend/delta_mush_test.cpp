// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/delta_mush.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "tests/deform/skin_rigs.h"

namespace sinew::deform {
namespace {

using namespace testing;

DeltaMushOptions mush(int rounds = 5) {
  DeltaMushOptions options;
  options.rounds = rounds;
  return options;
}

Frame smoothed_frame(std::string_view method, const Rig& rig, const ModelPose& pose, const DeltaMushOptions& options) {
  const auto deformer = bind_delta_mush(deform::bind(method, rig), rig, options);
  const auto state = deformer->make_state();
  return frame_of(*deformer, *state, pose, rig.mesh.vertex_count());
}

// A tube with bumps whose last column of vertices is a copy of the first, as at a seam of the texture, and with the
// lower half on one joint and the upper half on the other, without any blending.
Rig seamed_tube(Index around = 24, Index rings = 21) {
  Rig rig = two_joint_tube(around + 1, rings);
  rig.weights = {};
  rig.mesh.face_offsets = {0};
  rig.mesh.face_vertices.clear();
  for (Index r = 0; r < rings; ++r)
    for (Index i = 0; i <= around; ++i) {
      const double turn = kTwoPi * (i % around) / around, up = 2.0 * r / (rings - 1) - 1;
      const double radius = 0.5 + 0.05 * std::sin(5 * turn) * std::cos(9 * up);
      rig.mesh.positions[r * (around + 1) + i] = Vec3(radius * std::cos(turn), radius * std::sin(turn), up);
      rig.mesh.normals.values[r * (around + 1) + i] = Vec3(std::cos(turn), std::sin(turn), 0).cast<float>();
      rig.weights.add_row({{r < rings / 2 ? 0U : 1U, 1.0F}});
      if (r == 0 || i == around) continue;
      const Index a = (r - 1) * (around + 1) + i;
      const std::vector<Index> quad = {a, a + 1, a + around + 2, a + around + 1};
      rig.mesh.add_face(quad);
    }
  rig.mesh.parts[0].face_count = rig.mesh.face_count();
  return rig;
}

ModelPose bent(double angle_rad) {
  return {{Mat4::Identity(), Transform{Vec3::Zero(), rotation_exp(angle_rad * Vec3::UnitX()), Vec3::Ones()}.matrix()},
          {},
          {}};
}

// How far the angle between neighbouring rings' steps departs from even, at its worst.
double sharpest_turn(const std::vector<Vec3f>& positions, Index around, Index rings) {
  double most = 0;
  for (Index r = 1; r + 1 < rings; ++r)
    for (Index i = 0; i < around; ++i) {
      const Vec3f a = positions[(r - 1) * around + i], b = positions[r * around + i],
                  c = positions[(r + 1) * around + i];
      most = std::max(most, static_cast<double>((c - 2 * b + a).norm()));
    }
  return most;
}

TEST(DeltaMush, TheBindPoseGivesTheMeshAndItsNormals) {
  const Rig rig = seamed_tube();
  for (const char* method : {"lbs", "dqs"}) {
    const Frame frame = smoothed_frame(method, rig, bent(0), mush());
    EXPECT_LT(worst_distance(frame.positions, rig.mesh.positions), 1e-6);
    EXPECT_LT(worst_distance(frame.normals, rig.mesh.normals.values), 5e-6);
  }
}

TEST(DeltaMush, ARigidMotionMovesTheSurfaceAndItsNormalsRigidly) {
  const Rig rig = seamed_tube();
  std::mt19937 rng(3);
  const Mat4 motion = random_motion(rng, 1);
  const Frame before = smoothed_frame("lbs", rig, bent(1), mush());
  ModelPose pose = bent(1);
  for (Mat4& joint : pose.joints) joint = motion * joint;
  const Frame after = smoothed_frame("lbs", rig, pose, mush());
  const Mat3 turn = motion.topLeftCorner<3, 3>();
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    EXPECT_LT((after.positions[v].cast<double>() - transform_point(motion, before.positions[v].cast<double>())).norm(),
              5e-6);
    EXPECT_LT((after.normals[v].cast<double>() - turn * before.normals[v].cast<double>()).norm(), 5e-5);
  }
}

TEST(DeltaMush, SoftensAHardBend) {
  const Rig rig = seamed_tube();
  const double hard = sharpest_turn(frame_of("lbs", rig, bent(1.2)).positions, 25, 21);
  const double soft = sharpest_turn(smoothed_frame("lbs", rig, bent(1.2), mush(5)).positions, 25, 21);
  const double softer = sharpest_turn(smoothed_frame("lbs", rig, bent(1.2), mush(20)).positions, 25, 21);
  EXPECT_LT(soft, 0.5 * hard);
  EXPECT_LT(softer, soft);
}

TEST(DeltaMush, KeepsDetailThatSmoothingAloneWouldFlatten) {
  const Rig rig = seamed_tube();
  const Frame frame = smoothed_frame("lbs", rig, bent(0.8), mush(20));
  // Far from the bend, near the lower end, nothing has moved: 20 rounds reach 20 rings, but with little weight.
  double most = 0;
  for (Index v = 0; v < 25; ++v)
    most = std::max(most, (frame.positions[v].cast<double>() - rig.mesh.positions[v]).norm());
  EXPECT_LT(most, 0.02);
}

TEST(DeltaMush, SeamsStayClosedAndCreasesKeepTheirNormals) {
  Rig rig = seamed_tube();
  // Another normal on each side of the seam.
  for (Index r = 0; r < 21; ++r) rig.mesh.normals.values[r * 25 + 24] = Vec3f(0.6F, 0, 0.8F);
  const Frame frame = smoothed_frame("lbs", rig, bent(1.2), mush());
  for (Index r = 0; r < 21; ++r) {
    EXPECT_EQ(frame.positions[r * 25], frame.positions[r * 25 + 24]);
    const float rest = rig.mesh.normals.values[r * 25].dot(rig.mesh.normals.values[r * 25 + 24]);
    EXPECT_NEAR(frame.normals[r * 25].dot(frame.normals[r * 25 + 24]), rest, 1e-5F);
    EXPECT_NEAR(frame.normals[r * 25].norm(), 1.0F, 1e-5F);
  }
}

TEST(DeltaMush, ActiveMorphsCountAsRest) {
  Rig rig = seamed_tube();
  Morph morph{"swell", {}};
  for (const Vec3& p : rig.mesh.positions)
    morph.deltas.push_back((0.3 * Vec3(p.x(), p.y(), 0) * std::cos(7 * p.z())).cast<float>());
  rig.mesh.parts[0].morphs = {morph};
  rig.mesh.parts[0].morph_weights = {0};
  ModelPose pose = bent(0);
  const auto deformer = bind_delta_mush(deform::bind("lbs", rig), rig, mush());
  const auto state = deformer->make_state();
  for (const double weight : {0.0, 1.0, 0.5, 0.0}) {
    pose.morph_weights = {{weight}};
    const Frame frame = frame_of(*deformer, *state, pose, rig.mesh.vertex_count());
    double most = 0;
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
      const Vec3 expected = rig.mesh.positions[v] + weight * morph.deltas[v].cast<double>();
      most = std::max(most, (frame.positions[v].cast<double>() - expected).norm());
    }
    EXPECT_LT(most, 2e-6) << weight;
  }
}

TEST(DeltaMush, VerticesWithoutARingStayWhereTheDeformerPutsThem) {
  const Rig rig = random_cloud(5, 50);
  const ModelPose pose = random_pose_of(6, 7);
  EXPECT_EQ(smoothed_frame("lbs", rig, pose, mush()), frame_of("lbs", rig, pose));
}

TEST(DeltaMush, ACollapsedSurfaceGivesNumbers) {
  const Rig rig = seamed_tube();
  ModelPose pose = bent(0);
  for (Mat4& joint : pose.joints) joint.topLeftCorner<3, 3>().setZero();
  const Frame frame = smoothed_frame("lbs", rig, pose, mush());
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    EXPECT_TRUE(frame.positions[v].allFinite());
    EXPECT_TRUE(frame.normals[v].allFinite());
  }
}

TEST(DeltaMush, OneAndTwoThreadsGiveTheSameBytes) {
  const Rig rig = seamed_tube(120, 80);
  set_thread_count(1);
  const Frame one = smoothed_frame("dqs", rig, bent(1), mush());
  set_thread_count(2);
  const Frame two = smoothed_frame("dqs", rig, bent(1), mush());
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace sinew::deform
