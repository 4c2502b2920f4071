// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/core/character.h"
#include "sinew/core/progress.h"
#include "sinew/core/segmentation.h"
#include "sinew/geometry/mesh/adjacency.h"

namespace sinew::pipeline {

/// Returns a colour per segment in linear RGB, out of a dozen that are easy to distinguish. Colours are chosen
/// greedily: the one farthest from the colours of segments that touch this one on the skin or share a joint with it,
/// then the one used least.
std::vector<Vec3f> segment_colors(const Segmentation& segmentation, const geometry::Lists& rings);

/// Removes the materials of a character and paints each face in the colour of the bone that owns most of its corners in
/// the bind pose; parts that are attached rigidly to a joint become grey. Vertices where colours meet are split;
/// vertices without faces are removed. \throws Error if there is no skeleton, and as `binding::segment` does.
void paint_segments(Character& character, Findings& warnings, const Progress& progress);

/// Joint and bone regions as J. Pan and others, "Automatic skinning and weight retargeting of articulated characters
/// using extended position-based dynamics", 2018, define them: balls about joints first (`binding::joint_regions`),
/// then the nearest bone. Segments are the bones, then one for each bound joint. Vertices × bones. \throws Error if no
/// joint is bound.
Segmentation published_regions(const binding::Subject& subject);

/// Paints a character as `paint_segments` does, by `published_regions`.
void paint_regions(Character& character, Findings& warnings);

/// The same for a segmentation of the character. \pre every vertex is owned.
void paint_segments(Character& character, const Segmentation& segmentation);

}  // namespace sinew::pipeline
