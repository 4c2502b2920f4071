// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/rigging/anatomy/limb.h"
#include "sinew/rigging/embed/embedding.h"

namespace sinew::rigging {

/// Where one limb of a template was found in a body.
struct FoundLimb {
  Index limb = kNone;  ///< Of the template.
  Index tip = kNone;   ///< Solid voxel.
  LimbProfile profile;
  double mouth = 0;  ///< Where it opens into the body: distance from the tip.
  double first = 0;  ///< Of its first joint.
  double last = 0;   ///< Of its last joint.
};

/// Places of all joints of a template, read off the shape.
struct Anatomy {
  std::vector<Vec3> places;  ///< Per joint, in the interior's frame; of optional ones only where they were found.
  std::vector<std::string> origins;  ///< Per joint: see `PlannedJoint::origin`; empty: not placed.
  std::vector<FoundLimb> limbs;
};

/// The search says which end of the body is which limb; where exactly joints lie it cannot know, since its spheres are
/// as far apart as the body is thick. So every limb is cut into slices from its tip inwards. It begins where its
/// section grows fastest (armpit, crotch, shoulders below the neck), near where the template's proportions expect that;
/// its last joint (wrist, ankle) lies where it is narrowest near where it is expected; joints between at the template's
/// fractions, or where the limb bends most near there. Joints of the trunk and those that follow from others go along
/// with the limbs' first joints, by the similarity that fits those best, the near ones most (moving least squares; S.
/// Schaefer et al., "Image deformation using moving least squares", 2006). A search through the body for each limb.
Anatomy read_anatomy(const BodyWays& ways, const Template& skeleton_template, const Fit& fit);

/// How far what lies on the ground is ahead of what stands on it, in heights of the body: positive where feet point
/// forward. `turn`: from the interior's frame to y up, z forward.
double feet_ahead(const Interior& interior, const Mat3& turn);

/// How far the bones that were found are from the template's, each counting as much as it is long there: one minus the
/// cosine of the angle between them, and `kLengthShare` times the squared logarithm of how much longer or shorter it is
/// than all together are. 0 for a body that is the template at any size.
double shape_cost(const Template& skeleton_template, const Mat3& turn, const Anatomy& anatomy);

}  // namespace sinew::rigging
