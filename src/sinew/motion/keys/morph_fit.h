// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Approximates a moving mesh by a few shapes with linear motion between them.

#include <span>
#include <vector>

#include "sinew/core/math.h"
#include "sinew/core/progress.h"

namespace sinew::motion {

/// A run of vertices over time: `frame(f)[v]`.
struct VertexFrames {
  std::span<const double> times_s;                          ///< Rising.
  const std::vector<std::vector<Vec3f>>* frames = nullptr;  ///< One list of the whole mesh's positions per time.
  Index first = 0;
  Index count = 0;

  std::span<const Vec3f> frame(std::size_t f) const { return std::span((*frames)[f]).subspan(first, count); }
};

/// Keys of a motion: at `frames[k]` the mesh has shape `shapes[k]`, and a shape is that of the frame `shape_frames[s]`.
struct MorphKeys {
  std::vector<Index> frames;        ///< Rising; the first and the last frame are keys.
  std::vector<Index> shapes;        ///< One per key.
  std::vector<Index> shape_frames;  ///< Fewer than keys where the motion comes back to where it was.
};

/// The fewest keys such that going straight from key to key, no vertex at any frame is farther off than `tolerance`;
/// then keys of nearly the same shape, to a seventh of the tolerance, are given one shape, which can add as much to the
/// error. Exact, by breadth-first search over the frames: a pair of frames is joined if all frames between them lie
/// near enough to the straight line. Each frame is reached once, so that at most one full check a frame succeeds; the
/// many that fail are mostly settled by vertices that failed before. Quadratic in the frames, segments of at most 512
/// frames. One key if the motion stays within the tolerance of its first frame. \pre at least one frame, one time for
/// each. \throws Cancelled.
MorphKeys fit_keys(const VertexFrames& motion, double tolerance, const Progress& progress = {});

}  // namespace sinew::motion
