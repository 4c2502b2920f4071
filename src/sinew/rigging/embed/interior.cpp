// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/interior.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sinew/geometry/spatial/depth_field.h"
#include "sinew/geometry/spatial/segment.h"
#include "sinew/geometry/voxels/voxel_runs.h"

namespace sinew::rigging {
namespace {

using geometry::SolidVoxels;
using geometry::VoxelClass;

constexpr double kLongestSide = 0.9;
constexpr double kSmallestBody = 0.002;  // Share of the solid volume below which a loose body is not worth a bridge.
constexpr double kWidestGap = 0.03;
constexpr double kLimb = 0.01;     // Share of the solid volume of a loose body that may be a limb, such as a toy's leg,
constexpr double kLimbGap = 0.09;  // and how far it may be from the rest.
constexpr double kThinnestBridge = 1.5;  // Radius, in voxels.
constexpr double kLeastDepth = 2;        // Of the deepest point, in voxels; less is a sheet, bent or doubled.

// Solid voxels that hang together, corners included.
struct VoxelBody {
  std::vector<Index> voxels;  // In the order of the walk.
  bool kept = false;
};

std::vector<VoxelBody> find_bodies(const SolidVoxels& voxels) {
  std::vector<std::ptrdiff_t> offsets;
  const auto row = static_cast<std::ptrdiff_t>(voxels.counts[0]);
  const std::ptrdiff_t layer = row * static_cast<std::ptrdiff_t>(voxels.counts[1]);
  for (std::ptrdiff_t z = -1; z <= 1; ++z)
    for (std::ptrdiff_t y = -1; y <= 1; ++y)
      for (std::ptrdiff_t x = -1; x <= 1; ++x)
        if (x != 0 || y != 0 || z != 0) offsets.push_back(z * layer + y * row + x);
  std::vector<VoxelBody> bodies;
  if (geometry::count_solid_bodies(voxels) == 1) {  // Nearly always, and a hundred times quicker found than walked.
    bodies.push_back({voxels.solid, false});
    return bodies;
  }
  std::vector<std::uint8_t> seen(voxels.solid.size(), 0);
  for (Index seed = 0; seed < voxels.solid.size(); ++seed) {
    if (seen[seed] != 0) continue;
    seen[seed] = 1;
    VoxelBody body;
    body.voxels.push_back(voxels.solid[seed]);
    for (std::size_t i = 0; i < body.voxels.size(); ++i)
      for (const std::ptrdiff_t offset : offsets) {  // The padding keeps neighbours inside the grid.
        const auto next = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(body.voxels[i]) + offset);
        const Index id = voxels.ids[next];
        if (id == kNone || seen[id] != 0) continue;
        seen[id] = 1;
        body.voxels.push_back(static_cast<Index>(next));
      }
    bodies.push_back(std::move(body));
  }
  // Equal ones by place: the walk began at the lowest voxel.
  std::stable_sort(bodies.begin(), bodies.end(),
                   [](const VoxelBody& a, const VoxelBody& b) { return a.voxels.size() > b.voxels.size(); });
  return bodies;
}

// Joins loose bodies to the largest one.
class Joiner {
 public:
  Joiner(const SolidVoxels& all, std::vector<VoxelBody>& bodies) : all_(all), bodies_(bodies), kept_(all) {
    std::fill(kept_.classes.begin(), kept_.classes.end(), VoxelClass::kExterior);
    smallest_ = static_cast<std::size_t>(kSmallestBody * static_cast<double>(all.solid.size()));
    keep(bodies_.front());
    if (loose()) all_depth_ = geometry::depth_field(all_);
  }

  // Bridges until nothing more is near enough; the depth of what is kept comes for nothing.
  DistanceField join(const Progress& progress) {
    for (;;) {
      progress.check();
      DistanceField depth = geometry::depth_field(kept_);
      if (!loose() || !join_near(depth)) return depth;
    }
  }

  SolidVoxels take() { return std::move(kept_); }

 private:
  bool worth_it(const VoxelBody& body) const { return !body.kept && body.voxels.size() >= smallest_; }
  bool loose() const {
    return std::any_of(bodies_.begin(), bodies_.end(), [&](const VoxelBody& body) { return worth_it(body); });
  }

