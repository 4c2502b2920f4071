// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <vector>

#include "sinew/core/pose.h"
#include "sinew/core/progress.h"
#include "sinew/core/rig.h"
#include "sinew/deform/contact/flesh_field.h"

namespace sinew::deform {

/// Stops joints where a limb would pass through another one: a part of their rotation from the pose in which the skin
/// was bound is taken back.
///
/// Flesh is rigid here. Points of the skin, moved by their weights, are looked up in the fields of joints to which they
/// do not belong. All points of two joints that are inside each other vote for one depth, place and direction. The
/// joints between the two rotate back, those more that bring the limbs apart quickly and that carry little skin. This
/// is repeated a fixed number of times. On the way back limbs always come apart, because in the pose of binding they
/// are, so that there is no question of which side they should go to, however deep they are inside each other.
///
/// Joints that follow one another do not count, nor does skin that is near the skin of the other joint along the
/// surface: folds are left to the skin. What overlaps at rest does not count either. A pose depends only on the pose
/// that it starts from, and nothing jumps.
class GiveWay {
 public:
  /// Memory for one pose at a time.
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };

  /// `owner` is the joint that owns each vertex of the mesh, or kNone. `fields` must outlive the object. Joints times
  /// points, and a search along the surface for each joint. \throws Cancelled.
  GiveWay(const Rig& rig, const std::vector<Index>& owner, const std::vector<FleshField>& fields,
          const Progress& progress = {});
  ~GiveWay();

  std::unique_ptr<Scratch> make_scratch() const;

  /// The pose in which joints have given way, which is part of `scratch`; or null if no limbs meet.
  const ModelPose* apply(const ModelPose& pose, Scratch& scratch) const;

 private:
  class Solver;
  std::unique_ptr<const Solver> solver_;
};

}  // namespace sinew::deform
