// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>

#include "sinew/core/clip.h"
#include "sinew/core/rig.h"

namespace sinew::motion {

/// How far baked tracks may be from what the drivers say, at any time.
struct BakeTolerance {
  double rotation_rad = 1e-4;
  double translation_rel = 1e-5;  ///< Of the character's size.
  double scale = 1e-5;            ///< Of the scale itself.
};

/// Evaluates drivers into a clip, for programs that know nothing of them: every driven joint gets linear tracks that
/// stay within the tolerance of what `Player` and `Drivers` say, wherever it is sampled as glTF defines it. Keys lie at
/// the clip's own keys, at `fps` at least between them, and nearer where that is not enough; then those that say
/// nothing new are taken out. Between two keys a joint never turns by more than 60°, so that twists beyond half a turn
/// are not taken the short way round. Where a driver jumps (a source with steps, a rotation that passes half a turn)
/// two keys lie as near each other as they can: a hundred-thousandth of a second, for steps the smallest there is.
///
/// A driven joint gets a track of rotation, one of translation or scale if the driver changes them, and one for each
/// path of which it had a track: those are taken out. Joints whose driver is of an unknown kind keep theirs. New tracks
/// lie behind all others; returns the number of the first. A clip without tracks stays as it is. Linear in the keys
/// times the joints. \throws Error as `Player` and `Drivers` do.
std::size_t bake_drivers(const Rig& rig, Clip& clip, double fps = 30, const BakeTolerance& tolerance = {});

}  // namespace sinew::motion
