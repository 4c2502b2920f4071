// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/json.h"
#include "sinew/core/math.h"

namespace sinew::rigging {

/// The conventions that a program expects of a skeleton. docs/formats/presets.md has the schema.
struct Preset {
  int version = 1;
  std::string name;   ///< "unity".
  std::string title;  ///< Shown to users: "Unity, Humanoid".
  /// Names by role: the name of the joint ("hips": "pelvis"); by a role without its side: the name on both sides, with
  /// {side} for the word of the side ("hand": "hand_{side}"); by a role and "_end": the name of the end joint. A role
  /// that is not listed keeps the name of the template, in the form that `pattern` and `letters` specify.
  std::map<std::string, std::string> names;
  std::vector<std::string> trunk;  ///< For programs that number them: names of spine and chest from the hips upwards.
  std::string left = "Left", right = "Right";  ///< Words for the sides.
  std::string pattern = "{side}{name}";        ///< How a name that is not in `names` is formed…
  std::string letters = "keep";  ///< …and written: "keep" (HandPaw), "snake" (hand_paw), "camel" (handPaw).
  std::string prefix;            ///< The prefix of all names ("mixamorig:").
  std::string root;              ///< Name of a joint above the hips, on the ground; empty for none.
  std::string bone_axis = "+y",
              bend_axis = "+z";  ///< The axes of a joint along its bone and about which it bends.
  /// If true, the axes of the right side are the mirror image of the left side with the bend axis reversed, so that
  /// equal rotations bend both sides alike. If false, the bend axes of both sides point in the same direction.
  bool mirrored_axes = true;
  bool world_axes = false;          ///< All joints have the axes of the model (VRM, Unity's T pose).
  std::string rest = "keep";        ///< "keep", "t", "a".
  std::string unit = "m";           ///< "m" or "cm": with "cm" the skeleton is below a node that scales by a hundredth.
  int max_influences = 4;           ///< 1 to 64.
  int spine_joints = 0;             ///< At least so many joints between hips and neck; 0: as many as the template has.
  bool all_bones = false;           ///< Root and end joints belong to the skin, so that programs import them as bones.
  bool ends = false;                ///< Leaves get end joints…
  std::string end_suffix = "_end";  ///< …named after the leaf, with this suffix.
};

/// Reads a preset. \throws Error with `where` and the position in it for anything that is missing, unknown or wrong.
Preset read_preset(const Json& json, const std::string& where);

/// The same from the text of a file. \throws Error also for text that is not valid JSON.
Preset read_preset(const std::string& text, const std::string& where);

/// The built-in presets: plain, blender, rigify, unity, unreal, godot, mixamo, vrm, maya.
const std::vector<Preset>& presets();
const Preset& find_preset(const std::string& name);  ///< \throws Error that lists the available names.

/// The name that `names` has for a role, or for a role and "_end", if there is one.
std::optional<std::string> named_joint(const Preset& preset, const std::string& role);

/// The name of a joint, given its role and its name in the template: "left_ear" and "LeftEar" give "ear_l". Numbered
/// joints of the trunk are left to the caller, which knows how many there are.
std::string joint_name(const Preset& preset, const std::string& role, const std::string& template_name);

/// The axes of a joint relative to Sinew's own (+Y along the bone, +Z the bend axis): a rotation that maps each axis to
/// one of the others. The identity for `world_axes`.
Mat3 axes(const Preset& preset);

}  // namespace sinew::rigging
