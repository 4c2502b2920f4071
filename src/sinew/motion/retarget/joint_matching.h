// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/rig.h"

namespace sinew::motion {

/// Returns for each joint of `from` the joint of `to` with the same name, or kNone. Where several joints share a name,
/// the first is matched with the first, the second with the second, and so on.
std::vector<Index> partners_by_name(const Skeleton& from, const Skeleton& to);

/// The weights of another rig in terms of our own joints, matched by name. Joint j of the other rig that has no match
/// becomes joint `own.size()` + j.
SkinWeights weights_by_name(const Rig& other, const Skeleton& own);

}  // namespace sinew::motion
