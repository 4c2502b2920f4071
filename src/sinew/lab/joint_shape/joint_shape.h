// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Experiments on shapes of joints (O. Hachette et al., 2021): Table 1, energies by stage, ablations, contours.

#include "sinew/core/rig.h"
#include "sinew/lab/experiments.h"

namespace sinew::lab {

class JointTrials;

/// A limb of two bones whose forearm is thinner by 35 % than its upper arm, so that faired closures still protrude.
Rig tapered_limb();

/// The same with a ring beside the joint that is as high as a third of the limb: a detail that no closure can follow.
Rig detailed_limb();

/// What each choice does to an elbow of two tubes of different radii: energies on rotations held out.
void joint_shape_ablations(const Progress& progress, Reproduction& result);
/// The printed particles and the printed power crust, which fail.
void joint_shape_literal(const Progress& progress, Reproduction& result);
/// The two claims of the paper: contacts and thickness by method, and likeness to edited joints, of made characters.
void joint_shape_claims(const std::vector<std::string>& names, JointTrials& trials, Reproduction& result);
/// Figs. 1 and 8 to 10, and the limits that the paper states. Without `whole` only those that take seconds.
void joint_shape_figures(bool whole, JointTrials& trials, const Progress& progress, Reproduction& result);
/// Energies by stage, holes, contours by method, and times of made and real characters.
void joint_shape_characters(const ReproduceOptions& options, const Progress& progress, Reproduction& result);

Reproduction joint_shape_experiment(const ReproduceOptions& options, const Progress& progress);

}  // namespace sinew::lab
