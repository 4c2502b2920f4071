// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/skeleton.h"
#include "sinew/io/asset.h"

namespace sinew::io {

/// The bones of VRM 1.0 that a skeleton has, by the roles of its joints, and those that VRM requires and it lacks.
struct HumanoidBones {
  Humanoid humanoid;
  std::vector<std::string> missing;
};

/// `name` is that of the character; an empty one becomes "character". Of several joints with one role the first counts.
HumanoidBones humanoid_bones(const Skeleton& skeleton, const std::string& name);

}  // namespace sinew::io
