// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/distance_field.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/copies.h"
#include "sinew/geometry/mesh/facing.h"
#include "sinew/geometry/spatial/fast_winding.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::geometry {
namespace {

// What a field is made from.
struct SignedSurface {
  std::vector<TriangleVertices> triangles;
  Box box;
  std::vector<TriangleVertices> once;
  RayScene scene;
  FastWinding winding;

  explicit SignedSurface(const Mesh& mesh)
      : triangles(checked(mesh)),
        box(bounds({mesh.positions, triangles})),
        once(without_copies(mesh, triangles)),
        scene(TriangleSoup{mesh.positions, once}) {
    // Of a body that is there hundreds of times, one is as good for what is inside.
    const TriangleSoup soup{mesh.positions, kManyCopies * once.size() <= triangles.size() ? once : triangles};
    winding = FastWinding(soup, solid_facing(soup).signs);
  }

  static std::vector<TriangleVertices> checked(const Mesh& mesh) {
    std::vector<TriangleVertices> triangles = triangle_vertices(mesh);
    require_solid_input({mesh.positions, triangles}, "a distance field");
    return triangles;
  }

  // One of all triangles at the very same place: they are equally far, and every search would visit them all.
  static std::vector<TriangleVertices> without_copies(const Mesh& mesh, std::vector<TriangleVertices> triangles) {
    const std::vector<Index> first = first_copies(mesh.positions, triangles);
    std::size_t kept = 0;
    for (std::size_t t = 0; t < triangles.size(); ++t)
      if (first[t] == t) triangles[kept++] = triangles[t];
    triangles.resize(kept);
    return triangles;
  }

  // The distance up to `reach`; beyond it `reach`.
  double distance(const Vec3& p, double reach) const { return std::min(scene.closest_point(p, reach).distance, reach); }
  bool inside(const Vec3& p) const { return winding.at(p) > 0.5; }
};

struct FieldGrid {
  Vec3 origin = Vec3::Zero();
  double cell = 0;
  std::array<Index, 3> samples = {0, 0, 0};

