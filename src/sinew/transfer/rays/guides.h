// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/progress.h"
#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// Rough weights of both skins on the paired joints, made in the same way: they tell which places correspond.
struct Guides {
  SkinWeights reference;  ///< Rows of pairs, not of joints; sum 1, nothing below 1e-3.
  SkinWeights target;
};

/// As the method's card has them: coarser voxels than for weights to be used, and more joints.
struct GuideOptions {
  int resolution = 128;  ///< Voxels along the longest side.
  double falloff = 0.2;
  int max_influences = 8;
  int smoothing = 3;
};

/// Guides by distances inside the body (`binding::VoxelBinding`), with lengths relative to the mean length of the
/// paired bones and the falloff as published (card, A1): w = 1/s², s = (1 − f)·D + f·D², D at least 1e-4. Distances by
/// marching, searched to the end: where the binder itself stops, at twice the nearest joint's distance, this falloff
/// has a quarter of its weight left. Rows are smoothed, cut to `max_influences` without a jump, and weights below 1e-3
/// dropped. A joint at the very place of the one above, with nothing of its own to move, has no weight. The ends of
/// heads, hands and feet are those of the skeletons if both tell them, else where the bodies end, so that both sides
/// are made in one way. \throws Error as the binder does; Cancelled.
Guides make_guides(const Side& reference, const Side& target, const Correspondence& correspondence,
                   const GuideOptions& options = {}, const Progress& progress = {});

/// The guides of one side alone: `of_reference` tells which joints of the pairs are its own. Ends are its skeleton's
/// where it tells them.
SkinWeights make_guide(const Side& side, const Correspondence& correspondence, bool of_reference,
                       const GuideOptions& options = {}, const Progress& progress = {});

/// The same from straight distances to the bones: exact, for comparison and tests. Ends as `binding::bone_tree` has
/// them.
SkinWeights straight_guide(const Side& side, const Correspondence& correspondence, bool of_reference,
                           const GuideOptions& options = {});

}  // namespace sinew::transfer
