// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/io/asset.h"
#include "sinew/jobs/convert.h"
#include "sinew/jobs/make.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

class Weights : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    MakeOptions human;
    human.shape.vertices = 2500;
    make({{"human"}, *folder_ / "human.glb", false}, human, {});
    human.with = "mesh";
    make({{"human"}, *folder_ / "bare.glb", false}, human, {});
    test::write(*folder_ / "strip.glb", test::make_fixture());
  }
  static void TearDownTestSuite() { delete folder_; }

  static Report run(const std::string& in, const std::string& out, const WeightsOptions& options) {
    return weights({{*folder_ / in}, *folder_ / out, true}, options, {});
  }
  static Rig rig(const std::string& name) { return io::load(*folder_ / name).character.rig; }

  // The sentence of a refusal; nothing may have been written.
  static std::string refusal(const std::string& in, const WeightsOptions& options, const std::string& out = "no.glb") {
    try {
      run(in, out, options);
    } catch (const Error& error) {
      EXPECT_FALSE(fs::exists(*folder_ / out));
      return error.what();
    }
    ADD_FAILURE() << "it was not refused";
    return "";
  }

  static test::TemporaryFolder* folder_;
};

test::TemporaryFolder* Weights::folder_ = nullptr;

TEST_F(Weights, ALimitOfInfluencesIsTheSameInConvert) {
  WeightsOptions options;
  options.edit.max_influences = 2;
  run("human.glb", "limited.glb", options);
  ConvertOptions convert_options;
  convert_options.max_influences = 2;
  convert({{*folder_ / "human.glb"}, *folder_ / "converted.glb", true}, convert_options, {});
  const SkinWeights here = rig("limited.glb").weights, there = rig("converted.glb").weights;
  ASSERT_EQ(here.row_count(), there.row_count());
  for (Index v = 0; v < here.row_count(); ++v) {
    ASSERT_EQ(here.row(v).size(), there.row(v).size()) << v;
    for (std::size_t i = 0; i < here.row(v).size(); ++i) {
      ASSERT_EQ(here.row(v)[i].joint, there.row(v)[i].joint) << v;
      ASSERT_NEAR(here.row(v)[i].weight, there.row(v)[i].weight, 1e-6) << v;
    }
  }
}

TEST_F(Weights, OperationsRunInTheOrderWrittenAndCappingLast) {
  WeightsOptions options;
  options.edit.prune = 0.2;
  options.edit.smooth = 3;
  options.edit.max_influences = 3;
  std::vector<std::vector<std::string>> ran;
  for (const std::vector<std::string>& order : {std::vector<std::string>{"prune", "smooth"}, {"smooth", "prune"}, {}}) {
    options.edit.order = order;
    const Report report = run("human.glb", "order.glb", options);
    ran.emplace_back();
    for (const Json& entry : report.metrics["operations"]) ran.back().push_back(entry["operation"]);
    EXPECT_LE(rig("order.glb").weights.max_influences(), 3U);
  }
  EXPECT_EQ(ran[0], (std::vector<std::string>{"prune", "smooth", "cap"}));
  EXPECT_EQ(ran[1], (std::vector<std::string>{"smooth", "prune", "cap"}));
  EXPECT_EQ(ran[2], ran[1]);  // As they are listed.
}

TEST_F(Weights, ChangesWeightsAndNothingElse) {
  WeightsOptions options;
  options.edit.smooth = 2;
  run("strip.glb", "smooth.glb", options);
  const Character before = io::load(*folder_ / "strip.glb").character,
                  after = io::load(*folder_ / "smooth.glb").character;
  EXPECT_NE(after.rig.weights, before.rig.weights);
  EXPECT_EQ(after.rig.mesh.positions, before.rig.mesh.positions);
  EXPECT_EQ(after.rig.mesh.face_vertices, before.rig.mesh.face_vertices);
  EXPECT_EQ(after.clips.size(), before.clips.size());
  EXPECT_EQ(after.materials.size(), before.materials.size());
  // The rigid box under the second joint is as it was.
  for (const MeshPart& part : before.rig.mesh.parts)
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v)
      EXPECT_TRUE(part.skin != kNone || std::ranges::equal(after.rig.weights.row(v), before.rig.weights.row(v)));
}

TEST_F(Weights, AFileWithNothingToMendComesOutByteForByte) {
  WeightsOptions options;
  options.edit.repair = options.edit.fill = true;
  const Report report = run("human.glb", "same.glb", options);
  EXPECT_EQ(report.metrics["changes"]["vertices"], 0);
  EXPECT_EQ(io::read_file(*folder_ / "same.glb"), io::read_file(*folder_ / "human.glb"));
}

TEST_F(Weights, ADryRunTellsWhatWouldChangePerJointAndWritesNothing) {
  WeightsOptions options;
  options.edit.prune = 0.3;
  options.dry_run = true;
  const Report report = run("human.glb", "dry.glb", options);
  EXPECT_FALSE(fs::exists(*folder_ / "dry.glb"));
  EXPECT_GT(report.metrics["changes"]["joints"].size(), 5U);
  EXPECT_NE(report.text.find("LeftForearm"), std::string::npos);
  EXPECT_TRUE(report.outputs.empty());
}

