// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pose_limits.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "sinew/deform/blend/lbs.h"
#include "sinew/deform/limited.h"
#include "sinew/shapes/kinds.h"

namespace sinew::deform {
namespace {

Skeleton two_joints() {
  Skeleton skeleton;
  skeleton.joints.resize(2);
  skeleton.joints[0].name = "upper";
  skeleton.joints[1].name = "lower";
  skeleton.joints[1].parent = 0;
  skeleton.joints[1].rest.translation = Vec3(0, 1, 0);
  return skeleton;
}

std::vector<Mat4> bent(double degrees, const Vec3& axis = Vec3::UnitX()) {
  std::vector<Mat4> frames = rest_matrices(two_joints());
  const Mat3 rotation = Eigen::AngleAxisd(degrees * kPi / 180, axis).toRotationMatrix();
  frames[1].topLeftCorner<3, 3>() = rotation;
  return frames;
}

PoseLimits limits() {
  PoseLimits result(two_joints(), rest_matrices(two_joints()), 4);
  result.add(1, bent(60), {1}, {0.5F});
  result.add(1, bent(90), {1, 2}, {1.0F, 0.25F});
  return result;
}

std::vector<float> factors(const PoseLimits& limits, const std::vector<Mat4>& pose) {
  std::vector<float> result(4);
  PoseLimits::Scratch scratch;
  limits.evaluate(pose, scratch, result);
  return result;
}

TEST(PoseLimits, AreThoseOfASampledPoseThereAndNothingAtRest) {
  EXPECT_EQ(factors(limits(), bent(0)), std::vector<float>(4, 1.0F));
  const std::vector<float> at_60 = factors(limits(), bent(60)), at_90 = factors(limits(), bent(90));
  EXPECT_NEAR(at_60[1], 0.5, 0.02);
  EXPECT_NEAR(at_90[1], 0, 0.02);
  EXPECT_NEAR(at_90[2], 0.75, 0.02);
  EXPECT_EQ(at_90[0], 1);
  EXPECT_EQ(at_90[3], 1);
}

TEST(PoseLimits, OfTheSameRotationWithOtherJointsElsewhereAreTheLargerOfBoth) {
  PoseLimits twice = limits();
  twice.add(1, bent(90), {0, 1, 2, 3}, {0.5F, 0.0F, 1.0F, 0.0F});
  const std::vector<float> at_90 = factors(twice, bent(90));
  EXPECT_NEAR(at_90[0], 0.5, 0.02);
  EXPECT_NEAR(at_90[1], 0, 0.02);
  EXPECT_NEAR(at_90[2], 0, 0.02);
  EXPECT_NEAR(at_90[3], 1, 0.02);
}

TEST(PoseLimits, ChangeInSmallStepsWithThePose) {
  float before = 1;
  for (double degrees = 0; degrees <= 150; degrees += 0.25) {
    const float now = factors(limits(), bent(degrees))[1];
    EXPECT_LT(std::abs(now - before), 0.02F) << degrees;
    before = now;
  }
}

TEST(PoseLimits, DoNotDependOnWhereTheCharacterStandsAndFaces) {
  std::vector<Mat4> pose = bent(75);
  const std::vector<float> here = factors(limits(), pose);
  Mat4 move = Mat4::Identity();
  move.topLeftCorner<3, 3>() = Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  move.topRightCorner<3, 1>() = Vec3(4, 5, 6);
  for (Mat4& joint : pose) joint = move * joint;
  const std::vector<float> there = factors(limits(), pose);
  for (std::size_t v = 0; v < here.size(); ++v) EXPECT_NEAR(here[v], there[v], 1e-5);
}

TEST(PoseLimits, SurviveBytesAndRefuseDamagedOnes) {
  const PoseLimits whole = limits();
  const std::vector<std::byte> bytes = whole.bytes();
  const auto read = PoseLimits::read(two_joints(), rest_matrices(two_joints()), 4, bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(factors(*read, bent(80)), factors(whole, bent(80)));
  EXPECT_EQ(read->vertices(), (std::vector<Index>{1, 2}));
  EXPECT_FALSE(PoseLimits::read(two_joints(), rest_matrices(two_joints()), 5, bytes));
  for (std::size_t cut = 0; cut < bytes.size(); cut += 5)
    EXPECT_FALSE(PoseLimits::read(two_joints(), rest_matrices(two_joints()), 4, std::span(bytes).first(cut))) << cut;
}

// Moves every vertex of linear blending by one metre.
class Lifted : public Deformer {
 public:
  explicit Lifted(const Rig& rig) : linear_(bind_lbs(rig)) {}
  std::unique_ptr<State> make_state() const override { return linear_->make_state(); }
  void deform(State& state, const FrameInput& input, const FrameOutput& output) const override {
    linear_->deform(state, input, output);
    for (Vec3f& p : output.positions) p.y() += 1;
  }

 private:
  std::unique_ptr<Deformer> linear_;
};

TEST(Limited, MixesTheListedVerticesWithTheBaseAndLeavesAllOthers) {
  const Rig rig = shapes::make("cylinder", {}).made.character.rig;
  ModelPose pose;
  pose.joints = rest_matrices(rig.skeleton);
  const Mat3 rotation = Eigen::AngleAxisd(1.2, Vec3::UnitX()).toRotationMatrix();
  for (Index j = 1; j < rig.skeleton.size(); ++j) pose.joints[j].topLeftCorner<3, 3>() = rotation;
  PoseLimits limits(rig.skeleton, rest_matrices(rig.skeleton), rig.mesh.vertex_count());
  limits.add(1, pose.joints, {3, 7}, {1.0F, 0.5F});
  const auto linear = bind_lbs(rig);
  const auto limited =
      bind_limited(std::make_unique<Lifted>(rig), bind_lbs(rig_of_vertices(rig, limits.vertices())), limits);
  std::vector<Vec3f> base(rig.mesh.vertex_count()), positions(base.size()), normals(base.size()),
      base_normals(base.size());
  linear->deform(*linear->make_state(), {pose}, {base, base_normals, nullptr});
  limited->deform(*limited->make_state(), {pose}, {positions, normals, nullptr});
  for (Index v = 0; v < base.size(); ++v) {
    const float lift = v == 3 ? 0.0F : v == 7 ? 0.5F : 1.0F;
    EXPECT_NEAR(positions[v].y() - base[v].y(), lift, v == 3 || v == 7 ? 0.02 : 1e-6) << v;
    EXPECT_LT((normals[v] - base_normals[v]).norm(), 1e-4F) << v;
  }
}

}  // namespace
}  // namespace sinew::deform
