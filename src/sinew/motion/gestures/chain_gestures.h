// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Motions of bodies that are not built of a trunk with two or four limbs: insects and spiders, fish, snakes.

#include <string>
#include <vector>

#include "sinew/core/clip.h"
#include "sinew/core/skeleton.h"

namespace sinew::motion {

constexpr double kCrawl_s = 0.8, kSwim_s = 1.6, kSlither_s = 2;

/// Returns the clip that such a skeleton can play: "walk" on three or more pairs of legs, "swim" or "slither"; empty
/// for any other skeleton. Joints are recognised by the names of the built-in templates, such as LeftLeg1_2 or Tail3.
std::string chain_clip_name(const Skeleton& skeleton);

/// Generates that clip, in place. Legs swing in two alternating groups; a body bends in a wave from the head to the
/// tail. \pre `chain_clip_name` is not empty.
Clip chain_clip(const Skeleton& skeleton);

}  // namespace sinew::motion
