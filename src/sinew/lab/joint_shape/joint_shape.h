// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Experiments on shapes of joints (O. Hachette et al., 2021): Table 1, energies by stage, ablations, contours.

#include "sinew/lab/experiments.h"

namespace sinew::lab {

/// What each choice does to an elbow of two tubes of different radii: energies on rotations held out.
void joint_shape_ablations(const Progress& progress, Reproduction& result);
/// The printed particles and the printed power crust, which fail.
void joint_shape_literal(const Progress& progress, Reproduction& result);
/// Energies by stage, holes, contours by method, and times of made and real characters.
void joint_shape_characters(const ReproduceOptions& options, const Progress& progress, Reproduction& result);

Reproduction joint_shape_experiment(const ReproduceOptions& options, const Progress& progress);

}  // namespace sinew::lab
