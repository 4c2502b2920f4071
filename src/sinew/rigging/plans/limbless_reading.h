// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>

#include "sinew/rigging/plans/plan_reading.h"

namespace sinew::rigging {

/// Reads a long body without legs: a fish or a whale, which is a mirror image across an upright plane and thickest
/// before its middle, or a snake, which may lie in any curve. A chain of joints follows the body from the thicker end,
/// the head, to the tail.
std::optional<PlanReading> read_fish(const BodyWays& ways, const BodyAxes& frame, bool facing_known);
std::optional<PlanReading> read_snake(const BodyWays& ways, const BodyAxes& frame);

}  // namespace sinew::rigging
