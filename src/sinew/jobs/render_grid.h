// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Pictures from which coordinates can be read: a grid in metres, axes, and joints with their names and positions.

#include <vector>

#include "sinew/jobs/render.h"
#include "sinew/picture/picture.h"

namespace sinew::jobs {

/// The distance between two lines of a grid: a power of ten that gives 4 to 40 lines over the length. 0 for no length.
double grid_step(double length);

/// Vertical positions for labels that want to be at `wanted`, in the same order: as near to it as can be with `spacing`
/// between any two. \pre `wanted` falls.
std::vector<double> spread_labels(const std::vector<double>& wanted, double spacing);

/// Turns a scene with one frame into a front and a side view with grids, without perspective from above, or into the
/// one that the option 'view' names. Shows the skeleton if there is one and only the skin was requested. \throws Error
/// if options contradict it.
void lay_out_grid(picture::PictureScene& scene, const RenderOptions& options);

}  // namespace sinew::jobs
