// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rig_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/binding/binder.h"
#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/rigging/templates/template_file.h"

namespace sinew::pipeline {
namespace {

/// The templates to choose from; none for the generic skeleton.
std::vector<Template> templates_of(const RigOptions& options) {
  if (const auto* own = std::get_if<Template>(&options.skeleton_template)) return {*own};
  const auto& word = std::get<std::string>(options.skeleton_template);
  if (word == "auto") return rigging::all_templates();
  if (word == "generic") return {};
  for (const Template& candidate : rigging::all_templates())
    if (candidate.name == word) return {candidate};
  throw Error(unknown_word("template", word, template_words()));
}

void check_joints(const std::map<std::string, Vec3>& positions, const std::vector<Template>& templates,
                  const char* option) {
  std::vector<std::string> known;
  for (const Template& t : templates)
    for (const Template::Joint& joint : t.joints) {
      known.push_back(joint.name);
      if (!joint.role.empty()) known.push_back(joint.role);
    }
  const std::string owner = templates.empty()       ? "the generic skeleton does not have"
                            : templates.size() == 1 ? fmt::format("the template '{}' does not have", templates[0].name)
                                                    : "no template has";
  for (const auto& [name, position] : positions)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(
          fmt::format("The option '{}' names a joint '{}' that {}.{}", option, name, owner, did_you_mean(name, known)));
}

}  // namespace

std::vector<std::string> RigOptions::demo_clip_words() {
  std::vector<std::string> words = motion::all_builtin_clip_names();
  words.emplace_back("auto");
  return words;
}

std::vector<std::string> template_words() {
  std::vector<std::string> words = {"auto"};
  for (const Template& t : rigging::all_templates()) words.push_back(t.name);
  words.emplace_back("generic");
  return words;
}

std::vector<std::string> preset_words() {
  std::vector<std::string> words;
  for (const rigging::Preset& preset : rigging::presets()) words.push_back(preset.name);
  return words;
}

void check_rig_options(const RigOptions& options) {
  RigOptions copy = options;
  OptionList(copy).validate();
  preset_of(options);
  rigger_request(options);
}

rigging::Preset preset_of(const RigOptions& options) {
  const auto* own = std::get_if<rigging::Preset>(&options.preset);
  rigging::Preset preset = own ? *own : rigging::find_preset(std::get<std::string>(options.preset));
  if (options.rest) preset.rest = option_words(*options.rest)[static_cast<std::size_t>(*options.rest)];
  if (options.max_influences) preset.max_influences = *options.max_influences;
  if (options.root) preset.root = *options.root == "none" ? "" : *options.root;
  if (options.ends) preset.ends = *options.ends;
  if (options.bone_axis) {
    preset.bone_axis = *options.bone_axis;
    if (preset.bone_axis.back() == preset.bend_axis.back())
      preset.bend_axis = preset.bone_axis.back() == 'z' ? "+x" : "+z";
    preset.world_axes = false;
  }
  if (options.skeleton_unit) preset.unit = *options.skeleton_unit;
  return preset;
}

rigging::RiggerRequest rigger_request(const RigOptions& options) {
  rigging::RiggerRequest request;
  request.templates = templates_of(options);
  request.hints = options.hint;
  request.given = options.joint_positions;
  check_joints(request.hints, request.templates, "hint");
  check_joints(request.given, request.templates, "joint_positions");
  return request;
}

}  // namespace sinew::pipeline
