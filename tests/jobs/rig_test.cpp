// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/rig.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/io/file.h"
#include "sinew/jobs/convert.h"
#include "sinew/jobs/make.h"
#include "sinew/pipeline/rig.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

class RigJob : public testing::Test {
 protected:
  void SetUp() override {
    MakeOptions options;
    options.shape.vertices = 2500;
    make({{"human"}, folder_ / "made.glb", false}, options, {});
    convert({{folder_ / "made.glb"}, folder_ / "bare.obj", false}, {}, {});
  }

  Report run(const std::vector<std::string>& in, const std::string& out, const RigJobOptions& options = {}) {
    std::vector<fs::path> inputs;
    for (const std::string& name : in) inputs.push_back(folder_ / name);
    return rig({inputs, folder_ / out, false}, options, {});
  }
  std::string error_of(const std::vector<std::string>& in, const std::string& out, const RigJobOptions& options) {
    try {
      run(in, out, options);
    } catch (const Error& problem) {
      return problem.what();
    }
    return "";
  }
  void put_text(const std::string& name, const std::string& text) {
    test::write(folder_ / name, std::as_bytes(std::span(text.data(), text.size())));
  }
  static RigJobOptions human() {
    RigJobOptions options;
    options.template_name = "human";
    return options;
  }

  test::TemporaryFolder folder_;
};

TEST_F(RigJob, ABareMeshBecomesARiggedCharacter) {
  RigJobOptions options;
  options.rig.demo_clip = {"auto"};
  const Report report = run({"bare.obj"}, "out.glb", options);
  EXPECT_EQ(report.status, Report::Status::kDone);
  EXPECT_EQ(report.metrics["template"], "human");
  EXPECT_GT(report.metrics["confidence"].get<double>(), 0.3);
  const io::Asset out = io::load(folder_ / "out.glb"), made = io::load(folder_ / "made.glb");
  EXPECT_EQ(out.character.rig.mesh.vertex_count(), made.character.rig.mesh.vertex_count());
  EXPECT_EQ(out.character.clips.size(), 1U);
  EXPECT_EQ(out.character.rig.weights.row_count(), out.character.rig.mesh.vertex_count());
  for (const Json& joint : report.metrics["joints"])
    for (const char* key : {"name", "role", "position", "origin", "confidence"})
      EXPECT_TRUE(joint.contains(key)) << key;
  for (const char* stage : {"read", "bind", "write"}) EXPECT_TRUE(report.timing.contains(stage)) << stage;
  EXPECT_NE(report.next.find("--clip builtin:walk --sheet"), std::string::npos) << report.next;
  EXPECT_NE(report.text.find("template   human"), std::string::npos) << report.text;
}

