// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/character.h"

namespace sinew::motion {

/// Returns the pose of a clip at a time, with linear, step and cubic (Hermite) interpolation as glTF defines them.
/// Rotations take the shortest path and have unit length. Before the first and after the last key, a track keeps that
/// key's value. Properties without a track stay at rest. The cost is logarithmic in the keys. \pre `clip` is valid for
/// `rig`.
Pose sample(const Rig& rig, const Clip& clip, double time_s);

/// Returns the rotation of one track at a time, as a unit quaternion. \pre a rotation track with keys.
Quat sample_rotation(const Track& track, double time_s);

}  // namespace sinew::motion
