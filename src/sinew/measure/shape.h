// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/rig.h"
#include "sinew/core/segmentation.h"

namespace sinew::measure {

/// A deformed mesh with its skeleton: the input of all measurements.
struct Shape {
  std::vector<Vec3> positions;  ///< One per vertex of the mesh, in model space.
  std::vector<Mat4> joints;     ///< One per joint: joint space to model space.
};

/// Returns the shape with which other shapes are compared: the mesh as it was bound, with morphs at their rest weights.
/// Its skeleton is in the bind pose of the skin with the most vertices. Joints that only another skin lists are in the
/// bind pose of that skin.
Shape bound_shape(const Rig& rig);

/// The bone that owns each vertex, and the thickness of the limb there.
struct Limbs {
  Segmentation owners;         ///< No segments, and `owner` all kNone, for a rig that no joint moves.
  std::vector<double> radius;  ///< Per vertex: the distance to its bone where the skin was attached; 0 without a bone.
  std::vector<char> moves;     ///< Per joint: whether it moves any vertex.
};

/// Assigns vertices to bones. Bones connect joints that move vertices, starting at the nearest such ancestor at a
/// different position, because joints that move nothing do not bend the skin. Joints with a driver have no bones of
/// their own; what they move belongs to the nearest ancestor without a driver. The last joint of a chain has a bone to
/// the child that continues most nearly straight, even if that child moves nothing; else along its end segment, if
/// known. A vertex belongs to the nearest bone that begins at its strongest joint; else to one that ends there; else to
/// the nearest of all. Linear in vertices times bones of a joint. \pre the rig is valid.
Limbs limbs(const Rig& rig, const Shape& bound);

/// The two ends of a bone in a shape; both are at the same position for a joint without a bone.
struct BoneEnds {
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();

  double length() const { return (b - a).norm(); }
};
BoneEnds bone_ends(const Skeleton& skeleton, const Segmentation::Segment& bone, const std::vector<Mat4>& joints);

/// Returns the distance from a point to a bone.
double distance_to_bone(const Vec3& p, const BoneEnds& bone);

}  // namespace sinew::measure
