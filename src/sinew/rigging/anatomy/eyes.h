// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <optional>

#include "sinew/core/mesh.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

/// An eyeball: the sphere that fits a shell.
struct FoundEye {
  Vec3 center = Vec3::Zero();
  double radius = 0;
};

/// The two eyeballs of a head, the left one first; nothing if there is no such pair. Shells (components of the welded
/// mesh) count that are like a sphere, or at least half of one: the best sphere misses their vertices by less than a
/// tenth of its radius, and their faces look more than a half turn round. They lie in the front of the head, are 1.5 to
/// 20 percent of it in radius, and one is the other's mirror image across the plan's plane within a third of a radius.
/// Of several pairs (a cornea round the eyeball, pearls) the one with the largest spheres. \pre the plan has a joint of
/// role "head".
std::optional<std::array<FoundEye, 2>> find_eyes(const SkeletonPlan& plan, const Mesh& mesh);

/// Adds LeftEye and RightEye (roles left_eye, right_eye) below the head where `find_eyes` finds eyeballs: at their
/// centres, ending at their fronts, bending about the body's left (a positive turn looks down). Says whether it did. In
/// a symmetric plan they are exact mirror images.
bool add_eyes(SkeletonPlan& plan, const Mesh& mesh);

}  // namespace sinew::rigging
