// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <limits>
#include <span>
#include <vector>

#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// The surface of a reference with its weights: those faces all of whose corners have weights. Queries may run on
/// several threads at once.
class ReferenceSurface {
 public:
  /// n log n. \throws Error if there is no such face.
  explicit ReferenceSurface(const Reference& reference);

  std::vector<geometry::ClosestPoint> closest_points(
      std::span<const Vec3> points, double max_distance = std::numeric_limits<double>::infinity()) const;
  geometry::RayHit nearest_hit(const geometry::Ray& ray) const { return scene_.nearest_hit(ray); }

  const std::vector<geometry::TriangleVertices>& triangles() const { return triangles_; }
  /// The unit normal, interpolated between the corners; zero where there is none.
  Vec3 normal(Index triangle, const Vec3& barycentric) const;
  /// The root of twice the area: how long the edges of a triangle are, roughly.
  double triangle_width(Index triangle) const;
  /// The rows of the corners blended: sum 1, joints in increasing order.
  std::vector<Influence> row(Index triangle, const Vec3& barycentric) const;

 private:
  const Mesh& mesh_;
  SkinWeights weights_;
  std::vector<geometry::TriangleVertices> triangles_;
  std::vector<Vec3> normals_;
  geometry::RayScene scene_;
};

/// The angle between two vectors; π if one of them is zero.
double angle_between(const Vec3& a, const Vec3& b);

}  // namespace sinew::transfer
