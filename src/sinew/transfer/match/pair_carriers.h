// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// Per joint of the reference: the pair whose joint moves its skin, which is its own or that of the nearest joint above
/// that has one. Joints above all pairs have the first.
std::vector<Index> pair_of_joints(const Skeleton& reference, const Correspondence& correspondence);

}  // namespace sinew::transfer
