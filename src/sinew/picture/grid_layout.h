// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Pictures from which coordinates can be read: a grid in metres, axes, and joints with their names and positions.

#include <string>
#include <vector>

#include "sinew/picture/picture.h"

namespace sinew::picture {

/// The distance between two lines of a grid: a power of ten that gives 4 to 40 lines over the length. 0 for no length.
double grid_step(double length);

/// Vertical positions for labels that want to be at `wanted`, in the same order: as near to it as can be with `spacing`
/// between any two. \pre `wanted` falls.
std::vector<double> spread_labels(const std::vector<double>& wanted, double spacing);

struct GridLayout {
  std::string view;            ///< "front", "side", or empty for both.
  bool choose_size = true;     ///< The size of the picture is not given.
  bool choose_samples = true;  ///< Neither is the number of samples per pixel.
  bool add_skeleton = true;    ///< The skeleton is shown if there is one.
};

/// Turns a scene with one frame into a front and a side view with grids, without perspective from above, or into one of
/// them. \throws Error for any other view.
void lay_out_grid(PictureScene& scene, const GridLayout& layout);

}  // namespace sinew::picture
