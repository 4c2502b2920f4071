// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"

namespace sinew::measure {

/// A shape that a mesh takes, with the skeleton in it: what all figures are taken of.
struct Shape {
  std::vector<Vec3> positions;  ///< One per vertex of the mesh, in model space.
  std::vector<Mat4> joints;     ///< One per joint: joint space to model space.
};

/// The shape that other shapes are compared with: the mesh where the skin was attached, morphs at their rest weights.
/// Its skeleton is the bind pose of the skin with the most vertices; joints that only another skin lists stand where
/// that one has them.
Shape bound_shape(const Rig& rig);

/// Which bone owns each vertex, and how thick the limb is there.
struct Limbs {
  Segmentation owners;         ///< No segments, and `owner` all kNone, for a rig that no joint moves.
  std::vector<double> radius;  ///< Per vertex: the distance to its bone where the skin was attached; 0 without a bone.
  std::vector<char> moves;     ///< Per joint: whether it moves any vertex.
};

/// Bones run between joints that move vertices, from the nearest such ancestor that lies elsewhere: joints that move
/// nothing do not bend the skin. The last of a chain has a bone to the child that goes on most nearly straight, though
/// it moves nothing; else along its end segment, where that is known. A vertex belongs to the nearest bone that begins
/// at its strongest joint; else to one that ends there; else to the nearest of all. Linear in vertices times bones of a
/// joint. \pre the rig is valid.
Limbs limbs(const Rig& rig, const Shape& bound);

/// Where a bone begins and ends in a shape; both are one place for a joint without a bone.
struct BoneEnds {
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();

  double length() const { return (b - a).norm(); }
};
BoneEnds bone_ends(const Skeleton& skeleton, const Segmentation::Segment& bone, const std::vector<Mat4>& joints);

/// Distance of a point to a segment.
double distance_to_bone(const Vec3& p, const BoneEnds& bone);

}  // namespace sinew::measure