TEST_F(Weights, LockedJointsKeepTheirWeights) {
  WeightsOptions options;
  options.edit.smooth = 5;
  options.edit.prune = 0.1;
  options.edit.symmetrize = true;
  options.edit.lock = {"LeftForearm", "Head"};
  run("human.glb", "locked.glb", options);
  const Rig before = rig("human.glb"), after = rig("locked.glb");
  EXPECT_NE(before.weights, after.weights);
  for (const std::string& name : options.edit.lock) {
    const Index joint = before.skeleton.find(name);
    const auto share = [&](const SkinWeights& weights, Index v) {
      for (const Influence& influence : weights.row(v))
        if (influence.joint == joint) return influence.weight;
      return 0.0F;
    };
    for (Index v = 0; v < before.mesh.vertex_count(); ++v)
      ASSERT_NEAR(share(before.weights, v), share(after.weights, v), 3e-6F);
  }
}

TEST_F(Weights, CappingStatesItsError) {
  WeightsOptions options;
  options.edit.max_influences = 1;
  const Report report = run("human.glb", "one.glb", options);
  const Json& cap = report.metrics["operations"][0];
  EXPECT_GT(cap["largest_share_dropped"].get<double>(), 0.3);
  EXPECT_GT(cap["mean_share_dropped"].get<double>(), 0);
  EXPECT_GT(cap["largest_displacement_m"].get<double>(), 0.001);
  EXPECT_EQ(rig("one.glb").weights.max_influences(), 1U);
}

TEST_F(Weights, ComparisonWithItselfIsPerfectAndWithAnotherNamesTheJoints) {
  WeightsOptions compare;
  compare.compare = (*folder_ / "human.glb").string();
  const Report same = weights({{*folder_ / "human.glb"}, std::nullopt, false}, compare, {});
  EXPECT_EQ(same.metrics["compare"]["mean_half_l1"], 0);
  EXPECT_EQ(same.metrics["compare"]["same_dominant"], 1);
  EXPECT_TRUE(same.outputs.empty());
  WeightsOptions options = compare;
  options.edit.smooth = 4;
  const Report other = run("human.glb", "compared.glb", options);
  EXPECT_GT(other.metrics["compare"]["mean_half_l1"].get<double>(), 0.001);
  EXPECT_GT(other.metrics["compare"]["joints"].size(), 10U);
}

TEST_F(Weights, BadRequestsAreSentencesAndWriteNothing) {
  WeightsOptions nothing, smooth, lock, order, compare;
  EXPECT_NE(refusal("human.glb", nothing).find("No operation is requested"), std::string::npos);
  smooth.edit.smooth = 1;
  EXPECT_NE(refusal("bare.glb", smooth).find("no skin"), std::string::npos);
  EXPECT_NE(refusal("human.glb", smooth, "no.obj").find("cannot hold weights"), std::string::npos);
  lock = smooth;
  lock.edit.lock = {"Haed"};
  EXPECT_NE(refusal("human.glb", lock).find("'Head'"), std::string::npos);
  order = smooth;
  order.edit.order = {"prune"};
  EXPECT_NE(refusal("human.glb", order).find("'prune'"), std::string::npos);
  compare.compare = (*folder_ / "strip.glb").string();
  EXPECT_NE(refusal("human.glb", compare).find("nothing to write"), std::string::npos);
  compare.edit.smooth = 1;
  EXPECT_NE(refusal("human.glb", compare).find("vertices"), std::string::npos);
  WeightsOptions mirror;
  mirror.edit.mirror = pipeline::MirrorDirection::kLeftToRight;
  MakeOptions bent;
  bent.shape.made_pose = "random";
  bent.shape.seed = 4;
  bent.shape.vertices = 1500;
  make({{"human"}, *folder_ / "bent.glb", true}, bent, {});
  EXPECT_NE(refusal("bent.glb", mirror).find("no mirror plane"), std::string::npos);
}

TEST_F(Weights, ARigWithoutItsMeshIsRefusedWithTheCommandThatHelps) {
  convert({{*folder_ / "human.glb"}, *folder_ / "alone.rig.json", true}, {}, {});
  WeightsOptions options;
  options.edit.prune = 0.1;
  EXPECT_NE(refusal("alone.rig.json", options).find("sinew convert MESH --rig"), std::string::npos);
}

TEST_F(Weights, ARigFileCanBeTheOutput) {
  WeightsOptions options;
  options.edit.prune = 0.1;
  run("human.glb", "pruned.rig.json", options);
  EXPECT_TRUE(fs::exists(*folder_ / "pruned.rig.json"));
}

TEST_F(Weights, TheResultIsTheSameForAnyNumberOfThreads) {
  WeightsOptions options;
  options.edit.repair = options.edit.symmetrize = true;
  options.edit.smooth = 2;
  options.edit.prune = 0.02;
  options.edit.max_influences = 3;
  std::vector<io::Bytes> files;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    run("human.glb", "threads.glb", options);
    files.push_back(io::read_file(*folder_ / "threads.glb"));
  }
  set_thread_count(0);
  EXPECT_EQ(files[0], files[1]);
}

}  // namespace
}  // namespace sinew::jobs
