// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/core/volume.h"

namespace sinew::deform {

/// Per joint that moves skin the one it bends against: the nearest joint above it that moves skin, too. Joints without
/// one bend against that root which moves the most, which has kNone, as have all joints that move no skin. `sums` has
/// per joint the sum of its weights, 0 for those that move no skin.
std::vector<Index> moving_parents(const Skeleton& skeleton, std::span<const double> sums);

/// Which joints may share a piece of the body: a joint and the one it bends against, and joints with no more than
/// `near` of skeleton between their bones. Thighs that touch are strangers: the pelvis lies between them.
class JointKinship {
 public:
  /// `places` are the joints' positions. O(joints² · depth).
  JointKinship(std::span<const Index> moving_parents, std::span<const Vec3> places, double near);

  bool related(Index a, Index b) const { return related_[a * count_ + b] != 0; }

  /// How much two rows of weights have to do with each other: 1 for the same single joint, 0.5 for related ones, 0 for
  /// strangers.
  double of(std::span<const Influence> a, std::span<const Influence> b) const;

  /// Below this they belong to limbs that are strangers to each other.
  static constexpr double kStrangers = 0.1;

 private:
  std::size_t count_;
  std::vector<char> related_;
};

/// The skin that a place inside the body belongs to: the nearest of the faces behind which it lies. Where limbs
/// overlap, it is that of the limb in which the place lies deeper.
struct SkinSide {
  std::vector<Influence> row;  ///< Interpolated on the face.
  bool contact = false;        ///< Skin of a stranger lies against this one, or the place lies in both limbs.
};

/// Per tetrahedron the skin side of its middle. `rows` has the weights of each vertex of `skin`. n log n.
std::vector<SkinSide> skin_sides(const TetMesh& tets, double cell, const Mesh& skin, const SkinWeights& rows,
                                 const JointKinship& kinship);

/// Whether two neighbouring tetrahedra belong to limbs that only touch.
bool only_touch(const SkinSide& a, const SkinSide& b, const JointKinship& kinship);

}  // namespace sinew::deform
