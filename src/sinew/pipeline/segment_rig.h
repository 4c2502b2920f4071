// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/binding/segment/segmentation.h"
#include "sinew/core/error.h"
#include "sinew/core/progress.h"
#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"

namespace sinew::pipeline {

/// Which bone owns each vertex of a rig as it was bound: the segmentation that deformers need. Parts that hang rigidly
/// on one joint stay with that joint. Bones end where `with_leaf_ends` puts them. Findings report what had to be
/// guessed. \throws Error as `binding::segment`, Cancelled.
Segmentation segment_rig(const Rig& rig, Findings& findings, const Progress& progress = {},
                         const binding::SegmentationOptions& options = {});

/// The segmentation by which deformers spread twists over the skin: the bones of `segment_rig`, with vertices as the
/// weights have them. A vertex belongs to the nearest bone that begins at its strongest joint. Weights know which skin
/// follows a limb where the shape does not tell, as under sleeves and between shells. Small shells, such as buckles and
/// straps, belong to one place of one bone, so that a twist leaves them whole. Linear in the vertices times the bones
/// of a joint. \throws Cancelled.
Segmentation segment_by_weights(const Rig& rig, Findings& findings, const Progress& progress);

}  // namespace sinew::pipeline
