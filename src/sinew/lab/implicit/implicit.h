// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Experiments on implicit skinning (R. Vaillant et al., 2013): contacts of a limb that bends, operators, twists, cost.

#include "sinew/lab/experiments.h"
#include "sinew/lab/implicit/limb.h"

namespace sinew::lab {

/// The three contact measures and the volume of one pose of a limb.
struct LimbFigures {
  std::uint64_t pairs = 0;   ///< Intersecting triangles.
  std::uint64_t shrunk = 0;  ///< The same after shrinking by 2 % of the radius along normals.
  double depth = 0;          ///< Of the deepest vertex inside, in radii.
  double volume = 1;         ///< Relative to rest.
};
LimbFigures limb_figures(const Rig& limb, double radius, const std::vector<Vec3f>& positions);

/// Bends of a limb from 0° to 140° by method and closure of the parts; `step` in degrees.
void implicit_bends(const Progress& progress, Reproduction& result, int step = 10);
/// The same limb bent by 90°, by operator.
void implicit_operators(const Progress& progress, Reproduction& result);
/// The thinnest section of a limb twisted by 180°, by base.
void implicit_twists(const Progress& progress, Reproduction& result);
/// A fist and a squat by method, and with tracking.
void implicit_folds(const Progress& progress, Reproduction& result);
/// Time of a frame by number of vertices.
void implicit_times(const ReproduceOptions& options, const Progress& progress, Reproduction& result);

Reproduction implicit_experiment(const ReproduceOptions& options, const Progress& progress);

}  // namespace sinew::lab
