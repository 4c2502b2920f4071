// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/rigging/plans/plan_reading.h"

namespace sinew::rigging {

/// Places the joints of spread wings, if the body has any: parts above the legs that reach far to both sides. The three
/// joints of each wing follow its front edge, where the bones are. `kind`: "arm" for the roles of a bird, whose wings
/// are its arms, "wing" for `wing_1` to `wing_3`. Returns whether there are wings.
bool find_wings(const BodyVoxels& body, double leg_top, const std::string& kind, JointPlaces& places);

}  // namespace sinew::rigging
