// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Which joints and bones the words of `add_helpers` mean on a character.

#include <string>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/rigging/helpers/twist_joints.h"

namespace sinew::pipeline {

/// The joints that words mean, rising, each once. A word is the name of a joint; otherwise a part of the body
/// ("forearm", "upper_arm", "spine"), on both sides and of all numbers unless the word names one ("left_forearm",
/// "spine_2"). Elbow, wrist, hip, knee and ankle are the joints there. Case and separators do not matter for parts.
/// \throws Error for a word that finds nothing; it lists the existing parts, names `option`, which held the word, and
/// suggests the nearest word.
std::vector<Index> joints_of_words(const Rig& rig, const motion::Recognition& recognition,
                                   const std::vector<std::string>& words, const std::string& option);

/// The bone that begins at a joint: to the part of the body that comes next, otherwise to the joint with the most
/// weight at it and below it. Joints that move nothing are skipped. Upper arms and thighs are twisted by their near
/// joint, all others by their far one. \throws Error if nothing comes next, the joint moves no vertices, or the bone
/// has a twist joint already.
rigging::TwistBone twist_bone(const Rig& rig, const motion::Recognition& recognition, Index joint);

/// The axis, in model space, about which an elbow or a knee bends: the one that brings the forearm forward, the shin
/// back. Zero for other joints.
Vec3 bend_axis(const Rig& rig, const motion::Recognition& recognition, Index joint, const std::vector<Mat4>& frames);

}  // namespace sinew::pipeline
