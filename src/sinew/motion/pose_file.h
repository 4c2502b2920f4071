// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Poses as JSON. The form is described in docs/formats/poses-and-clips.md.

#include "sinew/core/character.h"
#include "sinew/core/json.h"

namespace sinew::motion {

/// The pose that a JSON object describes; what it does not name stays at rest. `twist_rad` is filled for all joints.
/// \throws Error with the place for keys and joints that are not known (with the nearest known one), for joints that
/// share a name, and for values of another kind.
Pose pose_from_json(const Json& json, const Rig& rig);

}  // namespace sinew::motion
