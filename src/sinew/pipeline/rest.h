// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Another bind pose for a rigged character.

#include <utility>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/rigging/build/rest_pose.h"

namespace sinew::pipeline {

/// What `set_rest` did.
struct RestResult {
  Character character;
  Index moved_joints = 0;    ///< Joints whose rest transform changed.
  Index moved_vertices = 0;  ///< Vertices that moved by more than a millionth of the size.
  double largest_move = 0;   ///< Of a vertex, as a share of the size.
  /// Clips that got tracks behind those they had, and the first new one.
  std::vector<std::pair<Index, std::size_t>> longer_clips;
  Findings findings;
};

/// The local transforms of the T or A pose of a skeleton: arms and legs point as the words say, found by the roles of
/// the joints, which names or shape tell. \throws Error if the skeleton is not one of an upright body with recognized
/// limbs. \pre not `kKeep`.
std::vector<Transform> standard_pose(const Rig& rig, rigging::RestPose pose);

/// The local transforms in which the skin was bound. \throws Error if a bind matrix has no inverse or the parts of the
/// character were bound in different poses.
std::vector<Transform> bound_pose(const Rig& rig);

/// Makes a pose the rest pose and the bind pose. Vertices move with their joints, blended so that the way back returns
/// the mesh: as dual quaternions, and by the logarithms of what transforms scale. In the pose in which the joints rest
/// already, they are blended linearly, so that the shape at rest does not change. Normals and morphs rotate along.
/// Parts that are attached to one joint move with it. Bind matrices become those of the pose. Clips keep the motion of
/// every joint: joints that a clip does not move get one key with their old rest transform. Limits are
/// counted from the new rest pose. Drivers show what they showed before; driven joints rest where they put them. \pre
/// one transform per joint. \throws Error if a joint of the pose has no size.
RestResult set_rest(Character character, const std::vector<Transform>& wanted);

}  // namespace sinew::pipeline
