// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>

#include "sinew/rigging/anatomy/anatomy.h"

namespace sinew::rigging {

/// Positions that joints must have, in the interior's frame, by joint of the template.
using Anchors = std::map<Index, Vec3>;

/// Moves joints to their anchors and lets the others follow. The other joints of an anchored limb keep their order
/// along the limb's profile: joints between two that are known are spread between them as before, and the limb's first
/// joint moves where the bones would otherwise be out of proportion to the template. Limbs that are attached to an
/// anchored joint of the trunk go along if they fit it better then. The rest of the trunk follows the first joints of
/// the limbs and the anchors, as in `read_anatomy`. Without anchors nothing changes. `turn`: from the interior's frame
/// to the template's. Joints that move because of an anchor keep their origin; anchored joints have the origin "hint".
void anchor_joints(const Template& skeleton_template, const Mat3& turn, const Anchors& anchors, Anatomy& anatomy);

/// How far joints are from their anchors, together, in the interior's frame; `tolerance` of each is free.
double anchor_distance(const Anatomy& anatomy, const Anchors& anchors, double tolerance);

}  // namespace sinew::rigging
