// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// Puts delta mush behind another deformer: J. Mancewicz, M. Derksen, H. Rijpkema, C. Wilson, "Delta Mush: smoothing
/// deformations while preserving detail", 2014. The rest surface is smoothed once, and what was lost is kept per vertex
/// in a frame of the smoothed surface; each frame smooths the deformed surface in the same way and puts it back. Each
/// round moves a vertex towards the mean of its ring by `smooth_strength`.
///
/// Works on welded vertices, so seams are closed in the result, also where the deformer opened them. The rest pose
/// gives the rest surface, and a rigid motion moves it rigidly. Normals turn with the frames, so that creases stay.
/// Active morphs count as rest. A vertex whose ring spans no plane (isolated, or collapsed in a frame) stays where the
/// deformer puts it. Linear in the edges and rounds.
std::unique_ptr<Deformer> bind_delta_mush(std::unique_ptr<Deformer> inner, const Rig& rig, const DeformOptions& options,
                                          const Progress& progress);

}  // namespace sinew::deform
