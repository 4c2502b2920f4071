// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/binder.h"

#include <algorithm>

#include "sinew/binding/auto/auto.h"
#include "sinew/binding/curves/curve_weights.h"
#include "sinew/binding/distance/distance.h"
#include "sinew/binding/harmonic/harmonic.h"
#include "sinew/binding/heat/heat.h"
#include "sinew/binding/pinned.h"
#include "sinew/binding/rigid/rigid.h"
#include "sinew/binding/segment/segment_weights.h"
#include "sinew/binding/voxel/voxel.h"

namespace sinew::binding {

Registry<BinderMethod>& binders() {
  static Registry<BinderMethod> registry = [] {
    Registry<BinderMethod> all("binder");
    all.add(segment_method());
    all.add(voxel_method());
    all.add(heat_method());
    all.add(harmonic_method());
    all.add(distance_method());
    all.add(rigid_method());
    all.add(curve_method());
    all.add(auto_method());
    return all;
  }();
  return registry;
}

BindResult bind(const MethodChoice& method, const Subject& subject, const BindOptions& common,
                const Progress& progress) {
  const BinderMethod& binder = binders().find(method.id());
  BindOptions checked = common;
  OptionList(checked).validate();
  method.options().validate();
  return binder.bind(subject, method.options(), common, progress);
}

std::vector<PinnedBinderMethod>& pinned_binders() {
  static std::vector<PinnedBinderMethod> all = {pinned_harmonic_method()};
  return all;
}

bool takes_pins(const MethodChoice& method) {
  const std::vector<PinnedBinderMethod>& all = pinned_binders();
  return std::any_of(all.begin(), all.end(), [&](const PinnedBinderMethod& m) { return m.id == method.id(); });
}

BindResult bind(const MethodChoice& method, const Subject& subject, const std::vector<PinnedRow>& pins,
                const BindOptions& common, const Progress& progress) {
  const std::vector<PinnedBinderMethod>& all = pinned_binders();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.id == method.id(); });
  if (found == all.end()) throw Error("The binder '" + method.id() + "' takes no given rows.");
  BindOptions checked = common;
  OptionList(checked).validate();
  method.options().validate();
  return found->bind(subject, method.options(), common, pins, progress);
}

}  // namespace sinew::binding
