// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Clips of a skeleton that is replaced by another one in the same mesh. transfer/joints/carry_clips.h is for clips of
/// another character, whose body differs in size and pose. Both carry poses with PoseCarrier (pose_carrier.h).

#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/motion/retarget/joint_pairs.h"

namespace sinew::motion {

/// The old skeleton with what its clips need.
struct OldMotion {
  Rig rig;                   ///< Skeleton, skins and parts of the mesh, without vertices.
  std::vector<Mat4> frames;  ///< Per joint: its frame in model space where the mesh is located.
  std::vector<Clip> clips;
};

/// Names of the joints that a clip moved and the new skeleton lacks.
struct DroppedTracks {
  std::string clip;
  std::vector<std::string> joints;
};

/// A clip for the new skeleton, and what it could not keep.
struct CarriedClip {
  Clip clip;
  DroppedTracks dropped;
};

/// A clip for the new skeleton that looks like the old one: each joint rotates in model space, relative to the pose of
/// the mesh, as its source does; the topmost joints with a source also follow its translation. Other joints stay at
/// rest under their parents. `frames` are the new joints in the pose of the mesh, with the axes of the rest pose. There
/// are keys where the old clip has any, and 30 per second where it is curved between them. Tracks of morphs are kept,
/// for part `part_of[p]` instead of p. Keys × joints.
CarriedClip carry_clip(const OldMotion& old, const Clip& clip, const Skeleton& skeleton,
                       const std::vector<Mat4>& frames, const JointPairs& pairs, const std::vector<Index>& part_of);

}  // namespace sinew::motion
