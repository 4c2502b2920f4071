// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// How FBX makes a matrix of a node's properties.

#include "sinew/core/rotation.h"
#include "sinew/io/fbx/objects.h"

namespace sinew::io::fbx {

/// The three properties that curves can move.
struct Pose {
  Vec3 translation = Vec3::Zero();
  Vec3 rotation_deg = Vec3::Zero();
  Vec3 scaling = Vec3::Ones();
};

/// How scale passes from parent to child: with R and S for the parent's rotation and scale, r and s for the child's.
enum class Inherit { kRrSs = 0, kRSrs = 1, kRrs = 2 };

/// Everything that a node states about its transform.
struct NodeTransform {
  Pose rest;
  Vec3 rotation_offset = Vec3::Zero(), rotation_pivot = Vec3::Zero();
  Vec3 scaling_offset = Vec3::Zero(), scaling_pivot = Vec3::Zero();
  Quat pre = Quat::Identity(), post = Quat::Identity();
  const char* order = "xyz";  ///< About fixed axes, first to last.
  Inherit inherit = Inherit::kRSrs;
  Mat4 geometric = Mat4::Identity();  ///< Moves the node's mesh, not its children.

  /// Pre-rotation, rotation and the inverse of the post-rotation.
  Quat rotation(const Pose& pose) const;
  /// T·Roff·Rp·Rpre·R·Rpost⁻¹·Rp⁻¹·Soff·Sp·S·Sp⁻¹.
  Mat4 local(const Pose& pose) const;
  /// Rotation and scale change the translation of `local`.
  bool has_pivots() const;
};

NodeTransform read_transform(const Properties& properties);

/// A node's transform in the scene, with its rotation and the rest of its linear part, which its children inherit
/// separately.
struct Global {
  Mat4 matrix = Mat4::Identity();
  Mat3 rotation = Mat3::Identity();
  Mat3 scale = Mat3::Identity();  ///< rotation⁻¹ · linear part of the matrix.
  Vec3 own_scaling = Vec3::Ones();
};

/// The global transform of a child.
Global child_global(const Global& parent, const NodeTransform& node, const Pose& pose);

/// The transform of a child relative to its parent: what a hierarchy of plain matrices needs. It equals `node.local`
/// unless the child refuses a scale of its parents.
Mat4 relative_matrix(const Global& parent, const NodeTransform& node, const Pose& pose);

}  // namespace sinew::io::fbx
