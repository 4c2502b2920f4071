// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/rig_request.h"

#include <gtest/gtest.h>

#include "sinew/core/error.h"
#include "sinew/io/file.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::jobs {
namespace {

std::string refused(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

void put_text(const std::filesystem::path& path, const std::string& text) {
  test::write(path, std::as_bytes(std::span(text.data(), text.size())));
}

TEST(RigRequest, AHintReadsTheSameWholeOrCutAtItsCommas) {
  const auto whole = read_hints({"left_hand=0.7,1.4,-1e-2", "Head=0,1.6,0"});
  const auto cut = read_hints({"left_hand=0.7", "1.4", "-1e-2", "Head=0", "1.6", "0"});
  EXPECT_EQ(whole, cut);
  ASSERT_EQ(whole.size(), 2U);
  EXPECT_EQ(whole.at("left_hand"), Vec3(0.7, 1.4, -0.01));
}

TEST(RigRequest, WordsThatAreNoHintsAreRefusedWithAnExample) {
  for (const char* word : {"left_hand", "left_hand=1,2", "=1,2,3", "left_hand=1,2,x", "left_hand=1,2,3,4", "a=1,2,nan"})
    EXPECT_NE(refused([&] { read_hints({word}); }).find("NAME=x,y,z"), std::string::npos) << word;
  EXPECT_NE(refused([&] { read_hints({"a=1,2,3", "a=1,2,3"}); }).find("twice"), std::string::npos);
}

TEST(RigRequest, AHintOfAJointThatNoTemplateHasNamesTheNearest) {
  std::vector<ReportFile> files;
  RigJobOptions options;
  options.hint = {"left_hnad=0,0,0"};
  const std::string text = refused([&] { rigger_request(options, files); });
  EXPECT_NE(text.find("left_hnad"), std::string::npos) << text;
  EXPECT_NE(text.find("left_hand"), std::string::npos) << text;
  options.hint = {"left_hand=0,0,0", "LeftFoot=1,2,3"};
  EXPECT_EQ(rigger_request(options, files).hints.size(), 2U);
}

TEST(RigRequest, PlacesOfAFileAreTakenAndWhatIsNoneIsNamed) {
  const test::TemporaryFolder folder;
  put_text(folder / "places.json", R"({"LeftHand": [1, 2, 3.5]})");
  std::vector<ReportFile> files;
  RigJobOptions options;
  options.joints = (folder / "places.json").string();
  EXPECT_EQ(rigger_request(options, files).given.at("LeftHand"), Vec3(1, 2, 3.5));
  ASSERT_EQ(files.size(), 1U);
  for (const char* text :
       {"[1]", "{\"LeftHand\": [1, 2]}", "{\"LeftHand\": [1, 2, \"x\"]}", "{", "{\"Nose\": [1, 2, 3]}"}) {
    put_text(folder / "bad.json", text);
    options.joints = (folder / "bad.json").string();
    EXPECT_NE(refused([&] { rigger_request(options, files); }).find("bad.json"), std::string::npos) << text;
  }
}

TEST(RigRequest, UnknownWordsAreRefusedBeforeTheWork) {
  std::vector<ReportFile> files;
  const auto with = [&](auto&& change) {
    RigJobOptions options;
    change(options);
    return refused([&] {
      check_words(options);
      rigger_request(options, files);
      chosen_preset(options, "x.glb", files);
    });
  };
  EXPECT_EQ(with([](RigJobOptions&) {}), "");
  EXPECT_NE(with([](RigJobOptions& o) { o.template_name = "humna"; }).find("human"), std::string::npos);
  EXPECT_NE(with([](RigJobOptions& o) { o.preset = "unitty"; }).find("unity"), std::string::npos);
  EXPECT_NE(with([](RigJobOptions& o) { o.rigger.without = {"leg"}; }).find("legs"), std::string::npos);
  EXPECT_NE(with([](RigJobOptions& o) { o.demo_clip = {"wakl"}; }).find("walk"), std::string::npos);
  EXPECT_NE(with([](RigJobOptions& o) { o.bind = "heta"; }).find("heat"), std::string::npos);
  EXPECT_NE(with([](RigJobOptions& o) { o.template_name = "none.json"; }).find("none.json"), std::string::npos);
}

TEST(RigRequest, SingleOptionsChangeSingleFieldsOfThePreset) {
  std::vector<ReportFile> files;
  RigJobOptions options;
  const rigging::Preset plain = chosen_preset(options, "x.glb", files);
  EXPECT_EQ(plain.name, "plain");
  EXPECT_EQ(chosen_preset(options, "x.vrm", files).name, "vrm");
  options.rest = "t";
  options.max_influences = 7;
  options.root = "Ground";
  options.ends = true;
  options.bone_axis = "+z";
  options.skeleton_unit = "cm";
  const rigging::Preset changed = chosen_preset(options, "x.glb", files);
  EXPECT_EQ(changed.rest, "t");
  EXPECT_EQ(changed.max_influences, 7);
  EXPECT_EQ(changed.root, "Ground");
  EXPECT_TRUE(changed.ends);
  EXPECT_EQ(changed.bone_axis, "+z");
  EXPECT_NE(changed.bend_axis.back(), 'z');
  EXPECT_EQ(changed.unit, "cm");
  EXPECT_EQ(changed.names, plain.names);
  options.root = "none";
  EXPECT_EQ(chosen_preset(options, "x.glb", files).root, "");
}

TEST(RigRequest, OnlyFilesThatHoldSkeletonsAreWritten) {
  for (const char* name : {"x.glb", "x.gltf", "x.vrm", "x.rig.json"})
    EXPECT_NO_THROW(check_holds_skeleton(name)) << name;
  for (const char* name : {"x.obj", "x.fbx", "x.ply", "x.txt"}) EXPECT_THROW(check_holds_skeleton(name), Error) << name;
}

}  // namespace
}  // namespace sinew::jobs
