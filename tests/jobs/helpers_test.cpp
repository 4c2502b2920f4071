// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/helpers.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/deformer.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/make.h"
#include "sinew/motion/resolve.h"
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
  forearm.per_bone = 0;
  EXPECT_NE(refusal("human.glb", forearm).find("per_bone"), std::string::npos);
}

}  // namespace
}  // namespace sinew::jobs
