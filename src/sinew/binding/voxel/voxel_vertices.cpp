// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/voxel/voxel_vertices.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/geometry/voxels/voxel_distances_seeds.h"

namespace sinew::binding {
namespace {

using geometry::SolidVoxels;
using geometry::VoxelField;
using geometry::VoxelLeaks;
using geometry::VoxelMetric;

constexpr double kReach = 16;               // Voxels from a vertex to the nearest solid one.
constexpr double kInwards = 3;              // Times as far behind the surface, where nothing around counts.
constexpr float kLeastCornerShare = 1e-3F;  // Corners of less say nothing.

class StencilMaker {
 public:
  StencilMaker(const SolidVoxels& voxels, const VoxelLeaks* leaks, const VoxelField& reached)
      : voxels_(voxels), leaks_(leaks), reached_(reached) {
    std::vector<Index> solid;
    for (Index i = 0; i < voxels.solid.size(); ++i)
      if (is_reached(i)) solid.push_back(i);
    nearest_ = std::make_unique<geometry::NearestVoxel>(voxels, solid);
  }

  VoxelStencil make(const Vec3& position, Index vertex, VoxelMetric metric) const {
    const Vec3 p = (position - voxels_.origin) / voxels_.cell;
    VoxelStencil stencil;
    stencil.solid.fill(kNone);
    if (!in_grid(p)) {
      take_nearest(p, stencil);
      return stencil;
    }
    const bool guarded = leaks_ != nullptr && near_gap(p);
    if (metric == VoxelMetric::kChamfer) hold(p, vertex, guarded, stencil);
    else blend(p, vertex, guarded, stencil);
    if (stencil.solid[0] == kNone && guarded) {
      const Vec3 behind = (leaks_->behind(vertex) - voxels_.origin) / voxels_.cell;
      blend(p + kInwards * (behind - p), vertex, guarded, stencil);
    }
    if (stencil.solid[0] == kNone) take_nearest(p, stencil);
    return stencil;
  }

 private:
  bool is_reached(Index solid) const { return reached_.distance[solid] < VoxelField::kUnreached; }

  // All voxels around are in the grid; it has a margin of two voxels.
  bool in_grid(const Vec3& p) const {
    for (int k = 0; k < 3; ++k)
      if (!(p[k] >= 1) || !(p[k] <= voxels_.counts[static_cast<std::size_t>(k)] - 1.0)) return false;
    return true;
  }

  Index id_at(const Vec3& p) const {
    return voxels_.ids[voxels_.index(static_cast<Index>(p.x()), static_cast<Index>(p.y()), static_cast<Index>(p.z()))];
  }

  static Vec3 corner(const Vec3& base, int c) { return base + Vec3(c & 1, c >> 1 & 1, c >> 2 & 1); }

  bool near_gap(const Vec3& p) const {
    const Vec3 base = (p - Vec3::Constant(0.5)).array().floor();
    for (int c = 0; c < 8; ++c) {
      const Index id = id_at(corner(base, c) + Vec3::Constant(0.5));
      if (id != kNone && leaks_->closed()[id] != 0) return true;
    }
    return false;
  }

  bool counts(Index id, Index vertex, bool guarded) const {
    return id != kNone && is_reached(id) && !(guarded && leaks_->parted(vertex, id));
  }

  void blend(const Vec3& p, Index vertex, bool guarded, VoxelStencil& stencil) const {
    const Vec3 base = (p - Vec3::Constant(0.5)).array().floor();
    const Vec3 f = p - Vec3::Constant(0.5) - base;
    std::size_t count = 0;
    for (int c = 0; c < 8; ++c) {
      const Index id = id_at(corner(base, c) + Vec3::Constant(0.5));
      if (!counts(id, vertex, guarded)) continue;
      const double share =
          ((c & 1) != 0 ? f.x() : 1 - f.x()) * ((c & 2) != 0 ? f.y() : 1 - f.y()) * ((c & 4) != 0 ? f.z() : 1 - f.z());
      stencil.solid[count] = id;
      stencil.weight[count++] = std::max(kLeastCornerShare, static_cast<float>(share));
    }
  }

  void hold(const Vec3& p, Index vertex, bool guarded, VoxelStencil& stencil) const {
    const Vec3 center = Vec3(p.array().floor()) + Vec3::Constant(0.5);
    const Index id = id_at(p);
    if (!counts(id, vertex, guarded)) return;
    stencil.solid[0] = id;
    stencil.weight[0] = 1;
    stencil.extra = static_cast<float>((p - center).norm());
  }

  void take_nearest(const Vec3& p, VoxelStencil& stencil) const {
    const geometry::NearestVoxel::Result near = nearest_->find(p, kReach);
    stencil.kind = near.solid == kNone ? VoxelStencil::Kind::kFar : VoxelStencil::Kind::kBeside;
    if (near.solid == kNone) return;
    stencil.solid[0] = near.solid;
    stencil.weight[0] = 1;
    stencil.extra = static_cast<float>(near.distance);
  }

  const SolidVoxels& voxels_;
  const VoxelLeaks* leaks_;
  const VoxelField& reached_;
  std::unique_ptr<geometry::NearestVoxel> nearest_;
};

}  // namespace

std::vector<VoxelStencil> voxel_stencils(const Mesh& mesh, std::span<const Index> vertices, const SolidVoxels& voxels,
                                         const VoxelLeaks* leaks, const VoxelField& reached, VoxelMetric metric) {
  const StencilMaker maker(voxels, leaks, reached);
  std::vector<VoxelStencil> stencils(vertices.size());
  parallel_for(
      vertices.size(),
      [&](std::size_t i) { stencils[i] = maker.make(mesh.positions[vertices[i]], vertices[i], metric); }, 512);
  return stencils;
}

float voxel_distance(const VoxelStencil& stencil, const VoxelField& field) {
  float sum = 0, share = 0;
  for (std::size_t k = 0; k < 8 && stencil.solid[k] != kNone; ++k) {
    const float distance = field.distance[stencil.solid[k]];
    if (!(distance < VoxelField::kUnreached)) continue;
    sum += stencil.weight[k] * distance;
    share += stencil.weight[k];
  }
  return share > 0 ? sum / share + stencil.extra : VoxelField::kUnreached;
}

}  // namespace sinew::binding
