// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/warp/warp_transfer.h"

#include "sinew/transfer/surface/closest_point.h"
#include "sinew/transfer/warp/warped_mesh.h"

namespace sinew::transfer {

WeightTransfer transfer_by_warp(const Reference& reference, const TransferBody& target,
                                const Correspondence& correspondence, const TransferOptions& options,
                                const Progress& progress) {
  progress.step("deforming the reference");
  const Mesh mesh = warped_mesh(reference, target, correspondence);
  const Reference warped{{mesh, reference.skeleton, reference.joints}, reference.weights};
  return transfer_closest_point(warped, target, options, progress);
}

TransferMethod warp_method() {
  return {.id = "warp",
          .name = "warped-reference",
          .when = "Bodies of similar shape in any pose, such as characters of one family.",
          .options = NoOptions(),
          .transfer = [](const TransferInput& input, const TransferOptions& common, const AnyOptions&,
                         const Progress& progress) {
            input.begin("weights");
            return transfer_by_warp(input.reference, input.target, input.correspondence, common, progress);
          }};
}

}  // namespace sinew::transfer
