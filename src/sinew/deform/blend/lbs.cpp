// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/lbs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sinew/deform/blend/skin_layout.h"

namespace sinew::deform {
namespace {

class LbsDeformer final : public Deformer {
 public:
  LbsDeformer(const Rig& rig, const Progress& progress) : layout_(make_skin_layout(rig, progress)) {}

  std::unique_ptr<State> make_state() const override { return std::make_unique<LbsState>(); }

  void deform(State& state, const FrameInput& input, const FrameOutput& output) const override {
    auto& own = static_cast<LbsState&>(state);
    skinning_matrices(layout_, input.pose, own.matrices);
    own.palette.resize(12 * own.matrices.size());
    for (std::size_t s = 0; s < own.matrices.size(); ++s)
      store_rows(in_layout_units(layout_, own.matrices[s]), &own.palette[12 * s]);
    BlendJob job = blend_job(layout_);
    job.rest_positions = morphed_rest(layout_, input.pose.morph_weights, own.rest);
    job.matrices = own.palette.data();
    job.positions = reinterpret_cast<float*>(output.positions.data());
    if (!output.normals.empty()) {
      job.normals = reinterpret_cast<float*>(output.normals.data());
      job.cofactor_normals = !std::all_of(own.matrices.begin(), own.matrices.end(), keeps_angles);
    }
    run_blocks(layout_, job, blend_linear);
  }

 private:
  struct LbsState final : State {
    std::vector<Mat4> matrices;
    std::vector<float> palette;
    MorphedRest rest;
  };

  SkinLayout layout_;
};

}  // namespace

std::unique_ptr<Deformer> bind_lbs(const Rig& rig, const Progress& progress) {
  return std::make_unique<LbsDeformer>(rig, progress);
}

DeformerMethod lbs_method() {
  return {
      .id = "lbs",
      .name = "linear",
      .when = "Every engine supports it. The fastest method, but joints that twist far lose volume.",
      .in_engines = true,
      .bind = [](const Rig& rig, const MethodInputs&, const AnyOptions&,
                 const Progress& progress) { return bind_lbs(rig, progress); },
  };
}

}  // namespace sinew::deform
