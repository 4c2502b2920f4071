// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>

#include "sinew/deform/deformer.h"

namespace sinew::deform {

/// Skinning that keeps volume: after a base method the inside of the body, made of tetrahedra, is relaxed near joints
/// by a few sweeps of position-based constraints, and what that moves is carried to the skin. J. Pan, L. Chen, Y. Yang,
/// H. Qin, "Automatic skinning and weight retargeting of articulated characters using extended position-based
/// dynamics", 2017 (`pbd_body.h` sets up, `pbd_system.h` solves).
///
/// A frame: (1) the base method moves skin and tetrahedra; (2) sweeps of edges' lengths, distances from bones, and for
/// each tetrahedron its energy and then its volume; (3) the corrections, not the positions, are carried to the skin, so
/// that vertices away from joints are those of the base method bit for bit; (4) corrections are evened out along the
/// skin; (5) the skin near joints is given back what it still lacks of its volume (`skin_volume.h`). A frame depends on
/// its pose alone.
///
/// Against the paper: its energy constraint does not depend on the stiffness, as C and its gradient both grow with it,
/// and is blind to tetrahedra turned inside out. Stiffness enters by compliance here (M. Macklin et al., "XPBD", 2016),
/// and the usual material is a corotated one; `material` springs has the paper's four springs with their whole
/// gradient. Energy comes right before volume, and both after edges and bones. Parts of the body do not collide.
///
/// Skins that enclose nothing are left to the base method, with a finding. \throws Error as the base method, or for a
/// rig without weights.
std::unique_ptr<Deformer> bind_pbd(const Rig& rig, const RigKnowledge& knowledge, const DeformOptions& options,
                                   const Progress& progress);

}  // namespace sinew::deform
