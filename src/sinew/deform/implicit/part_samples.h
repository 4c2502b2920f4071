// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sinew/deform/implicit/hrbf.h"
#include "sinew/deform/implicit/skin_surface.h"
#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::deform {

/// The segments that one joint moves, at binding.
struct PartBones {
  std::vector<std::array<Vec3, 2>> segments;

  /// The point of the bones nearest to a point.
  Vec3 closest(const Vec3& point) const;
};

/// The whole skin as an obstacle for rays; decides which layer of clothes is the outermost.
struct SkinLayers {
  explicit SkinLayers(const SkinSurface& surface);

  /// Whether skin that faces the same way covers the point, no farther away than `reach`, and belongs to `vertices`.
  bool covered(const SurfaceSample& sample, double reach, const std::vector<char>& vertices) const;
  /// The distance along a direction to where it leaves the skin; infinite if it never does.
  double way_out(const Vec3& point, const Vec3& direction) const;

 private:
  const SkinSurface& surface_;
  geometry::RayScene scene_;
};

/// About `count` samples of the surface of some vertices, spread evenly: a Poisson-disk set by dart throwing over the
/// triangles between them, or over the vertices themselves where there are no such triangles. No two with normals on
/// the same side are closer than the radius of the disks. Left out are samples whose normal faces the bones, which
/// would fold the surface, and samples below an outer layer of clothes. The same for any order of the mesh.
std::vector<SurfaceSample> poisson_samples(const SkinSurface& surface, const std::vector<Index>& vertices,
                                           const PartBones& bones, const SkinLayers& layers, double reach, int count,
                                           std::uint64_t stream);

}  // namespace sinew::deform
