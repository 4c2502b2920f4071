// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sinew/binding/binder.h"
#include "sinew/core/method.h"
#include "sinew/core/options.h"
#include "sinew/core/template.h"
#include "sinew/rigging/build/rest_pose.h"
#include "sinew/rigging/rigger.h"
#include "sinew/rigging/templates/preset.h"

namespace sinew::pipeline {

/// What places the inner joints of limbs.
enum class JointPlacement { kAuto, kEmbed, kCurves };
constexpr auto option_words(JointPlacement) { return std::array{"auto", "embed", "curves"}; }

/// How a character is rigged. An option that is absent leaves the choice to the preset.
struct RigOptions {
  /// "auto" for the template that fits best, "generic" for a skeleton without one, the name of a built-in template, or
  /// a custom template.
  std::variant<std::string, Template> skeleton_template = "auto";
  std::variant<std::string, rigging::Preset> preset = "plain";  ///< The name of a built-in preset, or a custom preset.
  /// Exact positions of joints, in metres, by the template's names or by role. These joints are not searched for.
  std::map<std::string, Vec3> joint_positions;
  /// Other poses of the same mesh: joints are placed where limbs bend in any of them.
  std::vector<std::vector<Vec3>> posed;

  MethodChoice bind{binding::binders(), "auto"};  ///< The binder, with its options.
  std::optional<int> max_influences;
  std::optional<rigging::RestPose> rest;
  std::vector<std::string> demo_clip;
  std::map<std::string, Vec3> hint;
  bool replace = false;
  std::optional<std::string> root;
  std::optional<bool> ends;
  std::optional<std::string> bone_axis;
  std::optional<std::string> skeleton_unit;
  JointPlacement place = JointPlacement::kAuto;
  rigging::RiggerOptions rigger;

  /// All fields but the first four, which can be objects: programs add fields that name them or read them from files.
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("bind", "The method that computes the weights.").as("METHOD"), self.bind);
    v(Field("max_influences",
            "Maximum number of joints that move one vertex; 0 means no limit. The default is the preset's.")
          .range(0, 64),
      self.max_influences);
    v(Field("rest",
            "Pose of mesh and skeleton in the result: keep it, or change it to a T or A pose. The default is the "
            "preset's."),
      self.rest);
    v(Field("demo_clip", "Add built-in clips, such as walk; auto chooses the one that fits the body.")
          .as("NAME,…")
          .one_of(demo_clip_words()),
      self.demo_clip);
    v(Field("hint", "Approximate positions of joints in metres, by the template's names or by role.")
          .as("NAME=x,y,z,…"),
      self.hint);
    v(Field("replace", "Replace an existing skeleton, its weights and its clips."), self.replace);
    v(Field("root",
            "Name of a root joint on the ground, which becomes the parent of the hips, or none. The default is the "
            "preset's.")
          .as("NAME"),
      self.root);
    v(Field("ends", "Add end joints to leaf joints. The default is the preset's."), self.ends);
    v(Field("bone_axis", "Axis of a joint that points along its bone. The default is the preset's.")
          .one_of({"+x", "-x", "+y", "-y", "+z", "-z"}),
      self.bone_axis);
    v(Field("skeleton_unit", "Length unit of the skeleton. The default is the preset's.").one_of({"m", "cm"}),
      self.skeleton_unit);
    v(Field(
          "place",
          "What places the inner joints of limbs, such as elbows: embed searches in the volume; curves takes bends and "
          "middle lines of curves around the limbs; auto takes curves where they are clear."),
      self.place);
    rigging::RiggerOptions::visit(self.rigger, v);
  }

  static std::vector<std::string> demo_clip_words();
};

/// "auto", "generic" and the names of the built-in templates; the names of the built-in presets.
std::vector<std::string> template_words();
std::vector<std::string> preset_words();

/// \throws Error if a value is out of range, or a template, preset, joint, clip or method is unknown.
void check_rig_options(const RigOptions& options);

/// The preset with the changes that single options make to it. \throws Error if it is unknown.
rigging::Preset preset_of(const RigOptions& options);

/// The request for the planner; no templates for the generic skeleton. \throws Error for an unknown template, and for a
/// position of a joint that no template has.
rigging::RiggerRequest rigger_request(const RigOptions& options);

}  // namespace sinew::pipeline
