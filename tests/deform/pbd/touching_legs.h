// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/rig.h"

namespace sinew::deform::testing {

/// A trunk on two legs whose inner sides touch, or overlap by `overlap` on either side. The shells are tubes. Joint 0
/// is the hips, 1 and 2 are the left (x > 0) and the right leg, 3 and 4 the shins. Legs are 0.4 wide and 1.6 long, from
/// y = 0 down; knees lie at y = -0.8.
inline Rig touching_legs(double overlap = 0) {
  Rig rig;
  const auto add_joint = [&](const char* name, Index parent, const Vec3& offset) {
    Joint joint;
    joint.name = name;
    joint.parent = parent;
    joint.rest.translation = offset;
    joint.deforming = true;
    rig.skeleton.joints.push_back(joint);
  };
  add_joint("hips", kNone, Vec3(0, 0.2, 0));
  add_joint("left leg", 0, Vec3(0.2, -0.2, 0));
  add_joint("right leg", 0, Vec3(-0.2, -0.2, 0));
  add_joint("left shin", 1, Vec3(0, -0.8, 0));
  add_joint("right shin", 2, Vec3(0, -0.8, 0));
  Skin skin;
  Index j = 0;
  for (const Mat4& frame : rest_matrices(rig.skeleton)) {
    skin.joints.push_back(j++);
    Mat4 inverse = Mat4::Identity();
    inverse.topRightCorner<3, 1>() = -frame.topRightCorner<3, 1>();
    skin.inverse_bind.push_back(inverse);
  }
  rig.skins.push_back(skin);
  // Rings from the top down, and lids.
  const auto add_tube = [&](double x0, double x1, double top, double bottom, const auto& row) {
    constexpr Index kAround = 16;
    const int rings = 1 + static_cast<int>(std::lround((top - bottom) / 0.1));
    const Index first = rig.mesh.vertex_count();
    for (int r = 0; r < rings; ++r)
      for (Index k = 0; k < kAround; ++k) {
        const double y = top + (bottom - top) * r / (rings - 1), angle = kTwoPi * k / kAround;
        rig.mesh.positions.emplace_back(0.5 * (x0 + x1) + 0.5 * (x1 - x0) * std::cos(angle), y, 0.2 * std::sin(angle));
        rig.weights.add_row(row(y));
      }
    for (Index r = 0; r + 1 < static_cast<Index>(rings); ++r)
      for (Index k = 0; k < kAround; ++k) {
        const Index a = first + kAround * r + k, b = first + kAround * r + (k + 1) % kAround;
        rig.mesh.add_face(std::array<Index, 4>{a, b, b + kAround, a + kAround});
      }
    std::array<Index, kAround> lid{};
    for (Index k = 0; k < kAround; ++k) lid[k] = first + kAround - 1 - k;
    rig.mesh.add_face(lid);
    for (Index k = 0; k < kAround; ++k) lid[k] = rig.mesh.vertex_count() - kAround + k;
    rig.mesh.add_face(lid);
  };
  add_tube(-0.4, 0.4, 0.5, 0.0, [](double) { return std::array{Influence{0, 1}}; });
  for (const Index leg : {Index{1}, Index{2}})
    add_tube(leg == 1 ? -overlap : -0.4, leg == 1 ? 0.4 : overlap, 0.1, -1.6, [&](double y) {
      const auto share = [](double t) {
        t = std::clamp(t, 0.0, 1.0);
        return static_cast<float>(t * t * (3 - 2 * t));
      };
      const float hips = share(0.5 + y / 0.4), shin = share(0.5 - (y + 0.8) / 0.4);
      return std::array{Influence{0, hips}, Influence{leg, 1 - hips - shin}, Influence{leg + 2, shin}};
    });
  MeshPart part;
  part.vertex_count = rig.mesh.vertex_count();
  part.face_count = rig.mesh.face_count();
  part.skin = 0;
  rig.mesh.parts.push_back(part);
  return rig;
}

}  // namespace sinew::deform::testing
