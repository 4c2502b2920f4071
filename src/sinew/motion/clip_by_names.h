// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/clip.h"
#include "sinew/core/rig.h"

namespace sinew::motion {

/// A clip of another character, mapped to a rig whose joints and parts have the same names.
struct NamedClip {
  Clip clip;
  std::size_t joint_tracks = 0;      ///< Tracks that move a joint of the rig.
  std::vector<std::string> missing;  ///< Names of joints and parts that the clip moves and the rig lacks.
};

/// Maps the tracks of a clip to the joints and parts of the same names. A part must also have the same number of
/// morphs.
NamedClip clip_by_names(const Clip& clip, const Rig& from, const Rig& to);

}  // namespace sinew::motion
