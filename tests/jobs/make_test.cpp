// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/make.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/io/asset.h"
#include "sinew/shapes/kinds.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

class Make : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("sinew-make-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path path(const std::string& name) const { return folder_ / name; }
  Report run(const std::string& kind, const std::string& name, const MakeOptions& options = {}, bool force = false) {
    return make({{kind}, path(name), force}, options, {});
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

MakeOptions small_bar() {
  MakeOptions options;
  options.shape.layers = 8;
  return options;
}

/// A face from its smallest vertex on.
std::vector<Index> rotated(std::span<const Index> face) {
  std::vector<Index> corners(face.begin(), face.end());
  std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
  return corners;
}

TEST_F(Make, WhatIsWrittenReadsBackTheSame) {
  for (const char* kind : {"bar", "cylinder", "figure"}) {
    SCOPED_TRACE(kind);
    const Report report = run(kind, std::string(kind) + ".glb");
    EXPECT_TRUE(report.warnings.empty());
    const shapes::Made made = shapes::make(kind, {}).made;
    const Character read = io::load(path(std::string(kind) + ".glb")).character;
    ASSERT_EQ(read.rig.mesh.face_count(), made.character.rig.mesh.face_count());
    for (Index f = 0; f < read.rig.mesh.face_count(); ++f)
      EXPECT_EQ(rotated(read.rig.mesh.face(f)), rotated(made.character.rig.mesh.face(f)));
    EXPECT_EQ(read.rig.mesh.face_offsets, made.character.rig.mesh.face_offsets);
    EXPECT_EQ(read.rig.skeleton.size(), made.character.rig.skeleton.size());
    EXPECT_EQ(report.metrics["vertices"], read.rig.mesh.vertex_count());
    EXPECT_EQ(report.metrics["quads"], read.rig.mesh.face_count());
    EXPECT_EQ(report.metrics["kind"], kind);
    EXPECT_EQ(report.metrics["joints"], read.rig.skeleton.size());
  }
}

TEST_F(Make, LeavesOutWhatIsNotAskedFor) {
  MakeOptions options = small_bar();
  options.with = "mesh";
  run("bar", "mesh.glb", options);
  const Rig mesh = io::load(path("mesh.glb")).character.rig;
  EXPECT_EQ(mesh.mesh.face_count(), 8U * 16 + 32);
  EXPECT_TRUE(mesh.weights.empty() && mesh.skins.empty());
  EXPECT_EQ(mesh.skeleton.find("Joint0"), kNone);
  options.with = "skeleton";
  run("bar", "skeleton.glb", options);
  const Rig skeleton = io::load(path("skeleton.glb")).character.rig;
  const Index root = skeleton.skeleton.find("Joint0");
  EXPECT_NE(skeleton.skeleton.find("Joint2"), kNone);
  for (Index i = 0; i < skeleton.mesh.vertex_count(); ++i) {
    ASSERT_EQ(skeleton.weights.row(i).size(), 1U);
    EXPECT_EQ(skeleton.weights.row(i)[0].joint, root);
  }
  options.with = "weights";
  run("bar", "weights.glb", options);
  const Rig all = io::load(path("weights.glb")).character.rig;
  EXPECT_EQ(all.skins.size(), 1U);
  EXPECT_GE(all.weights.max_influences(), 2U);
}

TEST_F(Make, WritesMeshesAndRigsAlone) {
  MakeOptions options = small_bar();
  options.with = "mesh";
  run("bar", "bar.obj", options);
  EXPECT_EQ(io::load(path("bar.obj")).character.rig.mesh.face_count(), 8U * 16 + 32);
  EXPECT_THROW(run("bar", "bare.rig.json", options), Error);
  options.with = "weights";
  run("bar", "bar.rig.json", options);
  EXPECT_EQ(io::load(path("bar.rig.json")).character.rig.skeleton.size(), 3U);
  EXPECT_FALSE(fs::exists(path("bare.rig.json")));
}

TEST_F(Make, WritesTheTruthBesideTheCharacter) {
  MakeOptions options = small_bar();
  options.truth = path("bar.truth.json").string();
  const Report report = run("bar", "bar.glb", options);
  EXPECT_EQ(report.outputs.size(), 2U);
  std::ifstream file(options.truth);
  const Json truth = Json::parse(file);
  EXPECT_EQ(truth["vertex_count"], report.metrics["vertices"]);
  EXPECT_EQ(truth["options"]["layers"], 8);
}

TEST_F(Make, RefusesBeforeAnythingIsWritten) {
  MakeOptions options = small_bar();
  options.truth = path("same.obj").string();
  EXPECT_THROW(run("bar", "same.obj", options), Error);
  options.truth = path("missing/truth.json").string();
  EXPECT_THROW(run("bar", "bar.glb", options), Error);
  options.truth = {};
  options.shape.clothes = true;
  EXPECT_THROW(run("bar", "bar.glb", options), Error);
  EXPECT_THROW(run("tetrapod", "x.glb"), Error);
  EXPECT_THROW(run("bar", "bar.ply"), Error);
  EXPECT_EQ(file_count(), 0U);
  std::ofstream(path("old.json")) << "old";
  options = small_bar();
  options.truth = path("old.json").string();
  EXPECT_THROW(run("bar", "bar.glb", options), Error);
  EXPECT_EQ(file_count(), 1U);
  run("bar", "bar.glb", options, true);
  EXPECT_EQ(file_count(), 2U);
}

}  // namespace
}  // namespace sinew::jobs
