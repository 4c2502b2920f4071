// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/bind.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/io/file.h"
#include "sinew/jobs/convert.h"
#include "sinew/jobs/make.h"
#include "sinew/pipeline/bind_parts.h"

namespace sinew::jobs {

using namespace pipeline;
namespace {

namespace fs = std::filesystem;

class Bind : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("sinew_bind_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    MakeOptions options;
    options.shape.vertices = 1500;
    make({{"human"}, folder_ / "figure.glb", false}, options, {});
  }
  void TearDown() override { fs::remove_all(folder_); }

  Report run(const std::string& in, const std::string& out, const BindJobOptions& options = {}) {
    return bind({{folder_ / in}, folder_ / out, false}, options, {});
  }
  Rig rig_of(const std::string& name) { return io::load(folder_ / name).character.rig; }

  void save(const io::Asset& asset, const std::string& name, bool skeleton = true) {
    Report report;
    io::SaveOptions options;
    options.changes.weights = true;
    options.changes.skeleton = skeleton;
    io::save(asset, folder_ / name, options, report);
  }

  fs::path folder_;
};

void expect_good_rows(const Rig& rig) {
  ASSERT_EQ(rig.weights.row_count(), rig.mesh.vertex_count());
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    double sum = 0;
    for (const Influence& i : rig.weights.row(v)) sum += static_cast<double>(i.weight);
    ASSERT_NEAR(sum, 1, 1e-5) << v;
  }
}

TEST_F(Bind, EveryVertexGetsARowAndTheReportSaysByWhat) {
  const Report report = run("figure.glb", "bound.glb");
  const Rig rig = rig_of("bound.glb");
  expect_good_rows(rig);
  EXPECT_LE(rig.weights.max_influences(), 4U);
  EXPECT_EQ(report.command, "bind");
  EXPECT_EQ(report.metrics["vertices"], rig.mesh.vertex_count());
  EXPECT_EQ(report.metrics["method"], "auto");
  Index told = 0;
  for (const Json& origin : report.metrics["origins"]) told += origin["vertices"].get<Index>();
  EXPECT_EQ(told, rig.mesh.vertex_count());
  EXPECT_TRUE(report.metrics.contains("low_confidence"));
  EXPECT_TRUE(report.metrics.contains("joints_without_vertices"));
  for (const char* stage : {"read", "bind", "write"}) EXPECT_TRUE(report.timing.contains(stage)) << stage;
  EXPECT_NE(report.next.find("sinew render"), std::string::npos);
}

TEST_F(Bind, NearlyAllVerticesFollowTheJointTheyWereMadeWith) {
  run("figure.glb", "bound.glb");
  const Rig before = rig_of("figure.glb"), after = rig_of("bound.glb");
  Index same = 0;
  for (Index v = 0; v < before.weights.row_count(); ++v)
    same += before.weights.row(v)[0].joint == after.weights.row(v)[0].joint ? 1 : 0;
  EXPECT_GT(same, 0.8 * before.weights.row_count());
}

TEST_F(Bind, SkinsClipsAndMeshStayAsTheyWere) {
  run("figure.glb", "bound.glb");
  const Character before = io::load(folder_ / "figure.glb").character,
                  after = io::load(folder_ / "bound.glb").character;
  EXPECT_EQ(after.rig.mesh.positions, before.rig.mesh.positions);
  ASSERT_EQ(after.rig.skins.size(), before.rig.skins.size());
  for (std::size_t s = 0; s < before.rig.skins.size(); ++s) {
    EXPECT_EQ(after.rig.skins[s].joints, before.rig.skins[s].joints);
    EXPECT_EQ(after.rig.skins[s].inverse_bind, before.rig.skins[s].inverse_bind);
  }
  ASSERT_EQ(after.clips.size(), before.clips.size());
  EXPECT_EQ(after.clips[0].tracks.size(), before.clips[0].tracks.size());
  EXPECT_EQ(after.materials.size(), before.materials.size());
}

TEST_F(Bind, SameBytesForAnyNumberOfThreads) {
  BindJobOptions options;
  options.debug_colors = true;
  set_thread_count(1);
  run("figure.glb", "one.glb", options);
  set_thread_count(2);
  run("figure.glb", "two.glb", options);
  set_thread_count(0);
  EXPECT_EQ(io::read_file(folder_ / "one.glb"), io::read_file(folder_ / "two.glb"));
}

