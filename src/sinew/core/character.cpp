// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/character.h"

#include <fmt/format.h>

namespace sinew {

Pose rest_pose(const Rig& rig) {
  Pose pose;
  for (const Joint& joint : rig.skeleton.joints) pose.local.push_back(joint.rest);
  for (const MeshPart& part : rig.mesh.parts) pose.morph_weights.push_back(part.morph_weights);
  return pose;
}

Findings validate(const Character& character) {
  Findings found = validate(character.rig);
  const auto part_count = static_cast<Index>(character.rig.mesh.parts.size());
  for (const Clip& clip : character.clips) {
    const Findings more = validate(clip, character.rig.skeleton.size(), part_count);
    found.insert(found.end(), more.begin(), more.end());
  }
  for (const Index material : character.rig.mesh.face_materials)
    if (material != kNone && material >= character.materials.size()) {
      found.push_back({"character.material", "", "A face refers to a material that does not exist."});
      break;
    }
  for (const Material& material : character.materials)
    for (const Index image : {material.base_color_image, material.normal_image, material.emissive_image})
      if (image != kNone && image >= character.images.size())
        found.push_back({"character.image", material.name, "It refers to an image that does not exist."});
  return found;
}

}  // namespace sinew
