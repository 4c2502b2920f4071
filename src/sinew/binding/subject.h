// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/skeleton.h"

namespace sinew::binding {

/// What is bound: a skin and a skeleton, where they lie together. That is the bind pose of the file, which need not be
/// its rest pose. The mesh may have several shells, be open, not manifold, face any way.
struct Subject {
  const Mesh& mesh;
  const Skeleton& skeleton;
  std::vector<Mat4> joints;  ///< Per joint of the skeleton: its frame to model space, at binding.
  std::vector<char> bound;   ///< Per joint: whether it may move the skin.

  Vec3 position(Index joint) const { return joints[joint].topRightCorner<3, 1>(); }
};

/// All joints of a skeleton, bound where they rest.
Subject rest_subject(const Mesh& mesh, const Skeleton& skeleton);

/// The segment from a bound joint to a bound child, or the end segment of one without.
struct Bone {
  Index joint = kNone;  ///< Whose it is.
  Index child = kNone;  ///< kNone: an end segment.
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();          ///< Of an end segment: where it ends as far as is known, see `bone_tree`.
  Vec3 direction = Vec3::Zero();  ///< Unit length.
  double length = 0;              ///< |b − a|, never zero.

  bool is_end() const { return child == kNone; }
};

/// The bound joints as a tree (or several): those between that may not move the skin are passed over.
struct BoneTree {
  std::vector<Bone> bones;                   ///< By joint, then by child; the end segment of a joint last.
  std::vector<Index> parent;                 ///< Per joint of the skeleton: the nearest bound joint above, or kNone.
  std::vector<std::vector<Index>> children;  ///< Per joint: the bound joints next below. Empty for one not bound.
  std::vector<std::vector<Index>> outgoing;  ///< Per joint: its bones. Few bound joints have none, see `bone_tree`.
  std::vector<Index> incoming;               ///< Per joint: the bone that ends at it, or kNone.
  std::vector<Index> joints;                 ///< The bound ones, rising.
  std::vector<Index> place;                  ///< Per joint: the lowest of those that bones left out hold at its place.
};

/// Bones of the bound joints.
///
/// A joint without bound children has an end segment: to its `end_local`, else to its only child that is not bound (an
/// end node), if that lies apart from it, else as far again as its incoming bone and in that direction; a lone joint
/// points along the longest axis of the mesh. A joint with bound children has one too where its `end_local` says so (a
/// head with ears), unless a bone runs there anyway.
///
/// A bone shorter than 1e-6 of the mesh's size is left out: its joints are one place. Bones that begin at its far joint
/// count as following the bone before it: `incoming` and `parent` of that joint are those of the near one. A leaf at
/// the place of the joint above (a twist helper) has a segment only if it says where that ends or nothing else begins
/// at the place, so that a root at the hips does not get one of its own. At least one bone. Linear. \throws Error if no
/// joint is bound or a matrix is not finite.
BoneTree bone_tree(const Subject& subject);

/// Closest point of a bone to p: of the closed segment; of an end segment as well.
struct BonePoint {
  Vec3 point = Vec3::Zero();
  double along = 0;  ///< (p − a)·(b − a) / length², not clamped.
  double distance = 0;
};
BonePoint closest_on_bone(const Bone& bone, const Vec3& p);

}  // namespace sinew::binding