TEST_F(Bind, OneNamedJointMovesEverything) {
  BindJobOptions options;
  const Rig before = rig_of("figure.glb");
  options.joints = {before.skeleton.joints[before.weights.row(0)[0].joint].name};
  run("figure.glb", "one.glb", options);
  const Rig rig = rig_of("one.glb");
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    ASSERT_EQ(rig.weights.row(v).size(), 1U);
    ASSERT_EQ(rig.weights.row(v)[0].joint, before.weights.row(0)[0].joint);
  }
}

TEST_F(Bind, AMeshWithoutASkinGetsOne) {
  io::Asset asset = io::load(folder_ / "figure.glb");
  Report report;
  io::save(asset, folder_ / "figure.rig.json", {}, report);
  io::save(asset, folder_ / "figure.obj", {}, report);
  BindJobOptions options;
  options.rig = (folder_ / "figure.rig.json").string();
  const Report bound = run("figure.obj", "bound.glb", options);
  const Rig rig = rig_of("bound.glb");
  expect_good_rows(rig);
  EXPECT_EQ(rig.skins.size(), 1U);
  EXPECT_EQ(rig.skeleton.joints.size(), asset.character.rig.skeleton.joints.size());
}

TEST_F(Bind, AJointThatTheSkinDoesNotListIsAdded) {
  io::Asset asset = io::load(folder_ / "figure.glb");
  Rig& rig = asset.character.rig;
  // The skin forgets all joints but the first with vertices.
  const Index first = rig.skins[0].joints[0];
  rig.skins[0].joints.resize(1);
  rig.skins[0].inverse_bind.resize(1);
  SkinWeights weights;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) weights.add_row({{first, 1.0F}});
  rig.weights = weights;
  save(asset, "poor.glb");
  BindJobOptions options;
  for (const Joint& joint : rig.skeleton.joints)
    if (joint.deforming) options.joints.push_back(joint.name);
  const Report report = run("poor.glb", "bound.glb", options);
  EXPECT_GT(report.metrics["skins"]["added_joints"].get<int>(), 5);
  const Rig after = rig_of("bound.glb");
  expect_good_rows(after);
  EXPECT_EQ(after.skins[0].joints[0], rig_of("poor.glb").skins[0].joints[0]);
  // In the bind pose, which is the rest pose here, nothing moves.
  for (std::size_t k = 0; k < after.skins[0].joints.size(); ++k)
    EXPECT_TRUE((rest_matrices(after.skeleton)[after.skins[0].joints[k]] * after.skins[0].inverse_bind[k])
                    .isApprox(Mat4::Identity(), 1e-4));
}

