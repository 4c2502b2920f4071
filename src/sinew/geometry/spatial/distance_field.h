// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/core/volume.h"

namespace sinew::geometry {

struct DistanceFieldOptions {
  int cells = 64;      ///< More: finer, and time and memory grow with the cube (the square for a sparse field).
  double padding = 3;  ///< Needed where the field is sampled outside the mesh; beyond it values are estimates.
  double band = 0;     ///< A narrow band saves most of the time when only the neighbourhood of the surface matters.

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("cells", "Number of cells of the distance field along the longest side of the mesh.").range(4, 1024),
      self.cells);
    v(Field("padding", "Margin around the mesh, in cells.").range(1, 256), self.padding);
    v(Field("band", "Clamp distances to this number of cells; 0 keeps all distances (a sparse field then uses 3).")
          .range(0, 1024),
      self.band);
  }
};

/// Signed distances to a mesh on a regular grid, negative inside.
///
/// The distance is that to the nearest triangle, exact in double precision. The sign is the generalised winding number
/// (`FastWinding`) of the triangles, oriented by `solid_facing`: inside is where it exceeds one half. So
/// overlapping, nested, self-intersecting and open shells are solid together; a flipped shell is as solid as any other.
/// Where a hole is open, the sign changes across its mouth though no surface is near, and the field jumps there.
///
/// Samples times log(triangles); on all threads, the same bits for any number of them. Where triangles lie in one
/// another by the hundred and log(triangles) does not hold, the cells become larger than requested, so that winding
/// numbers take about 4 s at most. `band` cuts values to ± band
/// cells. \pre the mesh is valid. \throws Error for a mesh without faces or with positions that are not finite, or a
/// grid beyond 2^31 samples; Cancelled.
DistanceField distance_field(const Mesh& mesh, const DistanceFieldOptions& options = {}, const Progress& progress = {});

/// The same in blocks of 8³ samples, kept only where the surface is nearer than the band (3 cells when the options
/// have 0). Elsewhere one sign per block: its samples count as ± the band.
struct SparseDistanceField {
  static constexpr Index kBlock = 8;  ///< Samples along a block's side.

  Vec3 origin = Vec3::Zero();                ///< Of the sample (0, 0, 0).
  double cell = 0;                           ///< Edge length.
  double band = 0;                           ///< In metres.
  std::array<Index, 3> samples = {0, 0, 0};  ///< Multiples of kBlock.
  std::vector<Index> blocks;                 ///< Per block, x fastest: its number in `values`, or one of the two below.
  std::vector<float> values;                 ///< 512 per kept block, x fastest.

  static constexpr Index kOutside = kNone;
  static constexpr Index kInside = kNone - 1;

  /// At a sample. \pre inside the grid.
  float value(Index x, Index y, Index z) const {
    const Index bx = samples[0] / kBlock, by = samples[1] / kBlock;
    const Index block = blocks[(std::size_t{z / kBlock} * by + y / kBlock) * bx + x / kBlock];
    if (block >= kInside) return static_cast<float>(block == kInside ? -band : band);
    return values[std::size_t{block} * 512 + ((z % kBlock) * kBlock + y % kBlock) * kBlock + x % kBlock];
  }
};

/// Memory and time grow with the surface, but for one look at each block.
SparseDistanceField sparse_distance_field(const Mesh& mesh, const DistanceFieldOptions& options = {},
                                          const Progress& progress = {});

/// The field between its samples, by trilinear interpolation. Outside the grid: the value at the nearest point of the
/// grid plus the way there, which is never less than the distance of the interpolated field.
double sample(const DistanceField& field, const Vec3& point);
double sample(const SparseDistanceField& field, const Vec3& point);

/// The direction in which distance grows fastest: central differences of `sample` over one cell, continuous. Of length
/// near 1 where the distance is smooth, shorter at its ridges, 0 beyond a band.
Vec3 gradient(const DistanceField& field, const Vec3& point);
Vec3 gradient(const SparseDistanceField& field, const Vec3& point);

}  // namespace sinew::geometry
