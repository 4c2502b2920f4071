// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/rig.h"
#include "sinew/deform/curves/vertex_motion.h"

namespace sinew::deform {

/// A skeleton in several poses, found from the shapes of its skin. All transforms are rigid.
struct JointPoses {
  std::vector<Index> parents;
  std::vector<Transform> rest;                ///< Per joint, relative to its parent, in the shape of the rig's mesh.
  std::vector<std::vector<Transform>> poses;  ///< The same for each pose.
  std::vector<char> fitted;                   ///< Per joint: whether it has skin of its own to follow.
  double residual = 0;          ///< Root mean square distance of skin from the rigid motion of its main joint.
  double largest_turn_rad = 0;  ///< Largest rotation of a joint between neighbouring poses, relative to its parent.

  Index size() const { return static_cast<Index>(parents.size()); }
  bool empty() const { return parents.empty(); }
  /// Model-space matrices.
  std::vector<Mat4> matrices(const std::vector<Transform>& local) const;
  /// Per joint the motion from rest, given local transforms.
  std::vector<Mat4> motions(const std::vector<Transform>& local) const;
  /// Local transforms between pose `from` and the next one: rotations on the shortest arc, translations straight.
  std::vector<Transform> between(Index from, double progress) const;
  /// The same on smooth curves through all poses.
  std::vector<Transform> through(Index from, double t, std::span<const double> times_s) const;
};

struct JointPoseOptions {
  /// Joints move to where the skin on both sides turns about the same point. For skeletons that were not made by hand.
  bool move_joints = false;
  /// Bones keep their lengths and joints only turn, as when somebody poses the skeleton; the root also moves.
  bool fixed_bones = false;
};

/// Fits each joint to its skin: the rigid motion nearest to that of the vertices which follow it mostly (Kabsch).
/// Joints with fewer than six such vertices, or with vertices on a line, move with their parent. Linear in influences,
/// for each pose. \pre poses have the vertices of the rig's mesh; the skeleton is not empty.
JointPoses fit_joint_poses(const Rig& rig, std::span<const std::vector<Vec3>> poses,
                           const JointPoseOptions& options = {});

/// Rows of weights that sum to 1; rigid parts have one joint.
MotionRows motion_rows(const Rig& rig);

}  // namespace sinew::deform
