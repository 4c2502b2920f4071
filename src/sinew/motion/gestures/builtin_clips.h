// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Motions that Sinew generates for a skeleton. docs/formats/poses-and-clips.md shows them.

#include <string>
#include <vector>

#include "sinew/core/clip.h"
#include "sinew/core/skeleton.h"

namespace sinew::motion {

/// Returns the names of the clips available for a skeleton: "exercise" for any with deforming joints; "idle", "walk",
/// "run", "wave", "jump", "sit", "look-around" and "turn" for humans, "idle", "walk" and "trot" for four-legged
/// animals, "walk" for all others with legs, "flap" and "glide" for birds and others with wings, "swim" for fish,
/// "slither" for snakes.
std::vector<std::string> builtin_clip_names(const Skeleton& skeleton);

/// Returns the names of all built-in clips.
const std::vector<std::string>& all_builtin_clip_names();

/// Generates a clip. The gestures are defined in model space and do not depend on the rest pose and the axes of the
/// joints: arms are first lowered to the sides and then swing. Distances are relative to the length of the legs. All
/// clips are in place, with 30 keys per second, or 60 in quick motions. Feet that walk or run move back with the
/// ground, at a constant speed. The lowest foot touches the ground of the rest pose in each frame, except in the flight
/// phase of a run, in a jump and in "glide". Joint limits are respected. Durations: idle 4 s, walk 1 s (1.2 s on four
/// legs), run 0.7 s, wave 2 s, jump 1.5 s, sit 4 s, look-around 4.6 s, turn 1.25 s, trot 0.7 s, flap 0.8 s, glide 3 s,
/// swim 1.6 s, slither 2 s; that of "exercise" varies. \throws Error, with the available names, if this skeleton has no
/// such clip.
Clip builtin_clip(const Skeleton& skeleton, const std::string& name);

/// Whether a built-in clip ends as it begins and is meant to be repeated.
bool builtin_clip_repeats(const std::string& name);

/// Returns the name of the built-in clip that shows a skeleton best: walk, flap, swim, slither or exercise.
std::string fitting_clip(const Skeleton& skeleton);

}  // namespace sinew::motion
