// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// Linear blend skinning: v' = (Σ w M) v. Takes any matrices, mirrored and singular ones too. Normals go by N = Σ w M
/// while every matrix keeps angles, and by the cofactors of N in frames where one scales unevenly.
std::unique_ptr<Deformer> bind_lbs(const Rig& rig, const Progress& progress = {});

/// The registry entry.
DeformerMethod lbs_method();

}  // namespace sinew::deform
