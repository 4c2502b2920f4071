// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"

namespace sinew::transfer {

/// One closed surface that stands for a mesh of many shells.
struct ClosedProxy {
  Mesh mesh;
  double offset = 0;  ///< Distance from the surface that it encloses.
};

/// The outer surface at a small distance around a mesh: three quarters of a cell of a grid of 128 cells along the
/// longest side, or a few cells where shells are farther apart. The distance is the smallest of four at which one
/// connected surface has nearly all of the area, because a larger one would also join limbs to each other. Overlapping,
/// nested and open shells are solid together, as in `geometry::distance_field`. \throws Error if even the largest
/// distance leaves several surfaces; Cancelled.
ClosedProxy closed_proxy(const Mesh& mesh, const Progress& progress = {});

}  // namespace sinew::transfer
