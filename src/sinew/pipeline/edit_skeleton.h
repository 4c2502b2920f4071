// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Edits of a skeleton that leave the character as it looks: names, parents, added and removed joints.

#include <array>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/options.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/rigging/templates/preset.h"

namespace sinew::pipeline {

/// How the roles of joints are found when they get names.
enum class NameSource {
  kKeep,  ///< No new names, except those of a preset.
  kAuto,  ///< By the shape of the skeleton, where names say too little.
};
constexpr auto option_words(NameSource) { return std::array{"keep", "auto"}; }

/// What a preset changes.
enum class PresetUse {
  kAll,    ///< Names, hierarchy and axes.
  kNames,  ///< Only names.
};
constexpr auto option_words(PresetUse) { return std::array{"all", "names"}; }

struct SkeletonOptions {
  NameSource names = NameSource::kKeep;
  PresetUse preset_use = PresetUse::kAll;
  std::variant<std::string, rigging::Preset> preset = {};  ///< The name of a built-in one; empty for none.
  std::map<std::string, std::string> rename = {};
  std::vector<std::string> remove = {};
  std::map<std::string, std::string> reparent = {};
  std::map<std::string, Vec3> add = {};  ///< By NAME@PARENT: the position, in model space.
  bool add_root = false;
  /// By joint and axis, "Knee.x": the least and the largest rotation from rest in degrees, "lower:upper".
  std::map<std::string, std::string> limits = {};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("names",
            "auto gives every recognized joint the name of its role, found by names or else by the shape of the "
            "skeleton."),
      self.names);
    v(Field("preset_use",
            "What a preset changes: names, hierarchy and joint axes, or only names. The character looks and moves as "
            "before."),
      self.preset_use);
    v(Field("rename", "New names of joints.").as("OLD=NEW,…"), self.rename);
    v(Field("remove", "Joints to remove; their weights go to the joint above.").as("JOINT,…"), self.remove);
    v(Field("reparent", "Joints to attach to another one.").as("JOINT=PARENT,…"), self.reparent);
    v(Field("add", "Joints to add, with their positions in model space.").as("NAME@PARENT=x,y,z"), self.add);
    v(Field("add_root", "Add a joint 'Root' at the origin, above all others."), self.add_root);
    v(Field("limits",
            "Limits of joints: the least and the largest rotation from rest about an axis of the joint, in degrees.")
          .as("JOINT.x=A:B,…"),
      self.limits);
  }
};

/// What a preset changed besides names.
struct PresetChanges {
  std::vector<std::string> attached;  ///< Joints that got another parent.
  std::string root;                   ///< The joint that was added above the hips; empty for none.
  Index axes = 0;                     ///< Joints with other axes.
};

/// The roles of a joint by its name and by the shape of the skeleton.
struct JointNaming {
  std::string before, after, role_by_name, role_by_shape;
};

struct SkeletonResult {
  Character character;
  std::vector<JointNaming> naming;                          ///< Per joint of the input.
  std::vector<Index> removed_nodes;                         ///< Nodes of the file whose joints are gone.
  std::vector<std::pair<Index, std::size_t>> longer_clips;  ///< Clips with new tracks, and the first of them.
  double largest_move = 0;                                  ///< Of a vertex at rest, as a share of the size.
  PresetChanges preset;
  std::vector<std::pair<Index, Quat>> rotated_nodes;  ///< Nodes of the file with other axes, and their rotations.
  Findings findings;
};

/// Edits a skeleton. Joints are named as in the input; new names are given last. Joints keep their places, and clips
/// the motion of every joint that stays: joints with another parent get new keys, at those of the joints involved and
/// at least 30 per second. A preset gives names by the roles of joints. It also attaches limbs whose parts hang
/// elsewhere (feet below the root), adds the root joint of the preset, and gives every joint with a role the axes of
/// the preset; see `rotate_axes`. \throws Error if a joint does not exist or is ambiguous, a name would occur twice, a
/// joint would be above itself, or the last root would be removed.
SkeletonResult edit_skeleton(Character character, const SkeletonOptions& options);

/// The name that a preset has for every joint, by role; empty where a joint has none.
std::vector<std::string> preset_names(const rigging::Preset& preset, const motion::Recognition& roles);

}  // namespace sinew::pipeline
