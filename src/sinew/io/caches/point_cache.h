// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/math.h"

namespace sinew::io {

/// Positions of the same points over time, as stored in vertex cache files.
struct PointCache {
  Index points = 0;
  double first_frame = 0;        ///< Number of the first frame.
  std::vector<float> times_s;    ///< One per frame.
  std::vector<Vec3f> positions;  ///< `points` for each frame, frame after frame.

  std::size_t frames() const { return times_s.size(); }
};

}  // namespace sinew::io
