// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What a transfer prints and reports.

#include <string>
#include <vector>

#include "sinew/core/report.h"
#include "sinew/pipeline/transfer.h"

namespace sinew::jobs {

/// Lines on one target, from the joints to the clips. `previous_table` is the table of joints that was printed last, so
/// that the same table is not printed twice; it is updated.
std::string transfer_text(const pipeline::TransferResult& result, const pipeline::TransferReference& reference,
                          bool colors, std::string& previous_table);

/// The same as figures, put behind those in `figures`.
void add_transfer_figures(const pipeline::TransferResult& result, const pipeline::TransferReference& reference,
                          Json& figures);

/// A line on the reference, and its figures.
std::string reference_text(const pipeline::TransferReference& reference, const std::string& file);
Json reference_figures(const pipeline::TransferReference& reference);

/// A colour per vertex of the whole mesh: that of its level, darker with less confidence; grey for vertices without a
/// new row.
std::vector<Vec4f> level_colors(const pipeline::TransferResult& result);

}  // namespace sinew::jobs
