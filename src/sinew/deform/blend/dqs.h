// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// Dual-quaternion skinning: L. Kavan, S. Collins, J. Žára, C. O'Sullivan, "Geometric skinning with approximate dual
/// quaternion blending", 2008. Signs are chosen per vertex relative to its heaviest joint. Stretch is removed from each
/// matrix by polar decomposition and blended linearly first, about the position of the joint at binding; the remaining
/// part is rigid. A frame in which a joint that moves vertices is mirrored or flattened throws an Error that names it.
std::unique_ptr<Deformer> bind_dqs(const Rig& rig, const Progress& progress = {});

/// The registry entry.
DeformerMethod dqs_method();

}  // namespace sinew::deform
