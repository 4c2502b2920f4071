// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <string>
#include <vector>

#include "sinew/core/math.h"

namespace sinew {

/// Debug graphics of a method, drawn over a picture of the character. All coordinates are in model space.
struct Overlay {
  struct Label {
    Vec3 position = Vec3::Zero();
    std::string text;
  };
  /// One number per vertex of the mesh, shown as colours between `low` and `high`.
  struct VertexField {
    std::string name;
    std::vector<float> values;
    float low = 0;
    float high = 1;
  };

  std::string name;
  Vec4f color = Vec4f(1, 0.55F, 0.1F, 1);
  std::vector<Vec3> points;
  std::vector<std::array<Vec3, 2>> lines;
  std::vector<std::array<Vec3, 3>> triangles;
  std::vector<VertexField> fields;
  std::vector<Label> labels;
};

}  // namespace sinew
