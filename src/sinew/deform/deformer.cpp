// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/deformer.h"

#include "sinew/deform/blend/delta_mush.h"
#include "sinew/deform/blend/dqs.h"
#include "sinew/deform/blend/lbs.h"
#include "sinew/deform/blend/slbs.h"
#include "sinew/deform/pbd/pbd.h"

namespace sinew::deform {

std::vector<Overlay> Deformer::overlays(State&, const FrameInput&) const { return {}; }

const Registry<Registered<Method>>& deformers() {
  static const Registry<Registered<Method>> registry = [] {
    Registry<Registered<Method>> all("deformation method");
    all.add({"lbs", "linear", "What every engine does: the fastest; joints that twist far lose volume.", {bind_lbs}});
    all.add(
        {"dqs", "dual-quaternion", "Twists of up to half a turn keep their volume; bends bulge a little.", {bind_dqs}});
    all.add({"slbs",
             "twist-safe",
             "Twists of any number of turns spread along the limb and keep its volume; bends are those of linear.",
             {bind_slbs, true}});
    all.add({"pbd",
             "volume",
             "Bends and twists keep their volume: the inside is relaxed near joints. Slower, and played as key shapes.",
             {bind_pbd, false}});
    return all;
  }();
  return registry;
}

std::unique_ptr<Deformer> bind(std::string_view id, const Rig& rig, const DeformOptions& options,
                               const Progress& progress, const RigKnowledge& knowledge) {
  const Registered<Method>& method = deformers().find(id);
  DeformOptions checked = options;
  OptionList(checked).from_json(OptionList(checked).to_json());
  if (method.make.needs_segmentation && knowledge.segmentation == nullptr)
    throw Error("The method '" + method.id + "' needs to know which bone owns each vertex.");
  std::unique_ptr<Deformer> deformer = method.make.bind(rig, knowledge, checked, progress);
  if (checked.smooth == "none") return deformer;
  return bind_delta_mush(std::move(deformer), rig, checked, progress);
}

}  // namespace sinew::deform
