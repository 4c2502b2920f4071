// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>

#include "sinew/core/clip.h"
#include "sinew/core/rig.h"

namespace sinew::motion {

/// The largest allowed difference between baked tracks and the result of the drivers, at any time.
struct BakeTolerance {
  double rotation_rad = 1e-4;
  double translation_rel = 1e-5;  ///< Relative to the character's size.
  double scale = 1e-5;            ///< Relative to the scale itself.
};

/// Bakes drivers into a clip, for programs that do not support them. Every driven joint gets linear tracks that stay
/// within the tolerance of the result of `Player` and `Drivers` at any time, if sampled as glTF defines. There are keys
/// at the clip's own keys, at least `fps` per second between them, and more where that is not enough; redundant keys
/// are then removed. Between two keys a joint never rotates by more than 60°, so that twists beyond 180° do not take
/// the shortest path. Where a driver jumps (a source with steps, a rotation that passes 180°), two keys are as close to
/// each other as possible: 1e-5 s apart, and for steps the smallest possible difference.
///
/// A driven joint gets a rotation track, a translation or scale track if the driver changes them, and one for each path
/// for which it had a track; the old tracks are removed. Joints whose driver is of an unknown kind keep their tracks.
/// New tracks are appended; the index of the first is returned. A clip without tracks is unchanged. The cost is linear
/// in the keys times the joints. \throws Error as `Player` and `Drivers` do.
std::size_t bake_drivers(const Rig& rig, Clip& clip, double fps = 30, const BakeTolerance& tolerance = {});

}  // namespace sinew::motion
