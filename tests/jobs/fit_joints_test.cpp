// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/fit_joints.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sinew/core/error.h"
#include "sinew/io/asset.h"
#include "sinew/io/file.h"
#include "sinew/io/part_shapes.h"
#include "sinew/io/parts_json.h"
#include "sinew/jobs/make.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

class FitJoints : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    MakeOptions human;
    human.shape.vertices = 2500;
    make({{"human"}, *folder_ / "human.glb", false}, human, {});
  }
  static void TearDownTestSuite() { delete folder_; }

  static FitJointsJobOptions knees() {
    FitJointsJobOptions options;
    options.fit.joints = {"knee"};
    options.fit.check_bends = false;  // Tested by itself.
    return options;
  }
  static Report run(const std::string& out, const FitJointsJobOptions& options) {
    return fit_joints({{*folder_ / "human.glb"}, *folder_ / out, true}, options, {});
  }
  static PartSamples stored(const std::string& name, Findings& findings) {
    return io::stored_part_samples(io::load(*folder_ / name), findings);
  }

  static test::TemporaryFolder* folder_;
};

test::TemporaryFolder* FitJoints::folder_ = nullptr;

TEST_F(FitJoints, StoresTheSameShapesInBothKindsOfFiles) {
  const Report report = run("fitted.glb", knees());
  EXPECT_EQ(report.metrics["adjusted"], 2);
  run("shapes.json", knees());
  Findings findings;
  const PartSamples in_file = stored("fitted.glb", findings);
  EXPECT_TRUE(findings.empty());
  const PartSamples beside = io::read_samples_json(io::read_file(*folder_ / "shapes.json"), "shapes.json");
  ASSERT_EQ(in_file.size(), beside.size());
  EXPECT_EQ(in_file.size(), 4u);  // Both thighs and both shins.
  for (const auto& [name, samples] : beside) {
    ASSERT_EQ(in_file.at(name).size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i)
      EXPECT_LT((in_file.at(name)[i].point - samples[i].point).norm(), 1e-12);
  }
  // The character itself is the same.
  const Rig before = io::load(*folder_ / "human.glb").character.rig,
            after = io::load(*folder_ / "fitted.glb").character.rig;
  EXPECT_EQ(before.mesh.positions, after.mesh.positions);
  EXPECT_EQ(before.skeleton.size(), after.skeleton.size());
}

TEST_F(FitJoints, ShapesOfAnotherMeshAreNotUsed) {
  run("fitted.glb", knees());
  io::Asset asset = io::load(*folder_ / "fitted.glb");
  Findings findings;
  EXPECT_FALSE(io::stored_part_samples(asset, findings).empty());
  asset.character.rig.mesh.positions.pop_back();
  EXPECT_TRUE(io::stored_part_samples(asset, findings).empty());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "gltf.part_samples");
}

TEST_F(FitJoints, PartsAreWrittenAndReadBackAsShapes) {
  FitJointsJobOptions options = knees();
  options.parts = (*folder_ / "parts").string();
  run("shapes.json", options);
  ASSERT_TRUE(fs::exists(*folder_ / "parts" / "LeftShin.obj"));
  // One that somebody moved by a centimetre.
  fs::create_directories(*folder_ / "edited");
  io::Asset part = io::load(*folder_ / "parts" / "LeftShin.obj");
  for (Vec3& p : part.character.rig.mesh.positions) p += Vec3(0.01, 0, 0);
  Report report;
  io::SaveOptions save;
  save.changes.positions = true;
  io::save(part, *folder_ / "edited" / "LeftShin.obj", save, report);
  FitJointsJobOptions again = knees();
  again.edited_parts = (*folder_ / "edited").string();
  const Report edited = run("edited.json", again);
  EXPECT_EQ(edited.metrics["edited"], Json::array({"LeftShin"}));
  const PartSamples samples = io::read_samples_json(io::read_file(*folder_ / "edited.json"), "edited.json");
  // Its shape lies where it was put, and the other parts where they were.
  const PartSamples before = io::read_samples_json(io::read_file(*folder_ / "shapes.json"), "shapes.json");
  const auto centre = [](const std::vector<SurfaceSample>& list) {
    Vec3 sum = Vec3::Zero();
    for (const SurfaceSample& sample : list) sum += sample.point;
    return Vec3(sum / static_cast<double>(list.size()));
  };
  EXPECT_NEAR((centre(samples.at("LeftShin")) - centre(before.at("LeftShin"))).x(), 0.01, 0.005);
  EXPECT_NEAR((centre(samples.at("RightShin")) - centre(before.at("RightShin"))).x(), 0, 1e-9);
}

TEST_F(FitJoints, RefusesWhatItCannotDo) {
  const auto refusal = [&](const FitJointsJobOptions& options, const std::string& out) {
    EXPECT_THROW(run(out, options), Error);
    EXPECT_FALSE(fs::exists(*folder_ / out));
  };
  refusal(knees(), "no.obj");
  FitJointsJobOptions options = knees();
  options.fit.joints = {"nobody"};
  refusal(options, "no.glb");
  options = knees();
  options.fit.peel["nobody"] = 1;
  refusal(options, "no.glb");
  options = knees();
  options.edited_parts = (*folder_ / "missing").string();
  refusal(options, "no.glb");
}

}  // namespace
}  // namespace sinew::jobs
