// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Which joint of one character's skeleton moves which joint of another's.

#include <map>
#include <string>
#include <vector>

#include "sinew/motion/retarget/body_frame.h"

namespace sinew::motion {

/// What moves one joint of the target.
struct JointSource {
  Index joint = kNone;   ///< Of the source; kNone for a joint that stays at rest.
  Index before = kNone;  ///< The joint before it in the source's chain; kNone if `share` is 1.
  double share = 1;      ///< The joint rotates this share of the way from `before` to `joint`.
  std::string by;        ///< How it was found: "map", "role", "chain", "name" or "shape".
};

struct JointMap {
  std::vector<JointSource> sources;     ///< Per joint of the target.
  std::vector<Index> unmapped_sources;  ///< Joints of the source that move nothing.
  std::vector<Index> unmapped_targets;  ///< Joints of the target that stay at rest, without drivers and end joints.
  Index mapped() const;
};

/// Finds the sources of the target's joints. What the user names comes first: target joints by source joint; an empty
/// name leaves a source joint without a partner. Then joints of the same role, then the joints of trunk, neck, tail and
/// fingers by their place along the chain, so that chains of different lengths bend as one; then equal names; last,
/// joints below partners at the same place, in leg lengths. The cost is quadratic in the joints. \throws Error if a
/// name of `given` does not exist.
JointMap map_joints(const BodyFrame& source, const BodyFrame& target, const std::map<std::string, std::string>& given);

}  // namespace sinew::motion
