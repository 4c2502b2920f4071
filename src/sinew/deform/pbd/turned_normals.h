// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <span>
#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/geometry/mesh/weld.h"

namespace sinew::deform {

/// Turns the normals of vertices that were moved, by the smallest turn from the mean normal of the faces around them
/// before to that after. Normals that a person has made keep what they differ from the surface by.
class TurnedNormals {
 public:
  TurnedNormals() = default;
  /// `moved` gives for each welded vertex its number among those that may move, or kNone.
  TurnedNormals(const Mesh& mesh, const geometry::Welding& welding, std::span<const Index> moved);

  /// Sums of the faces' normals around moved vertices, weighted by area.
  void measure(std::span<const Vec3f> positions, std::vector<Vec3f>& sums) const;

  /// Turns `normals`, one per vertex of the mesh, from one of these sums to another.
  void turn(std::span<const Vec3f> before, std::span<const Vec3f> after, std::span<Vec3f> normals) const;

 private:
  struct Face {
    std::array<Index, 3> vertices;
    std::array<Index, 3> moved;
  };
  std::size_t count_ = 0;
  std::vector<Face> faces_;
  std::vector<std::array<Index, 2>> vertices_;  ///< Of the mesh, and its number.
};

}  // namespace sinew::deform