std::string refusal(const JobRequest& request, const BindJobOptions& options) {
  try {
    bind(request, options, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(Bind, WrongRequestsAreRefusedWithAReasonAndNothingIsWritten) {
  io::Asset asset = io::load(folder_ / "figure.glb");
  Report report;
  io::save(asset, folder_ / "bare.obj", {}, report);
  const auto refused = [&](const std::string& in, const std::string& out, const BindJobOptions& options) {
    const std::string text = refusal({{folder_ / in}, folder_ / out, false}, options);
    EXPECT_FALSE(fs::exists(folder_ / out)) << out;
    return text;
  };
  EXPECT_NE(refused("bare.obj", "a.glb", {}).find("no skeleton"), std::string::npos);
  BindJobOptions options;
  options.joints = {"Hipps"};
  EXPECT_NE(refused("figure.glb", "b.glb", options).find("'Hipps'"), std::string::npos);
  EXPECT_NE(refused("figure.glb", "d.obj", {}).find("cannot hold weights"), std::string::npos);
  io::save(asset, folder_ / "only.rig.json", {}, report);
  EXPECT_NE(refused("only.rig.json", "e.glb", {}).find("no mesh"), std::string::npos);
}

/// A body with a skin, a hat on the head joint, and a cloak that nothing moves.
Rig dressed() {
  Rig rig;
  for (const char* name : {"node", "hips", "head", "hat"}) {
    Joint joint;
    joint.name = name;
    joint.parent = rig.skeleton.empty() ? kNone : rig.skeleton.size() - 1;
    joint.rest.translation = Vec3(0, 1, 0);
    rig.skeleton.joints.push_back(joint);
  }
  const auto part = [&](const char* name, Index skin, Index joint) {
    MeshPart part;
    part.name = name;
    part.first_vertex = rig.mesh.vertex_count();
    part.vertex_count = 3;
    part.first_face = rig.mesh.face_count();
    part.face_count = 1;
    part.skin = skin;
    part.joint = joint;
    for (int k = 0; k < 3; ++k) rig.mesh.positions.emplace_back(k, k * k, part.first_vertex);
    rig.mesh.add_face(std::array<Index, 3>{part.first_vertex, part.first_vertex + 1, part.first_vertex + 2});
    rig.mesh.parts.push_back(part);
  };
  part("hat", kNone, 3);
  part("body", 0, kNone);
  part("cloak", kNone, kNone);
  part("base", kNone, 0);
  rig.skins = {{"skin", {1}, {Mat4::Identity()}}};
  return rig;
}

TEST(BindParts, WhatHangsBelowABoundJointStaysAndTheRestIsBound) {
  const Rig rig = dressed();
  const std::vector<PartPlan> plan = plan_parts(rig, {0, 1, 1, 0});
  EXPECT_EQ(plan[0].treatment, PartTreatment::kKeep);
  for (const std::size_t p : {1U, 2U, 3U}) EXPECT_EQ(plan[p].treatment, PartTreatment::kBind) << p;
  const ChosenParts chosen = chosen_parts(rig.mesh, plan);
  EXPECT_EQ(chosen.vertices, (std::vector<Index>{3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_TRUE(validate(chosen.mesh).empty());
  EXPECT_EQ(chosen.mesh.face(1)[2], 5U);
  for (std::size_t i = 0; i < chosen.vertices.size(); ++i)
    EXPECT_EQ(chosen.mesh.positions[i], rig.mesh.positions[chosen.vertices[i]]);
}

TEST(BindParts, NewRowsGoToTheirVerticesAndSkinsListTheirJoints) {
  Rig rig = dressed();
  const std::vector<PartPlan> plan = plan_parts(rig, {0, 1, 1, 0});
  const ChosenParts chosen = chosen_parts(rig.mesh, plan);
  SkinWeights rows;
  for (Index i = 0; i < 9; ++i) rows.add_row({{i < 3 ? 1U : 2U, 1.0F}});
  const SkinChanges changes = put_weights(rig, plan, chosen.vertices, rows, rest_matrices(rig.skeleton), {0, 1, 1, 0});
  EXPECT_EQ(rig.weights.row(0)[0], (Influence{3, 1.0F})) << "the hat keeps its joint";
  EXPECT_EQ(rig.weights.row(3)[0], (Influence{1, 1.0F}));
  EXPECT_EQ(rig.weights.row(8)[0], (Influence{2, 1.0F}));
  EXPECT_EQ(changes.newly_skinned_parts, 2U);
  EXPECT_EQ(changes.new_skins, 0U);
  EXPECT_EQ(changes.added_joints, 1U);
  EXPECT_EQ(rig.skins[0].joints, (std::vector<Index>{1, 2}));
  EXPECT_TRUE(rig.skins[0].inverse_bind[0].isApprox(Mat4::Identity())) << "as it was";
  EXPECT_TRUE((rig.skins[0].inverse_bind[1] * rest_matrices(rig.skeleton)[2]).isApprox(Mat4::Identity()));
  EXPECT_EQ(rig.mesh.parts[0].joint, 3U);
  EXPECT_EQ(rig.mesh.parts[2].skin, 0U);
  EXPECT_EQ(rig.mesh.parts[3].joint, kNone);
  EXPECT_TRUE(validate(rig).empty());
}

TEST(BindParts, WithoutAnySkinANewOneListsAllBoundJoints) {
  Rig rig = dressed();
  rig.skins.clear();
  rig.mesh.parts[1].skin = kNone;
  const std::vector<PartPlan> plan = plan_parts(rig, {0, 1, 1, 0});
  const ChosenParts chosen = chosen_parts(rig.mesh, plan);
  SkinWeights rows;
  for (Index i = 0; i < 9; ++i) rows.add_row({{1, 1.0F}});
  EXPECT_EQ(put_weights(rig, plan, chosen.vertices, rows, rest_matrices(rig.skeleton), {0, 1, 1, 0}).new_skins, 1U);
  EXPECT_EQ(rig.skins[0].joints, (std::vector<Index>{1, 2}));
  EXPECT_TRUE(rig.skeleton.joints[2].deforming);
  EXPECT_TRUE(validate(rig).empty());
}

TEST(BindParts, AJointScaledToNothingIsNamed) {
  Rig rig = dressed();
  rig.skeleton.joints[2].rest.scale = Vec3::Zero();
  const std::vector<PartPlan> plan = plan_parts(rig, {0, 1, 1, 0});
  const ChosenParts chosen = chosen_parts(rig.mesh, plan);
  SkinWeights rows;
  for (Index i = 0; i < 9; ++i) rows.add_row({{2, 1.0F}});
  EXPECT_THROW(put_weights(rig, plan, chosen.vertices, rows, rest_matrices(rig.skeleton), {0, 1, 1, 0}), Error);
}

}  // namespace
}  // namespace sinew::jobs
