// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"

namespace sinew::geometry {

struct PenetrationOptions {
  /// Also finds penetration of other parts. Otherwise each part is examined separately.
  bool between_parts = true;
};

/// One region where the surface passes through itself: connected intersecting pairs of triangles, and the vertices
/// beyond them.
struct PenetrationSet {
  std::uint64_t pairs = 0;      ///< Of intersecting triangles, adjacent ones included.
  Index vertices = 0;           ///< Welded vertices inside another region of the body.
  Index unmeasured = 0;         ///< Those for which no other surface was found; their depth counts as 0.
  double max_depth = 0;         ///< m
  double mean_depth = 0;        ///< Over `vertices`.
  Index deepest = kNone;        ///< A vertex of the mesh.
  Vec3 nearest = Vec3::Zero();  ///< The surface's point nearest to it.
};

struct Penetration {
  std::vector<PenetrationSet> sets;  ///< Deepest first.
  std::vector<double> depth;         ///< Per vertex of the mesh; 0 outside.
  std::uint64_t pairs = 0;
  Index vertices = 0;
  double max_depth = 0;
};

/// Measures how deep a surface is inside itself.
///
/// A vertex *penetrates* when space is inside the body on both sides of the surface there: both winding numbers, in
/// front and behind, are larger than ½ in magnitude. Only parts of the surface that are connected to an intersecting
/// pair are examined, so that an eyeball within a head does not count. What bounds the body are the components that are
/// closed or nearly so: round holes as long as their rims would cover less than 5 % of their area. Open shells
/// (clothes) bound nothing, but their vertices can lie in the body.
///
/// Its *depth* is the distance to the nearest triangle of the body that it would leave through the front, on a straight
/// way that does not leave the body before: one of another component, or of its own if the way along edges is more
/// than 2.4 times as long. (Round a limb that is 1.57 times as long as straight through it, up to 2.2 times along
/// edges: a limb's own far side does not count. That of a sheet does.) Near the crease of a fold the nearest way out
/// belongs to the vertex's own neighbourhood: there the next one is taken, which is too far, and where there is none
/// the vertex is `unmeasured`.
///
/// n log n for the pairs; then one exact ray for each vertex of the intersecting triangles and nine for each region
/// between them, times the open edges of nearly closed components; then a search for each penetrating vertex. The same
/// for any number of threads. \pre the mesh is valid. \throws Cancelled.
Penetration penetration(const Mesh& mesh, const PenetrationOptions& options = {}, const Progress& progress = {});

}  // namespace sinew::geometry
