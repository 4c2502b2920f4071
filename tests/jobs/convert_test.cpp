// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/convert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "sinew/core/error.h"
#include "sinew/io/file.h"
#include "sinew/jobs/make.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

class Convert : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("sinew_convert_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    MakeOptions options;
    options.shape.vertices = 4000;
    make({{"human"}, folder_ / "figure.glb", false}, options, {});
  }
  void TearDown() override { fs::remove_all(folder_); }

  Report run(const std::string& in, const std::string& out, const ConvertOptions& options = {}) {
    return convert({{folder_ / in}, folder_ / out, false}, options, {});
  }

  fs::path folder_;
};

TEST_F(Convert, TellsWhatWasReadAndWritten) {
  const Report report = run("figure.glb", "again.glb");
  EXPECT_EQ(report.command, "convert");
  ASSERT_EQ(report.inputs.size(), 1u);
  ASSERT_EQ(report.outputs.size(), 1u);
  for (const char* stage : {"read", "written"}) {
    EXPECT_GT(report.metrics[stage]["vertices"].get<int>(), 1000);
    EXPECT_GT(report.metrics[stage]["faces"].get<int>(), 1000);
    EXPECT_EQ(report.metrics[stage]["joints"].get<int>(), report.metrics["read"]["joints"].get<int>());
    EXPECT_EQ(report.metrics[stage]["clips"].get<int>(), 2);
  }
  EXPECT_EQ(report.outputs[0].bytes, fs::file_size(folder_ / "again.glb"));
}

TEST_F(Convert, NothingAskedNothingChanged) {
  run("figure.glb", "again.glb");
  const io::Asset before = io::load(folder_ / "figure.glb"), after = io::load(folder_ / "again.glb");
  EXPECT_EQ(after.character.rig.mesh.positions, before.character.rig.mesh.positions);
  EXPECT_EQ(after.character.rig.weights, before.character.rig.weights);
  run("again.glb", "third.glb");
  EXPECT_EQ(io::read_file(folder_ / "third.glb"), io::read_file(folder_ / "again.glb"));
}

TEST_F(Convert, WritesWeightsAsBytesThatSumToExactlyOne) {
  ConvertOptions options;
  options.weight_type = "u8";
  run("figure.glb", "bytes.glb", options);
  const SkinWeights weights = io::load(folder_ / "bytes.glb").character.rig.weights;
  ASSERT_GT(weights.row_count(), 1000u);
  for (Index v = 0; v < weights.row_count(); ++v) {
    int units = 0;
    for (const Influence& influence : weights.row(v)) units += static_cast<int>(std::lround(influence.weight * 255));
    EXPECT_EQ(units, 255) << v;
  }
}

TEST_F(Convert, CapsInfluencesAndRowsStillSumToOne) {
  ConvertOptions options;
  options.max_influences = 2;
  const Report report = run("figure.glb", "two.glb", options);
  EXPECT_GT(report.metrics["largest_share_dropped"].get<double>(), 0);
  EXPECT_LT(report.metrics["largest_share_dropped"].get<double>(), 0.67);
  const io::Asset asset = io::load(folder_ / "two.glb");
  const SkinWeights& weights = asset.character.rig.weights;
  EXPECT_EQ(weights.max_influences(), 2u);
  for (Index v = 0; v < weights.row_count(); ++v) {
    double sum = 0;
    for (const Influence& i : weights.row(v)) sum += static_cast<double>(i.weight);
    ASSERT_NEAR(sum, 1, 1e-6) << v;
  }
}

TEST_F(Convert, ARigGoesThroughItsFileAndBackOntoTheMesh) {
  run("figure.glb", "figure.rig.json");
  run("figure.glb", "figure.obj");
  ConvertOptions options;
  options.rig = (folder_ / "figure.rig.json").string();
  const Report report = run("figure.obj", "again.glb", options);
  EXPECT_EQ(report.inputs.back().path, options.rig);
  const io::Asset before = io::load(folder_ / "figure.glb"), after = io::load(folder_ / "again.glb");
  EXPECT_EQ(after.character.rig.skeleton.size(), before.character.rig.skeleton.size());
  EXPECT_EQ(after.character.rig.weights.max_influences(), before.character.rig.weights.max_influences());
}