  std::size_t size() const { return std::size_t{samples[0]} * samples[1] * samples[2]; }
  Vec3 at(std::size_t x, std::size_t y, std::size_t z) const {
    return origin + cell * Vec3(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
  }
};

// Centred on the box, so that a symmetric mesh has a symmetric field.
FieldGrid make_grid(const Box& box, const DistanceFieldOptions& options, Index multiple) {
  const double longest = box.extent().maxCoeff();
  FieldGrid grid;
  grid.cell = (longest > 0 ? longest : 1) / std::max(options.cells, 1);
  double total = 1;
  for (int k = 0; k < 3; ++k) {
    const double cells = std::ceil(box.extent()[k] / grid.cell - 1e-9) + 2 * std::ceil(options.padding);
    const double samples = std::ceil((cells + 1) / multiple) * multiple;
    total *= samples;
    if (!(total < 2147483648.0))
      throw Error("The distance field would have more than 2^31 samples. Use fewer cells or less padding.");
    grid.samples[static_cast<std::size_t>(k)] = static_cast<Index>(samples);
    grid.origin[k] = box.center()[k] - 0.5 * grid.cell * (samples - 1);
  }
  return grid;
}

// A soup of 1,000 large triangles takes 10 µs a sample, which were minutes for a field of 165 cells along its side.
constexpr double kMostWork = 4e8;

// The triangles that a winding number takes one by one, because the sample is within two of their radii: on average,
// from up to 2,000 of them at 216 places.
double near_triangles(const SignedSurface& surface, const std::vector<Vec3>& positions) {
  constexpr int kPlaces = 6;
  const std::size_t count = surface.once.size(), step = 1 + count / 2000;
  std::size_t near = 0, looked_at = 0;
  for (std::size_t t = 0; t < count; t += step, ++looked_at) {
    const auto& [a, b, c] = surface.once[t];
    const Vec3 center = (positions[a] + positions[b] + positions[c]) / 3;
    const double radius2 = std::max({(positions[a] - center).squaredNorm(), (positions[b] - center).squaredNorm(),
                                     (positions[c] - center).squaredNorm()});
    for (int i = 0; i < kPlaces * kPlaces * kPlaces; ++i) {
      const Vec3 at = Vec3(i % kPlaces + 0.5, i / kPlaces % kPlaces + 0.5, i / (kPlaces * kPlaces) + 0.5) / kPlaces;
      const Vec3 place = surface.box.lower + at.cwiseProduct(surface.box.extent());
      if ((place - center).squaredNorm() < FastWinding::kDefaultBeta * FastWinding::kDefaultBeta * radius2) ++near;
    }
  }
  return static_cast<double>(near) * static_cast<double>(count) /
         (static_cast<double>(std::max<std::size_t>(looked_at, 1)) * kPlaces * kPlaces * kPlaces);
}

// The options with so few cells that the work is bounded, if so many samples are too much.
std::optional<DistanceFieldOptions> with_larger_cells(double near, const DistanceFieldOptions& options,
                                                      std::size_t samples) {
  constexpr int kLeastCells = 8;
  const double excess = static_cast<double>(samples) * near / kMostWork;
  if (excess <= 1 || options.cells <= kLeastCells) return std::nullopt;
  DistanceFieldOptions fewer = options;
  fewer.cells = std::max(kLeastCells, static_cast<int>(options.cells / std::cbrt(1.1 * excess)));
  return fewer;
}

// A row of samples. The distance changes by no more than the step, which bounds the next search.
void fill_row(const SignedSurface& surface, const FieldGrid& grid, double reach, std::size_t y, std::size_t z,
              float* row) {
  double bound = reach;
  for (std::size_t x = 0; x < grid.samples[0]; ++x) {
    const Vec3 p = grid.at(x, y, z);
    const double distance = surface.distance(p, std::min(reach, bound));
    row[x] = static_cast<float>(surface.inside(p) ? -distance : distance);
    bound = distance + grid.cell * (1 + 1e-9);
  }
}

// Whether a block is kept, and its sign if not.
Index classify_block(const SignedSurface& surface, const SparseDistanceField& field, std::size_t block) {
  const Index bx = field.samples[0] / SparseDistanceField::kBlock, by = field.samples[1] / SparseDistanceField::kBlock;
  const double half = 0.5 * (SparseDistanceField::kBlock - 1) * field.cell;
  const Vec3 corner(static_cast<double>(block % bx), static_cast<double>(block / bx % by),
                    static_cast<double>(block / bx / by));
  const Vec3 center = field.origin + field.cell * SparseDistanceField::kBlock * corner + Vec3::Constant(half);
  const double reach = std::sqrt(3.0) * half + field.band;
  if (surface.scene.closest_point(center, reach)) return 0;
  return surface.inside(center) ? SparseDistanceField::kInside : SparseDistanceField::kOutside;
}

// The grid, and the blocks that need values.
std::vector<std::size_t> lay_blocks(const SignedSurface& surface, const DistanceFieldOptions& options,
                                    SparseDistanceField& field) {
  const FieldGrid grid = make_grid(surface.box, options, SparseDistanceField::kBlock);
  field.origin = grid.origin;
  field.cell = grid.cell;
  field.band = (options.band > 0 ? options.band : 3) * grid.cell;
  field.samples = grid.samples;
  field.blocks.resize(grid.size() / 512);
  parallel_for(
      field.blocks.size(), [&](std::size_t i) { field.blocks[i] = classify_block(surface, field, i); }, 64);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < field.blocks.size(); ++i)
    if (field.blocks[i] < SparseDistanceField::kInside) kept.push_back(i);
  return kept;
}

void fill_block(const SignedSurface& surface, const SparseDistanceField& field, std::size_t block, float* values) {
  const Index bx = field.samples[0] / SparseDistanceField::kBlock, by = field.samples[1] / SparseDistanceField::kBlock;
  const std::array<std::size_t, 3> first = {block % bx * 8, block / bx % by * 8, block / bx / by * 8};
  for (std::size_t i = 0; i < 512; ++i) {
    const Vec3 p = field.origin + field.cell * Vec3(static_cast<double>(first[0] + i % 8),
                                                    static_cast<double>(first[1] + i / 8 % 8),
                                                    static_cast<double>(first[2] + i / 64));
    const double distance = surface.distance(p, field.band);
    values[i] = static_cast<float>(surface.inside(p) ? -distance : distance);
  }
}

// Drops blocks that hold nothing but the cut-off value: the first look at a block takes the ball around it.
void drop_uniform_blocks(SparseDistanceField& field, const std::vector<std::size_t>& kept) {
  const auto cut = static_cast<float>(field.band);
  Index count = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    float* const values = field.values.data() + 512 * i;
    const float first = values[0];
    if (std::abs(first) == cut && std::all_of(values, values + 512, [first](float v) { return v == first; })) {
      field.blocks[kept[i]] = first < 0 ? SparseDistanceField::kInside : SparseDistanceField::kOutside;
      continue;
    }
    std::copy(values, values + 512, field.values.data() + std::size_t{512} * count);
    field.blocks[kept[i]] = count++;
  }
  field.values.resize(std::size_t{512} * count);
  field.values.shrink_to_fit();
}

