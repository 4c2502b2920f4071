// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Approximates a moving mesh by a few shapes with linear interpolation between them.

#include <span>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/core/progress.h"

namespace sinew::motion {

/// A range of vertices over time: `frame(f)[v]`.
struct VertexFrames {
  std::span<const double> times_s;                          ///< In increasing order.
  const std::vector<std::vector<Vec3f>>* frames = nullptr;  ///< One list of the whole mesh's positions per time.
  Index first = 0;
  Index count = 0;

  std::span<const Vec3f> frame(std::size_t f) const { return std::span((*frames)[f]).subspan(first, count); }
};

/// Keys of a motion: at `frames[k]` the mesh has shape `shapes[k]`, and a shape is that of the frame `shape_frames[s]`.
struct MorphKeys {
  std::vector<Index> frames;        ///< In increasing order; the first and the last frame are keys.
  std::vector<Index> shapes;        ///< One per key.
  std::vector<Index> shape_frames;  ///< Fewer than keys if the motion returns to an earlier shape.
};

/// Finds the smallest number of keys such that, with linear interpolation between keys, no vertex deviates by more than
/// `tolerance` in any frame. Keys whose shapes agree to a seventh of the tolerance then share one shape, which can add
/// as much to the error. The minimum is exact, by breadth-first search over the frames: two frames are connected if all
/// frames between them are close enough to the straight line. Each frame is reached once, so that at most one full
/// check per frame succeeds; most failing checks end early at vertices that failed before. The cost is quadratic in the
/// frames, with segments of at most 512 frames. There is one key if the motion stays within the tolerance of its first
/// frame. \pre at least one frame, one time for each. \throws Cancelled.
MorphKeys fit_keys(const VertexFrames& motion, double tolerance, const Progress& progress = {});

}  // namespace sinew::motion
