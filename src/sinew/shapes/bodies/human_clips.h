// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/clip.h"
#include "sinew/core/skeleton.h"

namespace sinew::shapes {

/// The motions of a made person: "wave" (2 s, from rest to rest) and "walk" (1 s, in place, a loop). `relaxed` is its
/// skeleton with the arms lowered (pose "a"), standing on y = 0. Tracks are absolute, so they fit the same skeleton in
/// any rest pose. The hips go up and down so that the lower foot is always on the ground.
std::vector<Clip> human_clips(const Skeleton& relaxed);

}  // namespace sinew::shapes
