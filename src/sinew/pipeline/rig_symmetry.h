// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/skeleton.h"
#include "sinew/core/weights.h"

namespace sinew::pipeline {

/// Weights made the same on both sides, to the last bit. `partner` has the mirror image of every vertex or kNone, as
/// `rigging::mirror_vertices` gives it; joints change sides by `Joint::mirror`. A vertex and its image get the mean of
/// both rows, cut to the `most` largest influences and normalised; where the cut would part two joints of one weight
/// that are each other's image both go. Images count only if they point back, to the vertex or to a copy of it at the
/// same place. Others keep their rows. Returns how many vertices were made symmetric. Linear in the influences.
Index mirror_rows(const Mesh& mesh, const Skeleton& skeleton, const std::vector<Index>& partner, Index most,
                  SkinWeights& weights);

}  // namespace sinew::pipeline
