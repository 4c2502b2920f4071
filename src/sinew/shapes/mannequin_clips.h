// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/clip.h"
#include "sinew/core/skeleton.h"

namespace sinew::shapes {

/// The mannequin's motions, for its skeleton in rest pose: "wave" and "walk". `scale` is its size relative to the landmarks.
/// The hips go up and down so that the lower foot is always on the ground, y = 0.
std::vector<Clip> mannequin_clips(const Skeleton& skeleton, double scale);

}  // namespace sinew::shapes