float value_at(const DistanceField& field, Index x, Index y, Index z) {
  return field.values[(std::size_t{z} * field.samples[1] + y) * field.samples[0] + x];
}
float value_at(const SparseDistanceField& field, Index x, Index y, Index z) { return field.value(x, y, z); }

template <class AnyField>
double interpolate(const AnyField& field, const Vec3& point) {
  std::array<Index, 3> low, high;
  std::array<double, 3> weight;
  double outside2 = 0;
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double last = static_cast<double>(field.samples[i] - 1), wanted = (point[k] - field.origin[k]) / field.cell;
    const double position = std::clamp(wanted, 0.0, last);
    outside2 += (wanted - position) * (wanted - position);
    low[i] = std::min(static_cast<Index>(position), field.samples[i] > 1 ? field.samples[i] - 2 : 0);
    high[i] = std::min(low[i] + 1, field.samples[i] - 1);
    weight[i] = position - low[i];
  }
  const auto along_x = [&](Index y, Index z) {
    const double a = value_at(field, low[0], y, z), b = value_at(field, high[0], y, z);
    return a + weight[0] * (b - a);
  };
  const auto along_y = [&](Index z) {
    const double a = along_x(low[1], z), b = along_x(high[1], z);
    return a + weight[1] * (b - a);
  };
  const double a = along_y(low[2]), b = along_y(high[2]);
  return a + weight[2] * (b - a) + std::sqrt(outside2) * field.cell;
}

template <class AnyField>
Vec3 central_differences(const AnyField& field, const Vec3& point) {
  Vec3 result;
  for (int k = 0; k < 3; ++k) {
    const Vec3 step = 0.5 * field.cell * Vec3::Unit(k);
    result[k] = (interpolate(field, point + step) - interpolate(field, point - step)) / field.cell;
  }
  return result;
}

}  // namespace

DistanceField distance_field(const Mesh& mesh, const DistanceFieldOptions& options, const Progress& progress) {
  progress.step("distance field", 0);
  const SignedSurface surface(mesh);
  const double near = near_triangles(surface, mesh.positions);
  FieldGrid grid = make_grid(surface.box, options, 1);
  if (const auto fewer = with_larger_cells(near, options, grid.size())) grid = make_grid(surface.box, *fewer, 1);
  DistanceField field{grid.origin, grid.cell, grid.samples, {}};
  field.values.resize(grid.size());
  const double reach = options.band > 0 ? options.band * grid.cell : std::numeric_limits<double>::infinity();
  const std::size_t rows = std::size_t{grid.samples[1]} * grid.samples[2];
  parallel_for(
      rows,
      [&](std::size_t row) {
        progress.check();
        fill_row(surface, grid, reach, row % grid.samples[1], row / grid.samples[1],
                 field.values.data() + row * grid.samples[0]);
      },
      4);
  progress.step("distance field", 1);
  return field;
}

SparseDistanceField sparse_distance_field(const Mesh& mesh, const DistanceFieldOptions& options,
                                          const Progress& progress) {
  progress.step("distance field", 0);
  const SignedSurface surface(mesh);
  const double near = near_triangles(surface, mesh.positions);
  SparseDistanceField field;
  std::vector<std::size_t> kept = lay_blocks(surface, options, field);
  for (auto fewer = with_larger_cells(near, options, 512 * kept.size()); fewer;
       fewer = with_larger_cells(near, *fewer, 512 * kept.size()))
    kept = lay_blocks(surface, *fewer, field);
  progress.step("distance field", 0.2);
  field.values.resize(512 * kept.size());
  parallel_for(
      kept.size(),
      [&](std::size_t i) {
        progress.check();
        fill_block(surface, field, kept[i], field.values.data() + 512 * i);
      },
      1);
  drop_uniform_blocks(field, kept);
  progress.step("distance field", 1);
  return field;
}

double sample(const DistanceField& field, const Vec3& point) { return interpolate(field, point); }
double sample(const SparseDistanceField& field, const Vec3& point) { return interpolate(field, point); }
Vec3 gradient(const DistanceField& field, const Vec3& point) { return central_differences(field, point); }
Vec3 gradient(const SparseDistanceField& field, const Vec3& point) { return central_differences(field, point); }

}  // namespace sinew::geometry
