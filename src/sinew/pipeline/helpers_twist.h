// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// How much of a bone's twist each vertex takes part in.

#include <memory>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"
#include "sinew/deform/deformer.h"
#include "sinew/rigging/helpers/twist_joints.h"

namespace sinew::pipeline {

/// What is known of a character's twists before it gets twist joints.
struct TwistKnowledge {
  Segmentation segmentation;
  std::unique_ptr<deform::Deformer> safe;  ///< `slbs` of the character.
  std::vector<float> share;     ///< Per vertex, of the twist of the bone that owns it: the one that `safe` uses.
  std::vector<Index> shell;     ///< Per vertex: which shell it belongs to, or kNone.
  std::vector<Index> rigid_on;  ///< Per shell: the one joint that moves all of it, or kNone.
};
TwistKnowledge twist_knowledge(const Rig& rig, Findings& findings, const Progress& progress);

/// Gives all vertices of a shell that only the bone's joint moves one value of `places`, so that the shell stays rigid.
/// If it covers at most a third of the bone (a bracelet, a button), that is the position of its middle along the bone,
/// so that the shell rotates with the skin under it. Otherwise (the forearm of a robot) it is 0, or 1 on a bone that
/// its near joint twists, and the shell moves as before. Returns how many vertices got the value of their shell.
Index place_rigid_shells(const Rig& rig, const TwistKnowledge& knowledge, const rigging::TwistBone& bone,
                         const std::vector<Mat4>& frames, std::vector<float>& places);

}  // namespace sinew::pipeline
