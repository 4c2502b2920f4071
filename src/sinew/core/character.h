// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/appearance.h"
#include "sinew/core/clip.h"
#include "sinew/core/pose.h"
#include "sinew/core/rig.h"

namespace sinew {

/// What a file holds. Any part of it may be missing.
struct Character {
  std::string name;
  Rig rig;
  std::vector<Clip> clips;
  std::vector<Material> materials;
  std::vector<Image> images;
};

/// The pose in which the file shows itself: every joint at rest, morphs at their rest weights.
Pose rest_pose(const Rig& rig);

/// All that is wrong, as sentences with a place. Empty when all is well.
Findings validate(const Character& character);

}  // namespace sinew
