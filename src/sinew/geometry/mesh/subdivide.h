// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::geometry {

enum class SubdivisionScheme {
  /// Smooth, quads only. E. Catmull, J. Clark, "Recursively generated B-spline surfaces on arbitrary topological
  /// meshes",
  /// 1978. Edges of one face become cubic B-splines of the boundary alone; edges of three faces and more are creases of
  /// the same kind; a vertex where three such edges or more meet stays, one where a single one ends is smooth.
  kCatmullClark,
  /// The same surface in smaller faces: a triangle gives four triangles, a larger polygon one quad per corner.
  kMidpoint,
};

/// Rows of a sparse matrix: new vertex i is the weighted sum of old vertices. Rows sum to 1; their vertices increase.
struct Stencils {
  std::vector<std::uint32_t> offsets = {0};  ///< Row i has the entries offsets[i] … offsets[i+1]−1.
  std::vector<Index> vertices;
  std::vector<double> weights;

  Index size() const { return static_cast<Index>(offsets.size() - 1); }

  std::vector<Vec3> apply(std::span<const Vec3> old) const;
  /// Of a row-major matrix with one row of `columns` numbers per old vertex: skin weights, for one.
  std::vector<double> apply(std::span<const double> values, std::size_t columns) const;
};

struct Subdivided {
  Mesh mesh;
  /// From the vertices of the input to those of `mesh`, over all levels.
  Stencils stencils;
  /// Per new face: the face of the input.
  std::vector<Index> parent_face;
  /// Per vertex of the input: where it is now. The same index unless the mesh has several parts.
  std::vector<Index> kept;
};

/// Cuts every face `levels` times. Faces are joined where they share vertex *indices*: nothing is welded, and a mesh
/// split at texture seams comes apart there; weld it first. Any arity; a face of fewer than three corners gives none.
///
/// New vertices: the old ones with their old indices, then one per edge, ordered by the edge's lower and higher vertex,
/// then one per face (for `kMidpoint` not for triangles). The vertices of a part must lie together, so in a mesh of
/// several parts this holds within each part. Child i of a polygon begins at its corner i; the fourth child of a
/// triangle is the middle one.
///
/// Parts, materials, texture coordinates and colours (interpolated, not smoothed) and morphs (through the stencils) are
/// carried over; normals are dropped. Linear in the faces that come out.
/// \pre the mesh is valid, and no face uses vertices of another part. \throws Error when `levels` is negative or the
/// result would have more than 2³² corners.
Subdivided subdivide(const Mesh& mesh, SubdivisionScheme scheme, int levels = 1);

}  // namespace sinew::geometry
