// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/voxel_runs.h"

#include "sinew/geometry/mesh/union_find.h"

namespace sinew::geometry {

VoxelRuns::VoxelRuns(const SolidVoxels& voxels, const std::array<std::uint8_t, 3>& kinds)
    : height(voxels.counts[1]), depth(voxels.counts[2]) {
  const Index width = voxels.counts[0];
  const std::size_t rows = std::size_t{height} * depth;
  first.reserve(rows + 1);
  for (std::size_t r = 0; r < rows; ++r) {
    first.push_back(static_cast<Index>(runs.size()));
    const VoxelClass* line = voxels.classes.data() + r * width;
    for (Index begin = 0, end = 0; begin < width; begin = end) {
      const std::uint8_t kind = kinds[static_cast<std::size_t>(line[begin])];
      for (end = begin + 1; end < width && kinds[static_cast<std::size_t>(line[end])] == kind;) ++end;
      if (kind != 0) runs.push_back({begin, end, kind});
    }
  }
  first.push_back(static_cast<Index>(runs.size()));
}

std::size_t count_solid_bodies(const SolidVoxels& voxels) {
  const VoxelRuns runs(voxels, {0, 1, 1});
  UnionFind sets(runs.runs.size());
  const auto join = [&](Index a, Index b) { sets.join(a, b); };
  for (Index z = 0; z < runs.depth; ++z)
    for (Index y = 0; y < runs.height; ++y) {
      const std::size_t row = runs.row(y, z);
      if (y > 0) runs.for_touching(row, runs.row(y - 1, z), true, join);
      if (z == 0) continue;
      for (Index other = y > 0 ? y - 1 : 0; other <= y + 1 && other < runs.height; ++other)
        runs.for_touching(row, runs.row(other, z - 1), true, join);
    }
  std::size_t count = 0;
  for (Index r = 0; r < runs.runs.size(); ++r) count += sets.find(r) == r ? 1 : 0;
  return count;
}

}  // namespace sinew::geometry
