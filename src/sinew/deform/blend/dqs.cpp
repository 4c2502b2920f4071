// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/dqs.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
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

// A rotation needs no decomposition, which small meshes with many joints would feel.
bool keeps_lengths(const Mat3& a) { return (a.transpose() * a - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-6; }

void check_joint(const SkinLayout& layout, const SkinSlot& slot, const Mat3& a) {
  const double scale = a.norm();
  if (!(a.determinant() > 1e-12 * scale * scale * scale))
    throw Error(fmt::format(
        "Joint '{}' is mirrored or scaled to nothing in this frame, which dual quaternions cannot represent. "
        "Use the method lbs, or change the scale of that joint.",
        joint_name(layout, slot)));
}

TwoPhases two_phases(const SkinSlot& slot, const Mat4& matrix, const Polar& split) {
  TwoPhases phases;
  const Vec3& o = slot.bind_origin;
  phases.stretches = (split.stretch - Mat3::Identity()).cwiseAbs().maxCoeff() >= 1e-6;
  phases.stretch.topLeftCorner<3, 3>() = split.stretch;
  phases.stretch.topRightCorner<3, 1>() = o - split.stretch * o;
  phases.rigid.topLeftCorner<3, 3>() = split.rotation;
  phases.rigid.topRightCorner<3, 1>() = transform_point(matrix, o) - split.rotation * o;
  return phases;
}

// The polar decompositions of all matrices at once.
class PolarForms {
 public:
  PolarForms(const std::vector<Mat4>& matrices, std::vector<double>& memory)
      : matrices_(matrices), stride_((matrices.size() + 7) / 8 * 8) {
    memory.assign(28 * stride_, 0.0);
    double *const from = memory.data(), *const to = from + 9 * stride_;
    for (std::size_t s = 0; s < stride_; ++s)
      for (std::size_t e = 0; e < 9; ++e) {
        const double unit = e % 4 == 0 ? 1.0 : 0.0;
        from[e * stride_ + s] = unit;
        to[e * stride_ + s] = s < matrices.size() ? matrices[s](row(e), column(e)) : unit;
      }
    turns_ = to + 9 * stride_;
    nearest_turns({stride_, from, to, to + 9 * stride_, to + 18 * stride_});
  }

  Polar operator[](std::size_t s) const {
    const Mat3 a = matrices_[s].topLeftCorner<3, 3>();
    if (turns_[9 * stride_ + s] == 0) return polar(a);
    Polar split;
    for (std::size_t e = 0; e < 9; ++e) split.rotation(row(e), column(e)) = turns_[e * stride_ + s];
    const Mat3 stretch = split.rotation.transpose() * a;
    split.stretch = 0.5 * (stretch + stretch.transpose());
    return split;
  }

 private:
  static int row(std::size_t e) { return static_cast<int>(e / 3); }
  static int column(std::size_t e) { return static_cast<int>(e % 3); }

  const std::vector<Mat4>& matrices_;
  std::size_t stride_;
  const double* turns_ = nullptr;
};

// A quaternion and its opposite are one rotation. Of both this chooses the one on the side of another, and half a turn
// from it, where both are, by the turn between them, which does not depend on where the character stands.
void choose_side(const Quat& other, DualQuat& q) {
  const Quat turn = other.conjugate() * q.real;
  double side = turn.w();
  for (int c = 0; c < 3 && std::abs(side) <= 1e-6; ++c)
    if (std::abs(turn.vec()[c]) > 0.5) side = turn.vec()[c];
  if (side >= 0) return;
  q.real.coeffs() = -q.real.coeffs();
  q.dual.coeffs() = -q.dual.coeffs();
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
  DqsDeformer(const Rig& rig, const Progress& progress) : layout_(make_skin_layout(rig, progress)) {
    find_references(rig.skeleton);
  }

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
    std::vector<Quat> rotations;
    std::vector<float> motions;
    std::vector<float> stretches;
    std::vector<double> pairs;
    MorphedRest rest;
  };

  // Per slot that of the nearest joint above it, or else the first of its skin. Slots of a skin are in the order of the
  // joints, in which parents come first.
  void find_references(const Skeleton& skeleton) {
    std::vector<Index> of_joint(skeleton.size(), kNone);
    for (Index s = 0, first = 0; s < layout_.slots.size(); ++s) {
      if (layout_.slots[s].skin != layout_.slots[first].skin) {
        first = s;
        of_joint.assign(skeleton.size(), kNone);
      }
      Index reference = first;
      const Index joint = layout_.slots[s].joint;
      if (joint != kNone) {
        of_joint[joint] = s;
        Index above = skeleton.joints[joint].parent;
        while (above != kNone && of_joint[above] == kNone) above = skeleton.joints[above].parent;
        if (above != kNone) reference = of_joint[above];
      }
      references_.push_back(reference);
    }
  }

  bool fill_palettes(DqsState& state) const {
    const std::size_t slots = layout_.slots.size();
    bool rigid = true;
    for (std::size_t s = 0; s < slots; ++s) {
      const Mat3 a = state.matrices[s].topLeftCorner<3, 3>();
      check_joint(layout_, layout_.slots[s], a);
      rigid = rigid && keeps_lengths(a);
    }
    state.motions.resize(8 * slots);
    state.rotations.resize(slots);
    if (rigid) {
      for (std::size_t s = 0; s < slots; ++s) put_motion(s, state.matrices[s], state);
      return false;
    }
    state.stretches.resize(12 * slots);
    const PolarForms forms(state.matrices, state.pairs);
    bool any = false;
    for (std::size_t s = 0; s < slots; ++s) {
      const TwoPhases phases = two_phases(layout_.slots[s], state.matrices[s], forms[s]);
      any = any || phases.stretches;
      put_motion(s, phases.rigid, state);
      store_rows(about_center(layout_, phases.stretch), &state.stretches[12 * s]);
    }
    return any;
  }

  void put_motion(std::size_t s, const Mat4& rigid, DqsState& state) const {
    DualQuat q = dual_quat(in_layout_units(layout_, rigid));
    if (references_[s] != s) choose_side(state.rotations[references_[s]], q);
    state.rotations[s] = q.real;
    put_quaternion(q.real, &state.motions[8 * s]);
    put_quaternion(q.dual, &state.motions[8 * s + 4]);
  }

  SkinLayout layout_;
  std::vector<Index> references_;  // Per slot: the one whose side its quaternion is on; its own number if none.
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
