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

/// The contents of a character file. Any of them may be missing.
struct Character {
  std::string name;
  Rig rig;
  std::vector<Clip> clips;
  std::vector<Material> materials;
  std::vector<Image> images;
};

/// Returns the pose stored in the file: every joint at rest and all morphs at their rest weights.
Pose rest_pose(const Rig& rig);

/// Returns all problems, each as a sentence with its location. Empty if the character is valid.
Findings validate(const Character& character);

}  // namespace sinew