TEST_F(Convert, ARigWithoutWeightsForSomeVerticesIsReported) {
  run("figure.glb", "figure.rig.json");
  const io::Bytes bytes = io::read_file(folder_ / "figure.rig.json");
  Json rig = Json::parse(io::as_text(bytes));
  // Leaves out the rows of the first ten vertices of a mesh.
  Json& weights = rig["meshes"][0]["weights"];
  const std::vector<Index> vertices = weights["vertex"].get<std::vector<Index>>();
  const auto kept = std::find_if(vertices.begin(), vertices.end(), [](Index v) { return v >= 10; }) - vertices.begin();
  for (auto& [name, list] : weights.items()) list.erase(list.begin(), list.begin() + kept);
  std::ofstream(folder_ / "part.rig.json") << rig.dump();
  ConvertOptions options;
  options.rig = (folder_ / "figure.rig.json").string();
  EXPECT_TRUE(run("figure.glb", "all.glb", options).warnings.empty());
  options.rig = (folder_ / "part.rig.json").string();
  const Report report = run("figure.glb", "part.glb", options);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0].code, "rig.empty_rows");
  EXPECT_EQ(report.warnings[0].text.find("10 vertices have no weights"), 0U);
}

TEST_F(Convert, HeightAndGroundMoveTheWholeCharacter) {
  ConvertOptions options;
  options.placement.height = 2.5;
  options.placement.ground = true;
  run("figure.glb", "tall.glb", options);
  const Box box = io::load(folder_ / "tall.glb").character.rig.mesh.bounds();
  EXPECT_NEAR(box.extent().y(), 2.5, 1e-5);
  EXPECT_NEAR(box.lower.y(), 0, 1e-5);
}

TEST_F(Convert, RefusesWhatItCannotWriteBeforeItReads) {
  EXPECT_THROW(convert({{folder_ / "missing.glb"}, {}, false}, {}, {}), Error);
  try {
    run("missing.glb", "x.ply");
    FAIL();
  } catch (const Error& problem) {
    EXPECT_NE(std::string(problem.what()).find("x.ply"), std::string::npos) << problem.what();
  }
}

TEST_F(Convert, ACancelledJobWritesNothing) {
  const Progress progress;
  progress.cancel();
  EXPECT_THROW(convert({{folder_ / "figure.glb"}, folder_ / "x.glb", false}, {}, progress), Cancelled);
  EXPECT_FALSE(fs::exists(folder_ / "x.glb"));
}

TEST_F(Convert, AClipWrittenAsBvhMovesEveryJointTheSame) {
  ConvertOptions options;
  options.clip = "walk";
  const Report report = run("figure.glb", "walk.bvh", options);
  EXPECT_TRUE(std::any_of(report.warnings.begin(), report.warnings.end(),
                          [](const Finding& finding) { return finding.code == "bvh.no_mesh"; }));
  const Character figure = io::load(folder_ / "figure.glb").character;
  const Character read = io::load(folder_ / "walk.bvh").character;
  ASSERT_EQ(read.clips.size(), 1u);
  const auto own =
      std::find_if(figure.clips.begin(), figure.clips.end(), [](const Clip& c) { return c.name == "walk"; });
  ASSERT_NE(own, figure.clips.end());
  const Clip& walk = *own;
  EXPECT_NEAR(read.clips[0].duration_s(), walk.duration_s(), 1e-3);
  int compared = 0;
  for (const double t : {0.0, 0.3, 0.7}) {
    const auto theirs = motion::resolve(figure.rig.skeleton, motion::sample(figure.rig, walk, t)).joints;
    const auto ours = motion::resolve(read.rig.skeleton, motion::sample(read.rig, read.clips[0], t)).joints;
    for (Index j = 0; j < figure.rig.skeleton.size(); ++j) {
      const Index k = read.rig.skeleton.find(figure.rig.skeleton.joints[j].name);
      if (k == kNone) continue;
      EXPECT_LT((theirs[j] - ours[k]).topRightCorner(3, 1).norm(), 1e-4)
          << read.rig.skeleton.joints[k].name << " at " << t << " s";
      ++compared;
    }
  }
  EXPECT_GT(compared, 45);
}

TEST_F(Convert, ClipsAreChosenOnlyForBvh) {
  ConvertOptions options;
  options.clip = "walk";
  EXPECT_THROW(run("figure.glb", "again.glb", options), Error);
  EXPECT_THROW(run("figure.glb", "several.bvh"), Error) << "which of the two clips?";
  EXPECT_FALSE(fs::exists(folder_ / "several.bvh"));
}

}  // namespace
}  // namespace sinew::jobs
