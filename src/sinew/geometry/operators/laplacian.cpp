// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// A vertex gathers what the triangles around it give to its row, sorted by the vertex at the other end and then by
// half-edge. Both rows of an edge thus add up the same numbers in the same order, and rows need no locks.

#include "sinew/geometry/operators/laplacian.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/triangle_surface.h"

namespace sinew::geometry {
namespace {

constexpr double kSteepestCotangent = 57.28996163075943;  // Of 1°.
constexpr double kLeastArea = 1e-12;                      // Of the longest side squared.

// What one triangle gives: half a cotangent for the edge from corner k to k+1, and a mass for corner k.
struct CotangentElement {
  std::array<double, 3> weight = {0, 0, 0};
  std::array<double, 3> mass = {0, 0, 0};
  bool degenerate = false;
  Index clamped = 0;
};

std::array<double, 3> corner_masses(double area, const std::array<double, 3>& squared,
                                    const std::array<double, 3>& cotangent, MassKind kind) {
  if (kind == MassKind::kBarycentric) return {area / 3, area / 3, area / 3};
  for (std::size_t k = 0; k < 3; ++k)
    if (cotangent[k] < 0) {
      std::array<double, 3> mass = {area / 4, area / 4, area / 4};
      mass[k] = area / 2;
      return mass;
    }
  std::array<double, 3> mass;
  for (std::size_t k = 0; k < 3; ++k)
    mass[k] = (squared[k] * cotangent[(k + 2) % 3] + squared[(k + 2) % 3] * cotangent[(k + 1) % 3]) / 8;
  return mass;
}

// By dot products. An area that is too small is raised, which scales the triangle's matrix down and so keeps it
// semidefinite: its entries are the edges' dot products over four areas.
CotangentElement element_of_points(const Vec3& a, const Vec3& b, const Vec3& c, MassKind kind, bool clamp) {
  CotangentElement element;
  const std::array<Vec3, 3> edge = {b - a, c - b, a - c};
  const double size = std::max({edge[0].stableNorm(), edge[1].stableNorm(), edge[2].stableNorm()});
  element.degenerate = true;
  if (!(size > 0)) return element;
  std::array<Vec3, 3> unit;
  std::array<double, 3> squared, cotangent;
  for (std::size_t k = 0; k < 3; ++k) unit[k] = edge[k] / size, squared[k] = unit[k].squaredNorm();
  const double twice = unit[0].cross(unit[1]).norm();
  element.degenerate = twice < 2 * kLeastArea;
  for (std::size_t k = 0; k < 3; ++k) cotangent[k] = -unit[k].dot(unit[(k + 2) % 3]) / std::max(twice, 2 * kLeastArea);
  element.mass = corner_masses(twice / 2, squared, cotangent, kind);
  for (double& m : element.mass) m = std::max(0.0, m * size * size);
  for (std::size_t k = 0; k < 3; ++k) {
    double cot = cotangent[(k + 2) % 3];
    if (clamp && std::abs(cot) > kSteepestCotangent) cot = std::copysign(kSteepestCotangent, cot), ++element.clamped;
    element.weight[k] = cot / 2;
  }
  return element;
}

CotangentElement element_of_lengths(const std::array<double, 3>& l, MassKind kind) {
  CotangentElement element;
  const std::array<double, 3> cotangent = cotangents(l);
  const double area = triangle_area(l[0], l[1], l[2]);
  const double longest = std::max({l[0], l[1], l[2]});
  element.degenerate = !(area > kLeastArea * longest * longest);
  element.mass = corner_masses(area, {l[0] * l[0], l[1] * l[1], l[2] * l[2]}, cotangent, kind);
  for (std::size_t k = 0; k < 3; ++k) {
    element.mass[k] = std::max(0.0, element.mass[k]);
    element.weight[k] = cotangent[(k + 2) % 3] / 2;
  }
  return element;
}

struct RowCell {
  Index column;
  Index half_edge;
  double value;
};

class LaplacianAssembly {
 public:
  LaplacianAssembly(Index vertex_count, std::span<const std::array<Index, 3>> triangles,
                    std::span<const CotangentElement> elements, bool clamp)
      : vertex_count_(vertex_count), triangles_(triangles), elements_(elements), clamp_(clamp) {
    offsets_.assign(vertex_count + std::size_t{1}, 0);
    for (const auto& t : triangles)
      for (const Index v : t) ++offsets_[v + std::size_t{1}];
    for (std::size_t v = 0; v < vertex_count; ++v) offsets_[v + 1] += offsets_[v];
    corners_.resize(3 * triangles.size());
    std::vector<Index> cursor(offsets_.begin(), offsets_.end() - 1);
    for (std::size_t c = 0; c < corners_.size(); ++c)
      corners_[cursor[triangles[c / 3][c % 3]]++] = static_cast<Index>(c);
  }

