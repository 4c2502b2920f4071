// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/skeleton.h"

namespace sinew {

/// A skeleton that can be fitted into a character.
struct Template {
  enum class Placement {
    kSearched,  ///< Its position is found by the embedding.
    kRatio,     ///< Its position is at a fraction of a chain.
    kDerived,   ///< Its position follows from other joints, as for clavicles and fingers.
  };
  struct Joint {
    std::string name;
    Index parent = kNone;
    Vec3 position = Vec3::Zero();
    Index partner = kNone;  ///< The corresponding joint on the other side.
    std::string role;
    Placement placement = Placement::kSearched;
    std::string chain;
    double fraction = 0;
    std::optional<RotationLimits> limits;
    Vec3 roll_axis = Vec3::UnitZ();
    bool optional = false;
    bool foot = false;  ///< The joint is on the ground.
    bool fat = false;   ///< The joint is where the body is thickest.
  };
  /// A limb, from where it leaves the body to its last joint. Its ends are determined from the shape.
  struct Limb {
    std::string name;           ///< "left_arm".
    std::string kind;           ///< "arm", "leg", "wing", "head", "tail", "finger", ….
    std::vector<Index> joints;  ///< From the body outwards, each the parent of the next; `fraction` is along these.
    double inset = 0;   ///< Depth of the first joint inside the body, in radii of the limb where it leaves the body.
    double beyond = 0;  ///< Distance from the last joint to the tip, relative to that from the first joint to the last.
    std::optional<Vec3> tip;  ///< The end of the limb: JSON key "tip", [x, y, z].
  };
  int version = 1;
  std::string name;
  bool plan = false;          ///< Found by reading the plan of a body, never by the embedding.
  std::vector<Joint> joints;  ///< Parents first.
  std::vector<Limb> limbs;
};

/// Returns the problems of a template: parents listed after children, duplicate names, partners that do not point back,
/// fractions outside [0, 1].
Findings validate(const Template& skeleton_template);

}  // namespace sinew
