// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <gtest/gtest.h>

#include "sinew/core/json.h"
#include "sinew/io/asset.h"
#include "sinew/io/gltf/document.h"
#include "sinew/motion/bake_drivers.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

Asset load_json(const Json& json) {
  const std::string text = json.dump();
  return load_bytes("x.gltf", Bytes(as_bytes(text).begin(), as_bytes(text).end()));
}

const Json& document_json(const Asset& asset) {
  return dynamic_cast<const gltf::GltfDocument&>(*asset.document).json();
}

Asset written(const Asset& asset, const std::filesystem::path& path, bool skeleton, Index clip, std::size_t first) {
  SaveOptions options;
  options.changes.skeleton = skeleton;
  options.longer_clips = {{clip, first}};
  Report report;
  save(asset, path, options, report);
  return load(path);
}

bool same_track(const Track& a, const Track& b) {
  return a.path == b.path && a.target == b.target && a.interpolation == b.interpolation && a.times_s == b.times_s &&
         a.values == b.values;
}

Track turning(Index joint, float end_s = 1) {
  Track track;
  track.path = Track::Path::kRotation;
  track.target = joint;
  track.times_s = {0, 0.25F, end_s};
  track.values = {0, 0, 0, 1, 0, 0.6F, 0, 0.8F, 0, 1, 0, 0};
  return track;
}

// The fixture with an animation before its own that says nothing Sinew can show, and one behind.
Json three_animations() {
  Json json = Json::parse(test::make_text_fixture());
  Json bend = json["animations"][0];
  Json other = {{"name", "none"},
                {"channels", {{{"sampler", 0}, {"target", {{"path", "pointer"}}}}}},
                {"samplers", {bend["samplers"][0]}}};
  json["animations"] = {other, bend, bend};
  json["animations"][1]["extras"] = {{"note", 1}};
  json["animations"][1]["channels"][0]["extras"] = "kept";
  return json;
}

TEST(LongerClips, NewTracksBecomeChannelsOfTheSameAnimation) {
  const test::TemporaryFolder folder;
  const Json before = three_animations();
  Asset asset = load_json(before);
  ASSERT_EQ(asset.character.clips.size(), 3u);
  Skeleton& skeleton = asset.character.rig.skeleton;
  Joint helper;
  helper.name = "helper";
  helper.parent = skeleton.size() - 1;
  helper.driver.emplace();
  helper.driver->source = skeleton.find(skeleton.joints[asset.character.clips[1].tracks[0].target].name);
  skeleton.joints.push_back(helper);
  Clip& clip = asset.character.clips[1];
  const std::size_t first = motion::bake_drivers(asset.character.rig, clip);
  ASSERT_EQ(clip.tracks.size(), first + 1);
  for (const char* name : {"a.glb", "a.gltf"}) {
    const Asset again = written(asset, folder / name, true, 1, first);
    const Json& json = document_json(again);
    EXPECT_EQ(json["animations"][0], before["animations"][0]);
    EXPECT_EQ(json["animations"][2], before["animations"][2]);
    for (const char* list : {"channels", "samplers"}) {
      ASSERT_EQ(json["animations"][1][list].size(), before["animations"][1][list].size() + 1);
      for (std::size_t i = 0; i < before["animations"][1][list].size(); ++i)
        EXPECT_EQ(json["animations"][1][list][i], before["animations"][1][list][i]);
    }
    EXPECT_EQ(json["animations"][1]["extras"], before["animations"][1]["extras"]);
    const Clip& read = again.character.clips[1];
    ASSERT_EQ(read.tracks.size(), clip.tracks.size());
    for (std::size_t t = 0; t < read.tracks.size(); ++t) EXPECT_TRUE(same_track(read.tracks[t], clip.tracks[t])) << t;
    EXPECT_EQ(again.character.clips[2].tracks.size(), first);
  }
}

