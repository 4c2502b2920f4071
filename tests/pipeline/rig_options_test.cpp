// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rig_options.h"

#include <gtest/gtest.h>

#include <functional>

#include "sinew/core/error.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::pipeline {
namespace {

/// The error of options that are wrong; empty for options that are right.
std::string error_of(const std::function<void(RigOptions&)>& change) {
  RigOptions options;
  try {
    change(options);
    check_rig_options(options);
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

bool holds(const std::string& text, const std::string& word) { return text.find(word) != std::string::npos; }

TEST(RigOptions, UnknownWordsAreRefusedWithTheNearest) {
  EXPECT_EQ(error_of([](RigOptions&) {}), "");
  EXPECT_TRUE(holds(error_of([](RigOptions& o) { o.skeleton_template = "humna"; }), "Did you mean 'human'?"));
  EXPECT_TRUE(holds(error_of([](RigOptions& o) { o.preset = "unitty"; }), "unity"));
  EXPECT_TRUE(holds(error_of([](RigOptions& o) { o.rigger.without = {"leg"}; }), "legs"));
  EXPECT_TRUE(holds(error_of([](RigOptions& o) { o.demo_clip = {"wakl"}; }), "walk"));
  EXPECT_TRUE(holds(error_of([](RigOptions& o) { o.bind.choose("heta"); }), "heat"));
  EXPECT_TRUE(holds(error_of([](RigOptions& o) { o.max_influences = 65; }), "max_influences"));
  EXPECT_EQ(error_of([](RigOptions& o) { o.max_influences = 0; }), "");
}

TEST(RigOptions, AnUnknownTemplateListsAllWords) {
  const std::string text = error_of([](RigOptions& o) { o.skeleton_template = "dragon"; });
  for (const char* word : {"auto", "human", "quadruped", "bird", "hand", "generic"})
    EXPECT_TRUE(holds(text, word)) << text;
}

TEST(RigOptions, AJointThatNoTemplateHasIsNamedWithTheNearest) {
  const std::string any = error_of([](RigOptions& o) { o.hint = {{"left_hnad", Vec3::Zero()}}; });
  EXPECT_EQ(any, "The option 'hint' names a joint 'left_hnad' that no template has. Did you mean 'left_hand'?");
  const std::string one = error_of([](RigOptions& o) {
    o.skeleton_template = "human";
    o.joint_positions = {{"third_eyebrow_tip", Vec3::Zero()}};
  });
  EXPECT_EQ(one,
            "The option 'joint_positions' names a joint 'third_eyebrow_tip' that the template 'human' does not have.");
  EXPECT_EQ(error_of([](RigOptions& o) { o.hint = {{"left_hand", Vec3::Zero()}, {"LeftFoot", Vec3(1, 2, 3)}}; }), "");
}

TEST(RigOptions, AnOwnTemplateIsTheOnlyChoice) {
  RigOptions options;
  Template own = rigging::find_template("bird");
  own.name = "own";
  options.skeleton_template = own;
  ASSERT_EQ(rigger_request(options).templates.size(), 1U);
  EXPECT_EQ(rigger_request(options).templates[0].name, "own");
  options.skeleton_template = "generic";
  EXPECT_TRUE(rigger_request(options).templates.empty());
}

TEST(RigOptions, SingleOptionsChangeSingleFieldsOfThePreset) {
  RigOptions options;
  const rigging::Preset plain = preset_of(options);
  EXPECT_EQ(plain.name, "plain");
  options.rest = rigging::RestPose::kT;
  options.max_influences = 7;
  options.root = "Ground";
  options.ends = true;
  options.bone_axis = "+z";
  options.skeleton_unit = "cm";
  const rigging::Preset changed = preset_of(options);
  EXPECT_EQ(changed.rest, "t");
  EXPECT_EQ(changed.max_influences, 7);
  EXPECT_EQ(changed.root, "Ground");
  EXPECT_TRUE(changed.ends);
  EXPECT_EQ(changed.bone_axis, "+z");
  EXPECT_NE(changed.bend_axis.back(), 'z');
  EXPECT_EQ(changed.unit, "cm");
  EXPECT_EQ(changed.names, plain.names);
  options.root = "none";
  EXPECT_EQ(preset_of(options).root, "");
  rigging::Preset own = rigging::find_preset("unity");
  own.name = "own";
  options.preset = own;
  EXPECT_EQ(preset_of(options).name, "own");
}

}  // namespace
}  // namespace sinew::pipeline
