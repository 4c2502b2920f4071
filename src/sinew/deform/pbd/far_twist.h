// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sinew/deform/blend/slbs.h"
#include "sinew/deform/blend/twist_tree.h"
#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// How far joints are twisted about the bones that end in them, as a share of where linear blending gives out: 0 up to
/// 60°, 1 from 100° on, smooth between.
class FarTwists {
 public:
  /// `bind` are the joints' frames at binding, `size` is the mesh's, `twist_factors` as for `bind_slbs`. \throws Error
  /// as `make_twist_tree`.
  FarTwists(const Skeleton& skeleton, const Segmentation& segmentation, const std::vector<Mat4>& bind, double size,
            std::span<const float> twist_factors);

  /// What a frame comes to, per joint of the skeleton.
  struct Frame {
    std::vector<double> angle_rad;  ///< As `twist_pose` has it, without its sign.
    std::vector<double> share;
    TwistPose pose;
  };
  void measure(const ModelPose& pose, Frame& frame) const;

 private:
  Index joints_;
  TwistTree tree_;
};

/// `lbs`, and `slbs` where joints are twisted far: what `pbd` starts from. Vertices are mixed by the weights of the
/// joints whose bones a twist is spread along, so that nothing jumps, in time or along the skin. Where nothing is
/// twisted it is `lbs` bit for bit. \throws Error as both do.
std::unique_ptr<Deformer> bind_far_twist(const Rig& rig, const Segmentation& segmentation, const SlbsOptions& options,
                                         const std::vector<Mat4>& bind, const Progress& progress,
                                         std::span<const float> twist_factors);

}  // namespace sinew::deform
