// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/name_words.h"
#include "sinew/core/skeleton.h"

namespace sinew::pipeline {

/// What a node of a skeleton seems to be there for, by its name and role.
enum class NodeUse {
  kSkin,     ///< It moves the skin, as far as can be told.
  kEnd,      ///< It only says where a leaf ends: "Head_end", "HeadNub", "finger-tip", "LeftHandThumb4".
  kControl,  ///< For the animator: "IK-foot", "PoleTarget.L", "hand_ctrl", "MCH-spine".
  kSocket,   ///< Something is held there: "handslot.l", "weapon_r", "Camera".
  kRoot,     ///< It moves everything: "root", "Armature".
};

NodeUse node_use(std::string_view name, std::string_view role = {});

/// Of the joints in `candidates` those that should move the skin. Ends count as such where nothing goes on below them.
/// A root goes where all that is left of the skeleton hangs by one joint that branches, as hips do: then it is not the
/// hips itself. Where joints are marked as deforming (Rigify's "DEF-"), those alone stay. May leave none.
std::vector<char> joints_of_skin(const Skeleton& skeleton, std::vector<char> candidates);

}  // namespace sinew::pipeline
