// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What single steps of a recipe do.

#include <vector>

#include "sinew/studio/recipe.h"

namespace sinew::studio {

/// The options of a step; an empty object if it has none.
const Json& options_of(const Json& step);

bool is_step(const Json& step, const char* kind);

/// Applies a step other than `rig` and `joints`. `before` holds the steps since the last `rig`: painted weights among
/// them are kept by a new binding. \throws Error; Cancelled.
void apply_step(const Json& step, const std::vector<const Json*>& before, Built& built, const FileFinder& files,
                const Progress& progress);

}  // namespace sinew::studio
