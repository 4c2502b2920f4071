// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::geometry {

struct DecimateOptions {
  /// Stops at this number of triangles. 0 continues as far as the error allows.
  Index target_triangles = 0;
  /// The largest allowed displacement of the surface, as a fraction of the mesh's size. A larger value removes more
  /// triangles; 1 sets no limit.
  double max_error_rel = 1;
  /// Keeps vertices on open edges in place: pieces that meet there still fit, but thin strips are hardly reduced.
  bool keep_border = false;
};

struct Decimated {
  Mesh mesh;                         ///< Triangles.
  std::vector<Index> source_vertex;  ///< Per vertex of `mesh`: the same vertex in the input. Increasing.
  double error_rel = 0;              ///< The largest error accepted, as a fraction of the input's size.
  bool reached = false;              ///< Whether the target count was reached; always true if there was none.
};

/// Reduces the number of triangles and nearly keeps the shape, with meshoptimizer: edges collapse onto an end in order
/// of quadric error (M. Garland, P. Heckbert, "Surface simplification using quadric error metrics", 1997), so that
/// every remaining vertex is one of the input. The topology is preserved: a surface of many small shells keeps at least
/// a few triangles of each, and `reached` reports that. Vertices at the same position move together and seams stay
/// closed.
///
/// Parts with their morphs and values per vertex (texture coordinates, normals, colours) are preserved; materials and
/// values per corner are not. The cost is about n log n, on one thread. \throws Error for a negative error.
Decimated decimate(const Mesh& mesh, const DecimateOptions& options);

}  // namespace sinew::geometry
