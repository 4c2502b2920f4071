// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/binding/edit/weight_edit_mirror.h"
#include "sinew/core/skeleton.h"

namespace sinew::pipeline {

/// The mirror image of a skeleton and its mesh.
struct MirrorImage {
  binding::MirrorPlane plane;
  std::vector<Index> partner;  ///< Per joint: the one opposite; itself in the middle; kNone where none was found.
  Index named = 0;             ///< Joints that have a partner by what the file says or by names.
  Index placed = 0;            ///< By their places.
};

/// Partners that the file or the names tell: `Joint::mirror`, else names that differ in their word for the side alone
/// ("arm.L", "RightArm"), else the same part of the body on the other side. kNone where nothing tells.
std::vector<Index> partners_by_names(const Skeleton& skeleton);

/// The plane of the mesh, and partners by names where places agree, then by places, then by names alone. \throws Error
/// if the mesh has no mirror plane.
MirrorImage mirror_image(const binding::Subject& subject, const binding::EditSurface& surface);

}  // namespace sinew::pipeline
