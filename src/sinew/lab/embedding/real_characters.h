// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The real characters on which joints are searched for, by class of body. A fixed quarter of each class is held out:
/// figures are printed for both groups, and only the other group is looked at while the search is developed.

#include <filesystem>
#include <string>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/rig.h"

namespace sinew::lab {

enum class BodyClass { kUprightPeople, kToys, kPosedPeople, kQuadrupeds, kBirds, kCreatures, kHands };
inline constexpr int kBodyClasses = 7;
const char* body_class_name(BodyClass body);
/// Whether bodies of a class are people or built like them.
bool is_person(BodyClass body);

struct RealCharacter {
  const char* path;  ///< Below the folder of data.
  BodyClass body;
  const char* wanted;     ///< Names of the templates that are right, separated by '|'.
  bool held_out = false;  ///< Not looked at in development.
  const char* clip = "";  ///< How the name of a clip ends; "rest" for the pose of the nodes; empty: the bind pose.
  double share = 0;       ///< Of the duration of the clip.

  /// The file without its extension, then the pose: "Male_Suit Man_Sitting 50 %".
  std::string name() const;
  bool wants(const std::string& template_name) const;
};

const std::vector<RealCharacter>& real_characters();

/// The role that a joint of a file has in a template, where its name does not state it, such as "Bone.012".
struct RoleOfJoint {
  const char* joint;
  const char* role;
};

/// The roles of all joints of a file that can be compared. Empty: recognize them by their names.
const std::vector<RoleOfJoint>& stated_roles(const std::string& path);

/// A joint of the artist's skeleton that carries skin.
struct TrueJoint {
  std::string name;
  std::string role;              ///< Empty if unknown.
  Vec3 position = Vec3::Zero();  ///< In model space, in the pose of the mesh.
  Vec3 region = Vec3::Zero();    ///< Mean of the vertices it carries.
  bool tip = false;              ///< No other such joint follows it.
  int side = 0;                  ///< 1 left, −1 right, 0 middle or unknown.
};

/// A character without its rig, and what the file says about its joints.
struct RealSubject {
  const RealCharacter* character = nullptr;
  Mesh mesh;
  std::vector<TrueJoint> joints;  ///< Empty: the file has no skeleton.
  /// What errors are shares of: the height of people in the bind pose, else the longest side of the box.
  double size = 1;

  const TrueJoint* find_role(const std::string& role) const;
};

/// Reads a character and takes its rig away. \throws Error for a file that cannot be read, or that lacks the clip.
RealSubject read_real_character(const std::filesystem::path& folder, const RealCharacter& character);

}  // namespace sinew::lab
