// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/shapes/made.h"

namespace sinew::shapes {

/// A left arm in T pose, along +X, whose surface and weights are formulas of the same two coordinates, so that the
/// truth of one arm is known on every other: u along (0 at the shoulder, 1 at the elbow, 2 at the wrist, −0.15 … 2.15
/// on the surface, cap centres 0.05 further out) and φ around (0 up, a quarter turn to the back).
///
/// | shape | links, m | radius, m | rings × around |
/// |---|---|---|---|
/// | reference | 3, 3 | 0.45 + 0.1 cos 2u + 0.05 cos 2φ | 31 × 20 |
/// | slender | 3.3, 2.6 | 0.22 + 0.03 cos 2u | 41 × 25 |
/// | muscular | 2.8, 3.1 | 0.6 + 0.2 sin 3u + 0.08 cos 3φ | 121 × 60 |
/// | rotated | the muscular one hanging at 45°, its shoulder at (1, 2, −0.5) | | |
///
/// Joints UpperArm, Forearm and Hand at u = 0, 1, 2, and six helper joints of role "helper" below the upper arm, around
/// the elbow at φ = hπ/3, at 0.7 of the radius. Weights of the three: 1 : r₁ : r₁r₂ with r₁ = exp 8(u−1), r₂ = exp
/// 8(u−2), divided by their sum, times 1 − min(0.9, Σg); of the helpers: g = ½ exp(−((u−1)/¼)²) exp((cos(φ − hπ/3) −
/// 1)/0.3); then all divided by their sum. Up to 9 per vertex. Owners: the link at u. Helpers own nothing.
///
/// Quads, with one triangle in each cap where the count around is odd; `triangles` cuts the caps into fans: 622
/// vertices and 1,240 triangles for the reference. Options: shape, vertices, layers, height or length (upper arm and
/// forearm together). The reference is that of Cao, Mukai, "Skeleton-aware skin weight transfer for helper joint rigs"
/// (2024), rebuilt. \throws Error if an option does not fit.
Made arm(const MakeOptions& options, const Progress& progress = {});

}  // namespace sinew::shapes
