// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Point Cache 2 (.pc2), as Blender's Mesh Cache modifier, 3ds Max and Houdini read it. Little-endian throughout:
///
///     offset  0  12 bytes  "POINTCACHE2" and a zero
///            12  int32     version, 1
///            16  int32     points in a frame
///            20  float32   number of the first frame
///            24  float32   frames from one sample to the next, 1
///            28  int32     frames
///            32  float32   x, y, z of each point, frame after frame
///
/// The format has no rate: whoever plays it has to know the frames per second.

#include "sinew/io/caches/point_cache.h"
#include "sinew/io/file.h"

namespace sinew::io {

/// \pre `positions` has `points` for each frame. \throws Error if there are more points or frames than the header can
/// count.
Bytes write_pc2(const PointCache& cache);

/// The same piece by piece: the header, then the positions of each frame as they lie in memory.
Bytes pc2_header(Index points, std::size_t frames, double first_frame);

/// Reads a file. Times are frame numbers, as if there were one frame per second. \throws Error if it is not a Point
/// Cache 2 file or is cut short.
PointCache read_pc2(std::span<const std::byte> bytes);

}  // namespace sinew::io
