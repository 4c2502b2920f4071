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
#include "tests/pipeline/ball_rig.h"
#include "tests/support/threads.h"

namespace sinew::jobs {
namespace {

using test::ball_rig;
using test::tetrahedron;

pipeline::CharacterFacts facts_of(const io::Asset& asset) { return pipeline::inspect(asset.character, {true}); }

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

TEST(InfoColumns, ShortenKeepsWholeCharactersAndReplacesBrokenOnes) {
  EXPECT_EQ(shorten("äöü", 3), "äöü");
  EXPECT_EQ(shorten("äöüß", 3), "äö…");
  EXPECT_EQ(shorten("a\nb\xff", 10), "a b?");
  EXPECT_EQ(group(0), "0");
  EXPECT_EQ(group(1234567), "1,234,567");
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
  const Report report = info({.inputs = {tetrahedron_file()}, .output = {}}, {.inspect = {true}, .placement = {}}, {});
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
    const test::Threads limit(threads);
    Report report = info({.inputs = {path}, .output = {}}, {.inspect = {true}, .placement = {}}, {});
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
