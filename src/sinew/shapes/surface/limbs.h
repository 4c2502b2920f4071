// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/shapes/made.h"

namespace sinew::shapes {

/// A straight square bar along +Y that stands on the ground: the test limb of volume experiments. By default 2 × 8 × 2
/// m, 80 layers of faces, 4 edges per side, and two bones: joints at both ends and in the middle (`joints` counts them
/// all, equally spaced). All quads, the ends as grids. `checkerboard` gives triangles with alternating diagonals and
/// ends that are fans around their centres, 1,298 vertices and 2,592 triangles in all: the mesh on which the published
/// losses of volume were reproduced (with five joints).
///
/// Options: vertices, height or length, width, layers, joints, checkerboard. `vertices` sets how fine it is, with
/// `layers` only around.
///
/// Reference weights: joint j has exp(−(t − j − ½)²/(2c²)) with t the height in links and c = ¼, divided by the sum
/// over all joints; so at every joint its own weight and its parent's are equal. Owners: the link at that height. The
/// bar and its weights are those of Ramírez Flores, A. Susín, "Segmentation-based skinning" (2015). \throws Error if an
/// option does not fit.
Made bar(const MakeOptions& options, const Progress& progress = {});

/// The same with a round section: `width` is the diameter; 32 points around by default.
Made cylinder(const MakeOptions& options, const Progress& progress = {});

}  // namespace sinew::shapes
