// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <span>

#include "sinew/deform/deformer.h"
#include "sinew/deform/pose_limits.h"

namespace sinew::deform {

/// Some vertices of a rig as a rig of their own, without faces: what a blend of weights needs to move just these.
/// Vertex i of the result is `vertices[i]`. Linear. \pre the vertices increase.
Rig rig_of_vertices(const Rig& rig, std::span<const Index> vertices);

/// Reduces the correction of a deformer by the pose: base + factor · (corrected − base), with the factors of `limits`.
/// At vertices that no pose reduces, the result is that of the corrected deformer, bit for bit. `base` moves only the
/// other ones (`rig_of_vertices` of `PoseLimits::vertices`), so that few of them cost little, or with `whole_base` all
/// vertices. Normals are mixed in the same way.
std::unique_ptr<Deformer> bind_limited(std::unique_ptr<Deformer> corrected, std::unique_ptr<Deformer> base,
                                       PoseLimits limits, bool whole_base = false);

/// Takes back what folds or stretches the skin where the base does not, in every frame (`SurfaceGuard` of this mesh).
/// Vertices that keep less than half of their correction have the status `kFrozen`. A frame of the base more, and a few
/// passes over edges and faces.
std::unique_ptr<Deformer> bind_guarded(std::unique_ptr<Deformer> corrected, std::unique_ptr<Deformer> base,
                                       const Mesh& mesh);

}  // namespace sinew::deform
