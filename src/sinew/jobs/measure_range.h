// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/json.h"
#include "sinew/core/skeleton.h"
#include "sinew/pipeline/range_of_motion.h"

namespace sinew::jobs {

/// The figures of a range of motion for people: a table of the methods, and the poses that are worst against the base.
std::string range_text(const pipeline::RangeResult& result, const Skeleton& skeleton);

/// All figures of all poses.
Json range_json(const pipeline::RangeResult& result, const Skeleton& skeleton);

/// A line per pose and method, for tables.
std::string range_csv(const pipeline::RangeResult& result, const Skeleton& skeleton);

}  // namespace sinew::jobs
