// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Splits names of joints into words, for `recognize`.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinew/motion/names/joint_names.h"

namespace sinew::motion {

/// Returns the name in lower case, without its namespace and with '_' for all separators.
std::string plain_name(std::string_view name);

/// Returns the plain name, and its variants without the numbers, armature names and figure names that programs add.
std::vector<std::string> plain_candidates(std::string_view name);

/// The limb or part that the words in a name indicate.
struct WordRole {
  enum class Limb { kNone, kTrunk, kArm, kLeg, kFrontLeg, kHindLeg, kWing };
  JointRole role;  ///< Empty if the words indicate only the limb.
  Limb limb = Limb::kNone;
};
WordRole role_by_words(std::string_view name);

/// Returns the side in a name, and the rest of the name, which is the same for both joints of a pair.
std::pair<Side, std::string> name_without_side(std::string_view name);

}  // namespace sinew::motion
