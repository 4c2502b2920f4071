// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/deform/implicit/family_field.h"
#include "sinew/deform/implicit/implicit_body.h"
#include "sinew/geometry/mesh/adjacency.h"

namespace sinew::deform {

/// Between skin in contact and the surface where it meets other skin, in radii.
inline constexpr float kContactGap = 0.01F;

/// The skin of a character as its projection needs it. Vertices are welded, and sorted by the part that owns them and
/// by position, so that neighbours in memory look up the same nodes.
struct ImplicitSkin {
  std::vector<Vec3f> rest;    ///< At binding.
  std::vector<Index> family;  ///< Index into `families`.
  std::vector<float> iso;     ///< The field at binding, which a vertex returns to.
  std::vector<Index> owner;   ///< The part that moves a vertex most; kNone: none.
  std::vector<float> trust;   ///< Share of the correction that applies: 1 where all joints that move it have parts.
  std::vector<char> frozen;   ///< Rigid, or outside all parts: needs no projection.
  /// On a shell of which no vertex follows two joints, such as a sword or a helmet: never corrected.
  std::vector<char> solid;
  std::vector<std::vector<Index>> near;  ///< Per part: the parts whose skin its own may meet.
  std::vector<Family> families;
  std::vector<float> edge;  ///< The mean length of the edges of a vertex at binding.
  geometry::Lists rings;
  std::vector<float>
      ring_weights;        ///< Mean-value weights of the neighbours in the tangent plane; all 0: no relaxation.
  geometry::Lists copies;  ///< Vertices of the mesh.
  std::vector<std::array<Index, 3>> triangles;

  /// Vertices that one part owns, next to each other.
  struct Block {
    Index begin = 0, end = 0;
    Index owner = kNone;
  };
  std::vector<Block> blocks;

  /// Where a vertex is already closer than `kContactGap` to the surface on which its own part and another one are
  /// equally deep, or beyond it: by how much, in radii. Nothing pushes it back from there, so that the bind pose stays.
  struct Overlap {
    Index part = 0;
    float depth = 0;
  };
  std::vector<Index> overlap_offsets;  ///< Per vertex, into `overlaps`.
  std::vector<Overlap> overlaps;

  /// Shells that are too small to be deformed: they move as a whole, as the skin next to them does.
  struct Rider {
    std::vector<Index> vertices;
    std::vector<Index> carriers;  ///< Vertices of the skin next to it.
  };
  std::vector<Rider> riders;

  Index size() const { return static_cast<Index>(rest.size()); }
};

/// The parts within `reach` joints of each part, without itself.
std::vector<std::vector<Index>> near_parts(const ImplicitBody& body, int reach);

/// The parts as the joints pose them: `motions` are from binding to the pose, per joint; points count from `origin`.
void pose_parts(const ImplicitBody& body, std::span<const Mat4> motions, const Vec3& origin,
                std::vector<PosedPart>& parts);

/// About n log n.
ImplicitSkin make_implicit_skin(const Rig& rig, const ImplicitBody& body, std::span<const FieldOperator> operators,
                                int reach);

}  // namespace sinew::deform
