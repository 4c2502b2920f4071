// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/deform/implicit/joint_shape/closed_part.h"

namespace sinew::deform {

/// Gives the closure of a hole the smoothest distances from its bone that fit its border: Laplace's equation with
/// cotangent weights on the surface as it is (Eqs. 7 to 9 of Hachette et al. 2021). Weights of narrow triangles are
/// kept positive, so that no distance exceeds those of the border. Feet and directions stay, and one solve is enough. A
/// tube that is cut at the end of its bone becomes a half sphere.
void fair_distances(ClosedPart& part, Index hole);

/// Weights of the slid shape by rings from the border: none at the border, all from `rings` on (section 4.3).
inline double slid_share(int ring, int rings) {
  return ring >= rings ? 1.0 : static_cast<double>(ring) / static_cast<double>(rings);
}

}  // namespace sinew::deform