  void keep(VoxelBody& body) {
    body.kept = true;
    for (const Index v : body.voxels) kept_.classes[v] = all_.classes[v];
  }

  bool join_near(const DistanceField& depth) {
    bool joined = false;
    const SolidVoxels before = kept_;
    for (VoxelBody& body : bodies_) {
      if (!worth_it(body)) continue;
      float nearest = std::numeric_limits<float>::infinity();
      for (const Index v : body.voxels) nearest = std::min(nearest, depth.values[v]);
      // Half a voxel of the loose body belongs to the way as well.
      const double share = static_cast<double>(body.voxels.size()) / static_cast<double>(all_.solid.size());
      if (nearest - 0.5 * all_.cell > (share >= kLimb ? kLimbGap : kWidestGap)) continue;
      bridge(before, body, depth, nearest);
      keep(body);
      joined = true;
    }
    return joined;
  }

  // Where flat sides face each other many voxels are equally near: the one in their middle, so that mirrored bodies get
  // mirrored bridges as far as a grid allows.
  static Index middle(const SolidVoxels& voxels, const std::vector<Index>& near) {
    Vec3 mean = Vec3::Zero();
    for (const Index v : near) mean += voxels.center(v);
    mean /= static_cast<double>(near.size());
    return *std::min_element(near.begin(), near.end(), [&](Index a, Index b) {
      const double da = (voxels.center(a) - mean).squaredNorm(), db = (voxels.center(b) - mean).squaredNorm();
      return da != db ? da < db : a < b;
    });
  }

  void bridge(const SolidVoxels& before, const VoxelBody& body, const DistanceField& depth, float nearest) {
    std::vector<Index> near;
    for (const Index v : body.voxels)
      if (depth.values[v] <= nearest + 0.25 * all_.cell) near.push_back(v);
    const Index from = middle(all_, near);
    const Index to = nearest_kept(before, from, depth.values[from]);
    const Index inner = climb(from), other = climb(to);
    // A way between spheres must be half as deep as the smaller one: some more, for what the grid takes away.
    const double radius =
        std::max(kThinnestBridge * all_.cell, 0.5 * std::min(thickness(inner), thickness(other)) + 1.5 * all_.cell);
    fill_capsule(all_.center(inner), all_.center(from), radius);
    fill_capsule(all_.center(from), all_.center(to), radius);
    fill_capsule(all_.center(to), all_.center(other), radius);
  }

  double thickness(Index voxel) const { return -all_depth_.values[voxel]; }

  Index nearest_kept(const SolidVoxels& kept, Index from, double distance) const {
    const double reach = distance / all_.cell + 0.75;  // Depths are to faces, half a voxel before the centre.
    const auto at = all_.coordinates(from);
    const auto range = static_cast<std::int64_t>(std::ceil(reach));
    std::vector<Index> near;
    for_box(at, range, [&](Index voxel, double squared) {
      if (kept.classes[voxel] != VoxelClass::kExterior && squared <= reach * reach) near.push_back(voxel);
    });
    return middle(all_, near);
  }

  // From the surface inwards, as long as it is a way to the middle and not along it.
  Index climb(Index voxel) const {
    for (;;) {
      Index best = voxel;
      double steepest = 0.3;
      for_box(all_.coordinates(voxel), 1, [&](Index next, double squared) {
        if (all_.classes[next] == VoxelClass::kExterior || squared == 0) return;
        const double slope = (thickness(next) - thickness(voxel)) / (all_.cell * std::sqrt(squared));
        if (slope > steepest) {
          steepest = slope;
          best = next;
        }
      });
      if (best == voxel) return voxel;
      voxel = best;
    }
  }

  // Voxels at most `range` steps away along each axis, but the outermost layer of the grid, with their squared distance
  // in cells.
  template <class Body_>
  void for_box(const std::array<Index, 3>& at, std::int64_t range, Body_&& body) const {
    std::array<std::int64_t, 3> low, high;
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::max<std::int64_t>(1, std::int64_t{at[k]} - range);
      high[k] = std::min<std::int64_t>(std::int64_t{all_.counts[k]} - 2, std::int64_t{at[k]} + range);
    }
    for (std::int64_t z = low[2]; z <= high[2]; ++z)
      for (std::int64_t y = low[1]; y <= high[1]; ++y)
        for (std::int64_t x = low[0]; x <= high[0]; ++x) {
          const auto dx = static_cast<double>(x - at[0]), dy = static_cast<double>(y - at[1]),
                     dz = static_cast<double>(z - at[2]);
          body(static_cast<Index>(all_.index(static_cast<Index>(x), static_cast<Index>(y), static_cast<Index>(z))),
               dx * dx + dy * dy + dz * dz);
        }
  }

