// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/deformer.h"

namespace sinew::deform {

std::vector<Overlay> Deformer::overlays(State&, const FrameInput&) const { return {}; }

std::unique_ptr<Deformer> bind(std::string_view id, const Rig& rig, const AnyOptions& options, const Progress& progress,
                               const MethodInputs& inputs) {
  const DeformerMethod& method = deformers().find(id);
  const AnyOptions& chosen = options.is<NoOptions>() ? method.options : options;
  if (!chosen.same_type(method.options)) throw Error("The options are not those of the deformer '" + method.id + "'.");
  chosen.validate();
  if (method.needs && method.needs(chosen).segmentation && inputs.segmentation == nullptr)
    throw Error("The deformer '" + method.id + "' needs a segmentation, which assigns each vertex to a bone.");
  return method.bind(rig, inputs, chosen, progress);
}

}  // namespace sinew::deform
