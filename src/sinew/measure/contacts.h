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

/// Where a surface goes through itself.
struct Contacts {
  std::uint64_t pairs = 0;   ///< Intersecting triangles that share no vertex.
  std::uint64_t shrunk = 0;  ///< Those of them that still intersect after shrinking: more than a touch.
  double depth = 0;          ///< How far the deepest vertex lies inside, m (see geometry/penetration.h).
  Index vertices = 0;        ///< Welded vertices that lie inside.
};

/// Counts intersecting pairs as they are, and again after every vertex went inwards along its (angle-weighted) normal
/// by `shrink` times the limb's radius there: skin that merely lies on skin, as in an armpit or between thighs, comes
/// apart; folds that pass through each other do not. (Pairs that only shrinking makes, in thin double shells, do not
/// count.) The depth is looked for only if there are pairs. n log n, and the cost of `geometry::penetration`. \pre
/// `radius` has one entry per vertex; `welding` is the mesh's own. \throws Cancelled.
Contacts contacts(const Mesh& mesh, const geometry::Welding& welding, std::span<const double> radius,
                  double shrink = 0.02, const Progress& progress = {});

}  // namespace sinew::measure
