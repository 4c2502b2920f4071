// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What a transfer tells.

#include <string>
#include <vector>

#include "sinew/core/report.h"
#include "sinew/core/skeleton.h"
#include "sinew/transfer/match/joint_map.h"
#include "sinew/transfer/method.h"

namespace sinew::jobs {

/// The map as a table: a line per pair, with how it was found.
std::string map_table(const transfer::JointMap& map, const Skeleton& reference, const Skeleton& target);

/// The same for machines: an array of {reference, target, by}.
Json map_json(const transfer::JointMap& map, const Skeleton& reference, const Skeleton& target);

/// Some names, and how many more there are.
std::string some_names(const std::vector<std::string>& names);

/// How a level of a row is called, as a sentence.
const char* level_text(transfer::Level level);
/// Its colour in `level_colors`.
const char* level_color(transfer::Level level);

/// A colour per vertex of a whole mesh: that of its level, the darker the lower its confidence; grey for vertices that
/// got no row. `vertices` has the vertex of each row.
std::vector<Vec4f> level_colors(const transfer::Transferred& made, const std::vector<Index>& vertices,
                                std::size_t vertex_count);

/// Lines on levels, confidence and rays, and the same as figures.
std::string transferred_text(const transfer::Transferred& made, bool colors);
Json transferred_json(const transfer::Transferred& made);

}  // namespace sinew::jobs
