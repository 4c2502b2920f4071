// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rest.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "sinew/core/error.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"
#include "tests/support/made_human.h"

namespace sinew::pipeline {
namespace {

std::vector<Mat4> joints_at(const Character& character, const Clip& clip, double time_s) {
  return model_matrices(character.rig.skeleton, motion::sample(character.rig, clip, time_s).local);
}

std::vector<Transform> rest_of(const Character& character) { return rest_pose(character.rig).local; }

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, (a[v] - b[v]).norm());
  return most;
}

Character human_that_walks() {
  Character human = test::made_human("a");
  // Arms do not move in this clip: they must stay where they rested.
  Clip clip = motion::builtin_clip(human.rig.skeleton, "walk");
  std::erase_if(clip.tracks, [&](const Track& track) {
    return human.rig.skeleton.joints[track.target].name.find("Arm") != std::string::npos ||
           human.rig.skeleton.joints[track.target].name.find("arm") != std::string::npos;
  });
  human.clips = {clip};
  return human;
}

TEST(SetRest, FromAToTAndBackReturnsTheMesh) {
  const Character before = human_that_walks();
  const RestResult there = set_rest(before, standard_pose(before.rig, rigging::RestPose::kT));
  EXPECT_GT(there.largest_move, 0.05);
  const RestResult back = set_rest(there.character, rest_of(before));
  const double size = before.rig.mesh.size();
  EXPECT_LT(largest_difference(before.rig.mesh.positions, back.character.rig.mesh.positions), 1e-6 * size);
  for (std::size_t i = 0; i < before.rig.mesh.normals.values.size(); i += 7)
    EXPECT_LT((before.rig.mesh.normals.values[i] - back.character.rig.mesh.normals.values[i]).norm(), 1e-4F);
}

// Stretched bones: the rotation and the scale of neighbouring joints differ.
TEST(SetRest, TheWayBackReturnsTheMeshAlsoWhereJointsScale) {
  const Character before = human_that_walks();
  std::vector<Transform> stretched = standard_pose(before.rig, rigging::RestPose::kT);
  for (std::size_t j = 1; j < stretched.size(); ++j)
    stretched[j].scale = j % 2 == 0 ? Vec3(1.1, 0.9, 1.04) : Vec3(0.95, 1.08, 1);
  const RestResult there = set_rest(before, stretched);
  const RestResult back = set_rest(there.character, rest_of(before));
  EXPECT_GT(there.largest_move, 0.05);
  EXPECT_LT(largest_difference(before.rig.mesh.positions, back.character.rig.mesh.positions),
            1e-6 * before.rig.mesh.size());
}