TEST_F(RigJob, AFileWithASkeletonNeedsReplace) {
  try {
    run({"made.glb"}, "out.glb");
    FAIL();
  } catch (const Error& problem) {
    EXPECT_NE(std::string(problem.what()).find("'replace'"), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(folder_ / "out.glb"));
  RigJobOptions options = human();
  options.rig.replace = true;
  const Report report = run({"made.glb"}, "out.glb", options);
  const io::Asset before = io::load(folder_ / "made.glb"), after = io::load(folder_ / "out.glb");
  ASSERT_EQ(after.character.rig.mesh.positions.size(), before.character.rig.mesh.positions.size());
  // Files hold floats in the space of the bind matrices, and these are new.
  for (std::size_t v = 0; v < before.character.rig.mesh.positions.size(); ++v)
    EXPECT_LT((after.character.rig.mesh.positions[v] - before.character.rig.mesh.positions[v]).norm(), 1e-6) << v;
  EXPECT_EQ(after.character.rig.skins.size(), 1U);
  EXPECT_EQ(after.character.clips.size(), before.character.clips.size());
}

TEST_F(RigJob, SeveralFilesAreOneCharacter) {
  RigJobOptions options = human();
  options.rig.bind.choose("distance");
  const Index once = io::load(folder_ / "bare.obj").character.rig.mesh.vertex_count();
  fs::copy_file(folder_ / "bare.obj", folder_ / "again.obj");
  const Report report = run({"bare.obj", "again.obj"}, "out.glb", options);
  const io::Asset out = io::load(folder_ / "out.glb");
  EXPECT_EQ(out.character.rig.mesh.parts.size(), 2U);
  EXPECT_EQ(out.character.rig.mesh.vertex_count(), 2 * once);
  EXPECT_EQ(out.character.rig.skins.size(), 1U);
  EXPECT_GE(report.inputs.size(), 2U);
}

TEST_F(RigJob, GivesTheJointsAndWeightsOfTheLibrary) {
  run({"bare.obj"}, "out.glb");
  const io::Asset written = io::load(folder_ / "out.glb");
  const pipeline::RigResult result = pipeline::rig(io::load(folder_ / "bare.obj").character);
  // The library's own result through a file, where numbers are floats.
  io::Asset asset;
  asset.character = result.character;
  Report report;
  io::save(asset, folder_ / "library.glb", {}, report);
  const io::Asset expected = io::load(folder_ / "library.glb");
  const Rig &a = written.character.rig, &b = expected.character.rig;
  EXPECT_EQ(a.weights, b.weights);
  ASSERT_EQ(a.skeleton.size(), b.skeleton.size());
  for (Index j = 0; j < a.skeleton.size(); ++j) {
    EXPECT_EQ(a.skeleton.joints[j].name, b.skeleton.joints[j].name);
    EXPECT_EQ(a.skeleton.joints[j].parent, b.skeleton.joints[j].parent);
    EXPECT_EQ(a.skeleton.joints[j].rest, b.skeleton.joints[j].rest) << a.skeleton.joints[j].name;
  }
}

TEST_F(RigJob, ExactPositionsComeFromAFile) {
  put_text("positions.json", R"({"LeftHand": [0.7, 1.2, 0.01]})");
  RigJobOptions options = human();
  options.rig.bind.choose("distance");
  options.joint_positions = (folder_ / "positions.json").string();
  const Report report = run({"bare.obj"}, "out.glb", options);
  bool found = false;
  for (const Json& joint : report.metrics["joints"])
    if (joint["role"] == "left_hand") {
      const auto p = joint["position"].get<std::vector<double>>();
      found = (Vec3(p[0], p[1], p[2]) - Vec3(0.7, 1.2, 0.01)).norm() < 1e-9 && joint["origin"] == "given";
    }
  EXPECT_TRUE(found);
  for (const char* text : {"[1]", "{\"LeftHand\": [1, 2]}", "{\"LeftHand\": [1, 2, \"x\"]}", "{"}) {
    put_text("bad.json", text);
    options.joint_positions = (folder_ / "bad.json").string();
    EXPECT_NE(error_of({"bare.obj"}, "never.glb", options).find("bad.json"), std::string::npos) << text;
  }
  put_text("bad.json", R"({"Nose": [1, 2, 3]})");
  EXPECT_NE(error_of({"bare.obj"}, "never.glb", options).find("'Nose'"), std::string::npos);
}

TEST_F(RigJob, WrongWordsAreRefusedBeforeAnythingIsRead) {
  RigJobOptions options;
  options.template_name = "dragon";
  EXPECT_NE(error_of({"not_there.obj"}, "never.glb", options).find("generic"), std::string::npos);
  options.template_name = "none.json";
  EXPECT_NE(error_of({"not_there.obj"}, "never.glb", options).find("none.json"), std::string::npos);
}

TEST_F(RigJob, SameBytesForAnyNumberOfThreads) {
  set_thread_count(1);
  run({"bare.obj"}, "one.glb", human());
  set_thread_count(2);
  run({"bare.obj"}, "two.glb", human());
  set_thread_count(0);
  EXPECT_EQ(io::read_file(folder_ / "one.glb"), io::read_file(folder_ / "two.glb"));
}

TEST_F(RigJob, WhatIsCancelledLeavesNothing) {
  const Progress progress;
  progress.cancel();
  EXPECT_THROW(rig({{folder_ / "bare.obj"}, folder_ / "out.glb", false}, {}, progress), Cancelled);
  EXPECT_FALSE(fs::exists(folder_ / "out.glb"));
}

TEST_F(RigJob, OutputsThatHoldNoSkeletonAreRefusedBeforeTheWork) {
  EXPECT_THROW(run({"bare.obj"}, "out.obj"), Error);
  EXPECT_THROW(run({"not_there.obj"}, "out.ply"), Error);
}

}  // namespace
}  // namespace sinew::jobs
