// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Results of `add_helpers` for machines.

#include "sinew/core/json.h"
#include "sinew/pipeline/add_helpers.h"

namespace sinew::pipeline {

/// The twist joints of one bone and their figures.
Json twist_json(const HelpersResult& result, const TwistBoneResult& twist);

/// The helpers that were reduced, with the pose and the figure that decided it.
Json reductions_json(const HelpersResult& result);

}  // namespace sinew::pipeline
