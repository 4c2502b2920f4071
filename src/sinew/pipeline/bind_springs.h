// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Hair, ribbons and the like on a character that gets new weights: chains that a simulation swings lie where no method
/// expects skin of theirs, so what an artist gave them is kept.

#include "sinew/core/rig.h"
#include "sinew/pipeline/bind_select.h"

namespace sinew::pipeline {

/// Excludes vertices that chains of spring bones move: those of which more than half is the weight of joints that
/// swing. Vertices that are attached to a joint by request stay so. Returns how many it excluded.
Index keep_spring_skin(const Rig& rig, VertexSelection& selection);

/// Returns the joints that lose their skin: those that had the weight of four vertices or more and keep less than a
/// fifth of it. \pre both have a row per vertex, or none at all.
std::vector<Index> joints_that_lost_skin(const SkinWeights& before, const SkinWeights& after, Index joint_count);

}  // namespace sinew::pipeline
