// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/delaunay.h"

#include <Eigen/LU>
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "sinew/geometry/spatial/random.h"

namespace sinew::deform {
namespace {

using CellReal = long double;
using CellPoint = std::array<CellReal, 3>;

constexpr double kDisplaced = 1e-7;  // Of the size.
constexpr CellReal kFirstCell = 40;  // Sizes, from the middle to the corners of the first cell.
constexpr Index kWalkSteps = 1000;   // Of a walk, before all cells are looked at.
// Corners of the face across from each corner, counter-clockwise as seen from inside.
constexpr std::array<std::array<std::size_t, 3>, 4> kInnerFaces = {{{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}}};

CellPoint apart(const CellPoint& a, const CellPoint& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
CellReal squared_length(const CellPoint& a) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]; }
CellReal triple_product(const CellPoint& a, const CellPoint& b, const CellPoint& c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

class CellInserter {
 public:
  explicit CellInserter(std::span<const Vec3> points) : count_(static_cast<Index>(points.size())) {
    Box box;
    for (const Vec3& p : points) box.extend(p);
    const double size = std::max(box.diagonal(), 1e-300);
    geometry::Random dice(1);
    for (const Vec3& p : points) {
      const Vec3 unit = (p - box.center()) / size;
      CellPoint moved{};
      for (std::size_t k = 0; k < 3; ++k)
        moved[k] = static_cast<CellReal>(unit[static_cast<Eigen::Index>(k)] + kDisplaced * (dice.uniform() - 0.5));
      points_.push_back(moved);
    }
    for (const CellPoint& corner :
         {CellPoint{-1, -1, -1}, CellPoint{3, -1, -1}, CellPoint{-1, 3, -1}, CellPoint{-1, -1, 3}})
      points_.push_back({kFirstCell * corner[0], kFirstCell * corner[1], kFirstCell * corner[2]});
    add({count_, count_ + 1, count_ + 2, count_ + 3}, {kNone, kNone, kNone, kNone});
  }

  DelaunayCells run() {
    std::vector<Index> order(count_);
    std::iota(order.begin(), order.end(), 0);
    geometry::Random dice(2);
    for (Index i = count_; i > 1; --i) std::swap(order[i - 1], order[dice.below(i)]);
    for (const Index p : order)
      if (!insert(p)) return {};
    return result();
  }

 private:
  struct Cell {
    std::array<Index, 4> corners, beyond;
    bool used = true;
  };

  Index add(const std::array<Index, 4>& corners, const std::array<Index, 4>& beyond) {
    cells_.push_back({corners, beyond});
    mark_.push_back(0);
    return static_cast<Index>(cells_.size() - 1);
  }

  // Above 0 if `p` is on the inner side of a face that is counter-clockwise as seen from inside.
  CellReal inner(Index a, Index b, Index c, Index p) const {
    return -triple_product(apart(points_[a], points_[p]), apart(points_[b], points_[p]), apart(points_[c], points_[p]));
  }

  bool in_ball(const Cell& cell, Index p) const {
    std::array<CellPoint, 4> d;
    std::array<CellReal, 4> s;
    for (std::size_t k = 0; k < 4; ++k) d[k] = apart(points_[cell.corners[k]], points_[p]), s[k] = squared_length(d[k]);
    // The determinant of rows (d, s), along its last column.
    const CellReal value = -s[0] * triple_product(d[1], d[2], d[3]) + s[1] * triple_product(d[0], d[2], d[3]) -
                           s[2] * triple_product(d[0], d[1], d[3]) + s[3] * triple_product(d[0], d[1], d[2]);
    return value < 0;
  }

  bool contains(const Cell& cell, Index p) const {
    return std::all_of(kInnerFaces.begin(), kInnerFaces.end(), [&](const auto& f) {
      return inner(cell.corners[f[0]], cell.corners[f[1]], cell.corners[f[2]], p) >= 0;
    });
  }

  // A cell whose ball contains the point.
  Index find(Index p) const {
    Index at = last_;
    for (Index step = 0; step < kWalkSteps; ++step) {
      const Cell& cell = cells_[at];
      Index next = kNone;
      for (std::size_t k = 0; k < 4 && next == kNone; ++k) {
        const auto& f = kInnerFaces[(k + step) % 4];
        if (inner(cell.corners[f[0]], cell.corners[f[1]], cell.corners[f[2]], p) < 0)
          next = cell.beyond[(k + step) % 4];
      }
      if (next == kNone) return contains(cell, p) ? at : kNone;
      at = next;
    }
    for (Index c = 0; c < cells_.size(); ++c)
      if (cells_[c].used && contains(cells_[c], p)) return c;
    return kNone;
  }

  // Replaces the cells whose balls contain the point by cells between it and their outer faces.
  bool insert(Index p) {
    const Index start = find(p);
    if (start == kNone) return false;
    std::vector<Index> cavity = {start};
    const Index mark = ++marks_;
    mark_[start] = mark;
    struct Face {
      std::array<Index, 3> corners;
      Index beyond;
    };
    std::vector<Face> border;
    for (std::size_t i = 0; i < cavity.size(); ++i) {
      const Cell cell = cells_[cavity[i]];
      for (std::size_t k = 0; k < 4; ++k) {
        const Index other = cell.beyond[k];
        if (other != kNone && mark_[other] == mark) continue;
        if (other != kNone && in_ball(cells_[other], p)) {
          mark_[other] = mark;
          cavity.push_back(other);
          continue;
        }
        const auto& f = kInnerFaces[k];
        border.push_back({{cell.corners[f[0]], cell.corners[f[1]], cell.corners[f[2]]}, other});
      }
    }
    for (const Face& face : border)
      if (!(inner(face.corners[0], face.corners[1], face.corners[2], p) > 0)) return false;
    for (const Index c : cavity) cells_[c].used = false;
    std::map<std::pair<Index, Index>, std::pair<Index, std::size_t>>
        open;  // Edges of the border: cell, and its corner.
    for (const Face& face : border) {
      const auto& [a, b, c] = face.corners;
      // Its face across from the point is (a, b, c) again.
      const Index made = add({a, b, c, p}, {kNone, kNone, kNone, face.beyond});
      if (face.beyond != kNone)
        for (std::size_t k = 0; k < 4; ++k) {
          const auto& corners = cells_[face.beyond].corners;
          if (corners[k] != a && corners[k] != b && corners[k] != c) cells_[face.beyond].beyond[k] = made;
        }
      for (std::size_t k = 0; k < 3; ++k) {
        const std::pair<Index, Index> edge =
            std::minmax(cells_[made].corners[(k + 1) % 3], cells_[made].corners[(k + 2) % 3]);
        const auto found = open.find(edge);
        if (found == open.end()) {
          open[edge] = {made, k};
          continue;
        }
        cells_[made].beyond[k] = found->second.first;
        cells_[found->second.first].beyond[found->second.second] = made;
      }
      last_ = made;
    }
    return true;
  }

  DelaunayCells result() const {
    DelaunayCells all;
    std::vector<Index> number(cells_.size(), kNone);
    const auto whole = [&](const Cell& cell) {
      return cell.used && std::all_of(cell.corners.begin(), cell.corners.end(), [&](Index v) { return v < count_; });
    };
    for (Index c = 0; c < cells_.size(); ++c)
      if (whole(cells_[c])) number[c] = static_cast<Index>(all.cells.size()), all.cells.push_back(cells_[c].corners);
    for (Index c = 0; c < cells_.size(); ++c) {
      if (number[c] == kNone) continue;
      std::array<Index, 4> beyond{};
      for (std::size_t k = 0; k < 4; ++k)
        beyond[k] = cells_[c].beyond[k] == kNone ? kNone : number[cells_[c].beyond[k]];
      all.beyond.push_back(beyond);
    }
    return all;
  }

  Index count_;
  std::vector<CellPoint> points_;
  std::vector<Cell> cells_;
  std::vector<Index> mark_;
  Index marks_ = 0, last_ = 0;
};

}  // namespace

Vec3 DelaunayCells::center(std::span<const Vec3> points, const std::array<Index, 4>& cell) {
  Mat3 rows;
  Vec3 right;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const Vec3 d = points[cell[static_cast<std::size_t>(k) + 1]] - points[cell[0]];
    rows.row(k) = 2 * d.transpose();
    right[k] = d.squaredNorm();
  }
  return points[cell[0]] + rows.partialPivLu().solve(right);
}

DelaunayCells delaunay_cells(std::span<const Vec3> points) {
  if (points.size() < 4) return {};
  return CellInserter(points).run();
}

}  // namespace sinew::deform
