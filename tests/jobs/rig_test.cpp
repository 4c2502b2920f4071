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
  static RigJobOptions human() {
    RigJobOptions options;
    options.template_name = "human";
    return options;
  }

  test::TemporaryFolder folder_;
};

TEST_F(RigJob, ABareMeshBecomesARiggedCharacter) {
  RigJobOptions options;
  options.demo_clip = {"auto"};
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
    EXPECT_NE(std::string(problem.what()).find("--replace"), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(folder_ / "out.glb"));
  RigJobOptions options = human();
  options.replace = true;
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
  options.bind = "distance";
  const Index once = io::load(folder_ / "bare.obj").character.rig.mesh.vertex_count();
  fs::copy_file(folder_ / "bare.obj", folder_ / "again.obj");
  const Report report = run({"bare.obj", "again.obj"}, "out.glb", options);
  const io::Asset out = io::load(folder_ / "out.glb");
  EXPECT_EQ(out.character.rig.mesh.parts.size(), 2U);
  EXPECT_EQ(out.character.rig.mesh.vertex_count(), 2 * once);
  EXPECT_EQ(out.character.rig.skins.size(), 1U);
  EXPECT_GE(report.inputs.size(), 2U);
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
