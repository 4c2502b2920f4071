// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// Linear blend skinning: v' = (Σ w M) v. It accepts any matrices, including mirrored and singular ones. Normals are
/// transformed by N = Σ w M while all matrices preserve angles, and by the cofactors of N in frames where a matrix has
/// non-uniform scale.
std::unique_ptr<Deformer> bind_lbs(const Rig& rig, const Progress& progress = {});

/// The registry entry.
DeformerMethod lbs_method();

}  // namespace sinew::deform
