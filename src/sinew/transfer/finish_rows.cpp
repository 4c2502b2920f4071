// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/finish_rows.h"

#include "sinew/binding/edit/weight_tools.h"
#include "sinew/geometry/mesh/adjacency.h"

namespace sinew::transfer {
namespace {

constexpr double kSmoothStrength = 0.2;

}  // namespace

void finish_rows(WeightTransfer& result, const SkinWeights& welded_rows, const Mesh& mesh,
                 const geometry::Welding& welding, const TransferOptions& options) {
  SkinWeights rows = welded_rows;
  if (options.smooth > 0)
    rows = binding::smoothed(rows, geometry::one_rings(mesh, &welding), options.smooth, kSmoothStrength);
  SkinWeights capped;
  capped.reserve(rows.row_count(), rows.influence_count());
  std::vector<Influence> row;
  for (Index w = 0; w < rows.row_count(); ++w) {
    row.assign(rows.row(w).begin(), rows.row(w).end());
    cap_row(row, options.influence_limit());
    capped.add_row(row);
  }
  result.weights = binding::unwelded(capped, welding);
  result.levels.fill(0);
  for (const Level level : result.level) ++result.levels[static_cast<std::size_t>(level)];
}

}  // namespace sinew::transfer
