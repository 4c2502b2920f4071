// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/binding/segment/segmentation_regions.h"
#include "sinew/binding/segment/segmentation_surface.h"
#include "sinew/binding/subject.h"
#include "sinew/core/progress.h"

namespace sinew::binding {

/// Owners by the rules that J. E. Ramírez Flores, A. Susín, "Segmentation-based skinning", 2015, prints, for
/// comparison. Each bone grows from one seed per shell, the nearest vertex beside it, over vertices whose place along
/// the bone is between its ends, or beyond the far end where no bone that follows contains them. A bone is dropped for
/// a vertex if the angle between the normal and the direction from the bone exceeds the limit. Of the others the
/// nearest wins. End segments begin at the last joint and have no length. Vertices whose bones are all dropped take the
/// nearest of them
/// ("weak"), vertices that no bone reaches follow the nearest labelled one along edges ("spread"), and shells without a
/// label the nearest bone. `seeds` has a welded vertex per bone that replaces its seeds, or kNone. Bones times
/// vertices. \throws Cancelled.
Labels paper_regions(const SegmentationSurface& surface, const BoneTree& tree, double angle_limit_rad,
                     const std::vector<Index>& seeds, const Progress& progress);

}  // namespace sinew::binding
