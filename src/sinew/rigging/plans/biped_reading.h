// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>

#include "sinew/rigging/plans/plan_reading.h"

namespace sinew::rigging {

/// Reads a body that stands on one pair of legs and does not stand upright: a bird, or a tailed biped such as a
/// tyrannosaur or a kangaroo. A long tail that tapers tells the latter. Nothing for bodies that are much higher than
/// long, as people are.
std::optional<PlanReading> read_biped(const BodyWays& ways, const BodyAxes& frame, bool facing_known);

}  // namespace sinew::rigging
