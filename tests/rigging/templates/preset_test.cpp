// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/templates/preset.h"

#include <gtest/gtest.h>

#include <set>

#include "sinew/core/error.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::rigging {
namespace {

Json small_preset() {
  return Json::parse(R"({
    "version": 1, "name": "mine", "title": "Mine", "left": "L", "right": "R", "pattern": "{name}.{side}",
    "letters": "snake", "prefix": "p:", "root": "top", "bone_axis": "-x", "bend_axis": "+y", "mirrored_axes": false,
    "rest": "a", "unit": "cm", "max_influences": 8, "ends": true, "end_suffix": ".end", "trunk": ["s1", "s2"],
    "names": {"hips": "pelvis", "hand": "palm.{side}", "right_foot": "hoof"}
  })");
}

template <class Damage>
std::string preset_error(Damage&& damage) {
  Json json = small_preset();
  damage(json);
  try {
    read_preset(json, "mine.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Preset, ReadsWhatIsWritten) {
  const Preset read = read_preset(small_preset(), "mine.json");
  EXPECT_EQ(read.title, "Mine");
  EXPECT_EQ(read.names.at("hips"), "pelvis");
  EXPECT_EQ(read.trunk, (std::vector<std::string>{"s1", "s2"}));
  EXPECT_EQ(read.max_influences, 8);
  EXPECT_TRUE(read.ends);
  EXPECT_FALSE(read.mirrored_axes);
  EXPECT_EQ(read.unit, "cm");
  const Preset least = read_preset(std::string(R"({"version": 1, "name": "least"})"), "least");
  EXPECT_EQ(least.title, "least");
  EXPECT_EQ(least.max_influences, Preset().max_influences);
  EXPECT_TRUE(least.mirrored_axes);
}

TEST(Preset, EveryErrorNamesTheFileAndThePlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {preset_error([](Json& j) { j["nmae"] = 1; }), "the key 'nmae' is not known here. Did you mean 'name'?"},
      {preset_error([](Json& j) { j.erase("name"); }), "'name' is missing"},
      {preset_error([](Json& j) { j["version"] = 0; }), "'version' should be 1"},
      {preset_error([](Json& j) { j["bone_axis"] = "x"; }), "'bone_axis' should be \"+x\", \"-x\""},
      {preset_error([](Json& j) { j["bend_axis"] = "+x"; }), "'bend_axis' should be at right angles"},
      {preset_error([](Json& j) { j["rest"] = "sit"; }), "'rest' should be \"keep\", \"t\", \"a\", not \"sit\""},
      {preset_error([](Json& j) { j["unit"] = "mm"; }), "'unit' should be \"m\", \"cm\""},
      {preset_error([](Json& j) { j["ends"] = "yes"; }), "'ends' should be true or false"},
      {preset_error([](Json& j) { j["end_suffix"] = ""; }), "'end_suffix' should be a string"},
      {preset_error([](Json& j) { j["max_influences"] = 0; }), "'max_influences' should be 1 to 64"},
      {preset_error([](Json& j) { j["pattern"] = "joint"; }), "'pattern' should contain {name}"},
      {preset_error([](Json& j) { j["right"] = "L"; }), "'right' should be a word other than"},
      {preset_error([](Json& j) { j["letters"] = "kebab"; }), "'letters' should be"},
      {preset_error([](Json& j) { j["names"] = {"a"}; }), "'names' should be an object whose values are strings"},
      {preset_error([](Json& j) { j["names"]["head"] = "pelvis"; }), "the name 'pelvis' to two roles"},
      {preset_error([](Json& j) { j["names"]["head"] = ""; }), "an empty role or name"},
      {preset_error([](Json& j) {
         j["trunk"] = {"a", "a"};
       }),
       "the name 'a' in 'trunk'"},
  };
  for (const auto& [error, part] : cases) {
    EXPECT_TRUE(error.starts_with("mine.json: ")) << error << " / " << part;
    EXPECT_NE(error.find(part), std::string::npos) << "got: " << error << "\nexpected: " << part;
  }
}

TEST(Preset, NamesComeFromTheTableOrAreFormed) {
  const Preset mine = read_preset(small_preset(), "mine.json");
  EXPECT_EQ(joint_name(mine, "hips", "Hips"), "p:pelvis");
  EXPECT_EQ(joint_name(mine, "left_hand", "LeftHand"), "p:palm.L");
  EXPECT_EQ(joint_name(mine, "hand", "Hand"), "p:palm") << "a hand of no side";
  EXPECT_EQ(joint_name(mine, "right_foot", "RightFoot"), "p:hoof");
  EXPECT_EQ(joint_name(mine, "left_foot", "LeftFoot"), "p:foot.L");
  EXPECT_EQ(joint_name(mine, "right_hand_2", "RightHandPaw"), "p:hand_paw.R");
  EXPECT_EQ(joint_name(mine, "", "LeftExtra1_2"), "p:extra_1_2.L");
  EXPECT_EQ(joint_name(mine, "tail_3", "Tail3"), "p:tail_3");
  EXPECT_EQ(joint_name(find_preset("vrm"), "left_ear", "LeftEar"), "leftEar");
  EXPECT_EQ(joint_name(find_preset("vrm"), "tail_3", "Tail3"), "tail3");
  EXPECT_EQ(joint_name(find_preset("plain"), "left_hand_2", "LeftHandPaw"), "LeftHandPaw");
  EXPECT_EQ(joint_name(find_preset("unreal"), "left_ear", "LeftEar"), "ear_l");
  EXPECT_EQ(joint_name(find_preset("blender"), "right_index_2", "RightIndex2"), "f_index.02.R");
  EXPECT_EQ(joint_name(find_preset("mixamo"), "right_little_1", "RightLittle1"), "mixamorig:RightHandPinky1");
  EXPECT_FALSE(named_joint(find_preset("plain"), "hips"));
  EXPECT_EQ(named_joint(find_preset("mixamo"), "left_toes_end"), "mixamorig:LeftToe_End");
}

TEST(Preset, AxesAreRotationsThatPutBoneAndBendWhereTheyShallBe) {
  for (const char* bone : {"+x", "-x", "+y", "-y", "+z", "-z"})
    for (const char* bend : {"+x", "-x", "+y", "-y", "+z", "-z"}) {
      if (bone[1] == bend[1]) continue;
      Preset preset;
      preset.bone_axis = bone, preset.bend_axis = bend;
      const Mat3 turn = axes(preset);
      EXPECT_EQ(turn.transpose() * turn, Mat3::Identity());
      EXPECT_EQ(turn.determinant(), 1);
      const auto vector = [](const char* word) {
        return Vec3((word[0] == '-' ? -1.0 : 1.0) * Vec3::Unit(word[1] - 'x'));
      };
      EXPECT_EQ(turn * vector(bone), Vec3::UnitY());
      EXPECT_EQ(turn * vector(bend), Vec3::UnitZ());
    }
  EXPECT_EQ(axes(find_preset("plain")), Mat3::Identity());
  EXPECT_EQ(axes(find_preset("vrm")), Mat3::Identity());
}

TEST(Preset, BuiltInPresetsComeInOrderAndNameEveryTemplateWithoutNamesakes) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    names.push_back(preset.name);
    EXPECT_FALSE(preset.title.empty());
    for (const Template& known : templates()) {
      std::set<std::string> used;
      for (const Template::Joint& joint : known.joints) {
        const std::string name = joint_name(preset, joint.role, joint.name);
        EXPECT_TRUE(used.insert(name).second) << preset.name << ", " << known.name << ": " << name;
        EXPECT_EQ(name.find('{'), std::string::npos) << name;
      }
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"plain", "blender", "rigify", "unity", "unreal", "godot", "mixamo", "vrm",
                                             "maya"}));
  EXPECT_THROW(find_preset("unrael"), Error);
}

}  // namespace
}  // namespace sinew::rigging
