// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "sinew/core/character.h"

namespace sinew::test {

/// A character from any bytes: up to 64 vertices on a coarse grid, so that many coincide and faces degenerate, at a
/// size and a distance from the origin between 1e-40 and 1e40, open or closed, with two joints that may be far away.
inline Character weird_character(std::span<const unsigned char> bytes) {
  std::size_t next = 0;
  const auto byte = [&] { return next < bytes.size() ? bytes[next++] : static_cast<unsigned char>(0); };
  const auto power = [&] { return std::pow(10.0, static_cast<double>(byte() % 81) - 40); };
  Character c;
  Mesh& mesh = c.rig.mesh;
  const double size = byte() % 4 == 0 ? power() : 1;
  const double away = byte() % 4 == 0 ? power() : 0;
  const int count = 3 + byte() % 62;
  for (int v = 0; v < count; ++v) {
    const double x = byte() % 8, y = byte() % 8, z = byte() % 8;
    mesh.positions.emplace_back(away + size * x, size * y, size * z);
  }
  const int faces = byte() % 96;
  for (int f = 0; f < faces; ++f) {
    const auto corner = [&] { return static_cast<Index>(byte() % count); };
    const std::array<Index, 3> face = {corner(), corner(), corner()};
    mesh.add_face(face);
  }
  mesh.parts.push_back({.name = "weird",
                        .first_vertex = 0,
                        .vertex_count = mesh.vertex_count(),
                        .first_face = 0,
                        .face_count = mesh.face_count(),
                        .skin = 0,
                        .morphs = {},
                        .morph_weights = {}});
  Joint root, tip;
  root.name = "root";
  tip.name = "tip";
  tip.parent = 0;
  tip.rest.translation = Vec3(byte() % 4 == 0 ? power() : size * (byte() % 8), 0, 0);
  root.deforming = tip.deforming = true;
  c.rig.skeleton.joints = {root, tip};
  Skin skin;
  skin.joints = {0, 1};
  skin.inverse_bind = {Mat4::Identity(), Mat4::Identity()};
  skin.inverse_bind[1].topRightCorner<3, 1>() = -tip.rest.translation;
  c.rig.skins = {skin};
  for (int v = 0; v < count; ++v) {
    const float share = static_cast<float>(byte() % 5) / 4;
    c.rig.weights.add_row({{0, 1 - share}, {1, share}});
  }
  return c;
}

}  // namespace sinew::test
