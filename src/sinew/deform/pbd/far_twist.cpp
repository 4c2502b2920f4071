// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/far_twist.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/blend/lbs.h"

namespace sinew::deform {
namespace {

constexpr double kNear = kPi / 3, kFar = 5 * kPi / 9;  ///< 60° and 100°.

class FarTwist : public Deformer {
 public:
  FarTwist(const Rig& rig, const Segmentation& segmentation, const SlbsOptions& options, const std::vector<Mat4>& bind,
           const Progress& progress, std::span<const float> twist_factors)
      : twists_(rig.skeleton, segmentation, bind, rig.mesh.size(), twist_factors),
        linear_(bind_lbs(rig, progress)),
        spread_(bind_slbs(rig, segmentation, options, progress, twist_factors)),
        rows_(rig.weights.normalized()) {
    for (const Joint& joint : rig.skeleton.joints) parents_.push_back(joint.parent);
  }

  class Both : public State {
   public:
    std::unique_ptr<State> linear, spread;
    std::vector<Vec3f> positions, normals;
    FarTwists::Frame twists;
    std::vector<double> shares;
  };

  std::unique_ptr<State> make_state() const override {
    auto state = std::make_unique<Both>();
    state->linear = linear_->make_state();
    state->spread = spread_->make_state();
    return state;
  }

  void deform(State& any, const FrameInput& input, const FrameOutput& output) const override {
    auto& state = static_cast<Both&>(any);
    linear_->deform(*state.linear, input, output);
    twists_.measure(input.pose, state.twists);
    state.shares = state.twists.share;
    // A twist is spread along the bone before the joint, whose skin follows the parent.
    for (std::size_t j = 0; j < parents_.size(); ++j)
      if (parents_[j] != kNone) state.shares[parents_[j]] = std::max(state.shares[parents_[j]], state.twists.share[j]);
    if (std::none_of(state.shares.begin(), state.shares.end(), [](double share) { return share > 0; })) return;
    state.positions.resize(output.positions.size());
    state.normals.resize(output.normals.size());
    spread_->deform(*state.spread, input, {state.positions, state.normals, output.report});
    parallel_for(std::min<std::size_t>(rows_.row_count(), output.positions.size()), [&](std::size_t v) {
      double share = 0;
      for (const Influence& influence : rows_.row(static_cast<Index>(v)))
        share += static_cast<double>(influence.weight) * state.shares[influence.joint];
      if (share <= 0) return;
      const auto s = static_cast<float>(std::min(share, 1.0));
      output.positions[v] += s * (state.positions[v] - output.positions[v]);
      if (!output.normals.empty())
        output.normals[v] = (output.normals[v] + s * (state.normals[v] - output.normals[v])).normalized();
    });
  }

 private:
  FarTwists twists_;
  std::unique_ptr<Deformer> linear_, spread_;
  SkinWeights rows_;
  std::vector<Index> parents_;
};

}  // namespace

FarTwists::FarTwists(const Skeleton& skeleton, const Segmentation& segmentation, const std::vector<Mat4>& bind,
                     double size, std::span<const float> twist_factors)
    : joints_(skeleton.size()),
      tree_(make_twist_tree(skeleton, segmentation.segments, bind, size, twist_factors, true)) {}

void FarTwists::measure(const ModelPose& pose, Frame& frame) const {
  twist_pose(tree_, pose, frame.pose);
  frame.angle_rad.assign(joints_, 0.0);
  frame.share.assign(joints_, 0.0);
  for (std::size_t k = 0; k < tree_.joints.size(); ++k) {
    const Index j = tree_.joints[k].joint;
    frame.angle_rad[j] = std::abs(frame.pose.angle_rad[k]);
    const double t = std::clamp((frame.angle_rad[j] - kNear) / (kFar - kNear), 0.0, 1.0);
    frame.share[j] = t * t * (3 - 2 * t);
  }
}

std::unique_ptr<Deformer> bind_far_twist(const Rig& rig, const Segmentation& segmentation, const SlbsOptions& options,
                                         const std::vector<Mat4>& bind, const Progress& progress,
                                         std::span<const float> twist_factors) {
  return std::make_unique<FarTwist>(rig, segmentation, options, bind, progress, twist_factors);
}

}  // namespace sinew::deform
