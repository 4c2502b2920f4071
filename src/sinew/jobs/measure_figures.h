// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The result of `measure` as text for people, as JSON, and as a table for spreadsheets.

#include <string>

#include "sinew/core/json.h"
#include "sinew/core/rig.h"
#include "sinew/pipeline/measure.h"

namespace sinew::jobs {

/// The functions take the rig that was measured, for the names of its joints and parts.
Json measure_json(const pipeline::MeasureResult& result, const Rig& rig);

/// A summary over the frames, the worst of each figure, the thinnest joints, and every frame if there are few.
std::string measure_text(const pipeline::MeasureResult& result, const Rig& rig);

/// A line per frame, with a column for the section of every joint.
std::string measure_csv(const pipeline::MeasureResult& result, const Rig& rig);

}  // namespace sinew::jobs
