// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/shapes/made.h"

namespace sinew::shapes {

/// How a remeshed surface lies: turned about the vertical and scaled, then moved.
struct Facing {
  Quat turn = Quat::Identity();
  double scale = 1;
  Vec3 shift = Vec3::Zero();

  Vec3 operator()(const Vec3& p) const { return scale * (turn * p) + shift; }
};

/// A surface as generative models emit it.
struct GeneratedMesh {
  Mesh mesh;  ///< One part and one material.
  Facing facing;
  std::vector<Vec3> unturned;  ///< Where each vertex was before `facing`.
  std::vector<Index> specks;   ///< Vertices of the floating specks, ascending.
};

/// Remeshes any surface as `generated` does.
GeneratedMesh generated_mesh(const Mesh& original, const MakeOptions& options, const Progress& progress = {});

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
