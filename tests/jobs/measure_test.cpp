// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/io/file.h"
#include "sinew/jobs/convert.h"
#include "sinew/jobs/make.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

class Measure : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("sinew_measure_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    MakeOptions options;
    options.shape.joint_count = 3;
    options.shape.layers = 40;
    jobs::make({{"cylinder"}, folder_ / "limb.glb", false}, options, {});
    put("twist.json", R"({"joints": {"Joint1": {"rotation": {"euler_deg": [0, 176, 0]}}}})");
    put("bend.json", R"({"joints": {"Joint1": {"rotation": {"euler_deg": [90, 0, 0]}}}})");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  Report run(const MeasureOptions& options, const std::string& file = "limb.glb") {
    return jobs::measure({{folder_ / file}, {}, false}, options, {});
  }
  MeasureOptions posed(const std::string& pose, const std::string& method = "lbs") {
    MeasureOptions options;
    options.pose = (folder_ / pose).string();
    options.deformer = pipeline::deformer(method);
    return options;
  }

  fs::path folder_;
};

TEST_F(Measure, RangeOfMotionComparesMethodsWithLinearBlending) {
  MeasureOptions options;
  options.rom = true;
  options.rom_methods = {"slbs", "delta_mush"};
  options.csv = (folder_ / "rom.csv").string();
  const Report report = run(options);
  const Json& methods = report.metrics["range_of_motion"]["methods"];
  ASSERT_EQ(methods.size(), 3U);
  EXPECT_EQ(methods[0]["method"], "lbs");
  EXPECT_EQ(methods[1]["tears"], 0);
  EXPECT_GT(methods[0]["cases"].size(), 3U);
  EXPECT_NE(report.text.find("slbs"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder_ / "rom.csv"));
}

TEST_F(Measure, RangeOfMotionComparesACorrectionWithTheMethodThatItCorrects) {
  MeasureOptions options;
  options.rom = true;
  options.rom_methods = {"implicit"};
  const Report report = run(options);
  const Json& methods = report.metrics["range_of_motion"]["methods"];
  ASSERT_EQ(methods.size(), 3U);
  EXPECT_EQ(methods[1]["method"], "dqs");
  EXPECT_EQ(methods[1]["base"], "lbs");
  EXPECT_EQ(methods[2]["method"], "implicit");
  EXPECT_EQ(methods[2]["base"], "dqs");
}

TEST_F(Measure, RangeOfMotionHasAnglesBetweenThoseThatCorrectionsArePreparedFor) {
  const auto angles = [&](pipeline::RangeAngles kind) {
    MeasureOptions options;
    options.rom = true;
    options.rom_methods = {"dqs"};
    options.rom_angles = kind;
    const Report report = run(options);
    std::vector<int> found;
    for (const Json& pose : report.metrics["range_of_motion"]["methods"][1]["cases"])
      found.push_back(std::abs(pose["angle_deg"].get<int>()));
    return found;
  };
  const std::vector<int> whole = angles(pipeline::RangeAngles::kWhole);
  const std::vector<int> shorter = angles(pipeline::RangeAngles::kShorter);
  const std::vector<int> random = angles(pipeline::RangeAngles::kRandom);
  ASSERT_GT(whole.size(), 3U);
  ASSERT_EQ(shorter.size(), whole.size());
  ASSERT_EQ(random.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_NEAR(shorter[i], 0.87 * whole[i], 0.6);
    EXPECT_GE(random[i], whole[i] / 2 - 1);
    EXPECT_LE(random[i], whole[i]);
  }
  EXPECT_NE(random, whole);
  EXPECT_EQ(random, angles(pipeline::RangeAngles::kRandom));
}

TEST_F(Measure, RangeOfMotionRefusesWhatPosesTheCharacterAndUnknownMethods) {
  MeasureOptions options = posed("bend.json");
  options.rom = true;
  EXPECT_THROW(run(options), Error);
  MeasureOptions unknown;
  unknown.rom = true;
  unknown.rom_methods = {"nothing"};
  EXPECT_THROW(run(unknown), Error);
  MeasureOptions alone;
  alone.rom_methods = {"slbs"};
  EXPECT_THROW(run(alone), Error);
  MeasureOptions angles;
  angles.rom_angles = pipeline::RangeAngles::kShorter;
  EXPECT_THROW(run(angles), Error);
}

TEST_F(Measure, FindsNothingInRestAndBindPose) {
  const Report report = run({});
  EXPECT_TRUE(report.warnings.empty());
  ASSERT_EQ(report.metrics["frames"].size(), 2U);
  for (const Json& frame : report.metrics["frames"]) {
    EXPECT_NEAR(frame["volume_loss"].get<double>(), 0, 1e-5);
    EXPECT_NEAR(frame["thinnest_section"].get<double>(), 1, 1e-5);
    EXPECT_EQ(frame["pairs"], 0);
  }
}

TEST_F(Measure, SeesTheCandyWrapperOfLinearBlendingAndNoneOfDualQuaternions) {
  const Json linear = run(posed("twist.json")).metrics["summary"],
             dual = run(posed("twist.json", "dqs")).metrics["summary"];
  EXPECT_LT(linear["volume_loss"]["worst"].get<double>(), 0.14);
  EXPECT_NEAR(linear["thinnest_section"]["worst"].get<double>(), std::pow(std::cos(radians(88)), 2), 1e-4);
  EXPECT_EQ(linear["thinnest_section"]["joint"], "Joint1");
  EXPECT_GT(dual["thinnest_section"]["worst"].get<double>(), 0.9);
}

