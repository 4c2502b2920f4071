// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Experiments of J. Pan, L. Chen, Y. Yang, H. Qin, "Automatic skinning and weight retargeting of articulated characters using extended
/// position-based dynamics", 2017, on characters of known truth.

#include "sinew/jobs/reproduce.h"

namespace sinew::jobs {

/// Fig. 7: volume against stiffness, on a bar: the energy as printed, with compliance, and corotated.
void pbd_stiffness(const Progress& progress, Reproduction& result);
/// The order and the stiffness of the constraints, on the same bar.
void pbd_orders(const Progress& progress, Reproduction& result);
/// Fig. 15: volume and bulge of bends and twists, by method, on made limbs.
void pbd_limbs(const Progress& progress, Reproduction& result);
/// Volume recovered on real characters of a folder.
void pbd_real(const ReproduceOptions& options, const Progress& progress, Reproduction& result);
/// Table 2: time of a frame at the paper's numbers of vertices and tetrahedra.
void pbd_times(const ReproduceOptions& options, const Progress& progress, Reproduction& result);

Reproduction pbd_experiment(const ReproduceOptions& options, const Progress& progress);

}  // namespace sinew::jobs
