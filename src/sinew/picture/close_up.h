// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Close-ups of joints: which part of the skin to show, and from where.

#include <memory>
#include <span>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/picture/picture.h"

namespace sinew::picture {

/// Finds close-ups of the joints of one posed character.
///
/// *Region.* The skin that bends with a joint is the skin that the joint and its descendants share with other joints.
/// Half of its vertices are nearer to the joint than the *limb radius*. A close-up shows the connected skin around it,
/// up to the middle of the bones on both sides, but at least 2.2 and at most 4 limb radii from the joint.
///
/// *Direction.* About 150 directions are compared by how much of the region's area they show, with everything that is
/// in the way hidden (rays from 600 points of the region), by how nearly they face the plane in which the joint is
/// bent away from rest, and by how little they foreshorten the two bones. Views from above and below are slightly
/// worse than level ones. A joint that is not bent is seen from the side that shows most.
///
/// The results are the same for any number of threads, and mirrored poses have mirrored views.
class CloseUpFinder {
 public:
  /// Builds a scene for rays; n log n in the triangles. `interest` is empty or has one number per vertex, none
  /// negative: the view prefers to show vertices with large numbers. \pre the rig is valid, has a skeleton, and the
  /// frame belongs to it; rig and frame outlive this.
  CloseUpFinder(const Rig& rig, const PictureFrame& frame, std::span<const float> interest = {});
  CloseUpFinder(CloseUpFinder&&) noexcept;
  CloseUpFinder& operator=(CloseUpFinder&&) noexcept;
  ~CloseUpFinder();

  /// Returns the vertices around a joint that a close-up shows, in increasing order. Empty if the character has no
  /// skin, or none of it follows the joint or its descendants.
  std::vector<Index> region(Index joint) const;

  /// Returns the close-up of a joint; without points if the region is empty. The region is also inside the picture in
  /// another shape of the character, apart from vertices that are far away in it. `other` is empty or has one position
  /// per vertex.
  PictureCloseUp close_up(Index joint, std::span<const Vec3> other = {}) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace sinew::picture
