// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <optional>

#include "sinew/rigging/plans/plan_reading.h"

namespace sinew::rigging {

/// Reads a body that stands on two pairs of legs. `pairs`: rear first, in the axes of `body`, whose forward direction
/// is determined here unless `facing_known`. Nothing if the legs are too short or too close for a trunk between them.
std::optional<PlanReading> read_quadruped(const BodyWays& ways, const BodyAxes& frame, bool facing_known);

}  // namespace sinew::rigging
