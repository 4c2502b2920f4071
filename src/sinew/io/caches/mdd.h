// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// LightWave's Motion Designer cache (.mdd), as LightWave, Blender, Houdini and Modo read it. Big-endian throughout:
///
///     offset  0  int32    frames
///             4  int32    points in a frame
///             8  float32  time of each frame in seconds
///             …  float32  x, y, z of each point, frame after frame

#include "sinew/io/caches/point_cache.h"
#include "sinew/io/file.h"

namespace sinew::io {

/// \pre `positions` has `points` for each frame. \throws Error if there are more points or frames than the header can
/// count.
Bytes write_mdd(const PointCache& cache);

/// The same piece by piece: header and times, then each frame.
Bytes mdd_header(Index points, std::span<const float> times_s);
Bytes mdd_frame(std::span<const Vec3f> positions);

/// Reads a file; the first frame is number 0. \throws Error if the file is cut short or has no frames or points.
PointCache read_mdd(std::span<const std::byte> bytes);

}  // namespace sinew::io
