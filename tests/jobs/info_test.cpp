// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/info.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "sinew/io/file.h"
#include "sinew/jobs/info_columns.h"
#include "sinew/jobs/info_report.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::jobs {
namespace {

using namespace sinew::test;

// A ball as tall as a person on the ground, moved by two joints inside it and one above it.
Rig ball_rig() {
  Rig rig;
  rig.mesh = sphere(16, 16, Vec3(0, 0.85, 0), 0.85);
  rig.mesh.parts.resize(1);
  rig.mesh.parts[0].name = "ball";
  rig.mesh.parts[0].vertex_count = rig.mesh.vertex_count();
  rig.mesh.parts[0].face_count = rig.mesh.face_count();
  rig.mesh.parts[0].skin = 0;
  rig.skins.resize(1);
  double height = 0;
  for (Index j = 0; j < 3; ++j) {
    Joint joint;
    joint.name = std::vector<std::string>{"hips", "chest", "hat"}[j];
    joint.parent = j == 0 ? kNone : j - 1;
    joint.deforming = true;
    joint.rest.translation = Vec3(0, j == 0 ? 0.5 : 0.8, 0);
    height += joint.rest.translation.y();
    rig.skeleton.joints.push_back(joint);
    rig.skins[0].joints.push_back(j);
    Mat4 inverse_bind = Mat4::Identity();
    inverse_bind(1, 3) = -height;
    rig.skins[0].inverse_bind.push_back(inverse_bind);
  }
  for (const Vec3& p : rig.mesh.positions) {
    if (p.y() > 1.4) rig.weights.add_row({{1, 0.5F}, {2, 0.5F}});
    else rig.weights.add_row({{p.y() > 0.8 ? 1U : 0U, 1.0F}});
  }
  return rig;
}

SkeletonHealth skeleton_of(const Rig& rig) {
  const geometry::Welding welding = geometry::weld(rig.mesh);
  return skeleton_health(rig, welding, geometry::topology(rig.mesh, welding), rig.mesh.size());
}
WeightHealth weights_of(const Rig& rig) { return weight_health(rig, geometry::weld(rig.mesh), skeleton_of(rig)); }

TEST(InfoSkeleton, FindsJointsOutsideTheSkin) {
  const SkeletonHealth health = skeleton_of(ball_rig());
  EXPECT_EQ(health.outside, std::vector<Index>{2});
  EXPECT_EQ(health.deforming, 3u);
  EXPECT_EQ(health.moving, 3u);
  EXPECT_NEAR(health.joints[0].winding, 1, 1e-12);
}

TEST(InfoSkeleton, SaysHowFarTheBindPoseIsFromTheRestPose) {
  Rig rig = ball_rig();
  EXPECT_EQ(skeleton_of(rig).bind_differs, 0u);
  EXPECT_EQ(skeleton_of(rig).bind_skin_rel, 0);
  rig.skeleton.joints[1].rest.translation.x() += 0.1 * rig.mesh.size();  // The chest and the hat on it.
  const SkeletonHealth health = skeleton_of(rig);
  EXPECT_EQ(health.bind_differs, 2u);
  EXPECT_NEAR(health.bind_joint_rel, 0.1, 1e-12);
  EXPECT_NEAR(health.bind_skin_rel, 0.1, 1e-12);
}

TEST(InfoSkeleton, FindsScaleShearAndBonesWithoutLength) {
  Rig rig = ball_rig();
  rig.skeleton.joints[0].rest.scale = Vec3(1, 2, 1);
  rig.skeleton.joints[1].rest.rotation = rotation_exp(Vec3(0, 0, 0.5));
  rig.skeleton.joints[2].rest.translation = Vec3::Zero();
  rig.skeleton.joints[2].rest.scale = Vec3(-1, 1, 0);
  const SkeletonHealth health = skeleton_of(rig);
  EXPECT_EQ(health.scaled, (std::vector<Index>{0, 2}));
  EXPECT_EQ(health.uneven_scale, (std::vector<Index>{0, 2}));
  EXPECT_EQ(health.collapsed, std::vector<Index>{2});
  EXPECT_EQ(health.zero_length, std::vector<Index>{2});
  ASSERT_FALSE(health.sheared.empty());
  EXPECT_EQ(health.sheared[0], 1u);
}

TEST(InfoWeights, CountsBadRows) {
  Rig rig = ball_rig();
  rig.weights = {};
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    if (v == 0) rig.weights.add_row(std::span<const Influence>{});
    else if (v < 4) rig.weights.add_row({{0, 0.5F}, {1, 0.4F}});
    else rig.weights.add_row({{0, 1.0F}});
  }
  const WeightHealth health = weights_of(rig);
  EXPECT_EQ(health.empty_rows, 1u);
  EXPECT_EQ(health.bad_sums, 3u);
  EXPECT_NEAR(health.worst_sum, 0.9, 1e-6);
  EXPECT_EQ(health.histogram, (std::vector<std::uint64_t>{1, rig.mesh.vertex_count() - 4u, 3}));
  EXPECT_EQ(health.idle_joints, std::vector<Index>{2});
}

