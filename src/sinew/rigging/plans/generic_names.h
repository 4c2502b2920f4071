// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/rigging/build/plan.h"
#include "sinew/rigging/embed/interior.h"

namespace sinew::rigging {

/// Names the limbs of a generic skeleton after what can be told of them. Limbs that are mirror images of each other
/// become partners. Where it is clear which end of the body is the front, limbs that stand on the ground are called
/// legs, and names have a side: LegFrontLeft_1, LegRearLeft_1, or Leg1Left_1 from the front if there are more; the
/// rearmost limb in the mirror plane becomes Tail_1, with the role tail_1. All other limbs keep their names. Nothing
/// changes if the body has no upright mirror plane.
void name_generic_limbs(const Interior& interior, SkeletonPlan& plan);

}  // namespace sinew::rigging
