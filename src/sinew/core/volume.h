// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/math.h"

namespace sinew {

/// Tetrahedra that fill a mesh.
struct TetMesh {
  std::vector<Vec3> positions;
  std::vector<std::array<Index, 4>> tets;  ///< Positive volume: (b−a)×(c−a)·(d−a) > 0.
};

/// Signed distances on a regular grid: negative inside.
struct DistanceField {
  Vec3 origin = Vec3::Zero();  ///< Position of the sample (0, 0, 0).
  double cell = 0;             ///< Edge length.
  std::array<Index, 3> samples = {0, 0, 0};
  std::vector<float> values;  ///< x fastest, then y, then z.
};

/// Returns the problems: indices out of range, tetrahedra without positive volume.
Findings validate(const TetMesh& tets);

/// Returns the problems: counts that do not match, values that are not finite.
Findings validate(const DistanceField& field);

}  // namespace sinew