  void fill_capsule(const Vec3& a, const Vec3& b, double radius) {
    const Vec3 middle = 0.5 * (a + b);
    std::array<Index, 3> at;
    for (int k = 0; k < 3; ++k)
      at[static_cast<std::size_t>(k)] = static_cast<Index>(std::floor((middle[k] - all_.origin[k]) / all_.cell));
    const auto range = static_cast<std::int64_t>(std::ceil((0.5 * (b - a).norm() + radius) / all_.cell)) + 1;
    for_box(at, range, [&](Index voxel, double) {
      if (geometry::segment_distance(all_.center(voxel), a, b) <= radius &&
          kept_.classes[voxel] == VoxelClass::kExterior)
        kept_.classes[voxel] = VoxelClass::kInterior;
    });
  }

  const SolidVoxels& all_;
  std::vector<VoxelBody>& bodies_;
  SolidVoxels kept_;
  DistanceField all_depth_;
  std::size_t smallest_ = 0;
};

void number_kept(SolidVoxels& voxels) {
  voxels.solid.clear();
  for (std::size_t i = 0; i < voxels.classes.size(); ++i) {
    const bool solid = voxels.classes[i] != VoxelClass::kExterior;
    voxels.ids[i] = solid ? static_cast<Index>(voxels.solid.size()) : kNone;
    if (solid) voxels.solid.push_back(static_cast<Index>(i));
  }
}

// The surface alone, in the frame of the method.
Mesh normalised(const Mesh& mesh, Interior& frame) {
  Mesh unit;
  unit.positions = mesh.positions;
  unit.face_offsets = mesh.face_offsets;
  unit.face_vertices = mesh.face_vertices;
  Box box;
  for (const Index v : mesh.face_vertices)
    if (v < mesh.positions.size()) box.extend(mesh.positions[v]);
  const double longest = box.extent().maxCoeff();
  if (!(longest > 0) || !std::isfinite(longest)) return unit;  // `solid_voxels` says what is wrong.
  frame.scale = kLongestSide / longest;
  frame.shift = Vec3::Constant(0.5) - frame.scale * box.center();
  for (Vec3& p : unit.positions) p = frame.to_unit(p);
  return unit;
}

}  // namespace

Interior interior(const Mesh& mesh, const InteriorOptions& options, const Progress& progress) {
  Interior result;
  const SolidVoxels all =
      geometry::solid_voxels(normalised(mesh, result), {.resolution = options.resolution}, {}, progress);
  std::vector<VoxelBody> bodies = find_bodies(all);
  Joiner joiner(all, bodies);
  result.depth = joiner.join(progress);
  const float deepest = -*std::min_element(result.depth.values.begin(), result.depth.values.end());
  if (deepest < kLeastDepth * all.cell)
    throw Error(
        "The mesh encloses no space, so there is no room for a skeleton inside it. Use a mesh with a closed or nearly "
        "closed surface, or raise the resolution if it is very thin.");
  result.voxels = joiner.take();
  number_kept(result.voxels);
  std::size_t left = 0;
  for (const VoxelBody& body : bodies) left += body.kept ? 0 : body.voxels.size();
  result.left_out = static_cast<double>(left) / static_cast<double>(all.solid.size());
  return result;
}

int bounded_resolution(const Interior& body, int resolution, double most_voxels) {
  constexpr int kLeast = 16;
  const double finer = resolution * body.voxels.cell / kLongestSide;
  const double solid = static_cast<double>(body.voxels.solid.size()) * finer * finer * finer;
  if (solid <= most_voxels) return resolution;
  return std::max(kLeast, static_cast<int>(resolution * std::cbrt(most_voxels / solid)));
}

}  // namespace sinew::rigging
