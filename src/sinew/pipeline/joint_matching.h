// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/rig.h"

namespace sinew::pipeline {

/// Per joint of `from` the joint of `to` that has its name, or kNone. Where several share a name the first goes to the
/// first, the second to the second, and so on.
std::vector<Index> partners_by_name(const Skeleton& from, const Skeleton& to);

/// The weights of another rig in terms of our own joints, by their names; joint j that we do not have is `own.size()` +
/// j.
SkinWeights weights_by_name(const Rig& other, const Skeleton& own);

}  // namespace sinew::pipeline
