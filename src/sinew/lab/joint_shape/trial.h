// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// One character with all shapes of its joints, and the methods that they are compared with.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/deform/deformer.h"
#include "sinew/lab/joint_shape/edited.h"
#include "sinew/pipeline/fit_joints.h"

namespace sinew::lab {

/// Raw: implicit skinning whose parts close by themselves, as published in 2013. Default: ours. Edited: see
/// `edited_samples`.
inline constexpr std::array kTrialMethods = {"raw", "default", "adjusted", "edited", "lbs", "dqs", "pbd"};

/// The skin of one bent joint.
struct BentSkin {
  double degrees = 0;
  double depth = 0;       ///< Of the deepest skin that is inside other skin near the joint, in radii.
  double thickness = 1;   ///< Mean distance of the skin between the parts from the bones, relative to rest.
  double contour = 0;     ///< The largest protrusion over the convex profile of the two parts, in radii.
  bool outlined = false;  ///< Whether there is enough skin of both parts for the two above.
  ModelPose pose;
  std::vector<Vec3f> positions;
};

class JointTrial {
 public:
  /// Adjusts the joints that are named, or all, without checking their bends, and binds all methods. Seconds to a
  /// minute. \throws Cancelled.
  JointTrial(std::shared_ptr<const Character> character, const std::vector<std::string>& joints,
             const Progress& progress);

  const std::shared_ptr<const Character>& character() const { return character_; }
  const Rig& rig() const { return character_->rig; }
  const pipeline::FitJointsResult& fitted() const { return fitted_; }

  /// Joints that were adjusted, and have enough skin of both parts beside them.
  std::vector<const deform::JointShapeReport*> joints() const;

  /// The joint bent to the farther end of its first axis, or by some degrees in that direction.
  BentSkin bend(const deform::JointShapeReport& report, std::size_t method, std::optional<double> degrees = {}) const;

  /// The functions of the parts by default and as adjusted, compared with the edited ones.
  Likeness to_edited() const;

 private:
  std::shared_ptr<const Character> character_;
  std::vector<Mat4> frames_;
  pipeline::FitJointsResult fitted_;
  PartSamples raw_, default_, edited_;
  const Progress& progress_;
  std::map<Index, deform::JointRange> ranges_;
  std::vector<std::unique_ptr<deform::Deformer>> deformers_;
};

/// The elbow of `tapered_limb`, a hinge of 140°.
Character elbow_character();

/// Trials of made characters by name, each made when it is needed first.
class JointTrials {
 public:
  explicit JointTrials(const Progress& progress) : progress_(progress) {}
  /// "elbow" or a kind of made characters.
  const JointTrial& of(const std::string& name);

 private:
  const Progress& progress_;
  std::map<std::string, std::unique_ptr<JointTrial>> trials_;
};

/// Distances of the skin near a joint from another shape of it, in radii: mean and largest.
struct SkinDistance {
  double mean = 0, largest = 0;
};
SkinDistance skin_distance(const BentSkin& skin, const BentSkin& reference, Index joint, double radius);

}  // namespace sinew::lab
