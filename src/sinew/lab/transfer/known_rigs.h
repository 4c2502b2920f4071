// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Real characters as references and targets whose true weights are known.

#include <cstdint>
#include <string>

#include "sinew/core/pose.h"
#include "sinew/lab/transfer/transfer.h"

namespace sinew::lab {

/// A character as it was bound, one skin for all of it, so that it can be changed and bound anew.
KnownRig bound_alone(const Rig& rig, std::string name);

/// The same with other proportions and in another pose, by its own skin: bones 0.8 to 1.25 times as long and thick,
/// joints turned by up to `turn_rad`. Its weights are still the truth.
KnownRig other_build(const KnownRig& known, std::uint64_t seed, double turn_rad);

/// A character in another pose, by its own skin, that becomes its rest pose. Its weights are still the truth.
KnownRig reposed(const KnownRig& known, const Pose& pose);

/// Decimated to a share of its triangles; vertices keep their rows.
KnownRig decimated_rig(const KnownRig& known, double share);

/// Pairs of all joints that move skin and are no helpers: the skeletons are the same.
transfer::Correspondence own_pairs(const KnownRig& known, const KnownRig& target);
/// The same for skeletons whose joints have the same names.
transfer::Correspondence pairs_by_name(const KnownRig& reference, const KnownRig& target);

}  // namespace sinew::lab
