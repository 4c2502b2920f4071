// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Experiments on section 5 of J. Pan, L. Chen, Y. Yang, H. Qin, "Automatic skinning and weight retargeting of
/// articulated characters using extended position-based dynamics", 2018, on characters of known truth, and on clothes
/// and levels of detail.

#include "sinew/core/character.h"
#include "sinew/lab/experiments.h"

namespace sinew::lab {

/// A made human of other proportions; those of equal vertex counts have the same vertex order.
Character family_member(int seed, const std::string& pose, double vary, int vertices);

/// Families of made humans in other poses, and their decimated copies, by each method.
void retarget_families(const ReproduceOptions& options, int vertices, const Progress& progress, Reproduction& result);
/// What modes, landmarks, orientation and positions along bones contribute.
void retarget_ablations(int vertices, const Progress& progress, Reproduction& result);
/// Torsos of made and real bodies displaced along their normals, against published inpainting.
void retarget_garments(const ReproduceOptions& options, int vertices, const Progress& progress, Reproduction& result);
/// Levels of detail, posed, against closest points.
void retarget_details(const ReproduceOptions& options, int vertices, const Progress& progress, Reproduction& result);
/// Computed, edited and retargeted weights, posed by linear blending and with the volume stage (`pbd`).
void retarget_posed(int vertices, const Progress& progress, Reproduction& result);
/// Real bodies of one topology in the folder `data`, and their moved, decimated and remeshed copies, by each method.
void retarget_real(const ReproduceOptions& options, const Progress& progress, Reproduction& result);
/// Helper rigs transferred to other bodies, posed, with drivers on and off; real ones of the folder `data` too.
void retarget_helpers(const ReproduceOptions& options, int vertices, const Progress& progress, Reproduction& result);
/// Shells of real characters of the folder `data`, taken off and given rows by the rest, against the artist's.
void retarget_shells(const ReproduceOptions& options, const Progress& progress, Reproduction& result);

/// All of these; `characters` limits the members of the family, at most ten.
Reproduction retargeting_experiment(const ReproduceOptions& options, const Progress& progress);

}  // namespace sinew::lab
