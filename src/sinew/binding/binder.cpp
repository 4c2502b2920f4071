// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/binder.h"

#include "sinew/binding/auto/auto.h"
#include "sinew/binding/distance.h"
#include "sinew/binding/heat/heat.h"
#include "sinew/binding/rigid.h"
#include "sinew/binding/segment/segment_weights.h"
#include "sinew/binding/voxel/voxel.h"

namespace sinew::binding {

const Registry<Registered<Binder>>& binders() {
  static const Registry<Registered<Binder>> registry = [] {
    Registry<Registered<Binder>> all("binder");
    all.add({"segment", "segmentation", "Clear limbs around their bones: quick, at most three joints a vertex.",
             bind_by_segments});
    all.add({"voxel", "geodesic-voxel", "Distances inside the body: for any mesh, however broken.", bind_by_voxels});
    all.add({"heat", "bone-heat", "Heat that bones give to the skin they see: smooth, for clean closed bodies.",
             bind_by_heat});
    all.add({"distance", "bone-distance", "The two or three nearest bones, by distance alone.", bind_by_distance});
    all.add({"rigid", "one-joint", "Each vertex on one joint: robots, armour, toys.", bind_rigid});
    all.add({"auto", "automatic", "The best of the others, vertex by vertex, clothes and loose shells included.",
             bind_auto});
    return all;
  }();
  return registry;
}

Bound bind(std::string_view id, const Subject& subject, const BindOptions& options, const Progress& progress) {
  const Registered<Binder>& binder = binders().find(id);
  BindOptions checked = options;
  OptionList(checked).from_json(OptionList(checked).to_json());
  return binder.make(subject, checked, progress);
}

}  // namespace sinew::binding
