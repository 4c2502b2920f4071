// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>

#include "sinew/rigging/plans/plan_reading.h"

namespace sinew::rigging {

/// Reads a body that stands on three or four pairs of legs: an insect or a spider. Each leg is followed from its foot
/// to the body and has three bones. The heavier end of the body is the abdomen, in the rear.
std::optional<PlanReading> read_crawler(const BodyWays& ways, const BodyAxes& frame, bool facing_known);

}  // namespace sinew::rigging
