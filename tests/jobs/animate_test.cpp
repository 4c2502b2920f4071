// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/animate.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sinew/core/error.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/convert.h"
#include "sinew/jobs/make.h"
#include "sinew/jobs/rest.h"
#include "sinew/jobs/skeleton.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

class Animate : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("sinew_animate_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    MakeOptions options;
    options.shape.vertices = 2000;
    make({{"human"}, folder_ / "human.glb", false}, options, {});
    ConvertOptions walk;
    walk.clip = "builtin:walk";
    convert({{folder_ / "human.glb"}, folder_ / "walk.bvh", false}, walk, {});
  }
  void TearDown() override { fs::remove_all(folder_); }

  io::Asset load(const char* name) const { return io::load(folder_ / name); }

  fs::path folder_;
};

TEST_F(Animate, AddsClipsAndKeepsThoseThatAreThere) {
  const Report report =
      animate({{folder_ / "human.glb", folder_ / "walk.bvh", "builtin:run", folder_ / "walk.bvh"}, folder_ / "out.glb"},
              {}, {});
  const io::Asset before = load("human.glb"), after = load("out.glb");
  ASSERT_EQ(after.character.clips.size(), before.character.clips.size() + 3);
  for (std::size_t c = 0; c < before.character.clips.size(); ++c) {
    EXPECT_EQ(after.character.clips[c].name, before.character.clips[c].name);
    EXPECT_EQ(after.character.clips[c].tracks.size(), before.character.clips[c].tracks.size());
  }
  // The character has a clip of this name already.
  EXPECT_EQ(after.character.clips.rbegin()[2].name, "walk_2");
  EXPECT_EQ(after.character.clips.rbegin()[0].name, "walk_3");
  EXPECT_GT(after.character.clips.back().tracks.size(), 10u);
  EXPECT_EQ(after.character.rig.mesh.positions, before.character.rig.mesh.positions);
  EXPECT_EQ(report.metrics["clips"].size(), 3u);
  EXPECT_GT(report.metrics["clips"][0]["map"].size(), 15u);
}

TEST_F(Animate, RefusesWhatItCannotUseAndWritesNothing) {
  const auto run = [&](const fs::path& clip, const AnimateJobOptions& options = {}) {
    animate({{folder_ / "human.glb", clip}, folder_ / "out.glb"}, options, {});
  };
  EXPECT_THROW(run(folder_ / "nothing.bvh"), Error);
  EXPECT_THROW(run(folder_ / "walk.bvh#Dance"), Error);
  EXPECT_THROW(run("builtin:fly"), Error);
  std::ofstream(folder_ / "map.json") << "{\"LeftHnd\": \"Head\"}";
  AnimateJobOptions options;
  options.map = (folder_ / "map.json").string();
  EXPECT_THROW(run(folder_ / "walk.bvh", options), Error);
  EXPECT_THROW(animate({{folder_ / "walk.bvh", folder_ / "human.glb"}, folder_ / "out.obj"}, {}, {}), Error);
  EXPECT_FALSE(fs::exists(folder_ / "out.glb"));
}

TEST_F(Animate, RestAndSkeletonWriteFilesThatAreReadTheSame) {
  rest({{folder_ / "human.glb"}, folder_ / "t.glb"}, {}, {});
  const Character human = load("human.glb").character, t = load("t.glb").character;
  EXPECT_EQ(t.rig.mesh.vertex_count(), human.rig.mesh.vertex_count());
  EXPECT_EQ(t.clips.size(), human.clips.size());
  SkeletonJobOptions edit;
  edit.skeleton.remove = {"LeftForearm"};
  edit.skeleton.add_root = true;
  skeleton({{folder_ / "human.glb"}, folder_ / "edited.glb"}, edit, {});
  const Character edited = load("edited.glb").character;
  EXPECT_EQ(edited.rig.skeleton.find("LeftForearm"), kNone);
  EXPECT_EQ(edited.rig.skeleton.size(), human.rig.skeleton.size());
  EXPECT_EQ(edited.rig.skeleton.joints[edited.rig.skeleton.find("Hips")].parent, edited.rig.skeleton.find("Root"));
  EXPECT_EQ(edited.clips.size(), human.clips.size());
}

}  // namespace
}  // namespace sinew::jobs
