// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/shapes/made.h"

namespace sinew::shapes {

struct Generated {
  Made made;
  std::vector<Index> specks;  ///< Vertices of the floating specks, ascending.
};

/// A made character as generative models emit meshes: a closed surface of irregular triangles, cut out of a distance
/// field on a grid by marching cubes, about `options.vertices` vertices (60,000 without it, which gives some 120,000
/// triangles). Gaps narrower than 1.2 % of the size, or eight cells, are filled (fingers fuse, thighs touch), inner
/// shells are gone, the surface is noisy, vertices sit a little beside it, a few specks float around, the character
/// faces anywhere, is 1 or 2 high (or `options.height`) with the middle of its box at the origin, and vertices and
/// faces come in no order. All of it follows from `options.seed`.
///
/// The truth is carried over: a vertex has the owner and the weights of the nearest point of the original; the skeleton
/// is turned and scaled likewise. There is one part, no clip and no normals. Specks have the truth of the surface
/// nearest to them. Grows with the grid, about the vertices to the power 3/2; the same bytes for any number of threads.
Generated generated(const Made& made, const MakeOptions& options, const Progress& progress = {});

}  // namespace sinew::shapes
