// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Experiments of Z. Cao, T. Mukai, "Skeleton-aware skin weight transfer for helper joint rigs", Eurographics 2024, on
/// characters of known truth.

#include <string>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/lab/experiments.h"
#include "sinew/transfer/method.h"
#include "sinew/transfer/rays/skeleton_aware.h"

namespace sinew::lab {

/// A character to transfer from or to, and what its weights truly are.
struct KnownRig {
  std::string name;
  Rig rig;  ///< Bound where it rests.

  transfer::TransferBody side() const;
  transfer::Reference reference() const;
};

/// A made arm of a shape, cut into triangles. `vertices` 0: as the shape has it.
KnownRig known_arm(const std::string& shape, int vertices = 0);

/// How far transferred weights are from the truth, on one target.
struct TransferError {
  double mean_tv = 0, worst_tv = 0;  ///< Half the sum of differences of a row.
  double roughness = 0;  ///< Root of the mean squared difference along edges, relative to that of the truth.
};
TransferError transfer_error(const KnownRig& target, const SkinWeights& weights);

/// Options as published: 128 rays in a cone of 30°, reach not capped.
transfer::SkeletonAwareOptions published_transfer();

/// Errors and bends on analytic arms, against closest points, inpainting, guides and the best candidate alone.
/// `vertices` 0: as the arms are made.
void transfer_arms(const Progress& progress, Reproduction& result, int vertices = 0);
/// What each part of the method is good for, on the same arms.
void transfer_ablations(const Progress& progress, Reproduction& result, int vertices = 0);
/// Table 1: time at the paper's numbers of vertices, triangles and rays, for the first of its rows.
void transfer_times(const ReproduceOptions& options, const Progress& progress, Reproduction& result,
                    std::size_t rows = 7);
/// Real characters of a folder: decimated copies, and copies of other build and pose.
void transfer_real(const ReproduceOptions& options, const Progress& progress, Reproduction& result);

/// Pairs of real characters with the same joints: every method, and what `auto` loses against the best of them.
Reproduction transfer_pairs(const ReproduceOptions& options, const Progress& progress);

/// All but the last.
Reproduction transfer_experiment(const ReproduceOptions& options, const Progress& progress);

}  // namespace sinew::lab
