// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string_view>

#include "sinew/core/json.h"
#include "sinew/shapes/kinds.h"

namespace sinew::shapes {

/// The ground truth of a synthetic character as JSON, for comparison in any program. docs/commands/make.md describes
/// it. Linear.
Json truth(const Finished& finished, std::string_view kind, const MakeOptions& options);

}  // namespace sinew::shapes
