// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::measure {

/// Self-intersections of a surface.
struct Contacts {
  std::uint64_t pairs = 0;   ///< Intersecting triangles that share no vertex.
  std::uint64_t shrunk = 0;  ///< Pairs that still intersect after shrinking, so that they do more than touch.
  double depth = 0;          ///< Depth of the deepest vertex inside, in m (see geometry/spatial/penetration.h).
  Index vertices = 0;        ///< Welded vertices that are inside.
};

/// Counts intersecting pairs, and counts them again after moving every vertex inwards along its (angle-weighted) normal
/// by `shrink` times the limb's radius there. This separates skin that merely touches skin, as in an armpit or between
/// thighs, but not folds that pass through each other. Pairs that only shrinking creates, in thin double shells, do not
/// count. The depth is computed only if there are pairs. The cost is n log n plus that of `geometry::penetration`.
/// \pre `radius` has one entry per vertex; `welding` is the mesh's own. \throws Cancelled.
Contacts contacts(const Mesh& mesh, const geometry::Welding& welding, std::span<const double> radius,
                  double shrink = 0.02, const Progress& progress = {});

}  // namespace sinew::measure
