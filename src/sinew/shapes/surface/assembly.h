// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What all made characters need: joints from places in model space, normals, one skin over one mesh.

#include <string>
#include <vector>

#include "sinew/shapes/made.h"

namespace sinew::shapes {

/// A joint by where it stands and where its bone goes, in model space.
struct PlacedJoint {
  std::string name;
  Index parent = kNone;
  Vec3 place = Vec3::Zero();
  Vec3 end = Vec3::UnitY();   ///< Where its bone goes; it must differ from `place`.
  Vec3 bend = Vec3::UnitZ();  ///< The axis it bends about; not along the bone.
  bool leaf = false;          ///< The bone is an end segment.
  std::string role;
};

/// Joints with +Y along the bone and +Z as near to the bend axis as that allows. A joint "RightX" is a mirror partner
/// of an earlier "LeftX", and its frame is the left's mirror image with the bend axis turned round: equal turns bend
/// both alike. \pre parents come first.
Skeleton place_joints(const std::vector<PlacedJoint>& joints);

/// Unit normals per vertex.
void add_smooth_normals(Mesh& mesh);

/// Puts one part, one skin with all joints (bound at rest) and one material of that colour on a mesh. `rows` are the
/// weights, one row per vertex. The template's joints are all that are no helpers.
Made assemble(std::string name, Mesh mesh, Skeleton skeleton, const std::vector<std::vector<Influence>>& rows,
              Segmentation owners, const Vec3f& color);

/// A skin of all deforming joints, bound in the rest pose.
Skin rest_skin(std::string name, const Skeleton& skeleton);

/// Divides weights by their sum and drops those below a millionth of it.
std::vector<Influence> normalized_row(const std::vector<double>& weights);

/// 0 up to −1, 1 from 1 on, smooth between.
double smooth_passage(double t);

}  // namespace sinew::shapes
