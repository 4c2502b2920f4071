// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/surface/cage.h"

#include <algorithm>
#include <cassert>

namespace sinew::shapes {

Mix blended(const Mix& a, const Mix& b, double t) {
  Mix out;
  const auto add_all = [&](const Mix& mix, double scale) {
    for (const auto& [joint, share] : mix) {
      if (scale * share == 0) continue;
      const auto same =
          std::find_if(out.begin(), out.end(), [j = joint](const auto& entry) { return entry.first == j; });
      if (same == out.end()) out.emplace_back(joint, scale * share);
      else same->second += scale * share;
    }
  };
  add_all(a, 1 - t);
  add_all(b, t);
  return out;
}

Index Cage::add(const Vec3& position, Mix mix) {
  positions_.push_back(position);
  mixes_.push_back(std::move(mix));
  return static_cast<Index>(positions_.size() - 1);
}

void Cage::add_quad(const std::array<Index, 4>& quad, bool flip) {
  if (flip) quads_.push_back({quad[3], quad[2], quad[1], quad[0]});
  else quads_.push_back(quad);
}

void Cage::bridge(const Loop& inner, const Loop& outer, bool flip) { wall({inner, outer}, flip); }

void Cage::wall(const std::vector<Loop>& rings, bool flip, const std::function<bool(Index, Index)>& open) {
  for (Index row = 0; row + 1 < rings.size(); ++row) {
    const Loop& near = rings[row];
    const Loop& far = rings[row + 1];
    assert(near.size() == far.size());
    const auto n = static_cast<Index>(near.size());
    for (Index column = 0; column < n; ++column) {
      if (open && open(row, column)) continue;
      const Index next = (column + 1) % n;
      add_quad({near[column], near[next], far[next], far[column]}, flip);
    }
  }
}

Loop Cage::hole(const std::vector<Loop>& rings, Index row0, Index row1, int column0, int column1) {
  const int n = static_cast<int>(rings[row0].size());
  const auto at = [&](Index row, int column) { return rings[row][static_cast<std::size_t>((column % n + n) % n)]; };
  const int step = column1 > column0 ? 1 : -1;
  Loop loop;
  for (int column = column0; column != column1; column += step) loop.push_back(at(row0, column));
  for (Index row = row0; row < row1; ++row) loop.push_back(at(row, column1));
  for (int column = column1; column != column0; column -= step) loop.push_back(at(row1, column));
  for (Index row = row1; row > row0; --row) loop.push_back(at(row, column0));
  return loop;
}

std::vector<Index> Cage::close(const Loop& loop, Index columns, const Vec3& bulge, bool flip,
                               const std::function<bool(Index, Index)>& open) {
  const auto n = static_cast<Index>(loop.size());
  assert(n % 2 == 0 && n / 2 > columns);
  const Index rows = n / 2 - columns;
  const Index width = columns + 1;
  std::vector<Index> grid(static_cast<std::size_t>(width) * (rows + 1), kNone);
  for (Index c = 0; c < columns; ++c) grid[c] = loop[c];
  for (Index r = 0; r < rows; ++r) grid[r * width + columns] = loop[columns + r];
  for (Index c = 0; c < columns; ++c) grid[rows * width + columns - c] = loop[columns + rows + c];
  for (Index r = 0; r < rows; ++r) grid[(rows - r) * width] = loop[2 * columns + rows + r];
  for (Index r = 1; r < rows; ++r) {
    for (Index c = 1; c < columns; ++c) {
      // The mean of both ways across (Coons), pushed out in the middle.
      const double u = static_cast<double>(c) / columns;
      const double v = static_cast<double>(r) / rows;
      const Index left = grid[r * width];
      const Index right = grid[r * width + columns];
      const Index low = grid[c];
      const Index high = grid[rows * width + c];
      const Vec3 across = (1 - u) * positions_[left] + u * positions_[right];
      const Vec3 along = (1 - v) * positions_[low] + v * positions_[high];
      const Mix mix = blended(blended(mixes_[left], mixes_[right], u), blended(mixes_[low], mixes_[high], v), 0.5);
      grid[r * width + c] = add(0.5 * (across + along) + 16 * u * (1 - u) * v * (1 - v) * bulge, mix);
    }
  }
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) {
      if (open && open(r, c)) continue;
      const Index i = r * width + c;
      add_quad({grid[i], grid[i + 1], grid[i + width + 1], grid[i + width]}, flip);
    }
  }
  return grid;
}

void Cage::drop_unused() {
  std::vector<Index> renumbered(positions_.size(), kNone);
  for (const std::array<Index, 4>& quad : quads_)
    for (const Index v : quad) renumbered[v] = 0;
  Index count = 0;
  for (std::size_t v = 0; v < renumbered.size(); ++v) {
    if (renumbered[v] == kNone) continue;
    positions_[count] = positions_[v];
    if (count != v) mixes_[count] = std::move(mixes_[v]);
    renumbered[v] = count++;
  }
  positions_.resize(count);
  mixes_.resize(count);
  for (std::array<Index, 4>& quad : quads_)
    for (Index& v : quad) v = renumbered[v];
}

}  // namespace sinew::shapes
