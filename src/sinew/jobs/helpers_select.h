// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What the words of `sinew helpers` mean on a character.

#include <string>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/rigging/helpers/twist_joints.h"

namespace sinew::jobs {

/// The joints that words mean, rising, each once: a joint's own name; else a part of the body ("forearm", "upper_arm",
/// "spine"), on both sides and of all numbers unless the word says one ("left_forearm", "spine_2"); elbow, wrist, knee
/// and ankle are the joints there. Upper and lower case, and separators, do not matter for parts. \throws Error for a
/// word that finds nothing, naming what there is; `flag` is the option it was given to.
std::vector<Index> joints_of_words(const Rig& rig, const motion::Recognition& recognition,
                                   const std::vector<std::string>& words, const std::string& flag);

/// The bone that begins at a joint: to the part of the body that comes next, else to where most weight lies; joints
/// that move nothing are passed over. Upper arms and thighs are twisted by their near joint, all others by their far
/// one. \throws Error if nothing comes next, the joint moves no vertices, or the bone has a twist joint already.
rigging::TwistBone twist_bone(const Rig& rig, const motion::Recognition& recognition, Index joint);

/// The axis, in model space, about which an elbow or a knee bends: the one that brings the forearm forward, the shin
/// back. Zero for other joints.
Vec3 bend_axis(const Rig& rig, const motion::Recognition& recognition, Index joint, const std::vector<Mat4>& frames);

/// Makes the k-th of some helpers partners of the k-th of others.
void pair_helpers(Skeleton& skeleton, const std::vector<Index>& left, const std::vector<Index>& right);

}  // namespace sinew::jobs
