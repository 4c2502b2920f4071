// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/weights.h"

namespace sinew::binding {

/// Vertices that share one row.
struct RigidGroup {
  std::vector<Index> vertices;
  bool held = false;  ///< Follows one joint of what it touches, as a weapon follows the hand.
};

/// Gives all vertices of a group one row. A group that is held gets one joint: the strongest at the places of the
/// carriers that are nearest to it, within 1 % of the mesh size of the nearest one, so that the tip of a sword does not
/// follow the leg beside it. Any other group gets the mean of its rows, limited to the `most` largest influences.
/// `carriers` has one value per face: nonzero for the surface that holds things. Vertices without a group keep their
/// rows. n log n. \pre weights has a row for each vertex; most is at least 1.
SkinWeights rigid_rows(const SkinWeights& weights, const Mesh& mesh, const std::vector<RigidGroup>& groups,
                       const std::vector<char>& carriers, int most);

}  // namespace sinew::binding
