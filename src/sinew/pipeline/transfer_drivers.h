// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/skeleton.h"
#include "sinew/pipeline/transfer_reference.h"

namespace sinew::pipeline {

/// The reference's skeleton, in which those of the marked joints that move skin and have no driver got one learned from
/// the reference's own clips (`transfer::learned_driver`, at most 240 poses). Only joints in `sources` drive.
/// Findings name them (transfer.learned_driver), and those that will stand still because nothing was found
/// (transfer.still).
Skeleton with_learned_drivers(const TransferReference& reference, const std::vector<char>& marked,
                              const std::vector<char>& sources, Findings& findings);

}  // namespace sinew::pipeline