TEST(InfoWeights, FindsCopiesOfAVertexWithOtherWeights) {
  Rig rig = ball_rig();
  const Vec3 top = rig.mesh.positions[0];
  rig.mesh.positions.push_back(top);
  rig.mesh.positions.push_back(top);
  rig.mesh.parts[0].vertex_count += 2;
  rig.weights.add_row({{1, 0.5F}, {2, 0.5F}});
  EXPECT_EQ(rig.weights.row(0).size(), 2u);
  Rig same = rig;
  same.weights.add_row({{1, 0.5001F}, {2, 0.4999F}});
  EXPECT_EQ(weights_of(same).split_differs, 0u);
  rig.weights.add_row({{1, 0.6F}, {2, 0.4F}});
  EXPECT_EQ(weights_of(rig).split_differs, 1u);
}

// A body with two arms, feet that point forwards, and a head.
Mesh doll() {
  const auto box = [](const Vec3& low, const Vec3& high) {
    Mesh mesh;
    for (int x = 0; x <= 10; ++x)
      for (int y = 0; y <= 10; ++y)
        for (int z = 0; z <= 10; ++z) mesh.positions.push_back(low + (high - low).cwiseProduct(Vec3(x, y, z) / 10));
    return mesh;
  };
  Mesh mesh = box({-0.2, 0.8, -0.1}, {0.2, 1.5, 0.1});
  mesh = joined(mesh, box({-0.1, 1.5, -0.1}, {0.1, 1.75, 0.12}));
  for (const double side : {-1.0, 1.0}) {
    mesh = joined(mesh, box({side * 0.05, 0, -0.08}, {side * 0.2, 0.8, 0.08}));
    mesh = joined(mesh, box({side * 0.05, 0, 0.08}, {side * 0.2, 0.1, 0.25}));
    mesh = joined(mesh, box({side * 0.2, 1.3, -0.05}, {side * 0.8, 1.42, 0.05}));
  }
  return mesh;
}

TEST(InfoSpace, RecognisesAPersonInMetresStandingUp) {
  const SpaceGuess guess = guess_space(doll());
  EXPECT_EQ(guess.unit, "m");
  EXPECT_EQ(guess.unit_confidence, SpaceGuess::Confidence::kHigh);
  EXPECT_EQ(guess.up, "+y");
  EXPECT_EQ(guess.up_confidence, SpaceGuess::Confidence::kHigh);
  EXPECT_EQ(guess.side_axis, 0);
  EXPECT_NEAR(guess.height, 1.75, 1e-12);
}

TEST(InfoSpace, RecognisesCentimetresAndZUp) {
  Mesh mesh = doll();
  for (Vec3& p : mesh.positions) p = 100 * Vec3(p.x(), -p.z(), p.y());
  const SpaceGuess guess = guess_space(mesh);
  EXPECT_EQ(guess.unit, "cm");
  EXPECT_EQ(guess.up, "+z");
  EXPECT_EQ(guess.side_axis, 0);
}

TEST(InfoSpace, SaysNothingForSureOfAnEmptyMesh) {
  EXPECT_EQ(guess_space(Mesh{}).unit_confidence, SpaceGuess::Confidence::kLow);
}

InfoFacts facts_of(const io::Asset& asset) {
  const Rig& rig = asset.character.rig;
  const geometry::Welding welding = geometry::weld(rig.mesh);
  InfoFacts facts;
  facts.mesh = mesh_health(rig.mesh, welding, true, {});
  facts.skeleton = skeleton_health(rig, welding, facts.mesh.topology, rig.mesh.size());
  facts.weights = weight_health(rig, welding, facts.skeleton);
  for (const Clip& clip : asset.character.clips) facts.clips.push_back(clip_facts(clip));
  return facts;
}

TEST(InfoText, NoLineIsWiderThanAHundredColumns) {
  io::Asset asset;
  asset.character.rig = ball_rig();
  asset.contents["extensions_used"] = Json::array({"KHR_materials_unlit", std::string(300, 'x'), "VRM"});
  for (Joint& joint : asset.character.rig.skeleton.joints) joint.name = std::string(200, 'j') + "ä\n\xff";
  asset.character.clips.resize(20);
  for (Clip& clip : asset.character.clips) clip.name = std::string(150, 'c');
  for (const bool full : {false, true}) {
    std::istringstream lines(info_text(asset, facts_of(asset), full));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), 100u) << line;
  }
}

TEST(InfoText, LongTreesAreCutShortAndSayHowMuch) {
  io::Asset asset;
  for (Index j = 0; j < 100; ++j) {
    Joint joint;
    joint.name = "joint_" + std::to_string(j);
    joint.parent = j == 0 ? kNone : 0;
    asset.character.rig.skeleton.joints.push_back(joint);
  }
  const std::string cut = info_text(asset, facts_of(asset), false), full = info_text(asset, facts_of(asset), true);
  EXPECT_EQ(cut.find("joint_99"), std::string::npos);
  EXPECT_NE(cut.find("60 more"), std::string::npos);
  EXPECT_NE(full.find("joint_99"), std::string::npos);
}

