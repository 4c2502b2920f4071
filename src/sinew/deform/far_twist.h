// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// How far joints are twisted about the bones that end in them, as a share of where linear blending gives out: 0 up to 60°, 1 from 100° on, smooth
/// between.
class FarTwists {
 public:
  /// `bind` are the joints' frames at binding.
  FarTwists(const Skeleton& skeleton, const Segmentation& segmentation, std::span<const Mat4> bind);

  /// One share per joint; twists beyond half a turn count if the pose tells them.
  void measure(const ModelPose& pose, std::vector<double>& shares) const;

 private:
  std::vector<Index> parents_;
  std::vector<Vec3> axes_;  ///< Of the bone that ends in a joint, at binding; zero for none.
  std::vector<Mat4> inverse_bind_;
};

/// `lbs`, and `slbs` where joints are twisted far: what `pbd` starts from. Vertices are mixed by the weights of the joints whose bones a twist is spread
/// along, so that nothing jumps, in time or along the skin. Where nothing is twisted it is `lbs` bit for bit. \throws Error as both do.
std::unique_ptr<Deformer> bind_far_twist(const Rig& rig, const RigKnowledge& knowledge, const DeformOptions& options,
                                         std::span<const Mat4> bind, const Progress& progress);

}  // namespace sinew::deform
