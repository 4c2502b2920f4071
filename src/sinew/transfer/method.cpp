// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/method.h"

#include "sinew/transfer/baselines.h"
#include "sinew/transfer/rays/skeleton_aware.h"

namespace sinew::transfer {

const Registry<Registered<Method>>& methods() {
  static const Registry<Registered<Method>> registry = [] {
    Registry<Registered<Method>> r("way to transfer weights");
    r.add({"skeleton", "skeleton-aware", "Characters of other build, pose and topology.", transfer_skeleton_aware});
    r.add({"closest", "closest-point", "The same body in the same pose: levels of detail, remeshed copies.",
           transfer_closest_point});
    r.add({"inpaint", "inpainting", "Clothes over the body they were made for.", transfer_inpaint});
    r.add({"guides", "guides-only", "For comparison: weights by distance, nothing of the reference but its skeleton.",
           transfer_guides});
    return r;
  }();
  return registry;
}

Transferred transfer(std::string_view id, const Reference& reference, const Side& target,
                     const Correspondence& correspondence, const TransferOptions& options, const Progress& progress) {
  return methods().find(id).make(reference, target, correspondence, options, progress);
}

}  // namespace sinew::transfer
