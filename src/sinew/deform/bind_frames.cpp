// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/bind_frames.h"

#include <Eigen/LU>

namespace sinew::deform {

std::vector<Mat4> bind_frames(const Rig& rig) {
  std::vector<Index> vertices(rig.skins.size(), 0);
  for (const MeshPart& part : rig.mesh.parts)
    if (part.skin != kNone) vertices[part.skin] += part.vertex_count;
  std::vector<Mat4> frames(rig.skeleton.joints.size());
  std::vector<Index> most(frames.size(), 0);
  std::vector<char> told(frames.size(), 0);
  for (Index s = 0; s < rig.skins.size(); ++s)
    for (std::size_t k = 0; k < rig.skins[s].joints.size(); ++k) {
      const Index j = rig.skins[s].joints[k];
      if (told[j] != 0 && vertices[s] <= most[j]) continue;
      const Mat4 frame = rig.skins[s].inverse_bind[k].inverse();
      if (!frame.allFinite()) continue;
      frames[j] = frame;
      most[j] = vertices[s];
      told[j] = 1;
    }
  for (Index j = 0; j < frames.size(); ++j) {
    if (told[j] != 0) continue;
    const Joint& joint = rig.skeleton.joints[j];
    Mat4 local = joint.rest.matrix();
    local.topLeftCorner<3, 3>() *= joint.shear;
    frames[j] = joint.parent == kNone ? local : Mat4(frames[joint.parent] * local);
  }
  return frames;
}

}  // namespace sinew::deform
