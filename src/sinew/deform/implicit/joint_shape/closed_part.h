// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::deform {

/// The bone of a part that ends in a joint where the part meets another one.
struct HoleBone {
  Index partner = kNone;  ///< The part at the other side.
  Vec3 joint = Vec3::Zero();
  Vec3 far = Vec3::Zero();  ///< The other end of the bone.

  Vec3 outward() const { return (joint - far).normalized(); }
};

/// How a hole was closed.
enum class HoleFill {
  kOpen,    ///< It was not.
  kPolar,   ///< By particles, in coordinates about the end of the bone.
  kSphere,  ///< By particles, in coordinates about the middle of the hole.
  kSpace,   ///< By particles, and the cells between them and the part that are inside of the function.
  kDisk,    ///< By particles, in the plane to which the patch of the last resort is flattened.
  kPatch    ///< By the smallest triangles between the vertices of its border: the last resort.
};

/// A place where a part ends.
struct PartHole {
  std::vector<Index> loop;      ///< Vertices of the part, such that the surface is on the left.
  std::vector<HoleBone> bones;  ///< Of the joints there, the main one first. None at a natural border of the mesh.
  double radius = 0;            ///< The largest distance of its border from the bone.
  double mean_radius = 0;
  HoleFill fill = HoleFill::kOpen;
  std::string reason;  ///< Why it was not closed, or not by particles.
  int peeled = 0;  ///< Rings of triangles that were removed from the part, because it was cut too close to the joint.
  int population_steps = 0;
  bool settled = true;  ///< Whether the particles came to rest.

  bool at_joint() const { return !bones.empty(); }
};

/// A vertex that closes a hole. It moves only along its ray from the bone, so that its distance is all that changes.
struct ClosureVertex {
  Index hole = 0;
  Index bone = 0;             ///< Of the hole.
  Vec3 foot = Vec3::Zero();   ///< The nearest point of the bone.
  Vec3 along = Vec3::Zero();  ///< From there to the vertex; of unit length.
  double distance = 0;
  int ring = 1;         ///< Edges between it and the border of the hole.
  bool beyond = false;  ///< Whether its foot is the end of the bone, the joint.
};

/// A part of the skin whose holes are closed. The vertices and triangles of the part come first and never change.
struct ClosedPart {
  std::vector<Vec3> positions;
  std::vector<std::array<Index, 3>> triangles;  ///< Facing outwards.
  Index fixed_vertices = 0, fixed_triangles = 0;
  std::vector<Index> source;  ///< The vertices of the skin that the first vertices are; kNone on edges that were cut.
  double margin = 0;          ///< Of its weight over that of other parts, at which it was cut.
  std::vector<PartHole> holes;
  std::vector<ClosureVertex> closure;  ///< Vertex `fixed_vertices` + i.

  bool empty() const { return triangles.empty(); }
  bool moves(Index vertex) const { return vertex >= fixed_vertices; }
  bool closes(const std::array<Index, 3>& t) const { return moves(t[0]) || moves(t[1]) || moves(t[2]); }

  /// Puts the vertices of closures where their distances say.
  void place() {
    for (std::size_t i = 0; i < closure.size(); ++i)
      positions[fixed_vertices + i] = closure[i].foot + closure[i].distance * closure[i].along;
  }
};

/// The nearest point of a bone (Eq. 6), and whether it is the end at the joint.
struct BoneFoot {
  Vec3 point;
  bool beyond;
};
inline BoneFoot foot_on(const HoleBone& bone, const Vec3& p) {
  const Vec3 along = bone.joint - bone.far;
  const double squared = along.squaredNorm();
  const double t = squared > 0 ? (p - bone.far).dot(along) / squared : 1.0;
  if (t >= 1) return {bone.joint, true};
  if (t <= 0) return {bone.far, false};
  return {bone.far + t * along, false};
}

}  // namespace sinew::deform
