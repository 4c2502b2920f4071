// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/rig.h"

namespace sinew::deform {

/// Per joint its frame at binding, to model space: as the skin that moves most vertices and lists it says, else at rest
/// below its parent. Linear.
std::vector<Mat4> bind_frames(const Rig& rig);

}  // namespace sinew::deform
