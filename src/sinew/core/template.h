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
    bool foot = false;  ///< Stands on the ground.
    bool fat = false;   ///< Lies where the body is thickest.
  };
  /// A limb from where it grows out of the body to its last joint. Where it begins and ends is read off the shape.
  struct Limb {
    std::string name;           ///< "left_arm".
    std::string kind;           ///< "arm", "leg", "wing", "head", "tail", "finger", ….
    std::vector<Index> joints;  ///< From the body outwards, each the parent of the next; `fraction` is along these.
    double inset = 0;   ///< How far the first joint lies inside the body, in radii of the limb where it leaves it.
    double beyond = 0;  ///< From the last joint to the tip, as a share of the way from the first joint to the last.
    std::optional<Vec3> tip;  ///< Where it ends: JSON key "tip", [x, y, z].
  };
  int version = 1;
  std::string name;
  std::vector<Joint> joints;  ///< Parents first.
  std::vector<Limb> limbs;
};

/// Parents that do not come first, names used twice, partners that do not point back, fractions outside [0, 1].
Findings validate(const Template& skeleton_template);

}  // namespace sinew
