// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/character.h"

namespace sinew::pipeline {

/// Example poses of one mesh: shapes that have the same vertices and faces.
struct PoseSet {
  Character character;                    ///< The first file, with its rig if it has one.
  std::vector<std::vector<Vec3>> shapes;  ///< Positions per pose, as a viewer shows them.
  std::vector<std::string> names;
};

/// A character that holds one pose, and what to call it in messages.
struct NamedCharacter {
  std::string name;
  Character character;
};

/// The poses of several characters, each as it is stored. \throws Error that tells where the meshes differ if they do,
/// or if one has no mesh.
PoseSet poses_of_characters(std::vector<NamedCharacter> characters);

/// The mesh of one character at rest and with each of some morphs, by name; all of them if no name is given. The first
/// name can be "rest"; without names the first pose is rest. \throws Error if there are no morphs or a name is unknown.
PoseSet poses_of_morphs(Character character, const std::vector<std::string>& names);

/// The shapes of a clip at some times, by linear skinning. \throws Error if there are fewer than two times.
PoseSet poses_of_clip(Character character, const Clip& clip, const std::vector<double>& times_s);

}  // namespace sinew::pipeline
