// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The facts of `info` as text for people and as JSON.

#include <optional>
#include <string>

#include "sinew/core/json.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/heat_likeness.h"
#include "sinew/pipeline/inspect.h"

namespace sinew::jobs {

/// "low", "medium" or "high".
const char* word(pipeline::SpaceGuess::Confidence confidence);

/// Lines of at most 100 columns. Lists are cut short, with the number that was left out, unless `full`. `heat` adds a
/// line if the weights look like bone heat.
std::string info_text(const io::Asset& asset, const pipeline::CharacterFacts& facts, bool full,
                      const std::optional<pipeline::HeatLikeness>& heat = std::nullopt);

/// Everything, in a fixed order of keys.
Json info_json(const io::Asset& asset, const pipeline::CharacterFacts& facts);

}  // namespace sinew::jobs