TEST(LongerClips, WithoutOtherChangesOnlyAnimationAndDataGrow) {
  const test::TemporaryFolder folder;
  const Json before = three_animations();
  Asset asset = load_json(before);
  Clip& clip = asset.character.clips[2];
  const std::size_t first = clip.tracks.size();
  clip.tracks.push_back(turning(asset.character.rig.skeleton.size() - 1));
  const Asset again = written(asset, folder / "a.gltf", false, 2, first);
  const Json& json = document_json(again);
  for (const auto& [key, value] : before.items()) {
    if (key == "animations" || key == "accessors" || key == "bufferViews" || key == "buffers") continue;
    EXPECT_EQ(json[key], value) << key;
  }
  for (const char* list : {"accessors", "bufferViews"})
    for (std::size_t i = 0; i < before[list].size(); ++i) EXPECT_EQ(json[list][i], before[list][i]);
  EXPECT_TRUE(same_track(again.character.clips[2].tracks.back(), clip.tracks.back()));
}

TEST(LongerClips, AChannelThatMovesTheSameIsReplaced) {
  const test::TemporaryFolder folder;
  for (const bool shared : {false, true}) {
    Json before = three_animations();
    Json& bend = before["animations"][1];
    // Another node with the same motion, from the same sampler.
    if (shared) bend["channels"].push_back({{"sampler", 0}, {"target", {{"node", 0}, {"path", "rotation"}}}});
    Asset asset = load_json(before);
    Clip& clip = asset.character.clips[1];
    ASSERT_EQ(clip.tracks[0].path, Track::Path::kRotation);
    const Index joint = clip.tracks[0].target;
    const Track other = clip.tracks.back();
    clip.tracks.erase(clip.tracks.begin());
    const std::size_t first = clip.tracks.size();
    clip.tracks.push_back(turning(joint, 2));
    const Asset again = written(asset, folder / "a.glb", false, 1, first);
    const Json& json = document_json(again)["animations"][1];
    EXPECT_EQ(json["channels"].size(), bend["channels"].size());
    EXPECT_EQ(json["samplers"].size(), bend["samplers"].size() + (shared ? 1 : 0));
    EXPECT_EQ(json["channels"][0]["target"], bend["channels"][0]["target"]);
    EXPECT_EQ(json["channels"][0]["extras"], "kept");
    for (std::size_t c = 1; c < bend["channels"].size(); ++c) EXPECT_EQ(json["channels"][c], bend["channels"][c]);
    const Clip& read = again.character.clips[1];
    EXPECT_TRUE(same_track(read.tracks[0], clip.tracks.back()));
    EXPECT_TRUE(same_track(read.tracks.back(), other));
    EXPECT_EQ(document_json(again)["animations"][2], before["animations"][2]);
  }
}

TEST(LongerClips, ANodeWithAMatrixGetsPartsThatCanMove) {
  const test::TemporaryFolder folder;
  Json before = three_animations();
  Asset plain = load_json(before);
  const Index joint = plain.character.rig.skeleton.size() - 1;
  Json& node = before["nodes"][plain.character.rig.skeleton.joints[joint].source];
  const Mat4 m = plain.character.rig.skeleton.joints[joint].rest.matrix();
  for (const char* key : {"translation", "rotation", "scale"}) node.erase(key);
  node["matrix"] = std::vector<double>(m.data(), m.data() + 16);
  Asset asset = load_json(before);
  Clip& clip = asset.character.clips[1];
  clip.tracks.push_back(turning(joint));
  const Asset again = written(asset, folder / "a.glb", false, 1, clip.tracks.size() - 1);
  EXPECT_FALSE(document_json(again)["nodes"][plain.character.rig.skeleton.joints[joint].source].contains("matrix"));
  EXPECT_LT((again.character.rig.skeleton.joints[joint].rest.matrix() - m).norm(), 1e-12);
}

TEST(LongerClips, AClipTheDocumentDoesNotHoldIsRefused) {
  const test::TemporaryFolder folder;
  Asset asset = load_json(three_animations());
  asset.character.clips.push_back(asset.character.clips[1]);
  EXPECT_THROW(written(asset, folder / "a.glb", false, 3, 0), Error);
}

}  // namespace
}  // namespace sinew::io