TEST(InfoWarnings, AreSilentOnAHealthyCharacterAndNameWhatHarms) {
  io::Asset asset;
  asset.character.rig = ball_rig();
  EXPECT_TRUE(info_warnings(asset, facts_of(asset)).empty());
  Mesh& mesh = asset.character.rig.mesh;
  for (Index f = 0; f < mesh.face_count(); ++f)
    std::swap(mesh.face_vertices[mesh.face_offsets[f]], mesh.face_vertices[mesh.face_offsets[f] + 1]);
  const Findings found = info_warnings(asset, facts_of(asset));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "mesh.inside_out");
  EXPECT_EQ(found[0].where, "ball");
}

TEST(InfoColumns, ShortenKeepsWholeCharactersAndReplacesBrokenOnes) {
  EXPECT_EQ(shorten("äöü", 3), "äöü");
  EXPECT_EQ(shorten("äöüß", 3), "äö…");
  EXPECT_EQ(shorten("a\nb\xff", 10), "a b?");
  EXPECT_EQ(group(0), "0");
  EXPECT_EQ(group(1234567), "1,234,567");
}

TEST(InfoClip, CountsWhatMoves) {
  Clip clip;
  clip.name = "wave";
  for (const Index joint : {0u, 0u, 2u})
    clip.tracks.push_back({Track::Path::kRotation, joint, Track::Interpolation::kLinear, {0, 1.5F}, {}});
  clip.tracks.push_back({Track::Path::kTranslation, 1, Track::Interpolation::kLinear, {0}, {}});
  clip.tracks.push_back({Track::Path::kMorphWeights, 0, Track::Interpolation::kLinear, {0}, {}});
  const ClipFacts facts = clip_facts(clip);
  EXPECT_EQ(facts.joints, 3u);
  EXPECT_EQ(facts.rotated, 2u);
  EXPECT_EQ(facts.translated, 1u);
  EXPECT_EQ(facts.morphed_parts, 1u);
  EXPECT_EQ(facts.duration_s, 1.5);
}

class InfoFile : public testing::Test {
 protected:
  InfoFile() : folder_(std::filesystem::temp_directory_path() / ("sinew_info_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~InfoFile() override { std::filesystem::remove_all(folder_); }

  // A tetrahedron as glTF with its data inside.
  std::filesystem::path tetrahedron_file() const {
    const Mesh mesh = tetrahedron();
    std::vector<std::byte> bytes(4 * 12 + 12 * 2);
    for (std::size_t v = 0; v < 4; ++v) {
      const Vec3f p = mesh.positions[v].cast<float>();
      std::memcpy(bytes.data() + 12 * v, p.data(), 12);
    }
    for (std::size_t i = 0; i < 12; ++i) {
      const auto index = static_cast<std::uint16_t>(mesh.face_vertices[i]);
      std::memcpy(bytes.data() + 48 + 2 * i, &index, 2);
    }
    const std::filesystem::path path = folder_ / "tetrahedron.gltf";
    std::ofstream(path)
        << R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"name":"tet"}],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
      "accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,1]},
                   {"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}],
      "bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24}],
      "buffers":[{"byteLength":72,"uri":"data:application/octet-stream;base64,)"
        << io::base64_encode(bytes) << R"("}]})";
    return path;
  }

  std::filesystem::path folder_;
};

TEST_F(InfoFile, ReportsAFileCompletely) {
  const Report report = info({.inputs = {tetrahedron_file()}, .output = {}}, {.deep = true, .placement = {}}, {});
  EXPECT_EQ(report.command, "info");
  ASSERT_EQ(report.inputs.size(), 1u);
  EXPECT_EQ(report.inputs[0].sha256.size(), 64u);
  EXPECT_TRUE(report.warnings.empty());
  const Json& mesh = report.metrics.at("mesh");
  EXPECT_EQ(mesh.at("triangles"), 4);
  EXPECT_EQ(mesh.at("watertight"), true);
  EXPECT_NEAR(mesh.at("volume_m3").get<double>(), 1.0 / 6, 1e-7);
  EXPECT_EQ(mesh.at("self_intersecting_pairs"), 0);
  EXPECT_NE(report.text.find("closed (watertight)"), std::string::npos);
}

TEST_F(InfoFile, TheSameForAnyNumberOfThreads) {
  const std::filesystem::path path = tetrahedron_file();
  std::vector<std::string> texts;
  for (const int threads : {1, 2}) {
    const Threads limit(threads);
    Report report = info({.inputs = {path}, .output = {}}, {.deep = true, .placement = {}}, {});
    report.timing = Json::object();
    texts.push_back(report.to_json().dump() + report.text);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(InfoFile, MissingFileIsAnError) {
  EXPECT_THROW(info({.inputs = {folder_ / "nothing.glb"}, .output = {}}, {}, {}), Error);
  EXPECT_THROW(info({}, {}, {}), Error);
}

TEST(InfoOptions, AreListedOnceWithThoseOfPlacement) {
  InfoOptions options;
  OptionList list(options);
  for (const char* name : {"deep", "full", "unit", "up", "forward", "height", "ground"})
    EXPECT_NE(list.find(name), nullptr) << name;
}

}  // namespace
}  // namespace sinew::jobs