  Laplacian run() {
    Laplacian result;
    result.mass.resize(vertex_count_);
    SparseMatrix& a = result.stiffness;
    a.offsets.assign(vertex_count_ + std::size_t{1}, 0);
    // First into rows that are certainly long enough, then packed.
    std::vector<RowCell> cells(2 * corners_.size() + vertex_count_);
    std::vector<Index> clamped(vertex_count_, 0);
    parallel_for(
        vertex_count_,
        [&](std::size_t v) {
          const std::span<RowCell> row(cells.data() + 2 * std::size_t{offsets_[v]} + v,
                                       2 * std::size_t{offsets_[v + 1] - offsets_[v]} + 1);
          a.offsets[v + 1] = fill(static_cast<Index>(v), row, clamped[v]);
          for (Index i = offsets_[v]; i < offsets_[v + 1]; ++i)
            result.mass[v] += elements_[corners_[i] / 3].mass[corners_[i] % 3];
        },
        1024);
    for (std::size_t v = 0; v < vertex_count_; ++v) a.offsets[v + 1] += a.offsets[v];
    a.columns.resize(a.offsets.back());
    a.values.resize(a.offsets.back());
    parallel_for(vertex_count_, [&](std::size_t v) {
      const RowCell* cell = cells.data() + 2 * std::size_t{offsets_[v]} + v;
      for (Index k = a.offsets[v]; k < a.offsets[v + 1]; ++k, ++cell)
        a.columns[k] = cell->column, a.values[k] = cell->value;
    });
    for (const CotangentElement& e : elements_) result.degenerate += e.degenerate ? 1 : 0, result.clamped += e.clamped;
    for (const Index c : clamped) result.clamped += c;
    return result;
  }

 private:
  // Says how many cells the row has.
  Index fill(Index v, std::span<RowCell> row, Index& clamped) const {
    std::size_t count = 0;
    for (Index i = offsets_[v]; i < offsets_[v + 1]; ++i) {
      const Index t = corners_[i] / 3, k = corners_[i] % 3, before = (k + 2) % 3;
      row[count++] = {triangles_[t][(k + 1) % 3], 3 * t + k, elements_[t].weight[k]};
      row[count++] = {triangles_[t][before], 3 * t + before, elements_[t].weight[before]};
    }
    std::sort(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(count), [](const RowCell& p, const RowCell& q) {
      return p.column != q.column ? p.column < q.column : p.half_edge < q.half_edge;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (row[i].column == v) continue;  // From a vertex to itself: nothing changes along it.
      if (kept > 0 && row[kept - 1].column == row[i].column) row[kept - 1].value += row[i].value;
      else row[kept++] = row[i];
    }
    double sum = 0;
    for (std::size_t i = 0; i < kept; ++i) {
      if (clamp_ && row[i].value < 0) {
        row[i].value = 0;
        if (v < row[i].column) ++clamped;
      }
      sum += row[i].value;
      row[i].value = -row[i].value;
    }
    std::size_t place = kept;
    for (; place > 0 && row[place - 1].column > v; --place) row[place] = row[place - 1];
    row[place] = {v, kNone, sum};
    return static_cast<Index>(kept + 1);
  }

  Index vertex_count_;
  std::span<const std::array<Index, 3>> triangles_;
  std::span<const CotangentElement> elements_;
  bool clamp_;
  std::vector<Index> offsets_;
  std::vector<Index> corners_;
};

}  // namespace

Laplacian cotangent_laplacian(const IntrinsicTriangulation& t, MassKind mass) {
  std::vector<CotangentElement> elements(t.triangles.size());
  parallel_for(elements.size(), [&](std::size_t i) { elements[i] = element_of_lengths(t.lengths[i], mass); });
  Laplacian result = LaplacianAssembly(t.vertex_count, t.triangles, elements, false).run();
  result.degenerate += t.left_out;
  result.flips = t.flips;
  result.mollification = t.mollification;
  return result;
}

Laplacian cotangent_laplacian(std::span<const Vec3> positions, std::span<const std::array<Index, 3>> triangles,
                              const LaplacianOptions& options) {
  if (options.bad_triangles == BadTriangles::kIntrinsicDelaunay) {
    IntrinsicTriangulation t = intrinsic_triangulation(positions, triangles);
    make_delaunay(t);
    return cotangent_laplacian(t, options.mass);
  }
  const bool clamp = options.bad_triangles == BadTriangles::kClamp;
  std::vector<CotangentElement> elements(triangles.size());
  parallel_for(elements.size(), [&](std::size_t i) {
    const auto& v = triangles[i];
    elements[i] = element_of_points(positions[v[0]], positions[v[1]], positions[v[2]], options.mass, clamp);
  });
  return LaplacianAssembly(static_cast<Index>(positions.size()), triangles, elements, clamp).run();
}

Laplacian cotangent_laplacian(const Mesh& mesh, const LaplacianOptions& options) {
  const TriangleSurface surface = triangle_surface(mesh);
  return cotangent_laplacian(surface.positions, surface.triangles, options);
}

}  // namespace sinew::geometry
