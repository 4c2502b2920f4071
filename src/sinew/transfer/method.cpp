// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/method.h"

#include "sinew/transfer/biharmonic/biharmonic.h"
#include "sinew/transfer/rays/guides_only.h"
#include "sinew/transfer/rays/skeleton_aware.h"
#include "sinew/transfer/relation/auto_transfer.h"
#include "sinew/transfer/surface/closest_point.h"
#include "sinew/transfer/surface/detail.h"
#include "sinew/transfer/surface/garment.h"
#include "sinew/transfer/surface/inpaint_transfer.h"
#include "sinew/transfer/warp/warp_transfer.h"

namespace sinew::transfer {

Registry<TransferMethod>& methods() {
  static Registry<TransferMethod> registry = [] {
    Registry<TransferMethod> r("transfer method");
    r.add(auto_transfer_method());
    r.add(skeleton_aware_method());
    r.add(warp_method());
    r.add(garment_method());
    r.add(update_method());
    r.add(detail_method());
    r.add(biharmonic_method());
    r.add(closest_point_method());
    r.add(inpaint_method());
    r.add(guides_method());
    return r;
  }();
  return registry;
}

WeightTransfer transfer(const MethodChoice& method, const TransferInput& input, const TransferOptions& options,
                        const Progress& progress) {
  TransferOptions checked = options;
  OptionList(checked).validate();
  method.options().validate();
  return methods().find(method.id()).transfer(input, options, method.options(), progress);
}

}  // namespace sinew::transfer
