// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/skeleton.h"

namespace sinew::binding {

/// The input of a binder: a skin and a skeleton in the same pose. That is the bind pose of the file, which can differ
/// from its rest pose. The mesh may consist of several shells, have holes, be non-manifold, and have faces of any
/// orientation.
struct Subject {
  const Mesh& mesh;
  const Skeleton& skeleton;
  std::vector<Mat4> joints;  ///< Per joint of the skeleton: the transform from its frame to model space, at binding.
  std::vector<char> bound;   ///< Per joint: whether it may move the skin.

  Vec3 position(Index joint) const { return joints[joint].topRightCorner<3, 1>(); }
};

/// A subject with all joints of a skeleton, bound in the rest pose.
Subject rest_subject(const Mesh& mesh, const Skeleton& skeleton);

/// The segment from a bound joint to a bound child, or the end segment of a joint without bound children.
struct Bone {
  Index joint = kNone;  ///< The joint that owns the bone.
  Index child = kNone;  ///< kNone: an end segment.
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();          ///< For an end segment an estimate, see `bone_tree`.
  Vec3 direction = Vec3::Zero();  ///< Unit length.
  double length = 0;              ///< |b − a|, never zero.
  double reach = 0;               ///< Of a joint of a face: how far from it skin belongs to it. 0: no limit.

  bool is_end() const { return child == kNone; }
};

/// The bound joints as one or more trees. Joints that may not move the skin are skipped.
struct BoneTree {
  std::vector<Bone> bones;                   ///< By joint, then by child; the end segment of a joint last.
  std::vector<Index> parent;                 ///< Per joint of the skeleton: the nearest bound joint above, or kNone.
  std::vector<std::vector<Index>> children;  ///< Per joint: its nearest bound descendants. Empty for unbound joints.
  std::vector<std::vector<Index>> outgoing;  ///< Per joint: its bones. A few bound joints have none, see `bone_tree`.
  std::vector<Index> incoming;               ///< Per joint: the bone that ends at it, or kNone.
  std::vector<Index> joints;                 ///< The bound joints, increasing.
  std::vector<Index> place;                  ///< Per joint: the lowest of those that bones left out hold at its place.
  std::vector<Index> eyes;                   ///< Leaf joints that move eyeballs, by their names.
};

/// Bones of the bound joints.
///
/// A joint without bound children has an end segment. It leads to the joint's `end_local` if that is set; otherwise to
/// its only unbound child (an end node), if that is at a different position; otherwise it continues the incoming bone
/// with the same length and direction. A single joint points along the longest axis of the mesh. A joint with bound
/// children also has an end segment if its `end_local` is set, such as a head with ears, unless a bone already leads
/// there.
///
/// A joint with two or more children may have one that is located beside its incoming bone instead of beyond it: a
/// collar bone that is a child of the neck, or a leg that is a child of the first joint of the spine. If that child has
/// children itself and another one continues the bone, it counts as a child of the joint above.
///
/// A leaf whose name is that of an eye or of a spot of a face has a short end segment with a `reach`: 1.1 times the
/// distance of the nearest vertex for an eye, and 1.5 times that distance, but at least 0.01 of the size, for others.
/// The head above it gets an end segment that continues its incoming bone.
///
/// Bones shorter than 1e-6 of the mesh size are left out: their joints share one position. Bones that begin at the far
/// joint of such a bone count as following the bone before it: `incoming` and `parent` of the far joint are those of
/// the near joint. A leaf at the position of the joint above it, such as a twist helper, has a segment only if its end
/// is given or if nothing else begins at that position. A root at the hips therefore gets no segment of its own. There
/// is always at least one bone. Linear. \throws Error if no joint is bound or a matrix is not finite.
BoneTree bone_tree(const Subject& subject);

/// The point of a bone that is closest to p. End segments count as closed segments, too.
struct BonePoint {
  Vec3 point = Vec3::Zero();
  double along = 0;  ///< (p − a)·(b − a) / length², not clamped.
  double distance = 0;
};
BonePoint closest_on_bone(const Bone& bone, const Vec3& p);

/// The distance by which bones compete for a vertex. Within its reach, a bone of a face is nearer than it is; beyond,
/// it is farther.
inline double competing_distance(const Bone& bone, double distance) {
  return bone.reach > 0 ? distance * distance / bone.reach : distance;
}

}  // namespace sinew::binding
