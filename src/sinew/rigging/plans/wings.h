// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/rigging/plans/plan_reading.h"

namespace sinew::rigging {

/// Places the joints of spread wings, if the body has any: parts above the legs that reach far to both sides. The three
/// joints of each wing follow its front edge, where the bones are. `kind`: "arm" for the roles of a bird, whose wings
/// are its arms and may be spread only half, "wing" for `wing_1` to `wing_3`. Returns whether there are wings.
bool find_wings(const BodyVoxels& body, double leg_top, const std::string& kind, JointPlaces& places);

/// The part of a standing bird between its legs and its neck.
struct BirdTrunk {
  double belly = 0, back = 0;   ///< Heights.
  double hips = 0, breast = 0;  ///< How far forward.
};

/// Places the joints of wings that are folded on the flanks, where nothing protrudes: the shoulder in the upper front
/// of the trunk, the elbow behind and the wrist ahead of it, nearer to the skin, and the tip near the tail.
void place_folded_wings(const BodyVoxels& body, const BirdTrunk& trunk, JointPlaces& places);

}  // namespace sinew::rigging
