// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What becomes of that which hung on a skeleton when another takes its place.

#include <string>
#include <vector>

#include "sinew/core/character.h"

namespace sinew::pipeline {

/// Whether a character has what only `--replace` may take away: skins, joints that move skin, or clips of joints.
bool has_rig(const Character& character);

/// Which joints of two skeletons of one body are the same part of it.
struct JointPairs {
  std::vector<Index> partner;  ///< Per old joint: the new one that takes its place, or kNone. No new joint comes twice.
  std::vector<Index>
      source;  ///< Per new joint: the old one whose motion it takes, or kNone. Old ones may come several times.
};

/// By role (`motion::recognize` for the old ones; new ones know theirs), then by name. Joints of spine and chest that
/// have no partner of their role take the motion of the one that is as far up.
JointPairs pair_joints(const Skeleton& old_skeleton, const Skeleton& new_skeleton);

/// The old skeleton with what its clips need.
struct OldMotion {
  Rig rig;                   ///< Skeleton, skins, parts of the mesh; without vertices.
  std::vector<Mat4> frames;  ///< Per joint, where the mesh lies.
  std::vector<Clip> clips;
};

/// Names of what a clip moved and the new skeleton cannot.
struct DroppedTracks {
  std::string clip;
  std::vector<std::string> joints;
};

/// A clip for the new skeleton that looks like the old one: each joint turns in model space, away from where the mesh
/// lies, as its source does; the topmost ones with a source also go along with it. Others stay at rest under their
/// parents. `frames` are the new joints where the mesh lies, with the axes of the rest pose. Keys lie where the old
/// clip has any, and 30 times a second where it is curved between them. Tracks of morphs stay, for part `part_of[p]` in
/// place of p.
Clip carried_clip(const OldMotion& old, const Clip& clip, const Skeleton& skeleton, const std::vector<Mat4>& frames,
                  const JointPairs& pairs, const std::vector<Index>& part_of, DroppedTracks& dropped);

}  // namespace sinew::pipeline
