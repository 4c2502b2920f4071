// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/clip.h"
#include "sinew/core/json.h"
#include "sinew/core/rig.h"

namespace sinew::studio {

/// How a clip is played: the sliders below it.
struct ClipChange {
  bool mirror = false;
  bool in_place = false;
  double arm_space_rad = 0;  ///< Upper arms are turned away from the body; negative towards it.

  bool any() const { return mirror || in_place || arm_space_rad != 0; }
  auto operator<=>(const ClipChange&) const = default;
};

/// Reads `mirror`, `in_place` and `arm_space` (degrees) of a message or a step. \throws Error for other values.
ClipChange clip_change(const Json& json);

/// The clip with the change. \throws Error if nothing of the skeleton is recognized that a change needs.
Clip changed_clip(const Rig& rig, const Clip& clip, const ClipChange& change);

}  // namespace sinew::studio
