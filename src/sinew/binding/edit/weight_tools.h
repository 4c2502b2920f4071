// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/weights.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::binding {

/// Smooths weights in rounds of w ← (1 − strength)·w + strength·(mean over the ring), for all joints at once. Rows sum
/// to 1 after each round. Rings are lists of rows (`geometry::one_rings` of welded vertices), so rows mix only along
/// edges. A row without a ring stays; an empty row stays empty and counts in no mean. Weights that are not positive
/// numbers and shares below 1e-8 of a row are dropped. Cost: rounds × entries. The result has the same bytes for any
/// number of threads. \pre there is a ring for every row.
SkinWeights smoothed(const SkinWeights& weights, const geometry::Lists& rings, int rounds, double strength = 0.5);

/// Returns `smoothed` rows of welded vertices, limited by `cap_row` to `max_influences` (0 keeps all) and expanded to
/// all vertices of the mesh: the same as `unwelded(capped_rows(smoothed(…), max_influences), welding)`, but faster.
SkinWeights smoothed_on_mesh(const SkinWeights& of_welded, const geometry::Lists& rings, int rounds, int max_influences,
                             const geometry::Welding& welding);

/// Expands rows of welded vertices to all vertices of the mesh.
SkinWeights unwelded(const SkinWeights& of_welded, const geometry::Welding& welding);

}  // namespace sinew::binding
