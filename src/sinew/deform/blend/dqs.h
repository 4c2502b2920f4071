// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// Dual-quaternion skinning: L. Kavan, S. Collins, J. Žára, C. O'Sullivan, "Geometric skinning with approximate dual
/// quaternion blending", 2008. Signs are chosen per vertex against its heaviest joint. Stretch is taken out of each
/// matrix by its polar decomposition and blended linearly first, about the joint's place at binding; what is left is
/// rigid. Frames in which a joint that moves something mirrors or flattens throw an Error that names it.
std::unique_ptr<Deformer> bind_dqs(const Rig& rig, const Progress& progress = {});

/// The registry entry.
DeformerMethod dqs_method();

}  // namespace sinew::deform
