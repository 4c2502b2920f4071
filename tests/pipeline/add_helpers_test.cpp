// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/add_helpers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/deform/blend/linear.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/helpers_select.h"
#include "sinew/pipeline/helpers_twist.h"
#include "sinew/shapes/kinds.h"

namespace sinew::pipeline {
namespace {

const Character& human() {
  static const Character character = [] {
    shapes::MakeOptions options;
    options.vertices = 3000;
    return shapes::make("human", options).made.character;
  }();
  return character;
}

const Character& cylinder() {
  static const Character character = [] {
    shapes::MakeOptions options;
    options.width = 1;
    return shapes::make("cylinder", options).made.character;
  }();
  return character;
}

std::string refusal(const Character& character, const HelpersOptions& options) {
  try {
    add_helpers(character, options);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "it was not refused";
  return "";
}

TEST(AddHelpers, TheThinnestSectionOfACylinderIsThatOfTheFormula) {
  for (const int count : {1, 2, 5})
    for (const double angle : {90.0, 180.0}) {
      HelpersOptions options;
      options.twist = {"Joint0"};
      options.per_bone = count;
      options.max_twist_rad = radians(angle);
      const HelpersResult result = add_helpers(cylinder(), options);
      ASSERT_EQ(result.twists.size(), 1U);
      const TwistBoneResult& bone = result.twists.front();
      EXPECT_NEAR(bone.after.thinnest, bone.formula_section, 0.02) << count << " joints, " << angle << "°";
      EXPECT_LT(bone.after.rms_rel, bone.before.rms_rel);
    }
}

TEST(AddHelpers, TheInputStaysAndTheResultNamesWhatWasAdded) {
  HelpersOptions options;
  options.twist = {"forearm"};
  options.bend = {"knee"};
  const Index joints = human().rig.skeleton.size();
  const HelpersResult result = add_helpers(human(), options);
  EXPECT_EQ(human().rig.skeleton.size(), joints);
  EXPECT_EQ(result.per_bone, 3);
  EXPECT_EQ(result.joints_added, 8U);
  EXPECT_EQ(result.character.rig.skeleton.size(), joints + 8);
  EXPECT_EQ(result.bends.size(), 2U);
  EXPECT_EQ(result.longer_clips.size(), human().clips.size());
  EXPECT_TRUE(validate(result.character).empty());
}

TEST(AddHelpers, TheLimitOfInfluencesIsThatOfTheFileUnlessItIsGivenAndZeroIsNone) {
  HelpersOptions options;
  options.twist = {"forearm", "upperarm"};
  EXPECT_EQ(add_helpers(human(), options).cap.influences, std::max(4U, human().rig.weights.max_influences()));
  options.max_influences = 2;
  const HelpersResult two = add_helpers(human(), options);
  EXPECT_LE(two.character.rig.weights.max_influences(), 2U);
  EXPECT_GT(two.cap.rows, 0U);
  ASSERT_TRUE(two.cap.posed);
  EXPECT_GT(two.cap.posed->max, 0);
  options.max_influences = 0;
  const HelpersResult all = add_helpers(human(), options);
  EXPECT_EQ(all.cap.rows, 0U);
  EXPECT_GT(all.character.rig.weights.max_influences(), 4U);
}

TEST(AddHelpers, WhatCannotBeAddedIsRefusedByName) {
  HelpersOptions options;
  EXPECT_NE(refusal(human(), options).find("nothing to add"), std::string::npos);
  options.twist = {"wing"};
  EXPECT_NE(refusal(human(), options).find("'twist' names 'wing'"), std::string::npos);
  options.twist = {"forearm"};
  options.per_bone = 16;
  EXPECT_NE(refusal(human(), options).find("per_bone"), std::string::npos);
  options.per_bone = 1;
  EXPECT_NE(refusal(add_helpers(human(), options).character, options).find("LeftForearmTwist"), std::string::npos);
  Character bare = human();
  bare.rig.weights = {};
  EXPECT_NE(refusal(bare, options).find("no skin"), std::string::npos);
}

// Each vertex follows the strongest of its joints alone, as the parts of a robot do.
Character stiff(Character character) {
  SkinWeights weights;
  for (Index v = 0; v < character.rig.weights.row_count(); ++v)
    weights.add_row({{character.rig.weights.row(v).front().joint, 1.0F}});
  character.rig.weights = std::move(weights);
  return character;
}

TEST(AddHelpers, TwistJointsThatWouldThinASectionAreLeftOutByName) {
  HelpersOptions options;
  options.twist = {"Joint0"};
  options.per_bone = 1;
  // Nothing of the stiff cylinder's bone collapses, so that a twist joint can only harm.
  const HelpersResult result = add_helpers(stiff(cylinder()), options);
  EXPECT_EQ(result.joints_added, 0U);
  EXPECT_TRUE(result.twists.empty());
  ASSERT_EQ(result.reductions.size(), 1U);
  const HelperReduction& reduction = result.reductions.front();
  EXPECT_EQ(reduction.figure, "section");
  EXPECT_EQ(reduction.strength, 0);
  EXPECT_LT(reduction.full, reduction.before - 0.005);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings.front().code, "helpers.left_out");
  EXPECT_EQ(result.findings.front().where, "Joint0");
  EXPECT_EQ(result.character.rig.weights, stiff(cylinder()).rig.weights);
}

// The largest stretch of an edge relative to the mesh in a pose, by linear blending.
double largest_stretch(const Rig& rig, const Pose& pose) {
  const std::vector<Vec3> posed = deform::linear_positions(rig, motion::resolve(rig.skeleton, pose));
  double largest = 0;
  for (const Triangle& t : triangulate(rig.mesh))
    for (std::size_t k = 0; k < 3; ++k) {
      const Index a = t.vertices[k], b = t.vertices[(k + 1) % 3];
      const double length = (rig.mesh.positions[a] - rig.mesh.positions[b]).norm();
      if (length > 0) largest = std::max(largest, (posed[a] - posed[b]).norm() / length);
    }
  return largest;
}

TEST(AddHelpers, ABendJointThatWouldTearTheSkinIsReduced) {
  HelpersOptions options;
  options.bend = {"elbow", "knee"};
  const Rig& before = human().rig;
  const HelpersResult result = add_helpers(human(), options);
  ASSERT_FALSE(result.reductions.empty());
  for (const HelperReduction& reduction : result.reductions) {
    EXPECT_EQ(reduction.figure, "stretch");
    EXPECT_GT(reduction.full, 1.3 * reduction.before);
    EXPECT_GT(reduction.strength, 0.25);
    EXPECT_LT(reduction.strength, 1);
  }
  for (const char* name : {"LeftForearm", "RightShin"})
    for (int axis = 0; axis < 3; ++axis)
      for (const double angle : {-2.0, -1.0, 1.0, 2.0}) {
        const auto bent = [&](const Rig& rig) {
          Pose pose = rest_pose(rig);
          Quat& rotation = pose.local[rig.skeleton.find(name)].rotation;
          rotation = rotation * rotation_exp(angle * Vec3::Unit(axis));
          return largest_stretch(rig, pose);
        };
        EXPECT_LT(bent(result.character.rig), std::max(1.05, 1.33 * bent(before))) << name << axis << angle;
      }
}

TEST(AddHelpers, BuiltInClipsAreAddedWithTheMotionOfTheHelpers) {
  HelpersOptions options;
  options.twist = {"forearm"};
  options.bake_clips = {"builtin"};
  Character bare = human();
  bare.clips.clear();
  const HelpersResult result = add_helpers(bare, options);
  EXPECT_EQ(result.new_clips.size(), result.character.clips.size());
  EXPECT_GE(result.new_clips.size(), 4U);
  EXPECT_TRUE(result.longer_clips.empty());
  const Index helper = result.character.rig.skeleton.find("LeftForearmTwist1");
  for (const Clip& clip : result.character.clips)
    EXPECT_TRUE(std::any_of(clip.tracks.begin(), clip.tracks.end(), [&](const Track& track) {
      return track.path == Track::Path::kRotation && track.target == helper;
    })) << clip.name;
  options.bake = false;
  EXPECT_NE(refusal(bare, options).find("bake_clips"), std::string::npos);
}

TEST(AddHelpers, TwistsBeyondAHalfTurnAreSharedOut) {
  HelpersOptions options;
  options.twist = {"Joint0"};
  options.per_bone = 3;
  const Rig with = add_helpers(cylinder(), options).character.rig;
  const Index joint = with.skeleton.find("Joint1");
  Pose pose = rest_pose(with);
  pose.twist_rad.assign(with.skeleton.size(), 0);
  const double turn = 3 * kPi;
  pose.twist_rad[joint] = turn;
  pose.local[joint].rotation = pose.local[joint].rotation * rotation_exp(Vec3(0, turn, 0));
  const std::vector<Mat4> rest = rest_matrices(with.skeleton), moved = motion::resolve(with.skeleton, pose).joints;
  for (int k = 1; k <= 3; ++k) {
    const Index helper = with.skeleton.find("Joint0Twist" + std::to_string(k));
    ASSERT_NE(helper, kNone);
    const Mat3 expected = Mat3(Eigen::AngleAxisd(turn * k / 4, Vec3::UnitY())) * rest[helper].topLeftCorner<3, 3>();
    EXPECT_LT((moved[helper].topLeftCorner<3, 3>() - expected).norm(), 1e-6) << k;
  }
}

TEST(HelperSelection, WordsMeanPartsOfTheBodyOrJointsByName) {
  const Rig& rig = human().rig;
  const motion::Recognition known = motion::recognize(rig.skeleton);
  const auto names = [&](const std::vector<std::string>& words) {
    std::vector<std::string> result;
    for (const Index joint : joints_of_words(rig, known, words, "twist"))
      result.push_back(rig.skeleton.joints[joint].name);
    return result;
  };
  EXPECT_EQ(names({"left_forearm"}), (std::vector<std::string>{"LeftForearm"}));
  EXPECT_EQ(names({"LeftForearm", "left_elbow"}), (std::vector<std::string>{"LeftForearm"}));
  EXPECT_EQ(names({"Upper-Arm"}).size(), 2U);
  EXPECT_EQ(names({"knee"}), names({"shin"}));
  EXPECT_GE(names({"spine"}).size(), 1U);
  const rigging::TwistBone arm = twist_bone(rig, known, rig.skeleton.find("LeftUpperArm"));
  EXPECT_TRUE(arm.near);
  EXPECT_EQ(rig.skeleton.joints[arm.child].name, "LeftForearm");
  EXPECT_FALSE(twist_bone(rig, known, rig.skeleton.find("LeftForearm")).near);
}

TEST(HelperSelection, AnElbowBendsForwardAndAKneeBack) {
  const Rig& rig = human().rig;
  const motion::Recognition known = motion::recognize(rig.skeleton);
  const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
  const auto turned = [&](const char* joint, const char* next) {
    const Index j = rig.skeleton.find(joint), k = rig.skeleton.find(next);
    const Vec3 bone = frames[k].topRightCorner<3, 1>() - frames[j].topRightCorner<3, 1>();
    return Vec3(rotation_exp(0.7 * bend_axis(rig, known, j, frames)) * bone - bone);
  };
  EXPECT_GT(turned("LeftForearm", "LeftHand").z(), 0.05);
  EXPECT_LT(turned("RightShin", "RightFoot").z(), -0.05);
}

TEST(TwistKnowledge, ASmallRigidShellRotatesWithTheSkinUnderIt) {
  Rig rig = human().rig;
  const Index joint = rig.skeleton.find("LeftForearm"), child = rig.skeleton.find("LeftHand");
  TwistKnowledge knowledge;
  knowledge.shell.assign(rig.mesh.positions.size(), kNone);
  knowledge.rigid_on = {joint, joint};
  const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
  const Vec3 start = frames[joint].topRightCorner<3, 1>(), link = frames[child].topRightCorner<3, 1>() - start;
  // A bracelet at 0.7 to 0.8, and a stiff sleeve.
  rig.mesh.positions[0] = start + 0.7 * link;
  rig.mesh.positions[1] = start + 0.8 * link;
  rig.mesh.positions[2] = start + 0.1 * link;
  rig.mesh.positions[3] = start + 0.9 * link;
  knowledge.shell[0] = knowledge.shell[1] = 0;
  knowledge.shell[2] = knowledge.shell[3] = 1;
  std::vector<float> places(rig.mesh.positions.size(), 0.5F);
  EXPECT_EQ(place_rigid_shells(rig, knowledge, {joint, child, false}, frames, places), 4U);
  EXPECT_NEAR(places[0], 0.75, 1e-5);
  EXPECT_EQ(places[0], places[1]);
  EXPECT_EQ(places[2], 0.0F);
  EXPECT_EQ(places[3], 0.0F);
  EXPECT_EQ(places[4], 0.5F);
}

}  // namespace
}  // namespace sinew::pipeline
