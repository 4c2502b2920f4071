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

/// Makes weights equal on both sides, bit for bit, for a mesh that is symmetric vertex by vertex; `mirrored`
/// (weight_edit_mirror.h) is for surfaces that are only nearly symmetric. `image` has the mirror image of every vertex,
/// or kNone, as returned by `rigging::mirror_vertices`; joints change sides by `Joint::mirror`. A vertex and its image
/// get the mean of both rows, limited to the `most` largest influences and normalised. If the limit would separate two
/// joints of equal weight that are mirror images of each other, both are removed. An image counts only if it points
/// back to the vertex, or to a copy of it at the same position. Other vertices keep their rows. Linear in the
/// influences. \pre most is at least 1.
SymmetricRows symmetric_rows(const SkinWeights& weights, const Mesh& mesh, const Skeleton& skeleton,
                             const std::vector<Index>& image, Index most);

}  // namespace sinew::binding
