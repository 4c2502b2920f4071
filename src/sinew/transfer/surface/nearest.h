// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What methods that compare surfaces share: the nearest point of the reference for each vertex of a target.

#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/json.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/transfer/characters.h"

namespace sinew::transfer {

/// A nearest point counts as a match up to this distance, relative to the target's size, and up to this angle between
/// the normals.
inline constexpr double kNear_rel = 0.05;
inline constexpr double kAlike_rad = kPi / 6;

/// The nearest point of the reference for each welded vertex of the target.
struct Nearest {
  geometry::Welding welding;
  std::vector<double> distance;
  std::vector<double> angle_rad;  ///< Between the normals; π where there is none.
  SkinWeights rows;               ///< Of the reference's joints, sum 1, not capped.
};

/// Looks at faces of the reference all of whose corners have weights. n log n. \throws Error if there are none;
/// Cancelled.
Nearest nearest_points(const Reference& reference, const Mesh& mesh, const Progress& progress);

/// 1 where positions and normals agree, 0.5 where one of them is at its limit, 0 from twice the limit on.
double match_confidence(double distance_rel, double angle_rad);

/// Mean and largest distance, relative to the size.
Json distance_metrics(const std::vector<double>& distance, double size);

}  // namespace sinew::transfer
