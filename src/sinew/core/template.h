// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/skeleton.h"

namespace sinew {

/// A skeleton to be fitted into a character.
struct Template {
  enum class Placement {
    kSearched,  ///< The embedding looks for its place.
    kRatio,     ///< At a fraction of a chain.
    kDerived,   ///< Follows from others: clavicles, fingers.
  };
  struct Joint {
    std::string name;
    Index parent = kNone;
    Vec3 position = Vec3::Zero();
    Index partner = kNone;  ///< On the other side.
    std::string role;
    Placement placement = Placement::kSearched;
    std::string chain;
    double fraction = 0;
    std::optional<RotationLimits> limits;
    Vec3 roll_axis = Vec3::UnitZ();
    bool optional = false;
  };
  int version = 1;
  std::string name;
  std::vector<Joint> joints;  ///< Parents first.
};

/// Parents that do not come first, names used twice, partners that do not point back, fractions outside [0, 1].
Findings validate(const Template& skeleton_template);

}  // namespace sinew
