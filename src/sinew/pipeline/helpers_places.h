// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// How much of a bone's twist each vertex shall take part in.

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
  std::vector<float> share;                ///< Per vertex, of the twist of the bone that owns it: the field of `safe`.
  std::vector<Index> shell;                ///< Per vertex: which shell it belongs to, or kNone.
  std::vector<Index> rigid_on;             ///< Per shell: the one joint that moves all of it, or kNone.
  Index rigid_vertices = 0;                ///< Placed by `place_rigid_shells` so far.
};
TwistKnowledge twist_knowledge(const Rig& rig, Findings& warnings, const Progress& progress);

/// A shell that hangs wholly on the bone's joint has one place, so that it stays rigid: if it covers at most a third of
/// the bone (a bracelet, a button) that of its middle, so that it turns with the skin under it; else (the forearm of a
/// robot) 0, or 1 on a bone that its near joint twists, and it moves as before. Returns how many vertices got a place
/// of their shell's.
Index place_rigid_shells(const Rig& rig, const TwistKnowledge& knowledge, const rigging::TwistBone& bone,
                         const std::vector<Mat4>& frames, std::vector<float>& places);

}  // namespace sinew::pipeline
