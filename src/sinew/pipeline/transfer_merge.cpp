// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/transfer_merge.h"

#include <Eigen/LU>

#include <algorithm>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/pipeline/characters.h"

namespace sinew::pipeline {
namespace {

// The skin that moves the most vertices.
Index main_skin(const Rig& rig) {
  std::vector<Index> vertices(rig.skins.size(), 0);
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone) vertices[part.skin] += part.vertex_count;
  return static_cast<Index>(std::max_element(vertices.begin(), vertices.end()) - vertices.begin());
}

void list_joint(Rig& rig, Index skin, Index joint, const std::vector<Mat4>& frames) {
  Skin& listed = rig.skins[skin];
  if (std::find(listed.joints.begin(), listed.joints.end(), joint) != listed.joints.end()) return;
  listed.joints.push_back(joint);
  listed.inverse_bind.push_back(frames[joint].inverse());
  rig.skeleton.joints[joint].deforming = true;
}

}  // namespace

Character merge_with_reference(const TransferReference& reference, const TransferResult& result) {
  if (!result.fit || !transfer::keeps_joints(result.fit->method))
    throw Error(
        "The target cannot be merged with the reference, because it has joints of its own or does not lie on the "
        "reference's surface. Write it to a file of its own.");
  Character garment = result.character;
  remove_rig(garment);
  Character merged = merge_characters(reference.character(), {garment});
  Rig& rig = merged.rig;
  const Index first = reference.character().rig.mesh.vertex_count(), skin = main_skin(rig);
  // In the coordinates of the skin's own parts, so that both share one skin in a file.
  const auto worn = std::find_if(rig.mesh.parts.begin(), rig.mesh.parts.end(),
                                 [&](const MeshPart& part) { return part.skin == skin && part.vertex_count > 0; });
  const Mat4 to_model = worn->to_model;
  for (MeshPart& part : rig.mesh.parts)
    if (part.first_vertex >= first && part.vertex_count > 0) part.skin = skin, part.to_model = to_model;
  std::vector<Index> row_of(garment.rig.mesh.vertex_count(), kNone);
  for (Index i = 0; i < result.vertices.size(); ++i) row_of[result.vertices[i]] = i;
  for (const Index i : row_of) {
    if (i == kNone) {
      rig.weights.add_row({});
      continue;
    }
    rig.weights.add_row(result.weights.weights.row(i));
    for (const Influence& influence : result.weights.weights.row(i))
      list_joint(rig, skin, influence.joint, reference.body().joints);
  }
  return merged;
}

}  // namespace sinew::pipeline
