// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::binding {

/// What the segmentation needs to know of a mesh. All but `welding` is of and among welded vertices.
struct SegmentationSurface {
  geometry::Welding welding;    ///< By position alone, within 1e-6 of the size, across parts.
  geometry::Lists rings;        ///< Neighbours by edges.
  std::vector<Vec3> positions;  ///< Of the first copy.
  std::vector<Vec3> normals;    ///< Averaged with the ring's, turned where a shell faces inwards; unit length or zero.
  std::vector<Index> shell;     ///< What hangs together by edges; a vertex without edges is a shell of its own.
  std::vector<Index> shell_offsets;   ///< Shell i has shell_vertices[shell_offsets[i]] … [shell_offsets[i+1]−1].
  std::vector<Index> shell_vertices;  ///< Rising within a shell.
  double size = 0;                    ///< Diagonal of the bounding box.

  Index count() const { return welding.count(); }
  Index shells() const { return static_cast<Index>(shell_offsets.size() - 1); }
};

/// Expected linear; the same for any number of threads, and up to numbering for any order of vertices and faces.
SegmentationSurface segmentation_surface(const Mesh& mesh);

}  // namespace sinew::binding
