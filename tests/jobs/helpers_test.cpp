// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/helpers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/deformer.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/helpers_select.h"
#include "sinew/jobs/make.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/helpers_measure.h"
#include "sinew/pipeline/helpers_places.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

namespace fs = std::filesystem;

class Helpers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    MakeOptions human;
    human.shape.vertices = 3000;
    make({{"human"}, *folder_ / "human.glb", false}, human, {});
    human.shape.clothes = true;
    make({{"human"}, *folder_ / "clothes.glb", false}, human, {});
    MakeOptions cylinder;
    cylinder.shape.width = 1;
    make({{"cylinder"}, *folder_ / "cylinder.glb", false}, cylinder, {});
    test::write(*folder_ / "strip.glb", test::make_fixture());
  }
  static void TearDownTestSuite() { delete folder_; }

  static Report run(const std::string& in, const std::string& out, const HelpersOptions& options) {
    return helpers({{*folder_ / in}, *folder_ / out, true}, options, {});
  }
  static Rig rig(const std::string& name) { return io::load(*folder_ / name).character.rig; }

  static std::string refusal(const std::string& in, const HelpersOptions& options, const std::string& out = "no.glb") {
    try {
      run(in, out, options);
    } catch (const Error& error) {
      EXPECT_FALSE(fs::exists(*folder_ / out));
      return error.what();
    }
    ADD_FAILURE() << "it was not refused";
    return "";
  }

  static std::vector<Vec3f> posed(const Rig& rig, const Pose& pose) {
    const auto deformer = deform::bind("lbs", rig);
    const auto state = deformer->make_state();
    std::vector<Vec3f> positions(rig.mesh.positions.size());
    deformer->deform(*state, {motion::resolve(rig.skeleton, pose)}, {positions, {}, nullptr});
    return positions;
  }

  static test::TemporaryFolder* folder_;
};

test::TemporaryFolder* Helpers::folder_ = nullptr;

TEST_F(Helpers, TheThinnestSectionOfACylinderIsWhatTheFormulaSays) {
  for (const int count : {1, 2, 3, 4, 5})
    for (const double degrees : {90.0, 120.0, 180.0}) {
      HelpersOptions options;
      options.twist = {"Joint0"};
      options.per_bone = std::to_string(count);
      options.max_twist = degrees;
      const Report report = run("cylinder.glb", "twist.glb", options);
      const Json& bone = report.metrics["twists"][0];
      EXPECT_NEAR(bone["thinnest"]["after"].get<double>(), bone["thinnest"]["formula"].get<double>(), 0.02)
          << count << " joints, " << degrees << "°";
      EXPECT_LT(bone["off_slbs_rel"]["after"]["rms"].get<double>(),
                bone["off_slbs_rel"]["before"]["rms"].get<double>());
    }
}

TEST_F(Helpers, TheRestShapeStays) {
  HelpersOptions options;
  options.twist = {"forearm", "upperarm", "thigh", "shin", "neck", "spine"};
  options.bend = {"elbow", "knee"};
  options.max_influences = 8;
  for (const char* file : {"human", "clothes"}) {
    const Report report = run(std::string(file) + ".glb", "out.glb", options);
    EXPECT_EQ(report.metrics["cap"]["rows"], 0);
    const Rig before = rig(std::string(file) + ".glb"), after = rig("out.glb");
    const auto a = posed(before, rest_pose(before)), b = posed(after, rest_pose(after));
    for (std::size_t v = 0; v < a.size(); ++v) ASSERT_LT((a[v] - b[v]).norm(), 3e-7 * before.mesh.size()) << file;
    // Weights only moved.
    for (Index v = 0; v < before.weights.row_count(); ++v) {
      double was = 0, is = 0;
      for (const Influence& influence : before.weights.row(v)) was += static_cast<double>(influence.weight);
      for (const Influence& influence : after.weights.row(v)) is += static_cast<double>(influence.weight);
      ASSERT_NEAR(was, is, 1e-6);
    }
  }
}

TEST_F(Helpers, BothSidesGetTheSame) {
  HelpersOptions options;
  options.twist = {"forearm", "upperarm"};
  const Report report = run("human.glb", "out.glb", options);
  const Json& twists = report.metrics["twists"];
  ASSERT_EQ(twists.size(), 4U);
  Index pairs = 0;
  for (const Json& a : twists)
    for (const Json& b : twists) {
      const std::string left = a["joint"], right = b["joint"];
      if (!left.starts_with("Left") || right != "Right" + left.substr(4)) continue;
      ++pairs;
      EXPECT_EQ(a["vertices"], b["vertices"]);
      EXPECT_NEAR(a["thinnest"]["after"].get<double>(), b["thinnest"]["after"].get<double>(), 2e-3);
    }
  EXPECT_EQ(pairs, 2U);
  const io::Asset with = io::load(*folder_ / "out.glb");
  EXPECT_TRUE(validate(with.character).empty());
}

