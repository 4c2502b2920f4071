// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/rig.h"

#include <fmt/format.h>
#include <Eigen/LU>

namespace sinew {

std::vector<Mat4> inverse_bind_of_part(const Rig& rig, Index part_index) {
  const MeshPart& part = rig.mesh.parts[part_index];
  std::vector<Mat4> result(rig.skeleton.joints.size(), Mat4::Identity());
  if (part.skin != kNone) {
    const Skin& skin = rig.skins[part.skin];
    for (std::size_t k = 0; k < skin.joints.size(); ++k) result[skin.joints[k]] = skin.inverse_bind[k];
  } else if (part.joint != kNone) {
    result[part.joint] = part.to_model.inverse();
  }
  return result;
}

std::vector<Mat4> bind_pose_matrices(const Rig& rig, Index skin_index) {
  const Skin& skin = rig.skins[skin_index];
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  std::vector<Mat4> result = rest;
  std::vector<bool> listed(rest.size(), false);
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    const Mat4 bind = skin.inverse_bind[k].inverse();
    if (!bind.allFinite()) continue;
    result[skin.joints[k]] = bind;
    listed[skin.joints[k]] = true;
  }
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const Index parent = rig.skeleton.joints[j].parent;
    if (listed[j] || parent == kNone) continue;
    Mat4 local = rig.skeleton.joints[j].rest.matrix();
    local.topLeftCorner<3, 3>() *= rig.skeleton.joints[j].shear;
    result[j] = result[parent] * local;
  }
  return result;
}

Findings validate(const Rig& rig) {
  Findings found = validate(rig.mesh);
  const auto append = [&](const Findings& more) { found.insert(found.end(), more.begin(), more.end()); };
  append(validate(rig.skeleton));
  append(validate(rig.weights, rig.skeleton.size()));
  if (!rig.weights.empty() && rig.weights.row_count() != rig.mesh.vertex_count())
    found.push_back({"rig.rows", "",
                     fmt::format("The number of weight rows ({}) differs from the number of vertices ({}).",
                                 rig.weights.row_count(), rig.mesh.vertex_count())});
  for (const Skin& skin : rig.skins) {
    if (skin.joints.size() != skin.inverse_bind.size())
      found.push_back({"rig.bind", skin.name, "It does not have one bind matrix for each joint."});
    for (std::size_t k = 0; k < skin.joints.size(); ++k)
      if (skin.joints[k] >= rig.skeleton.size())
        found.push_back(
            {"rig.skin_joint", skin.name, fmt::format("Its joint number {} does not exist in the skeleton.", k)});
    for (const Mat4& bind : skin.inverse_bind)
      if (!bind.allFinite()) {
        found.push_back({"rig.bind", skin.name, "A bind matrix is not finite."});
        break;
      }
  }
  for (const MeshPart& part : rig.mesh.parts) {
    if (part.skin != kNone && part.skin >= rig.skins.size())
      found.push_back({"rig.part_skin", part.name, "It refers to a skin that does not exist."});
    if (part.joint != kNone && part.joint >= rig.skeleton.size())
      found.push_back({"rig.part_joint", part.name, "It is attached to a joint that does not exist."});
  }
  return found;
}

}  // namespace sinew
