// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <string>
#include <vector>

#include "sinew/core/math.h"

namespace sinew {

/// A point of a surface and its outward normal of unit length.
struct SurfaceSample {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();
};

/// Samples of the shapes that joints move, by the name of the joint, in the bind pose.
using PartSamples = std::map<std::string, std::vector<SurfaceSample>>;

}  // namespace sinew
