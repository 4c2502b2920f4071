// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// Dual-quaternion skinning: L. Kavan, S. Collins, J. Žára, C. O'Sullivan, "Geometric skinning with approximate dual
/// quaternion blending", 2008. Stretch is removed from each matrix by polar decomposition and blended linearly first,
/// about the position of the joint at binding; the remaining part is rigid. A frame in which a joint that moves
/// vertices is mirrored or flattened throws an Error that names it.
///
/// A quaternion and its opposite are the same rotation, so that a blend needs a sign for each. Signs are chosen per
/// vertex: on the side of its heaviest joint, as in the paper. If several joints are the heaviest (to 1 part in
/// 10,000), it is the one whose signs give the longest sum of weighted quaternions; so the result depends neither on
/// the order of joints or influences nor on rounding. Sums of equal length (to 1 part in 100,000 of their squares) only
/// occur with symmetric motions; then the first joint of the skeleton decides. Two joints half a turn apart are on the
/// same side or on opposite ones with equal right: the turn between a joint and the nearest one above it decides,
/// equally for all vertices and wherever the character is.
///
/// Tried and rejected: the longest sum of all joints' signs, heaviest or not. It also jumps only where sums are equally
/// long, but it differs from the paper's choice wherever three joints of a vertex are more than half a turn apart.
std::unique_ptr<Deformer> bind_dqs(const Rig& rig, const Progress& progress = {});

/// The registry entry.
DeformerMethod dqs_method();

}  // namespace sinew::deform
