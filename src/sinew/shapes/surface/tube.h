// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <functional>
#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::shapes {

/// How the ends of a tube are closed.
enum class Cap {
  kGrid,   ///< A grid of quads; the points of a ring must be a multiple of four, the first at a corner.
  kKites,  ///< Quads of two ring edges each around a centre; one triangle more where the ring has an odd count.
  kFan,    ///< Triangles around a centre.
};

enum class Cut {
  kQuads,
  kOneWay,        ///< Triangles whose diagonals all run the same way.
  kCheckerboard,  ///< Triangles whose diagonals alternate along and around.
};

struct TubeOptions {
  int rings = 2;   ///< At least 2.
  int around = 4;  ///< Points of a ring; at least 3.
  Cap cap = Cap::kGrid;
  Cut cut = Cut::kQuads;
  Vec3 first_centre = Vec3::Zero();  ///< Of the caps with a centre.
  Vec3 last_centre = Vec3::Zero();
};

/// A closed surface of rings: vertex `ring · around + i` is `point(ring, i)`, then come those of the first cap, then
/// those of the last. Seen from the last ring's side, the points of a ring go round clockwise; then all faces look
/// outwards.
Mesh tube(const TubeOptions& options, const std::function<Vec3(int ring, int i)>& point);

}  // namespace sinew::shapes
