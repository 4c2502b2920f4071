// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Motions that Sinew makes for a skeleton: docs/formats/poses-and-clips.md shows them.

#include <string>
#include <vector>

#include "sinew/core/clip.h"
#include "sinew/core/skeleton.h"

namespace sinew::motion {

/// Names of the clips there are for a skeleton: "exercise" for any with deforming joints; "idle", "walk", "run" and
/// "wave" for people, "walk" for four-legged animals, "flap" for birds and others with wings.
std::vector<std::string> builtin_clip_names(const Skeleton& skeleton);

/// All names there can be.
const std::vector<std::string>& all_builtin_clip_names();

/// Makes a clip. The gestures are defined in space: whatever the rest pose and the axes of the joints, arms first go
/// down to the side and then swing; sizes follow the legs. Everything but "exercise" and "wave" is a loop: it ends as
/// it begins. Motions are in place, 30 keys a second or, in quick ones, 60, with feet on the ground of the rest pose:
/// the lowest one touches it in each frame, apart from the flight of a run. Limits of joints are kept. Durations: idle
/// 4 s, walk 1 s (1.2 s on four legs), run 0.7 s, wave 2 s, flap 0.8 s; `exercise` as it comes.
/// \throws Error, with the names there are, if this skeleton has no such clip.
Clip builtin_clip(const Skeleton& skeleton, const std::string& name);

/// The built-in clip that shows a skeleton best: walk, flap or exercise.
std::string fitting_clip(const Skeleton& skeleton);

}  // namespace sinew::motion
