// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/clip.h"
#include "sinew/core/rig.h"

namespace sinew::motion {

/// A clip of another character for a rig whose joints and parts have the same names.
struct NamedClip {
  Clip clip;
  std::size_t joint_tracks = 0;      ///< Tracks that move a joint of the rig.
  std::vector<std::string> missing;  ///< Joints and parts that the clip moves and the rig does not have, by name.
};

/// Maps the tracks of a clip to the joints and parts of the same names. A part must have as many morphs, too.
NamedClip clip_by_names(const Clip& clip, const Rig& from, const Rig& to);

}  // namespace sinew::motion
