// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/shapes/made.h"

namespace sinew::shapes {

/// A figure of cubes, rounded: unit cubes for a trunk of 3 × 4, two legs of 5 below its ends, two arms of 5 beside its
/// top row, a head of 2 on its middle; the boundary's quads, then k ≥ 1 steps of Catmull and Clark, 504·4^(k−1) + 2
/// vertices. Every limb is a stack of closed loops of 4·2^k vertices, so what a method finds on it can be counted.
/// `vertices` picks the nearest k, 3 without it.
///
/// Cubes are laid out with x to the figure's left, up and deep as in model space; at the end all is scaled to `height`
/// (1.75 m without it) and put on the ground. A layout with z up, cubes at x = 0 … 2 of the trunk and z = 0 from the
/// crotch, as in tests of curve methods, goes over by (x, y, z) → s·(x − 1.5, z + 5, 0.5 − y) and a shift along Y.
///
/// `vary` draws arms and legs of 3 to 8 cubes, both sides alike, and a trunk of 3 or 5 × 3 to 6 (at 1; less moves
/// nearer to the plain one). Only this kind changes its connectivity with the seed, for the lengths are counts of
/// cubes.
///
/// Skeleton of 12 joints; reference weights pass from joint to joint by cubic steps of 0.8 to 1.2 cubes across the
/// joint's place; owners change where the steps are half way. Options: vertices, seed, vary, height.
Made figure(const MakeOptions& options, const Progress& progress = {});

}  // namespace sinew::shapes
