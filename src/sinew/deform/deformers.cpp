// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// The registry of deformers: one line per method.

#include "sinew/deform/blend/dqs.h"
#include "sinew/deform/blend/lbs.h"
#include "sinew/deform/blend/slbs.h"
#include "sinew/deform/curves/ode.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/implicit/implicit.h"
#include "sinew/deform/pbd/pbd.h"

namespace sinew::deform {

Registry<DeformerMethod>& deformers() {
  static Registry<DeformerMethod> registry = [] {
    Registry<DeformerMethod> all("deformer");
    all.add(lbs_method());
    all.add(dqs_method());
    all.add(slbs_method());
    all.add(pbd_method());
    all.add(implicit_method());
    all.add(ode_method());
    return all;
  }();
  return registry;
}

}  // namespace sinew::deform
