// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/operators/intrinsic.h"
#include "sinew/geometry/operators/sparse.h"

namespace sinew::geometry {

/// What is done about triangles with angles near 0 or π, whose cotangents are large or give edges negative weights.
enum class BadTriangles {
  kKeep,   ///< Nothing: the finite-element matrix. Positive semidefinite; weights may be negative.
  kClamp,  ///< Cotangents are kept within those of 1° and 179°, and no edge has a weight below 0. Cheap, but no longer
           ///< exact for linear functions where it acts.
  kIntrinsicDelaunay,  ///< Edges are flipped in the surface itself, the shape stays: no weight is negative but on
                       ///< boundary and non-manifold edges.
};

enum class MassKind {
  kBarycentric,   ///< A third of each triangle to each corner.
  kMixedVoronoi,  ///< What lies nearest to each corner; of an obtuse triangle a half to the obtuse corner and a quarter
                  ///< to each other. M. Meyer et al., 2003.
};

struct LaplacianOptions {
  BadTriangles bad_triangles = BadTriangles::kIntrinsicDelaunay;
  MassKind mass = MassKind::kBarycentric;
};

/// The cotangent Laplacian: `stiffness` is the matrix of the Dirichlet energy ∫|∇u|² = uᵀ·L·u (so positive
/// semidefinite, −Δ and not Δ), in m⁰; `mass` is the lumped mass matrix's diagonal, in m². M⁻¹·L is −Δ per point.
struct Laplacian {
  SparseMatrix stiffness;    ///< Bitwise symmetric; each row holds its diagonal, minus the sum of its other entries.
  std::vector<double> mass;  ///< Not negative; 0 for a vertex without triangles. Sums to the area.
  Index degenerate = 0;      ///< Triangles of no area, within rounding, or that use a vertex twice. They add no NaN.
  Index clamped = 0;         ///< Edges and angles that `kClamp` changed.
  std::uint64_t flips = 0;
  double mollification = 0;  ///< What `intrinsic_triangulation` added to all lengths, in m.
};

/// Linear (flips in practice); all but the flips in parallel, the same bits for any number of threads. Surfaces may be
/// open, non-manifold, of any facing, with triangles of no area. \pre finite positions, indices in range.
Laplacian cotangent_laplacian(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles,
                              const LaplacianOptions& options = {});

/// Of the triangles of `triangulate(mesh)`, on the mesh's own vertices; for welded ones see `triangle_surface`.
Laplacian cotangent_laplacian(const Mesh& mesh, const LaplacianOptions& options = {});

/// Of lengths, as they are: `bad_triangles` is not looked at.
Laplacian cotangent_laplacian(const IntrinsicTriangulation& triangulation, MassKind mass = MassKind::kBarycentric);

}  // namespace sinew::geometry
