// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/mesh.h"

namespace sinew::pipeline {

/// The distance between two shapes of a character, vertex by vertex.
struct ShapeDifference {
  std::vector<float> percent;  ///< Per vertex, in percent of the character's size.
  double max_percent = 0;
  double rms_percent = 0;  ///< Over all vertices.
  Index farthest = kNone;  ///< The first vertex with the maximum; kNone if the shapes are equal.

  /// Returns the maximum over some vertices.
  double max_percent_of(std::span<const Index> vertices) const;
};

/// Compares two shapes. `size` is the size of the character at rest. The cost is linear. \pre both shapes have the same
/// number of vertices, and the size is positive.
ShapeDifference shape_difference(std::span<const Vec3> a, std::span<const Vec3> b, double size);

/// Returns whether vertex i of one mesh is vertex i of the other: their numbers are equal, and at rest the root mean
/// square of the distances between them is at most a twentieth of the size.
bool have_same_vertices(const Mesh& a, const Mesh& b);

}  // namespace sinew::pipeline
