// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/weights.h"

namespace sinew::binding {

/// How the weight of a joint falls off with its distance from a vertex.
struct VoxelFalloff {
  /// Beyond this multiple of the distance of the nearest joint, the default formula gives no weight.
  static constexpr double kReach = 2;

  bool published = false;  ///< The paper's own formula.
  double falloff = 0.2;    ///< 0 soft, 1 stiff.
  double size = 1;         ///< Of the mesh, in the unit of the distances.
};

/// Weights of one vertex before truncation. `row` gets (joint, weight) for every joint with a positive weight, in the
/// order of `joints`; the largest weight is 1. Infinite distances give no weight.
///
/// *Default*: with D₀ the smallest distance, w = (D₀/D)^p − 2^−p where D < 2 D₀, else 0: continuous, and free of any
/// length. Near a joint of a limb of radius r this passes from one bone to the next over about r, whatever the size of
/// the character. p = 8 + 25 · falloff, 13 without further ado. Distances count at least 0.002 of the size, so that a
/// bone on the skin does not take all.
///
/// *Published* (O. Dionne, M. de Lasa, 2013): with D relative to the size and at least 1e-4, s = (1 − falloff) D +
/// falloff D², w = 1/s². Its tail is long: a joint three times as far as the nearest has a ninth of its weight, however
/// far that is.
void voxel_weights(std::span<const float> distances, std::span<const Index> joints, const VoxelFalloff& falloff,
                   std::vector<Influence>& row);

}  // namespace sinew::binding
