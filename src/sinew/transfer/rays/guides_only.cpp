// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/guides_only.h"

#include "sinew/transfer/finish_rows.h"

namespace sinew::transfer {

WeightTransfer transfer_guides(const TransferBody& target, const Correspondence& correspondence,
                               const GuideOptions& own, const TransferOptions& options, const Progress& progress) {
  const SkinWeights guide = make_guide(target, correspondence, false, own, progress);
  const geometry::Welding welding = geometry::weld(target.mesh);
  SkinWeights rows;
  std::vector<Influence> row;
  for (const Index v : welding.first) {
    row.clear();
    for (const Influence& influence : guide.row(v))
      row.push_back({correspondence.pairs[influence.joint].reference, influence.weight});
    rows.add_row(row);
  }
  WeightTransfer result;
  result.level.assign(target.mesh.vertex_count(), Level::kMatched);
  result.confidence.assign(target.mesh.vertex_count(), 1.0F);
  finish_rows(result, rows, target.mesh, welding, options);
  return result;
}

TransferMethod guides_method() {
  return {.id = "guides",
          .name = "guides-only",
          .when = "For comparison: weights by distance, which use only the skeleton of the reference.",
          .options = GuideOptions(),
          .transfer = [](const TransferInput& input, const TransferOptions& common, const AnyOptions& own,
                         const Progress& progress) {
            input.begin("weights");
            return transfer_guides(input.target, input.correspondence, own.as<GuideOptions>(), common, progress);
          }};
}

}  // namespace sinew::transfer
