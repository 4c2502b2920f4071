// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/clip.h"
#include "sinew/core/skeleton.h"

namespace sinew::shapes {

/// The mannequin's motions, for its skeleton in rest pose: "wave" and "walk". `scale` is its height relative to 1.75 m.
std::vector<Clip> mannequin_clips(const Skeleton& skeleton, double scale);

}  // namespace sinew::shapes
