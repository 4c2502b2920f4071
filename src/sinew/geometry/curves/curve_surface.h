// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::geometry {

/// A mesh prepared for curves: welded, without faces that have collapsed, with half-edges.
struct CurveSurface {
  Mesh mesh;  ///< Welded vertices and their faces.
  Welding welding;
  HalfEdges edges;                ///< Of `mesh`.
  std::vector<Index> out;         ///< Per vertex: the lowest half-edge that starts there; kNone without faces.
  std::vector<Index> valence;     ///< Faces per vertex.
  std::vector<char> regular;      ///< Per vertex: interior, with four quads.
  std::vector<Index> component;   ///< Per vertex; kNone without faces.
  std::vector<double> part_area;  ///< Per component.
  double size = 0;                ///< Of the bounding box.
  double facing = 1;              ///< −1 if the faces look inwards.

  Index from(Index h) const { return edges.vertex[h]; }
  Index to(Index h) const { return edges.vertex[edges.next[h]]; }
  const Vec3& position(Index v) const { return mesh.positions[v]; }
  bool quad(Index f) const { return mesh.face_offsets[f + 1] - mesh.face_offsets[f] == 4; }
  /// Share of faces that are quads.
  double quad_share() const;
};

/// Vertices within 1e-6 of the size of each other are welded, faces that collapse are removed. A closed mesh without
/// such short edges is taken as it is. Linear. \throws Error for positions that are not finite and for a mesh without
/// faces.
CurveSurface curve_surface(const Mesh& mesh);

/// Joins triangles to quads: an edge between two triangles is a candidate if the quad is convex; its cost is the mean
/// deviation of the four angles from right angles, plus the angle between the two triangles. Candidates are taken by
/// cost, then each pair of leftover triangles with two joined ones between them is joined anew. Vertices stay; the
/// faces that remain triangles stay, too. Restores quads that were cut; does not make regular grids of scans.
Mesh pair_triangles(const Mesh& mesh);

/// The surface as a graph: edges, and the diagonals of quads and of pairs of triangles, without which distances would
/// be up to 41 % too long.
struct SurfaceGraph {
  std::vector<Index> offsets = {0};
  std::vector<Index> neighbours;
  std::vector<double> lengths;
  std::vector<char> across;  ///< Whether it is a diagonal.
  double mean_length = 0;
  double longest = 0;

  Index size() const { return static_cast<Index>(offsets.size() - 1); }
};
SurfaceGraph surface_graph(const CurveSurface& surface);

/// Distances along the graph from the nearest source, infinite where there is no path. Vertices with `allowed` = 0 are
/// not entered. About linear where edges are of similar length.
std::vector<double> graph_distances(const SurfaceGraph& graph, std::span<const Index> sources,
                                    const std::vector<char>* allowed = nullptr);

}  // namespace sinew::geometry
