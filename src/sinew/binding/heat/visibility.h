// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/mesh/adjacency.h"
#include "sinew/geometry/mesh/triangle_surface.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::binding {

/// The skin as one surface, whatever the file made of it: vertices nearer to each other than 1e-6 of the size are one,
/// also across parts; triangles that use a vertex twice are left out; the rest faces outwards as
/// `geometry::solid_facing` says.
struct BoundSurface {
  geometry::Welding welding;
  geometry::TriangleSurface surface;
  std::vector<Vec3> normals;  ///< Per welded vertex: unit length, outwards; zero where there is none.
  std::vector<Index> shell;   ///< Per welded vertex: which piece of surface; kNone where no triangle is.
  Index shells = 0;           ///< Numbered by their first vertex.
  double size = 0;            ///< Twice the largest distance of a vertex from their mean.
};

/// About n log n. \throws Error for positions that are not finite.
BoundSurface bound_surface(const Mesh& mesh);

/// `bone_tree`, with the end segments of joints that stand alone (no bound joint above or below, and nothing in the
/// skeleton that says where they end) cut off half-way to the next bound joint. There they are as long as the mesh;
/// skeletons in pieces have many, which would all run through bodies that are not theirs.
BoneTree bones_to_bind(const Subject& subject);

/// How a vertex came by its nearest joints.
enum class Sight : std::uint8_t {
  kSeen,      ///< The straight way to the bone stays inside the body.
  kHidden,    ///< It does not: no joint.
  kAssumed,   ///< Too little of its shell sees any bone, so nobody was asked.
  kDetached,  ///< No triangle uses the vertex: nearest joints, without asking.
};

/// Per welded vertex the joints whose bones are nearest, and how they share it.
struct NearestJoints {
  geometry::Lists joints;      ///< Rising. More than one where bones are about equally near; empty where hidden.
  std::vector<double> shares;  ///< Per item of `joints`: how much of the vertex is its; sum 1.
  std::vector<double>
      strength;  ///< How many joints see it well: near 1 mostly, more where several share it, 0 where hidden.
  std::vector<double> distance;  ///< To the nearest bone, at least 1e-4 of the size.
  std::vector<Sight> sight;
  Index assumed_shells = 0;
};

/// Limits are soft, so that small changes of the mesh make small changes of the result.
struct SightOptions {
  double clear_angle_rad = 1.1344640137963142;   ///< Between the way to the bone and the inward normal: 65°.
  double hidden_angle_rad = 1.4835298641951802;  ///< And 85°, from where on nothing is seen.
  double gap_rel = 0.002;  ///< So much of the way may lie outside, as a part of the size; twice as much hides.
  double tie_rel = 5e-4;  ///< Bones farther than the nearest by so much, as a part of the size, have no share any more.
  double least_seen = 0.02;  ///< Shells of which a smaller share of the vertices sees a bone ask nobody.
};

/// For each vertex the nearest bone, if it sees it: the straight way to the bone's closest point leaves the vertex
/// inwards, within an angle of its normal, and stays inside the body but for a small gap. Inside is what rays say that
/// are taken to begin inside: each triangle met from behind leaves one body, each met from the front enters another. So
/// cloth sees through the skin under it, inner shells hide nothing, nor does a hole, and an arm does not see the
/// trunk's bone through the air between them. Bones of several joints that are about equally near share the vertex, as
/// all do that meet in a joint. Where the nearest bone is hidden no other is asked: taking the next one up to twice as
/// far put weights on 18 real characters further from their artists' (0.343 against 0.337, half the sum of
/// differences).
///
/// Vertices × bones for the distances, about a ray for each; in parallel, the same bits for any number of threads.
/// \throws Cancelled.
NearestJoints nearest_joints(const BoundSurface& skin, const BoneTree& tree, const SightOptions& options = {},
                             const Progress& progress = {});

}  // namespace sinew::binding
