// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/templates/template_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace sinew::rigging {
namespace {

const char* const kSmall = R"({
  "version": 1,
  "name": "small",
  "joints": [
    {"name": "Hips", "position": [0, 1, 0], "role": "hips", "fat": true},
    {"name": "LeftLeg", "parent": "Hips", "position": [0.1, 0.9, 0], "partner": "RightLeg", "placement": "ratio",
     "chain": "left", "limits_rad": {"lower": [-1, 0, 0], "upper": [1, 0, 2]}, "roll_axis": [1, 0, 0]},
    {"name": "LeftFoot", "parent": "LeftLeg", "position": [0.1, 0, 0], "partner": "RightFoot", "foot": true},
    {"name": "RightLeg", "parent": "Hips", "position": [-0.1, 0.9, 0], "partner": "LeftLeg", "placement": "ratio"},
    {"name": "RightFoot", "parent": "RightLeg", "position": [-0.1, 0, 0], "partner": "LeftFoot", "foot": true},
    {"name": "Hat", "parent": "Hips", "position": [0, 2, 0], "placement": "derived", "optional": true}
  ],
  "limbs": [
    {"name": "left", "kind": "leg", "joints": ["LeftLeg", "LeftFoot"], "inset": 0.9, "beyond": 0.1, "tip": [0.1, 0, 0.1]},
    {"name": "right", "kind": "leg", "joints": ["RightLeg", "RightFoot"]}
  ]
})";

Json small_template() { return Json::parse(kSmall); }

