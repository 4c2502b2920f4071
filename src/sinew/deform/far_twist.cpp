// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/far_twist.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"

namespace sinew::deform {
namespace {

constexpr double kNear = std::numbers::pi / 3, kFar = 5 * std::numbers::pi / 9;  ///< 60° and 100°.

class FarTwist : public Deformer {
 public:
  FarTwist(const Rig& rig, const RigKnowledge& knowledge, const DeformOptions& options, std::span<const Mat4> bind,
           const Progress& progress)
      : twists_(rig.skeleton, *knowledge.segmentation, bind),
        linear_(sinew::deform::bind("lbs", rig, options, progress, knowledge)),
        spread_(sinew::deform::bind("slbs", rig, options, progress, knowledge)),
        rows_(rig.weights.normalized()) {
    for (const Joint& joint : rig.skeleton.joints) parents_.push_back(joint.parent);
  }

  class Both : public State {
   public:
    std::unique_ptr<State> linear, spread;
    std::vector<Vec3f> positions, normals;
    std::vector<double> twists, shares;
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
    state.shares = state.twists;
    // A twist is spread along the bone before the joint, whose skin follows the parent.
    for (std::size_t j = 0; j < parents_.size(); ++j)
      if (parents_[j] != kNone) state.shares[parents_[j]] = std::max(state.shares[parents_[j]], state.twists[j]);
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

FarTwists::FarTwists(const Skeleton& skeleton, const Segmentation& segmentation, std::span<const Mat4> bind)
    : axes_(skeleton.joints.size(), Vec3::Zero()) {
  for (const Joint& joint : skeleton.joints) parents_.push_back(joint.parent);
  for (const Mat4& frame : bind) inverse_bind_.push_back(frame.inverse());
  for (const Segmentation::Segment& segment : segmentation.segments) {
    if (segment.child == kNone) continue;
    const Vec3 bone = bind[segment.child].topRightCorner<3, 1>() - bind[segment.joint].topRightCorner<3, 1>();
    if (bone.norm() > 0) axes_[segment.child] = bone.normalized();
  }
}

void FarTwists::measure(const ModelPose& pose, std::vector<double>& shares) const {
  shares.assign(parents_.size(), 0.0);
  for (std::size_t j = 0; j < parents_.size(); ++j) {
    if (parents_[j] == kNone || axes_[j].isZero()) continue;
    const auto turn_of = [&](std::size_t k) {
      return polar((pose.joints[k] * inverse_bind_[k]).topLeftCorner<3, 3>()).rotation;
    };
    const Quat q(Mat3(turn_of(parents_[j]).transpose() * turn_of(j)));
    double twist = 2 * std::atan2(std::abs(q.vec().dot(axes_[j])), std::abs(q.w()));
    if (j < pose.twist_rad.size()) twist = std::max(twist, std::abs(pose.twist_rad[j]));
    const double t = std::clamp((twist - kNear) / (kFar - kNear), 0.0, 1.0);
    shares[j] = t * t * (3 - 2 * t);
  }
}

std::unique_ptr<Deformer> bind_far_twist(const Rig& rig, const RigKnowledge& knowledge, const DeformOptions& options,
                                         std::span<const Mat4> bind, const Progress& progress) {
  return std::make_unique<FarTwist>(rig, knowledge, options, bind, progress);
}

}  // namespace sinew::deform
