// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::geometry {

struct DecimateOptions {
  /// Stops when no more triangles are left than this. 0 goes as far as the error allows.
  Index target_triangles = 0;
  /// The most the surface may move, as a fraction of the mesh's size. Raising it lets more triangles go; 1 sets no
  /// limit.
  double max_error_rel = 1;
  /// Leaves vertices on open edges where they are: pieces that meet there still fit, but thin strips hardly shrink.
  bool keep_border = false;
};

struct Decimated {
  Mesh mesh;                         ///< Triangles.
  std::vector<Index> source_vertex;  ///< Per vertex of `mesh`: that of the input which it is. Increasing.
  double error_rel = 0;              ///< The largest error accepted, as a fraction of the input's size.
  bool reached = false;              ///< Whether the target count was; always when none was asked for.
};

/// Fewer triangles of nearly the same shape, through meshoptimizer: edges collapse onto one of their ends in order of
/// quadric error (M. Garland, P. Heckbert, "Surface simplification using quadric error metrics", 1997), so that every
/// vertex left is one of the input. The topology stays: a surface of many small shells keeps at least a few triangles
/// of each, and `reached` tells. Vertices at the same place move together and seams stay closed.
///
/// Parts with their morphs, values per vertex (texture coordinates, normals, colours) come along; materials and values
/// per corner do not. About n log n, on one thread. \throws Error for a negative error.
Decimated decimate(const Mesh& mesh, const DecimateOptions& options);

}  // namespace sinew::geometry
