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
#include "sinew/measure/joint_contour.h"

namespace sinew::pipeline {

/// Bends joints with and without adjusted shapes, and compares the skin. It sticks out more if its largest distance
/// from the convex profile of the two parts (`measure::JointContour`) grows, and contacts are deeper if skin near the
/// joint lies deeper in other skin (`geometry::penetration`).
///
/// Joints on different limbs are bent in one pose. Where that makes skin touch, the joint is bent alone.
class BentJoints {
 public:
  /// \pre all outlive this.
  BentJoints(const Rig& rig, const std::map<Index, deform::JointRange>& ranges, const Progress& progress);

  /// The adjusted joints at which the skin sticks out more, or contacts are deeper, than with the default shapes. Three
  /// bends to the farther end of each axis of a joint, none of them to the end itself. Later calls only bend joints
  /// whose parts have other samples than before. \throws Cancelled.
  std::vector<deform::JointVerdict> worse(const deform::JointShapes& shapes);

 private:
  /// By axis, in radii.
  struct Figures {
    std::vector<double> contour, depth;
  };
  /// A joint that is examined.
  struct Subject {
    Index joint, part, parent;
    double radius;
    measure::JointContour contour;
    Figures before, after;
    int group = 0;
    bool adjusted = true, changed = true;
  };

  void find_subjects(const deform::JointShapes& shapes);
  void find_changes(const deform::JointShapes& shapes);
  void bend(const deform::Deformer& deformer, Figures Subject::*result);
  ModelPose pose_of(const std::vector<Subject*>& bent, std::size_t axis, double share) const;
  double depth_near(const std::vector<Vec3f>& positions, const Vec3& center, const Subject& subject) const;
  void bend_group(int group, std::size_t axis, const deform::Deformer& deformer, Figures Subject::*result);

  const Rig& rig_;
  const std::map<Index, deform::JointRange>& ranges_;
  const Progress& progress_;
  std::vector<Mat4> frames_;
  std::vector<Subject> subjects_;
  int groups_ = 0;
  PartSamples samples_;  ///< Of the call before.
};

}  // namespace sinew::pipeline
