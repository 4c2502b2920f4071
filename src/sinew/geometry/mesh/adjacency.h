// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::geometry {

/// Lists of different lengths, stored one after another.
struct Lists {
  std::vector<Index> offsets = {0};  ///< List i has the items offsets[i] … offsets[i+1]−1.
  std::vector<Index> items;

  Index size() const { return static_cast<Index>(offsets.size() - 1); }
  std::span<const Index> operator[](std::size_t i) const {
    return {items.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
};

/// Returns the vertex of each corner: that of the mesh or, with a welding, the welded vertex.
std::vector<Index> corner_vertices(const Mesh& mesh, const Welding* welding = nullptr);

/// Returns for each vertex the vertices with which it shares an edge, in increasing order. With a welding, these are
/// welded vertices. All functions here are linear for vertices of bounded valence, return the same for any number of
/// threads, and skip faces of fewer than three corners and edges from a vertex to itself. \pre the mesh is valid and
/// the welding is its own.
Lists one_rings(const Mesh& mesh, const Welding* welding = nullptr);

/// Returns for each vertex its faces, in increasing order, each once.
Lists vertex_faces(const Mesh& mesh, const Welding* welding = nullptr);

/// Returns for each vertex its corners, in increasing order.
Lists vertex_corners(const Mesh& mesh, const Welding* welding = nullptr);

/// Describes the other side of a half-edge.
enum class EdgeKind : std::uint8_t {
  kNone,          ///< No edge: from a vertex to itself, or in a face of fewer than three corners.
  kInterior,      ///< One half-edge that runs the other way: its twin.
  kBoundary,      ///< Nothing.
  kInconsistent,  ///< One half-edge that runs the same way.
  kNonManifold,   ///< Two or more.
};

/// Half-edges of polygons. Half-edge h runs from corner h of the mesh to the next corner of its face.
struct HalfEdges {
  std::vector<Index> next;
  std::vector<Index> prev;
  std::vector<Index> twin;  ///< kNone unless the kind is `kInterior`.
  std::vector<Index> face;
  std::vector<Index> vertex;  ///< The start vertex.
  std::vector<EdgeKind> kind;
  /// How many edges there are of each kind, by `EdgeKind`; half-edges that are none count one each.
  std::array<std::uint64_t, 5> edges = {};

  Index size() const { return static_cast<Index>(next.size()); }
  std::uint64_t count(EdgeKind which) const { return edges[static_cast<std::size_t>(which)]; }
};

HalfEdges half_edges(const Mesh& mesh, const Welding* welding = nullptr);

/// Returns the boundary of the surface: closed loops of half-edges without twins, in the direction of their faces. Each
/// loop begins with its lowest half-edge, and loops are sorted by that. At a vertex a loop continues around the fan
/// along which it arrived, so that pieces that only touch there have separate loops, and two holes that touch there
/// share one. Inconsistent and non-manifold edges count as cuts and belong to loops, too; check `kind`.
Lists boundary_loops(const HalfEdges& half_edges);

}  // namespace sinew::geometry