TEST(SetRest, ArmsAreLevelInATPoseAndTheSkinIsBoundThere) {
  const Character before = human_that_walks();
  const Character after = set_rest(before, standard_pose(before.rig, rigging::RestPose::kT)).character;
  const auto frames = rest_matrices(after.rig.skeleton);
  const auto place = [&](const char* name) {
    return Vec3(frames[after.rig.skeleton.find(name)].topRightCorner<3, 1>());
  };
  const Vec3 arm = place("LeftHand") - place("LeftUpperArm");
  EXPECT_NEAR(arm.y(), 0, 1e-3 * arm.norm());
  for (const Skin& skin : after.rig.skins)
    for (std::size_t k = 0; k < skin.joints.size(); ++k)
      EXPECT_LT((skin.inverse_bind[k] * frames[skin.joints[k]] - Mat4::Identity()).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(SetRest, ClipsMoveEveryJointAsBefore) {
  const Character before = human_that_walks();
  const RestResult result = set_rest(before, standard_pose(before.rig, rigging::RestPose::kT));
  ASSERT_EQ(result.longer_clips.size(), 1u);
  for (const double t : {0.0, 0.3, 0.8}) {
    const auto a = joints_at(before, before.clips[0], t), b = joints_at(result.character, result.character.clips[0], t);
    for (std::size_t j = 0; j < a.size(); ++j) EXPECT_LT((a[j] - b[j]).cwiseAbs().maxCoeff(), 1e-5);
  }
}

TEST(SetRest, MorphsRotateWithTheirVertices) {
  Character before = human_that_walks();
  MeshPart& part = before.rig.mesh.parts.at(0);
  part.morphs = {{"grow", std::vector<Vec3f>(part.vertex_count, Vec3f(0, 0.01F, 0))}};
  part.morph_weights = {0};
  const Character after = set_rest(before, standard_pose(before.rig, rigging::RestPose::kT)).character;
  double turned = 0;
  for (const Vec3f& delta : after.rig.mesh.parts[0].morphs[0].deltas) {
    EXPECT_NEAR(delta.norm(), 0.01F, 1e-5F);
    turned = std::max(turned, static_cast<double>((delta - Vec3f(0, 0.01F, 0)).norm()));
  }
  EXPECT_GT(turned, 0.004);
}

TEST(SetRest, TheRestPoseOfABoundCharacterChangesNothing) {
  const Character before = human_that_walks();
  const RestResult same = set_rest(before, rest_of(before));
  EXPECT_EQ(same.moved_joints, 0u);
  EXPECT_LT(same.largest_move, 1e-6);
  EXPECT_TRUE(same.longer_clips.empty());
}

TEST(SetRest, APoseOtherThanTheBindPoseCanBeMadeTheRestPoseAndBack) {
  Character before = human_that_walks();
  const auto bound = rest_of(before);
  before.rig.skeleton.joints[before.rig.skeleton.find("LeftForearm")].rest.rotation *= rotation_exp(Vec3(0, 0, 0.5));
  const auto pose = bound_pose(before.rig);
  for (std::size_t j = 0; j < pose.size(); ++j) EXPECT_LT((pose[j].matrix() - bound[j].matrix()).norm(), 1e-6);
  const RestResult result = set_rest(before, pose);
  EXPECT_LT(result.largest_move, 1e-6) << "the skin is where it was bound";
  // The skin is where the joints rest, and looks as linear blending shows it there.
  const RestResult put_right = set_rest(before, rest_of(before));
  EXPECT_GT(put_right.largest_move, 0.01);
  const std::vector<Mat4> frames = rest_matrices(before.rig.skeleton), bind = inverse_bind_of_part(before.rig, 0);
  const SkinWeights weights = before.rig.weights.normalized();
  for (Index v = 0; v < weights.row_count(); v += 5) {
    Vec3 shown = Vec3::Zero();
    for (const Influence& i : weights.row(v))
      shown += static_cast<double>(i.weight) *
               transform_point(Mat4(frames[i.joint] * bind[i.joint]), before.rig.mesh.positions[v]);
    EXPECT_LT((shown - put_right.character.rig.mesh.positions[v]).norm(), 1e-9);
  }
}

TEST(SetRest, PosesThatDoNotExistAreRefused) {
  Character before = human_that_walks();
  for (Joint& joint : before.rig.skeleton.joints) joint.name = "b";
  EXPECT_NO_THROW(standard_pose(before.rig, rigging::RestPose::kT)) << "limbs are found by shape";
  before.rig.skeleton.joints.resize(3);
  before.rig.weights = {};
  before.rig.skins.clear();
  EXPECT_THROW(standard_pose(before.rig, rigging::RestPose::kT), Error);
  const Character human = human_that_walks();
  std::vector<Transform> flat = rest_of(human);
  flat[1].scale = Vec3(1, 0, 1);
  EXPECT_THROW(set_rest(human, flat), Error);
}

TEST(SetRest, SharesOfRotationsKeepWhatTheyShow) {
  for (const bool below : {true, false})
    for (const Driver::Kind kind : {Driver::Kind::kTwistShare, Driver::Kind::kRotationShare}) {
      Character before = test::made_human("a");
      Skeleton& skeleton = before.rig.skeleton;
      const Index source = skeleton.find("LeftForearm"), helper = skeleton.size();
      Joint joint;
      joint.name = "Helper";
      joint.parent = below ? source : skeleton.joints[source].parent;
      joint.rest.translation = Vec3(0, 0.1, 0);
      joint.rest.rotation = rotation_exp(Vec3(0.3, 0.1, 0.2));
      joint.driver = Driver();
      joint.driver->kind = kind;
      joint.driver->source = source;
      joint.driver->share = 0.4;
      skeleton.joints.push_back(joint);
      std::vector<Transform> pose = rest_of(before);
      pose[source].rotation = pose[source].rotation * rotation_exp(Vec3(0.7, 0.3, -0.4));
      const Character after = set_rest(before, pose).character;
      for (const Vec3& turn : {Vec3(0, 0, 0), Vec3(0.6, 0, 0.2), Vec3(-0.3, 0.5, 0.8)}) {
        const auto shown = [&](const Character& character) {
          Pose moved = rest_pose(character.rig);
          moved.local[source].rotation = skeleton.joints[source].rest.rotation * rotation_exp(turn);
          return motion::resolve(character.rig.skeleton, moved).joints[helper];
        };
        EXPECT_LT((shown(before) - shown(after)).cwiseAbs().maxCoeff(), 1e-9) << below << " " << static_cast<int>(kind);
      }
    }
}

TEST(SetRest, DriversThatAreCurvedKeepWhatTheyShow) {
  Character before = test::made_human("a");
  Skeleton& skeleton = before.rig.skeleton;
  const Index source = skeleton.find("LeftForearm"), helper = skeleton.size();
  ASSERT_NE(source, kNone);
  Joint joint;
  joint.name = "Helper";
  joint.parent = skeleton.joints[source].parent;
  joint.rest.translation = Vec3(0, 0.1, 0);
  joint.driver = Driver();
  joint.driver->kind = Driver::Kind::kPolynomial;
  joint.driver->source = source;
  joint.driver->coefficients.resize(9);
  joint.driver->coefficients[0] = {0, 0.01, 0.02, 0.03, 0.05, 0, 0, 0.04, 0, 0.02};
  skeleton.joints.push_back(joint);
  std::vector<Transform> pose = rest_of(before);
  pose[source].rotation = pose[source].rotation * rotation_exp(Vec3(0.4, 0.2, -0.3));
  const RestResult result = set_rest(before, pose);
  EXPECT_TRUE(result.findings.empty());
  for (const Vec3& turn : {Vec3(0, 0, 0), Vec3(0.6, 0, 0.2), Vec3(-0.3, 0.5, 0.1)}) {
    const auto shown = [&](const Character& character) {
      Pose moved = rest_pose(character.rig);
      moved.local[source].rotation = skeleton.joints[source].rest.rotation * rotation_exp(turn);
      return Vec3(motion::resolve(character.rig.skeleton, moved).joints[helper].topRightCorner<3, 1>());
    };
    EXPECT_LT((shown(before) - shown(result.character)).norm(), 1e-9);
  }
}

}  // namespace
}  // namespace sinew::pipeline
