// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/geometry/mesh/weld.h"
#include "sinew/transfer/surface/reference_surface.h"

namespace sinew::transfer {

/// The rows of the vertices of cloth that belong to a point of a body; all per welded vertex.
struct ClothMatch {
  std::vector<std::vector<Influence>> row;  ///< That of the nearest point where there is no match.
  std::vector<char> matched;
  std::vector<float> confidence;  ///< 1 where everything agrees, 0.5 at the limits.
  std::vector<double> distance;
  Index flipped = 0;  ///< Vertices of open shells whose faces were turned round.
  Index inner = 0;    ///< Vertices of inner layers, matched through the outer one.
};

/// See `transfer_garment`. n log n.
ClothMatch match_cloth(const ReferenceSurface& body, double body_size, const Mesh& cloth,
                       const geometry::Welding& welding);

}  // namespace sinew::transfer
