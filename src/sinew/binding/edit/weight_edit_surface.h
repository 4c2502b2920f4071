// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/weights.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::binding {

/// Whether a row is missing: it has no positive weight, or a weight that is not finite.
bool is_missing_row(std::span<const Influence> row);

/// The surface along which weights are edited. Copies of a vertex are welded here if they are at the same position in
/// one part, meet across an edge of exactly two faces, and have the same row (within 1e-3; a missing row counts as
/// equal to any). Shells and parts that only touch stay separate, and so do rigid pieces that were bound differently on
/// purpose.
struct EditSurface {
  geometry::Welding welding;
  geometry::Lists rings;  ///< Per welded vertex: those it shares an edge with.
  std::vector<Index>
      source;  ///< Per welded vertex: the mesh vertex whose row stands for it, a good one if there is any.
  std::vector<Vec3> positions;                  ///< Per welded vertex.
  std::vector<Vec3> normals;                    ///< Unit length, by area; zero where there is no face.
  std::vector<double> areas;                    ///< A third of the triangles around it.
  std::vector<std::array<Index, 3>> triangles;  ///< Of welded vertices, as `triangulate` gives them.
  std::vector<Index> shell;  ///< Per welded vertex: its connected shell; a vertex without faces is a shell of its own.
  Index shells = 0;
  double size = 0;  ///< Of the mesh.

  Index count() const { return welding.count(); }
};

/// n log n. \pre a valid mesh and a row for each of its vertices.
EditSurface edit_surface(const Mesh& mesh, const SkinWeights& weights);

/// One row per welded vertex, which sums to 1: the row of its source, or an empty row if that is missing.
SkinWeights welded_rows(const EditSurface& surface, const SkinWeights& weights);

/// The rows of the mesh after an edit of welded rows. Copies of a vertex whose welded row did not change keep their own
/// rows.
SkinWeights edited_rows(const EditSurface& surface, const SkinWeights& weights, const SkinWeights& before,
                        const SkinWeights& after);

}  // namespace sinew::binding
