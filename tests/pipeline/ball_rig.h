// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/rig.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::test {

// A ball as tall as a person on the ground, moved by two joints inside it and one above it.
inline Rig ball_rig() {
  Rig rig;
  rig.mesh = sphere(16, 16, Vec3(0, 0.85, 0), 0.85);
  rig.mesh.parts.resize(1);
  rig.mesh.parts[0].name = "ball";
  rig.mesh.parts[0].vertex_count = rig.mesh.vertex_count();
  rig.mesh.parts[0].face_count = rig.mesh.face_count();
  rig.mesh.parts[0].skin = 0;
  rig.skins.resize(1);
  double height = 0;
  for (Index j = 0; j < 3; ++j) {
    Joint joint;
    joint.name = std::vector<std::string>{"hips", "chest", "hat"}[j];
    joint.parent = j == 0 ? kNone : j - 1;
    joint.deforming = true;
    joint.rest.translation = Vec3(0, j == 0 ? 0.5 : 0.8, 0);
    height += joint.rest.translation.y();
    rig.skeleton.joints.push_back(joint);
    rig.skins[0].joints.push_back(j);
    Mat4 inverse_bind = Mat4::Identity();
    inverse_bind(1, 3) = -height;
    rig.skins[0].inverse_bind.push_back(inverse_bind);
  }
  for (const Vec3& p : rig.mesh.positions) {
    if (p.y() > 1.4) rig.weights.add_row({{1, 0.5F}, {2, 0.5F}});
    else rig.weights.add_row({{p.y() > 0.8 ? 1U : 0U, 1.0F}});
  }
  return rig;
}

}  // namespace sinew::test