TEST_F(Helpers, TwistsBeyondAHalfTurnAreSharedOut) {
  HelpersOptions options;
  options.twist = {"Joint0"};
  options.per_bone = "3";
  run("cylinder.glb", "out.glb", options);
  const Rig with = rig("out.glb");
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

TEST_F(Helpers, BakedClipsShowWhatTheDriversDo) {
  HelpersOptions options;
  options.twist = {"forearm"};
  options.bend = {"elbow"};
  const Report report = run("human.glb", "out.glb", options);
  const io::Asset with = io::load(*folder_ / "out.glb");
  EXPECT_EQ(report.metrics["baked_clips"], with.character.clips.size());
  const Skeleton& skeleton = with.character.rig.skeleton;
  for (const Clip& clip : with.character.clips) {
    Index tracks = 0;
    for (const Track& track : clip.tracks)
      tracks += track.path == Track::Path::kRotation && skeleton.joints[track.target].driver.has_value();
    EXPECT_EQ(tracks, 8U);
  }
}

TEST_F(Helpers, WordsMeanPartsOfTheBodyOrJointsByName) {
  const Rig human = rig("human.glb");
  const motion::Recognition known = motion::recognize(human.skeleton);
  const auto names = [&](const std::vector<std::string>& words) {
    std::vector<std::string> result;
    for (const Index joint : joints_of_words(human, known, words, "--twist"))
      result.push_back(human.skeleton.joints[joint].name);
    return result;
  };
  EXPECT_EQ(names({"left_forearm"}), (std::vector<std::string>{"LeftForearm"}));
  EXPECT_EQ(names({"LeftForearm", "left_elbow"}), (std::vector<std::string>{"LeftForearm"}));
  EXPECT_EQ(names({"Upper-Arm"}).size(), 2U);
  EXPECT_EQ(names({"knee"}), names({"shin"}));
  EXPECT_GE(names({"spine"}).size(), 1U);
  const rigging::TwistBone arm = twist_bone(human, known, human.skeleton.find("LeftUpperArm"));
  EXPECT_TRUE(arm.near);
  EXPECT_EQ(human.skeleton.joints[arm.child].name, "LeftForearm");
  EXPECT_FALSE(twist_bone(human, known, human.skeleton.find("LeftForearm")).near);
}

TEST_F(Helpers, AnElbowBendsForwardAndAKneeBack) {
  const Rig human = rig("human.glb");
  const motion::Recognition known = motion::recognize(human.skeleton);
  const std::vector<Mat4> frames = rest_matrices(human.skeleton);
  const auto turned = [&](const char* joint, const char* next) {
    const Index j = human.skeleton.find(joint), k = human.skeleton.find(next);
    const Vec3 bone = frames[k].topRightCorner<3, 1>() - frames[j].topRightCorner<3, 1>();
    return Vec3(rotation_exp(0.7 * bend_axis(human, known, j, frames)) * bone - bone);
  };
  EXPECT_GT(turned("LeftForearm", "LeftHand").z(), 0.05);
  EXPECT_LT(turned("RightShin", "RightFoot").z(), -0.05);
}

TEST_F(Helpers, ASmallRigidShellTurnsWithTheSkinUnderIt) {
  Rig human = rig("human.glb");
  const Index joint = human.skeleton.find("LeftForearm"), child = human.skeleton.find("LeftHand");
  TwistKnowledge knowledge;
  knowledge.shell.assign(human.mesh.positions.size(), kNone);
  knowledge.rigid_on = {joint, joint};
  const std::vector<Mat4> frames = rest_matrices(human.skeleton);
  const Vec3 start = frames[joint].topRightCorner<3, 1>(), link = frames[child].topRightCorner<3, 1>() - start;
  // A bracelet at 0.7 to 0.8, and a stiff sleeve.
  human.mesh.positions[0] = start + 0.7 * link;
  human.mesh.positions[1] = start + 0.8 * link;
  human.mesh.positions[2] = start + 0.1 * link;
  human.mesh.positions[3] = start + 0.9 * link;
  knowledge.shell[0] = knowledge.shell[1] = 0;
  knowledge.shell[2] = knowledge.shell[3] = 1;
  std::vector<float> places(human.mesh.positions.size(), 0.5F);
  EXPECT_EQ(place_rigid_shells(human, knowledge, {joint, child, false}, frames, places), 4U);
  EXPECT_NEAR(places[0], 0.75, 1e-5);
  EXPECT_EQ(places[0], places[1]);
  EXPECT_EQ(places[2], 0.0F);
  EXPECT_EQ(places[3], 0.0F);
  EXPECT_EQ(places[4], 0.5F);
}

TEST_F(Helpers, TooManyInfluencesAreCutAndTold) {
  HelpersOptions options;
  options.twist = {"forearm"};
  options.max_influences = 2;
  const Report report = run("human.glb", "out.glb", options);
  EXPECT_GT(report.metrics["cap"]["rows"].get<Index>(), 0U);
  EXPECT_GT(report.metrics["cap"]["largest_displacement_m"].get<double>(), 0);
  EXPECT_LE(rig("out.glb").weights.max_influences(), 2U);
}

TEST_F(Helpers, WhatCannotBeIsOneSentence) {
  HelpersOptions none;
  EXPECT_NE(refusal("human.glb", none).find("nothing to add"), std::string::npos);
  HelpersOptions wing;
  wing.twist = {"wing"};
  EXPECT_NE(refusal("human.glb", wing).find("forearm"), std::string::npos);
  HelpersOptions forearm;
  forearm.twist = {"forearm"};
  run("human.glb", "once.glb", forearm);
  EXPECT_NE(refusal("once.glb", forearm).find("LeftForearmTwist"), std::string::npos);
  HelpersOptions elbow;
  elbow.bend = {"elbow"};
  run("human.glb", "bent.glb", elbow);
  EXPECT_NE(refusal("bent.glb", elbow).find("LeftForearmBend"), std::string::npos);
  HelpersOptions head;
  head.twist = {"Head"};
  EXPECT_NE(refusal("human.glb", head).find("Head"), std::string::npos);
  forearm.per_bone = "many";
  EXPECT_NE(refusal("human.glb", forearm).find("--per-bone"), std::string::npos);
}

}  // namespace
}  // namespace sinew::jobs
