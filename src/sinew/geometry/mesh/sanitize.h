// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/adjacency.h"

namespace sinew::geometry {

struct SanitizeOptions {
  /// Vertices no further apart than this fraction of the mesh's size are one. 0 joins equal positions only; above about
  /// 1e-4 fingers and lips begin to fuse.
  double weld_tolerance_rel = 1e-6;
  /// Also joins vertices of different parts.
  bool across_parts = false;
  /// A triangle nearer to a line than this fraction of the mesh's size is degenerate.
  double thin_rel = 1e-10;
};

/// The numbers of all changes.
struct SanitizeCounts {
  std::uint64_t welded_vertices = 0;    ///< Source vertices that were merged into an earlier one.
  std::uint64_t dropped_vertices = 0;   ///< Source vertices without any remaining face.
  std::uint64_t collapsed_faces = 0;    ///< Triangles whose corners were welded together: removed.
  std::uint64_t thin_faces = 0;         ///< Degenerate triangles with three vertices: flipped away or removed.
  std::uint64_t duplicate_faces = 0;    ///< With the vertices of an earlier triangle, facing any way: removed.
  std::uint64_t nonmanifold_edges = 0;  ///< Edges of more than two triangles: separated.
  std::uint64_t twisted_edges = 0;      ///< Cut because the surface has only one side, like Möbius' strip.
  std::uint64_t added_vertices = 0;     ///< Copies made to separate edges and vertices.
  std::uint64_t flipped_faces = 0;      ///< Clean triangles that face opposite to their source.
  std::uint64_t components = 0;         ///< Of the clean mesh.
  std::uint64_t closed_components = 0;

  friend bool operator==(const SanitizeCounts&, const SanitizeCounts&) = default;
};

/// A clean surface that every method can use, and the mapping back to the source mesh.
struct Sanitized {
  Mesh mesh;                        ///< Triangles, without parts or layers.
  Lists source_vertices;            ///< Per clean vertex: the source vertices it stands for, increasing; never none.
  std::vector<Index> clean_vertex;  ///< Per source vertex: a clean vertex that stands for it; kNone if dropped.
  std::vector<Index> source_face;   ///< Per clean triangle: the polygon it is a piece of.
  std::vector<Index> component;     ///< Per clean triangle, numbered in order of the first.
  std::vector<char> closed;         ///< Per component: whether it has no boundary.
  SanitizeCounts counts;
};

/// Makes a mesh for analysis, not for output. It consists of triangles. Every edge has one triangle, or two that run
/// along it in opposite directions; every vertex has one fan; each component faces outwards.
///
/// In order: vertices are welded (`weld_within`; a clean vertex has the position of
/// the source vertex lowest in x, then y, then z); polygons
/// triangulated; collapsed triangles removed; thin ones flipped away over their longest side so that no slit opens;
/// duplicates removed. At an edge of more than two triangles those that bound a solid together are paired if as many
/// run one way as the other, else the flattest pairs; the rest ends there. Where faces meet in no edge the vertex is
/// copied (after A. Guéziec et al., "Converting sets of polygons to manifold surfaces by cutting and stitching", 1998).
/// A flood over edges makes each component consistent; a closed one then gets a positive volume (cavities too), an open
/// one a positive winding number of itself, on average over its surface; flat pieces face away from the middle of the
/// mesh.
///
/// Expected linear, n log n in thin places; the same for any number of threads.
/// \pre the mesh is valid. \throws Error for tolerances that are negative or not below 1.
Sanitized sanitize(const Mesh& mesh, const SanitizeOptions& options = {});

}  // namespace sinew::geometry
