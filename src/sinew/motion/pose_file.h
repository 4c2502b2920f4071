// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Poses as JSON. docs/formats/poses-and-clips.md describes the format.

#include "sinew/core/character.h"
#include "sinew/core/json.h"

namespace sinew::motion {

/// Returns the pose that a JSON object describes. Joints and parts that it does not name stay at rest. `twist_rad` is
/// filled in for all joints. \throws Error, with the location, for unknown keys and joints (with the most similar known
/// one), for joints that share a name, and for values of the wrong type.
Pose pose_from_json(const Json& json, const Rig& rig);

}  // namespace sinew::motion
