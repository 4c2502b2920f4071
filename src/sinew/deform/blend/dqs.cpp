// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/dqs.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <utility>
#include <vector>

#include "sinew/core/dual_quat.h"
#include "sinew/deform/blend/skin_layout.h"

namespace sinew::deform {
namespace {

// A joint's motion in two: first the stretch about the joint's place at binding, then a rigid motion.
struct TwoPhases {
  Mat4 stretch = Mat4::Identity();
  Mat4 rigid = Mat4::Identity();
  bool stretches = false;
};

TwoPhases two_phases(const SkinLayout& layout, const SkinSlot& slot, const Mat4& matrix) {
  const Mat3 a = matrix.topLeftCorner<3, 3>();
  const double scale = a.norm();
  if (!(a.determinant() > 1e-12 * scale * scale * scale))
    throw Error(fmt::format(
        "Joint '{}' is mirrored or scaled to nothing in this frame, which dual quaternions cannot represent. "
        "Use the method lbs, or change the scale of that joint.",
        joint_name(layout, slot)));
  TwoPhases phases;
  // A rotation needs no decomposition, which small meshes with many joints would feel.
  if ((a.transpose() * a - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-6) {
    phases.rigid = matrix;
    return phases;
  }
  const Polar split = polar(a);
  const Vec3& o = slot.bind_origin;
  phases.stretches = (split.stretch - Mat3::Identity()).cwiseAbs().maxCoeff() >= 1e-6;
  phases.stretch.topLeftCorner<3, 3>() = split.stretch;
  phases.stretch.topRightCorner<3, 1>() = o - split.stretch * o;
  phases.rigid.topLeftCorner<3, 3>() = split.rotation;
  phases.rigid.topRightCorner<3, 1>() = transform_point(matrix, o) - split.rotation * o;
  return phases;
}

void put_quaternion(const Quat& q, float* out) {
  out[0] = static_cast<float>(q.w());
  out[1] = static_cast<float>(q.x());
  out[2] = static_cast<float>(q.y());
  out[3] = static_cast<float>(q.z());
}

// Between points of the layout's units about its centre.
Mat4 about_center(const SkinLayout& layout, const Mat4& matrix) {
  Mat4 result = matrix;
  result.topRightCorner<3, 1>() = (transform_point(matrix, layout.center) - layout.center) / layout.size;
  return result;
}

class DqsDeformer final : public Deformer {
 public:
  DqsDeformer(const Rig& rig, const Progress& progress) : layout_(make_skin_layout(rig, progress)) {}

  std::unique_ptr<State> make_state() const override { return std::make_unique<DqsState>(); }

  void deform(State& state, const FrameInput& input, const FrameOutput& output) const override {
    auto& own = static_cast<DqsState&>(state);
    skinning_matrices(layout_, input.pose, own.matrices);
    const bool stretches = fill_palettes(own);
    BlendJob job = blend_job(layout_);
    job.rest_positions = morphed_rest(layout_, input.pose.morph_weights, own.rest);
    job.dual_quaternions = own.motions.data();
    if (stretches) job.matrices = own.stretches.data();
    job.positions = reinterpret_cast<float*>(output.positions.data());
    if (!output.normals.empty()) job.normals = reinterpret_cast<float*>(output.normals.data());
    run_blocks(layout_, job, blend_dual_quaternions);
  }

 private:
  struct DqsState final : State {
    std::vector<Mat4> matrices;
    std::vector<float> motions;
    std::vector<float> stretches;
    MorphedRest rest;
  };

  bool fill_palettes(DqsState& state) const {
    state.motions.resize(8 * layout_.slots.size());
    state.stretches.resize(12 * layout_.slots.size());
    bool any = false;
    for (std::size_t s = 0; s < layout_.slots.size(); ++s) {
      const TwoPhases phases = two_phases(layout_, layout_.slots[s], state.matrices[s]);
      any = any || phases.stretches;
      const DualQuat q = dual_quat(in_layout_units(layout_, phases.rigid));
      put_quaternion(q.real, &state.motions[8 * s]);
      put_quaternion(q.dual, &state.motions[8 * s + 4]);
      const Mat4 stretch = about_center(layout_, phases.stretch);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 4; ++c)
          state.stretches[12 * s + static_cast<std::size_t>(4 * r + c)] = static_cast<float>(stretch(r, c));
    }
    return any;
  }

  SkinLayout layout_;
};

}  // namespace

std::unique_ptr<Deformer> bind_dqs(const Rig& rig, const Progress& progress) {
  return std::make_unique<DqsDeformer>(rig, progress);
}

DeformerMethod dqs_method() {
  return {
      .id = "dqs",
      .name = "dual-quaternion",
      .when = "Twists of up to half a turn keep their volume; bends bulge a little.",
      .bind = [](const Rig& rig, const MethodInputs&, const AnyOptions&,
                 const Progress& progress) { return bind_dqs(rig, progress); },
  };
}

}  // namespace sinew::deform
