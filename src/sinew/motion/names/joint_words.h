// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Names of joints as words, for `recognize`.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinew/motion/names/joint_names.h"

namespace sinew::motion {

/// Lower case, without name space, all separators as '_'.
std::string plain_name(std::string_view name);

/// The plain name and what is left of it without the numbers, armature names and figure names that programs add.
std::vector<std::string> plain_candidates(std::string_view name);

/// The limb or part that words in a name tell of.
struct WordRole {
  enum class Limb { kNone, kTrunk, kArm, kLeg, kFrontLeg, kHindLeg, kWing };
  JointRole role;  ///< Empty where the words tell the limb alone.
  Limb limb = Limb::kNone;
};
WordRole role_by_words(std::string_view name);

/// A name's side, and its words and numbers without it: the same for both joints of a pair.
std::pair<Side, std::string> name_without_side(std::string_view name);

}  // namespace sinew::motion
