// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/closest_point.h"

#include "sinew/transfer/finish_rows.h"
#include "sinew/transfer/surface/nearest.h"

namespace sinew::transfer {

WeightTransfer transfer_closest_point(const Reference& reference, const TransferBody& target,
                                      const TransferOptions& options, const Progress& progress) {
  const Nearest nearest = nearest_points(reference, target.mesh, progress);
  const double size = target.mesh.size(), unit = size > 0 ? 1 / size : 1;
  WeightTransfer result;
  for (const Index w : nearest.welding.welded) {
    result.level.push_back(Level::kMatched);
    result.confidence.push_back(static_cast<float>(match_confidence(nearest.distance[w] * unit, nearest.angle_rad[w])));
  }
  result.metrics = distance_metrics(nearest.distance, size);
  finish_rows(result, nearest.rows, target.mesh, nearest.welding, options);
  return result;
}

TransferMethod closest_point_method() {
  return {.id = "closest",
          .name = "closest-point",
          .when = "The same body in the same pose, such as levels of detail and remeshed copies.",
          .options = NoOptions(),
          .transfer = [](const TransferInput& input, const TransferOptions& common, const AnyOptions&,
                         const Progress& progress) {
            input.begin("weights");
            return transfer_closest_point(input.reference, input.target, common, progress);
          }};
}

}  // namespace sinew::transfer