std::string error_of(const Json& json) {
  try {
    read_template(json, "small.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class Damage>
std::string error_with(Damage&& damage) {
  Json json = small_template();
  damage(json);
  return error_of(json);
}

TEST(TemplateFile, ReadsWhatIsWritten) {
  const Template read = read_template(std::string(kSmall), "small.json");
  EXPECT_EQ(read.name, "small");
  ASSERT_EQ(read.joints.size(), 6u);
  EXPECT_EQ(read.joints[0].parent, kNone);
  EXPECT_TRUE(read.joints[0].fat);
  EXPECT_EQ(read.joints[1].parent, 0u);
  EXPECT_EQ(read.joints[1].partner, 3u);
  EXPECT_EQ(read.joints[1].placement, Template::Placement::kRatio);
  EXPECT_EQ(read.joints[1].chain, "left");
  EXPECT_EQ(read.joints[1].limits->upper_rad, Vec3(1, 0, 2));
  EXPECT_EQ(read.joints[1].roll_axis, Vec3(1, 0, 0));
  EXPECT_TRUE(read.joints[2].foot);
  EXPECT_TRUE(read.joints[5].optional);
  EXPECT_EQ(read.limbs[0].joints, (std::vector<Index>{1, 2}));
  EXPECT_EQ(read.limbs[0].beyond, 0.1);
  EXPECT_EQ(*read.limbs[0].tip, Vec3(0.1, 0, 0.1));
  EXPECT_FALSE(read.limbs[1].tip);
  const Json again = write_template(read);
  EXPECT_EQ(write_template(read_template(again, "again")), again);
  EXPECT_EQ(again["joints"][1], small_template()["joints"][1]);
}

TEST(TemplateFile, BuiltInTemplatesAreSoundAndComeInTheOrderInWhichTheyAreTried) {
  const std::vector<std::string> order = {"human", "quadruped", "bird", "hand"};
  std::size_t last = 0;
  for (const Template& known : templates()) {
    EXPECT_TRUE(validate(known).empty()) << known.name;
    const auto at = static_cast<std::size_t>(std::find(order.begin(), order.end(), known.name) - order.begin());
    EXPECT_GE(at, last) << known.name;
    last = at;
    EXPECT_EQ(&find_template(known.name), &known);
    const Json json = write_template(known);
    EXPECT_EQ(write_template(read_template(json, known.name)), json);
  }
  EXPECT_EQ(templates().front().name, "human");
}

TEST(TemplateFile, AnUnknownNameListsThoseThereAre) {
  try {
    find_template("humam");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("human, "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("Did you mean 'human'?"), std::string::npos) << error.what();
  }
}

TEST(TemplateFile, EveryErrorNamesTheFileAndThePlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {error_of(Json::array()), "small.json: this should be an object"},
      {error_with([](Json& j) { j["jonts"] = 1; }), "the key 'jonts' is not known here. Did you mean 'joints'?"},
      {error_with([](Json& j) { j.erase("version"); }), "'version' is missing"},
      {error_with([](Json& j) { j["version"] = 2; }), "'version' should be 1"},
      {error_with([](Json& j) { j["version"] = 1.5; }), "'version' should be a whole number, not 1.5"},
      {error_with([](Json& j) { j["version"] = 1e300; }), "'version' should be a whole number"},
      {error_with([](Json& j) { j["name"] = ""; }), "'name' should be a word"},
      {error_with([](Json& j) { j["joints"] = Json::object(); }), "'joints' should be a list"},
      {error_with([](Json& j) { j["joints"][1] = 3; }), "joint 2: this should be an object"},
      {error_with([](Json& j) { j["joints"][1]["rolle"] = "x"; }), "joint 2: the key 'rolle'"},
      {error_with([](Json& j) { j["joints"][1].erase("name"); }), "joint 2: 'name' is missing"},
      {error_with([](Json& j) { j["joints"][1]["name"] = "Hips"; }), "joint 2: another joint is also called 'Hips'"},
      {error_with([](Json& j) { j["joints"][1].erase("position"); }), "joint 2 'LeftLeg': 'position' is missing"},
      {error_with([](Json& j) {
         j["joints"][1]["position"] = {1, 2};
       }),
       "'position' should be a list of three"},
      {error_with([](Json& j) {
         j["joints"][1]["position"] = {1, 2, "3"};
       }),
       "'position' should be a list of three"},
      {error_with([](Json& j) { j["joints"][1].erase("parent"); }), "'LeftLeg': 'parent' is missing"},
      {error_with([](Json& j) { j["joints"][1]["parent"] = "Hip"; }),
       "the joint 'Hip', which does not exist. Did you mean"},
      {error_with([](Json& j) { j["joints"][1]["parent"] = "LeftFoot"; }), "'LeftFoot' does not come before it"},
      {error_with([](Json& j) { j["joints"][1]["parent"] = 0; }), "'parent' should be a string"},
      {error_with([](Json& j) { j["joints"][0]["parent"] = "Hips"; }), "'Hips' does not come before it"},
      {error_with([](Json& j) { j["joints"][1]["placement"] = "guessed"; }), "'placement' should be \"searched\""},
      {error_with([](Json& j) { j["joints"][1]["fraction"] = true; }), "'fraction' should be a number, not true"},
      {error_with([](Json& j) { j["joints"][1]["fraction"] = 1.5; }), "is not between 0 and 1"},
      {error_with([](Json& j) { j["joints"][1]["optional"] = 1; }), "'optional' should be true or false"},
      {error_with([](Json& j) {
         j["joints"][1]["roll_axis"] = {0, 0, 0};
       }),
       "'roll_axis' should be a vector of non-zero length"},
      {error_with([](Json& j) { j["joints"][1]["limits_rad"].erase("upper"); }), "'limits_rad': 'upper' is missing"},
      {error_with([](Json& j) {
         j["joints"][1]["limits_rad"]["lower"] = {2, 0, 0};
       }),
       "should not exceed 'upper'"},
      {error_with([](Json& j) { j["joints"][3]["role"] = "hips"; }), "another joint also has the role 'hips'"},
      {error_with([](Json& j) { j["joints"][1]["partner"] = "LeftLeg"; }), "it is its own partner"},
      {error_with([](Json& j) { j["joints"][3].erase("partner"); }), "'RightLeg' does not name it as its partner"},
      {error_with([](Json& j) {
         j["joints"][3]["position"] = {-0.2, 0.9, 0};
       }),
       "not the mirror image"},
      {error_with([](Json& j) { j["joints"][4]["parent"] = "Hips"; }), "neither the same joint nor partners"},
      {error_with([](Json& j) {
         j["joints"][5]["position"] = {0, 1, 0};
       }),
       "at the same position as its parent 'Hips'"},
      {error_with([](Json& j) {
         j["limbs"][0]["joints"] = {"LeftFoot", "LeftLeg"};
       }),
       "is not the parent of"},
      {error_with([](Json& j) {
         j["limbs"][0]["joints"] = {"LeftLeg", "Knee"};
       }),
       "the joint 'Knee', which does not exist"},
      {error_with([](Json& j) { j["limbs"][0]["joints"] = 1; }), "limb 1: 'joints' should be a list of strings"},
      {error_with([](Json& j) { j["limbs"][0]["beyond"] = -1; }), "limb 0 'left'"},
      {error_with([](Json& j) { j["limbs"][0]["tip"] = "far"; }), "'tip' should be a list of three"},
      {error_with([](Json& j) { j["limbs"][0]["side"] = "left"; }), "limb 1: the key 'side' is not known"},
      {error_with([](Json& j) { j["limbs"][1].erase("kind"); }), "limb 2: 'kind' is missing"},
      {error_with([](Json& j) {
         for (Json& joint : j["joints"]) joint["placement"] = "derived";
       }),
       "fewer than two joints"},
  };
  for (const auto& [error, part] : cases) {
    EXPECT_TRUE(error.starts_with("small.json: ")) << error << " / " << part;
    EXPECT_NE(error.find(part), std::string::npos) << "got: " << error << "\nexpected: " << part;
  }
  EXPECT_EQ(error_of(small_template()), "");
}

TEST(TemplateFile, TextThatIsNoJsonAndKeysThatComeTwiceAreNamed) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      read_template(text, "mine.json");
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(error("{\n\"version\": 1\n\"name\": \"x\"}").find("mine.json: line 3 is not valid JSON"),
            std::string::npos);
  EXPECT_NE(error("").find("not valid JSON"), std::string::npos);
  std::string twice = kSmall;
  twice.replace(twice.find("\"fat\": true"), 11, "\"fat\": true, \"fat\": false");
  EXPECT_NE(error(twice).find("the key 'fat' appears twice"), std::string::npos) << error(twice);
}

}  // namespace
}  // namespace sinew::rigging
