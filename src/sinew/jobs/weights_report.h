// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>

#include "sinew/core/json.h"
#include "sinew/core/result_table.h"
#include "sinew/pipeline/edit_weights.h"

namespace sinew::jobs {

/// What one operation did, as a line of text and as figures.
struct EditLine {
  std::string operation;
  std::string text;
  Json figures;
};
EditLine edit_line(const pipeline::WeightEdit& edit, const Skeleton& skeleton);

Json changes_json(const pipeline::WeightChanges& changes, const Skeleton& skeleton);
ResultTable changes_table(const pipeline::WeightChanges& changes, const Skeleton& skeleton);

Json comparison_json(const pipeline::WeightComparison& comparison);
ResultTable comparison_table(const pipeline::WeightComparison& comparison);

}  // namespace sinew::jobs
