// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <memory>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/rig.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/implicit/joint_shape/joint_shape.h"

namespace sinew::pipeline {

/// Bends joints with and without adjusted shapes, and compares the skin. It sticks out more if its largest distance
/// from the convex profile of the two parts (`measure::JointContour`) grows, and contacts are deeper if skin near the
/// joint lies deeper in other skin (`geometry::penetration`).
class BentJoints {
 public:
  /// \pre all outlive this.
  BentJoints(const Rig& rig, const std::map<Index, deform::JointRange>& ranges, const Progress& progress);

  /// The adjusted joints at which the skin sticks out more, or contacts are deeper, than with the default shapes. Three
  /// bends to the farther end of each axis of a joint, none of them to the end itself. Two frames for each bend at
  /// first, one in later calls; in parallel. \throws Cancelled.
  std::vector<deform::JointVerdict> worse(const deform::JointShapes& shapes);

 private:
  /// By axis.
  struct Figures {
    std::vector<double> contour, depth;  ///< In radii.
  };
  Figures measure(const deform::JointShapeReport& report, Index above, const deform::Deformer& deformer) const;

  const Rig& rig_;
  const std::map<Index, deform::JointRange>& ranges_;
  const Progress& progress_;
  std::vector<Mat4> frames_;
  std::unique_ptr<deform::Deformer> default_;
  std::map<Index, Figures> before_;
};

}  // namespace sinew::pipeline
