// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/core/error.h"
#include "sinew/core/rig.h"

namespace sinew::pipeline {

/// Joint frames to model space where the skin lies, in one pose for the whole character: a joint stands where the skin
/// that moves most vertices and lists it says it was bound; one that no skin lists keeps its rest transform under its
/// parent. A warning tells when skins disagree by more than a hundredth of the mesh's size.
std::vector<Mat4> binding_matrices(const Rig& rig, Findings& warnings);

/// What to say of a joint that is not there: names the nearest.
Error unknown_joint(const Skeleton& skeleton, const std::string& name);

/// Which joints may move the skin: those named, if any are; else those weighted in the file; else those a skin lists,
/// or all if there is no skin, but end, IK, control and socket nodes by their names and roles. \throws Error for a name
/// that is not there, or if none is left.
std::vector<char> joints_to_bind(const Skeleton& skeleton, const SkinWeights& weights,
                                 const std::vector<std::string>& names);

/// The rig's skeleton with `end_local` for every bound joint that has no bound joint below: at its one child that may
/// be an end node, else as far again as the bone before it. Without that an only child would count as the end whatever
/// it is; the nodes of meshes, controls and sockets do not tell where a limb ends. `frames` are those of
/// `binding_matrices`.
Skeleton with_leaf_ends(const Rig& rig, const std::vector<Mat4>& frames, const std::vector<char>& bound);

/// The rig as binders see it. Refers to the rig's mesh and skeleton.
binding::Subject bind_subject(const Rig& rig, const std::vector<std::string>& joint_names, Findings& warnings);

}  // namespace sinew::pipeline
