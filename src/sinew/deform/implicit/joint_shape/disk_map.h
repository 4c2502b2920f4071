// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/math.h"

namespace sinew::deform {

/// A triangulated disk in space, flattened to the unit disk in the plane.
class DiskMap {
 public:
  /// The first `border` points are the border of the disk, counter-clockwise. They go to the unit circle by their
  /// distances along it, and every other point to the mean of its neighbours, so that no triangle is turned over: W. T.
  /// Tutte, "How to draw a graph", 1963. A sparse solve.
  DiskMap(std::vector<Vec3> points, std::size_t border, std::vector<std::array<Index, 3>> triangles);

  bool ok() const { return !plane_.empty(); }
  /// Where the points of the disk are in the plane.
  const std::vector<Vec2>& plane() const { return plane_; }
  /// The place of the nearest point of the disk. Linear in the triangles.
  Vec2 place(const Vec3& p) const;

 private:
  std::vector<Vec3> points_;
  std::vector<std::array<Index, 3>> triangles_;
  std::vector<Vec2> plane_;
};

}  // namespace sinew::deform
