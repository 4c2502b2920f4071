// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <string>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/rigging/build/plan.h"

namespace sinew::rigging {

/// A finger as it was found, in model space.
struct FoundFinger {
  std::array<Vec3, 3> joints;  ///< Knuckle, middle and last joint; of a thumb from its root in the palm.
  Vec3 tip = Vec3::Zero();
  Vec3 bend_axis = Vec3::Zero();  ///< A positive turn closes the hand.
};

/// The fingers of one hand, or why there are none.
struct FoundHand {
  std::vector<FoundFinger> fingers;  ///< The thumb first, then from the one beside it on. Empty or three to five.
  double length = 0;                 ///< From the wrist to the farthest tip, through the hand.
  std::string why_not;               ///< Part of a sentence: "only one part …".
};

/// Looks for fingers beyond a wrist. The faces there, with a piece of the forearm, are filled with voxels of their own,
/// far finer than those of a whole body, with `VoxelLeaks` between fingers that touch. Distances through the hand from
/// the wrist are cut into `branches`; each ends at its web, where the next finger joins it. The thumb is the one that
/// leaves nearest to the wrist and points most to the side. Knuckles lie inside the palm beyond the web, the other
/// joints at shares of the finger's length: as in the made hand and, where that differs, between it and real ones.
/// `hand_end`: anywhere in the hand beyond the wrist, in the middle. \pre the three points differ. \throws Cancelled.
FoundHand find_fingers(const Mesh& mesh, const Vec3& elbow, const Vec3& wrist, const Vec3& hand_end, bool left,
                       const Progress& progress = {});

/// Gives both hands (roles left_hand, right_hand) their fingers: LeftThumb1 … LeftLittle3 with roles left_thumb_1 …
/// left_little_3; of four, thumb to ring, of three, thumb to middle. Both hands get the same number, the smaller one;
/// partners are linked, and if the plan is symmetric both are made mirror images of their mean. A hand's `end` is taken
/// away, since its fingers end it. Findings `rigging.no_fingers` say of which hand the fingers could not be told apart,
/// and why.
Findings add_fingers(SkeletonPlan& plan, const Mesh& mesh, const Progress& progress = {});

}  // namespace sinew::rigging
