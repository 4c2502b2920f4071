// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::geometry {

/// A piece of a curve between two named places: segments with a place in common are joined there.
struct CurveSegment {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  Vec2 start = Vec2::Zero();
  Vec2 end = Vec2::Zero();
};

/// A closed curve. The straight piece from `points[i]` to the next is a gap where `gap[i]` is set.
struct PlaneLoop {
  std::vector<Vec2> points;
  std::vector<char> gap;
};

/// Joins segments to closed curves. At a place, segments that run in are joined to such that run out, in order; those
/// left over are joined to each other. Chains that stay open turn the way most of their length runs and are then joined
/// at their nearest loose ends (each to itself when there are more than 1,024 of them), which are the gaps. n log n,
/// plus the square of the number of open chains.
std::vector<PlaneLoop> join_segments(const std::vector<CurveSegment>& segments);

}  // namespace sinew::geometry
