// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/bind.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/io/file.h"
#include "sinew/io/gltf/container.h"
#include "sinew/jobs/bind_colors.h"
#include "sinew/jobs/convert.h"
#include "sinew/jobs/make.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::jobs {
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
  options.bind.joints = {before.skeleton.joints[before.weights.row(0)[0].joint].name};
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
    if (joint.deforming) options.bind.joints.push_back(joint.name);
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
  options.bind.joints = {"Hipps"};
  EXPECT_NE(refused("figure.glb", "b.glb", options).find("'Hipps'"), std::string::npos);
  EXPECT_NE(refused("figure.glb", "d.obj", {}).find("cannot hold weights"), std::string::npos);
  io::save(asset, folder_ / "only.rig.json", {}, report);
  EXPECT_NE(refused("only.rig.json", "e.glb", {}).find("no mesh"), std::string::npos);
}

TEST(BindColors, TellTheOriginAndDarkenWithDoubt) {
  binding::BindResult bound;
  bound.origin = {0, 1, 1};
  bound.confidence = {1, 1, 0};
  const std::vector<Vec4f> colors = debug_colors(bound, {2, 0, 1}, 4);
  ASSERT_EQ(colors.size(), 4U);
  EXPECT_NE(colors[2], colors[0]);
  EXPECT_LT(colors[1].head<3>().sum(), 0.2F * colors[0].head<3>().sum());
  EXPECT_EQ(colors[3][0], colors[3][1]) << "not bound: grey";
  EXPECT_STRNE(debug_color_name(0), debug_color_name(1));
}

// The fixture with its nodes as `change` leaves them.
template <class Change>
void write_changed(const std::filesystem::path& path, Change&& change) {
  const io::Bytes glb = test::make_fixture();
  const io::gltf::Container container = io::gltf::parse_container(glb);
  Json json = container.json;
  change(json);
  test::write(path, io::gltf::make_glb(json, true, container.bin, {}));
}

TEST(BindInstances, NodesThatShareAMeshAreBoundEachByItself) {
  const test::TemporaryFolder folder;
  write_changed(folder / "in.glb", [](Json& json) {
    json["nodes"].push_back({{"name", "twin"}, {"mesh", 0}, {"skin", 0}});
    json["scenes"][0]["nodes"].push_back(4);
  });
  BindJobOptions options;
  options.bind.rigid = {"twin=knee"};
  options.debug_colors = true;
  bind({{folder / "in.glb"}, folder / "out.glb", false}, options, {});
  const io::Asset out = io::load(folder / "out.glb");
  const Rig& rig = out.character.rig;
  ASSERT_EQ(rig.mesh.parts.size(), 3U);
  for (const MeshPart& part : rig.mesh.parts) {
    if (part.name == "box") continue;
    Index on_knee = 0;
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      const auto row = rig.weights.row(v);
      on_knee += row.size() == 1 && rig.skeleton.joints[row[0].joint].name == "knee" ? 1 : 0;
    }
    if (part.name == "twin") EXPECT_EQ(on_knee, part.vertex_count);
    else EXPECT_LT(on_knee, part.vertex_count);
  }
  EXPECT_EQ(rig.mesh.colors.size(), rig.mesh.positions.size());
  EXPECT_EQ(out.contents["meshes"], 3);
}

TEST(BindInstances, TheScaleOfANodeGoesIntoTheBindMatrices) {
  const test::TemporaryFolder folder;
  // The tube twice, without a skin, as nodes of other sizes and places; joints remain.
  write_changed(folder / "in.glb", [](Json& json) {
    json["nodes"][2] = {{"name", "tall"}, {"mesh", 0}, {"scale", {1, 2, 1}}};
    json["nodes"].push_back({{"name", "wide"}, {"mesh", 0}, {"scale", {3, 1, 3}}, {"translation", {2, 0, 0}}});
    json["nodes"].push_back({{"name", "core"}, {"mesh", 1}, {"skin", 0}});
    json["scenes"][0]["nodes"] = {0, 2, 4};
    json.erase("animations");
  });
  BindJobOptions options;
  options.bind.joints = {"hip", "knee"};
  const Report report = bind({{folder / "in.glb"}, folder / "out.glb", false}, options, {});
  EXPECT_EQ(report.metrics["skins"]["newly_skinned_parts"], 2);
  const Rig before = io::load(folder / "in.glb").character.rig, after = io::load(folder / "out.glb").character.rig;
  ASSERT_EQ(after.mesh.positions.size(), before.mesh.positions.size());
  // At rest, which is how the joints stand at binding, every vertex is where it was.
  const std::vector<Mat4> rest = rest_matrices(after.skeleton);
  for (Index p = 0; p < after.mesh.parts.size(); ++p) {
    const MeshPart& part = after.mesh.parts[p];
    if (part.skin == kNone) continue;
    const std::vector<Mat4> inverse = inverse_bind_of_part(after, p);
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      Vec3 moved = Vec3::Zero();
      for (const Influence& i : after.weights.row(v))
        moved +=
            static_cast<double>(i.weight) * transform_point(rest[i.joint] * inverse[i.joint], after.mesh.positions[v]);
      ASSERT_LT((moved - before.mesh.positions[v]).norm(), 1e-5) << part.name << " " << v;
    }
  }
}

}  // namespace
}  // namespace sinew::jobs
