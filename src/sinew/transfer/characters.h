// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <utility>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/skeleton.h"
#include "sinew/core/weights.h"

namespace sinew::transfer {

/// A character as input of a transfer: its skin and its joints in the pose at binding. The objects it refers to must
/// outlive it. A target's skeleton may have any number of joints that are not paired.
struct TransferBody {
  const Mesh& mesh;
  const Skeleton& skeleton;
  std::vector<Mat4> joints;  ///< Per joint of the skeleton: its frame to model space, at binding.

  Vec3 position(Index joint) const { return joints[joint].topRightCorner<3, 1>(); }
  /// The rotation of a joint's frame; scale, shear and mirroring are left out.
  Mat3 frame(Index joint) const;
};

/// The character that has the rig: with its weights, one row per vertex, of its own joints.
struct Reference : TransferBody {
  SkinWeights weights;
  SkinWeights stored = {};  ///< The rows as the file has them; empty where nobody asks for them.
};

/// A *primary* joint that both characters have.
struct JointPair {
  Index reference = kNone;
  Index target = kNone;
  Index parent = kNone;  ///< Of the pairs: the nearest above that is paired; the same in both trees.
};

/// Which joints correspond, and the relative orientation of the bodies.
struct Correspondence {
  std::vector<JointPair> pairs;  ///< Parents first.
  Mat3 turn = Mat3::Identity();  ///< Turns directions of the target's model space to the reference's: up to up, forward
                                 ///< to forward.

  /// The pair of a joint of the reference, or kNone.
  Index of_reference(Index joint) const;
  Index of_target(Index joint) const;
};

/// The pairs given as joints of both; parents are filled in. \throws Error if a joint is paired twice, or if the
/// nearest paired joints above two partners are not partners; the message names both.
Correspondence correspond(const Skeleton& reference, const Skeleton& target,
                          const std::vector<std::pair<Index, Index>>& joints, const Mat3& turn = Mat3::Identity());

/// How directions around a bone are matched.
enum class Directions {
  kPositions,    ///< The smallest rotation from one bone to the other, after that of the bone above, or of all bones
                 ///< that leave the joint if they are several. The root's is `Correspondence::turn`.
  kJointFrames,  ///< The joints' own axes first, then the smallest rotation, so roll is kept. For rigs whose axes
                 ///< agree.
  kUnturned,     ///< `Correspondence::turn` alone, as the authors' released code: for equal poses, and for comparison.
};

constexpr auto option_words(Directions) { return std::array{"positions", "joint-frames", "none"}; }

/// A bone that both have: from a paired joint to a paired child; or a joint without paired children, as a point with
/// the frame of the bone that ends in it.
struct PairedBone {
  Index pair = kNone;   ///< Of the joint it belongs to.
  Index child = kNone;  ///< Pair of the joint it leads to; kNone for a point.
  Vec3 target_a = Vec3::Zero(), target_b = Vec3::Zero();
  Vec3 reference_a = Vec3::Zero(), reference_b = Vec3::Zero();
  Mat3 turn = Mat3::Identity();  ///< Target's model space to the reference's.

  bool is_point() const { return child == kNone; }
  double target_length() const { return (target_b - target_a).norm(); }
  double reference_length() const { return (reference_b - reference_a).norm(); }
};

/// Per pair its bones, in order of the pairs of their children; at least one for each pair. A bone of no length in
/// either is a point with a child. Antiparallel axes are rotated by 180° about the body's forward axis. Linear.
std::vector<std::vector<PairedBone>> paired_bones(const TransferBody& reference, const TransferBody& target,
                                                  const Correspondence& correspondence,
                                                  Directions directions = Directions::kPositions);

/// The smallest rotation that takes one direction to another. For opposite directions it is a rotation by 180° about
/// `about`, made perpendicular. \pre neither is zero.
Mat3 smallest_turn(const Vec3& from, const Vec3& to, const Vec3& about);

}  // namespace sinew::transfer
