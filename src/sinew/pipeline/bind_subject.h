// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/core/error.h"
#include "sinew/core/rig.h"

namespace sinew::pipeline {

/// Transforms from joint frames to model space in the bind pose, in one pose for the whole character. The position of a
/// joint comes from the skin that lists it and moves the most vertices; a joint that no skin lists keeps its rest
/// transform relative to its parent. A warning reports skins that disagree by more than a hundredth of the mesh's size.
std::vector<Mat4> binding_matrices(const Rig& rig, Findings& warnings);

/// The error for an unknown joint. It suggests the nearest name.
Error unknown_joint(const Skeleton& skeleton, const std::string& name);

/// Returns which joints may move the skin: the named ones, if there are any; otherwise those with weights in the file;
/// otherwise those that a skin lists, or all if there is no skin, except nodes that are ends, IK, controls or sockets
/// by their names and roles. \throws Error for an unknown name, or if no joint is left.
std::vector<char> joints_to_bind(const Skeleton& skeleton, const SkinWeights& weights,
                                 const std::vector<std::string>& names);

/// The rig's skeleton with `end_local` for every bound joint without a bound descendant: at its only child that can be
/// an end node, otherwise as far ahead as its parent bone is long. Without it any only child would count as the end,
/// although nodes of meshes, controls and sockets do not mark the end of a limb. `frames` are those of
/// `binding_matrices`.
Skeleton with_leaf_ends(const Rig& rig, const std::vector<Mat4>& frames, const std::vector<char>& bound);

/// The rig as binders see it. Refers to the rig's mesh and skeleton.
binding::Subject bind_subject(const Rig& rig, const std::vector<std::string>& joint_names, Findings& warnings);

}  // namespace sinew::pipeline
