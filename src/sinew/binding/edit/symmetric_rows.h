// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/skeleton.h"
#include "sinew/core/weights.h"

namespace sinew::binding {

struct SymmetricRows {
  SkinWeights weights;
  Index mirrored = 0;  ///< Vertices whose rows are now the mirror images of others.
};

/// Makes weights the same on both sides, to the last bit, for a mesh that is its own mirror image vertex by vertex;
/// `mirrored` (weight_edit_mirror.h) is for surfaces that are so only nearly. `image` has the mirror image of every
/// vertex or kNone, as `rigging::mirror_vertices` gives it; joints change sides by `Joint::mirror`. A vertex and its
/// image get the mean of both rows, cut to the `most` largest influences and normalised; where the cut would separate
/// two joints of one weight that are each other's image, both are cut. An image counts only if it points back to the
/// vertex, or to a copy of it at the same position. Other vertices keep their rows. Linear in the influences. \pre most
/// is at least 1.
SymmetricRows symmetric_rows(const SkinWeights& weights, const Mesh& mesh, const Skeleton& skeleton,
                             const std::vector<Index>& image, Index most);

}  // namespace sinew::binding
