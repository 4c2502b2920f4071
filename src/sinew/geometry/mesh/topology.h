// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::geometry {

/// Counts that describe how the faces of a mesh are connected. Vertices are welded ones unless stated otherwise. A face
/// that uses a vertex twice in succession has no edge there; all its other edges count, in both directions.
struct TopologyCounts {
  std::uint64_t render_vertices = 0;        ///< Vertices of the file.
  std::uint64_t vertices = 0;               ///< Welded.
  std::uint64_t unreferenced_vertices = 0;  ///< Render vertices that no face uses.
  std::uint64_t triangles = 0;
  std::uint64_t quads = 0;
  std::uint64_t ngons = 0;  ///< More than four corners.
  std::uint64_t faces = 0;
  std::uint64_t edges = 0;
  std::uint64_t components = 0;      ///< Faces that share a vertex are connected; vertices without faces do not count.
  std::uint64_t boundary_edges = 0;  ///< Edges with one face.
  std::uint64_t boundary_loops = 0;  ///< Holes and rims; those that touch in a vertex count as one.
  std::uint64_t nonmanifold_edges = 0;  ///< Edges with more than two faces.
  std::uint64_t nonmanifold_vertices =
      0;  ///< Vertices whose faces, except those that use a vertex twice, form more than one fan.
  std::uint64_t inconsistent_edges = 0;  ///< Directed edges that more than one face runs along the same way.
  std::uint64_t zero_area_faces = 0;     ///< Faces with all corners on a line, within rounding.
  std::uint64_t duplicate_faces = 0;     ///< Faces with the same vertices as an earlier face, in any order.

  bool manifold() const { return nonmanifold_edges == 0 && nonmanifold_vertices == 0; }
  /// Every edge has exactly two faces.
  bool watertight() const { return faces > 0 && boundary_edges == 0 && nonmanifold_edges == 0; }
  /// Every edge has two faces that run along it in opposite directions: there is an inside.
  bool encloses() const { return watertight() && inconsistent_edges == 0; }

  TopologyCounts& operator+=(const TopologyCounts& other);
  friend bool operator==(const TopologyCounts&, const TopologyCounts&) = default;
};

/// An edge that faces do not use equally often in both directions: the surface ends there or is inconsistent.
struct OpenEdge {
  Index from = kNone;  ///< Welded vertices. Faces run from → to `surplus` times more often than back.
  Index to = kNone;
  Index surplus = 0;
  Index faces = 0;  ///< Number of faces that use the edge.

  friend bool operator==(const OpenEdge&, const OpenEdge&) = default;
};

struct Topology {
  TopologyCounts total;
  std::vector<TopologyCounts> parts;  ///< One per part of the mesh; parts share no vertices, so that they add up.
  std::vector<OpenEdge> open_edges;   ///< Ordered by vertices. Empty when every part encloses a space.
};

/// Linear in the corners: faces are bucketed by vertex and each vertex sorts its own few neighbours. The same for any
/// number of threads. \pre the mesh is valid and `welding` is its own.
Topology topology(const Mesh& mesh, const Welding& welding);

}  // namespace sinew::geometry