TEST_F(Measure, SeesThatDualQuaternionsBulge) {
  const Json linear = run(posed("bend.json")).metrics["summary"],
             dual = run(posed("bend.json", "dqs")).metrics["summary"];
  EXPECT_GT(dual["bulge"]["worst"].get<double>(), linear["bulge"]["worst"].get<double>() + 0.05);
  EXPECT_EQ(dual["bulge"]["joint"], "Joint1");
}

TEST_F(Measure, WritesALineForEveryFrame) {
  MeasureOptions options;
  options.clip = "exercise";
  options.frames = "2:5";
  options.fps = 5;
  options.csv = (folder_ / "frames.csv").string();
  options.meter.intersections = false;
  const Report report = run(options);
  EXPECT_EQ(report.metrics["frames"].size(), 4U);
  EXPECT_FALSE(report.metrics["frames"][0].contains("pairs"));
  const std::string text(io::as_text(io::read_file(options.csv)));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_NE(text.find("frame,time_s,volume_m3,volume_loss,"), std::string::npos);
  EXPECT_NE(text.find("section:Joint1"), std::string::npos);
  EXPECT_NE(text.find("\n2,0.4,"), std::string::npos);
  EXPECT_THROW(run(options), Error);  // The table is there already.
}

TEST_F(Measure, AgainstItselfIsExact) {
  MeasureOptions options = posed("bend.json");
  options.against = (folder_ / "limb.glb").string();
  const Json metrics = run(options).metrics;
  EXPECT_EQ(metrics["summary"]["distance_max_m"]["worst"], 0);
  EXPECT_EQ(metrics["agreement"]["mean_half_l1"], 0);
  EXPECT_EQ(metrics["agreement"]["same_dominant"], 1);
  EXPECT_EQ(metrics["agreement"]["posed"]["rms_m"], 0);
}

TEST_F(Measure, AgainstCappedWeightsTellsHowFarTheyAre) {
  ConvertOptions convert_options;
  convert_options.max_influences = 1;
  convert({{folder_ / "limb.glb"}, folder_ / "one.glb", false}, convert_options, {});
  MeasureOptions options = posed("bend.json");
  options.against = (folder_ / "one.glb").string();
  const Json metrics = run(options).metrics;
  EXPECT_GT(metrics["summary"]["distance_max_m"]["worst"].get<double>(), 0.1);
  EXPECT_LT(metrics["frames"][0]["distance_rms_rel"].get<double>(), 0.1);
  EXPECT_GT(metrics["agreement"]["mean_half_l1"].get<double>(), 0.01);
  EXPECT_NEAR(metrics["agreement"]["worst_half_l1"].get<double>(), 0.5, 1e-3);
  EXPECT_EQ(metrics["agreement"]["same_dominant"], 1);
  EXPECT_GT(metrics["agreement"]["posed"]["rms_m"].get<double>(), 0);
}

TEST_F(Measure, MeasuresAMeshWithoutASkeleton) {
  MakeOptions options;
  options.with = "mesh";
  jobs::make({{"bar"}, folder_ / "bar.obj", false}, options, {});
  const Report report = run({}, "bar.obj");
  EXPECT_NEAR(report.metrics["parts"][0]["volume_m3"].get<double>(), 32, 1e-4);
  EXPECT_FALSE(report.metrics["summary"].contains("thinnest_section"));
}

TEST_F(Measure, RefusesWhatIsNotThereWithASentence) {
  MakeOptions make_options;
  make_options.shape.layers = 8;
  jobs::make({{"bar"}, folder_ / "bar.glb", false}, make_options, {});
  const auto refused = [&](const std::function<void(MeasureOptions&)>& change, const std::string& word) {
    MeasureOptions options;
    try {
      change(options);
      run(options);
      ADD_FAILURE() << "not refused: " << word;
    } catch (const Error& problem) {
      EXPECT_NE(std::string(problem.what()).find(word), std::string::npos) << problem.what();
    }
  };
  refused([](MeasureOptions& o) { o.clip = "nothing"; }, "nothing");
  refused([](MeasureOptions& o) { o.deformer = pipeline::deformer("magic"); }, "magic");
  refused([](MeasureOptions& o) { o.frames = "0:3"; }, "'clip'");
  refused([](MeasureOptions& o) { o.clip = "exercise", o.frames = "9:3"; }, "9:3");
  refused([&](MeasureOptions& o) { o.clip = "exercise", o.pose = (folder_ / "bend.json").string(); }, "'pose'");
  refused([&](MeasureOptions& o) { o.pose = (folder_ / "none.json").string(); }, "none.json");
  refused([&](MeasureOptions& o) { o.against = (folder_ / "bar.glb").string(); }, "vertices");
  refused([&](MeasureOptions& o) { o.csv = (folder_ / "table.txt").string(); }, ".csv");
}

TEST_F(Measure, GivesTheSameReportForAnyNumberOfThreads) {
  MeasureOptions options;
  options.clip = "exercise";
  options.frames = "3:6";
  options.fps = 5;
  set_thread_count(1);
  const Json one = run(options).metrics;
  set_thread_count(2);
  const Json two = run(options).metrics;
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace sinew::jobs
