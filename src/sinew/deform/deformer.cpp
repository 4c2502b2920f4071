// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/deformer.h"

#include "sinew/deform/delta_mush.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/lbs.h"

namespace sinew::deform {

std::vector<Overlay> Deformer::overlays(State&, const FrameInput&) const { return {}; }

const Registry<Binding>& deformers() {
  static const Registry<Binding> registry = [] {
    Registry<Binding> all("deformation method");
    all.add({"lbs", "linear", "What every engine does: the fastest; joints that twist far lose volume.", bind_lbs});
    all.add(
        {"dqs", "dual-quaternion", "Twists of up to half a turn keep their volume; bends bulge a little.", bind_dqs});
    return all;
  }();
  return registry;
}

std::unique_ptr<Deformer> bind(std::string_view id, const Rig& rig, const DeformOptions& options,
                               const Progress& progress) {
  const Registered<Binding>& method = deformers().find(id);
  DeformOptions checked = options;
  OptionList(checked).from_json(OptionList(checked).to_json());
  std::unique_ptr<Deformer> deformer = method.make(rig, checked, progress);
  if (checked.smooth == "none") return deformer;
  return bind_delta_mush(std::move(deformer), rig, checked, progress);
}

}  // namespace sinew::deform
