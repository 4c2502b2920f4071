// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/surface/melted_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/shapes/random.h"

namespace sinew::shapes {
namespace {

/// Walks over the samples of a field.
struct SampleGrid {
  std::array<Index, 3> n{};
  Vec3 origin = Vec3::Zero();
  double cell = 0;

  explicit SampleGrid(const DistanceField& field) : n(field.samples), origin(field.origin), cell(field.cell) {}
  std::size_t at(Index x, Index y, Index z) const { return (static_cast<std::size_t>(z) * n[1] + y) * n[0] + x; }
  std::array<Index, 3> coordinates(std::size_t i) const {
    return {static_cast<Index>(i % n[0]), static_cast<Index>(i / n[0] % n[1]), static_cast<Index>(i / n[0] / n[1])};
  }
  Vec3 place(std::size_t i) const {
    const std::array<Index, 3> c = coordinates(i);
    return origin + cell * Vec3(c[0], c[1], c[2]);
  }
};

/// Signed distances, exact as far as the closing looks.
DistanceField plain_field(const Mesh& mesh, const MeltOptions& options, const Progress& progress) {
  const double longest = mesh.bounds().extent().maxCoeff();
  const double cells = std::ceil(longest / options.cell);
  if (cells > 1024)
    throw Error(
        "This many vertices would require too fine a grid to remesh this character. Request fewer with the option "
        "'vertices'.");
  geometry::DistanceFieldOptions plain;
  plain.cells = std::max(4, static_cast<int>(cells));
  const double cell = longest / plain.cells;
  plain.band = options.gap / cell + 2;
  plain.padding = std::ceil(options.room / cell + plain.band) + 2;
  // Sparse, because most of the room is far from the surface; then dense, because what follows looks at neighbours.
  const geometry::SparseDistanceField sparse = geometry::sparse_distance_field(mesh, plain, progress);
  DistanceField field{sparse.origin, sparse.cell, sparse.samples, {}};
  const std::size_t rows = static_cast<std::size_t>(sparse.samples[1]) * sparse.samples[2];
  field.values.resize(rows * sparse.samples[0]);
  parallel_for(
      rows,
      [&](std::size_t row) {
        const auto y = static_cast<Index>(row % sparse.samples[1]);
        const auto z = static_cast<Index>(row / sparse.samples[1]);
        for (Index x = 0; x < sparse.samples[0]; ++x) field.values[row * sparse.samples[0] + x] = sparse.value(x, y, z);
      },
      64);
  return field;
}

/// The closing: a point is outside if a ball of radius `gap` that holds it fits outside. The balls' centres are where
/// the distance d is at least `gap`, and sample q stands for all centres within d(q) − gap of it. The result is gap
/// minus the distance to the nearest centre: d itself where no gap is near.
std::vector<float> closed_by_ball(const SampleGrid& grid, const std::vector<float>& distance, double gap) {
  const int reach = static_cast<int>(std::ceil(gap / grid.cell)) + 2;
  std::vector<std::pair<std::array<int, 3>, double>> offsets;
  for (int z = -reach; z <= reach; ++z)
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x) {
        const double length = grid.cell * Vec3(x, y, z).norm();
        if (length <= gap + 2 * grid.cell) offsets.push_back({{x, y, z}, length});
      }
  std::vector<float> result = distance;
  parallel_for(
      result.size(),
      [&](std::size_t i) {
        // Deep inside nothing changes, and outside beyond the radius there is a ball.
        if (distance[i] <= static_cast<float>(-2 * grid.cell) || distance[i] >= static_cast<float>(gap)) return;
        const std::array<Index, 3> c = grid.coordinates(i);
        double nearest = gap + 2 * grid.cell;
        for (const auto& [step, length] : offsets) {
          std::array<Index, 3> q{};
          bool in_grid = true;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            q[axis] = c[axis] + static_cast<Index>(step[axis]);  // Wraps round below 0 and is then too large.
            in_grid = in_grid && q[axis] < grid.n[axis];
          }
          if (!in_grid) continue;
          const double beyond = static_cast<double>(distance[grid.at(q[0], q[1], q[2])]) - gap;
          if (beyond >= 0) nearest = std::min(nearest, length - beyond);
        }
        result[i] = std::min(distance[i], static_cast<float>(gap - nearest));
      },
      4096);
  return result;
}

/// Smooth noise in [−1, 1]: random values on a lattice, interpolated.
double value_noise(const Vec3& p, std::uint64_t seed) {
  const Vec3 base = p.array().floor();
  Vec3 t = p - base;
  for (double& x : t) x = x * x * (3 - 2 * x);
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    std::uint64_t key = 0;
    double weight = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const int side = (corner >> axis) & 1;
      const auto lattice = static_cast<std::int64_t>(base[axis]) + side;
      key = key * 0x100003 + static_cast<std::uint64_t>(lattice + (std::int64_t{1} << 20));
      weight *= side ? t[axis] : 1 - t[axis];
    }
    sum += weight * (2 * geometry::Random(seed, key).uniform() - 1);
  }
  return sum;
}

void add_noise(const SampleGrid& grid, std::uint64_t seed, std::vector<float>& values) {
  const auto band = static_cast<float>(2 * grid.cell);
  parallel_for(
      values.size(),
      [&](std::size_t i) {
        if (std::abs(values[i]) > band) return;
        const Vec3 p = (grid.place(i) - grid.origin) / grid.cell;
        const double noise = 0.35 * value_noise(p / 11, seed) + 0.22 * value_noise(p / 3.7, seed + 1) +
                             0.05 * (2 * geometry::Random(seed + 2, i).uniform() - 1);
        values[i] += static_cast<float>(grid.cell * noise);
      },
      4096);
}

}  // namespace

DistanceField melted_field(const Mesh& mesh, const MeltOptions& options, const Progress& progress) {
  DistanceField field = plain_field(mesh, options, progress);
  const SampleGrid grid(field);
  progress.check();
  field.values = closed_by_ball(grid, field.values, options.gap);
  progress.check();
  add_noise(grid, options.seed, field.values);
  return field;
}

}  // namespace sinew::shapes
