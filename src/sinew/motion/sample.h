// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/character.h"

namespace sinew::motion {

/// The pose of a clip at a time: linear, step and cubic (Hermite) interpolation as glTF defines them; rotations take
/// the short way round and come out unit length. Before the first and after the last key a track keeps that key's
/// value; what no track moves stays at rest. Logarithmic in the keys. \pre `clip` is valid for `rig`.
Pose sample(const Rig& rig, const Clip& clip, double time_s);

/// The rotation of one track at a time, unit length. \pre a rotation track with keys.
Quat sample_rotation(const Track& track, double time_s);

}  // namespace sinew::motion
