// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/progress.h"
#include "sinew/core/segmentation.h"
#include "sinew/geometry/mesh/adjacency.h"

namespace sinew::pipeline {

/// A colour per segment, linear RGB, out of a dozen that are easily told apart: greedily, farthest from the colours of
/// segments that touch it on the skin or share a joint with it, then the one used least.
std::vector<Vec3f> segment_colors(const Segmentation& segmentation, const geometry::Lists& rings);

/// Takes the materials off a character and paints each face in the colour of the bone that owns most of its corners in
/// the bind pose; parts that hang rigidly on a joint turn grey. Vertices where colours meet are split; those without
/// faces go. \throws Error if there is no skeleton, and as `binding::segment` does.
void paint_segments(Character& character, Findings& warnings, const Progress& progress);

}  // namespace sinew::pipeline
