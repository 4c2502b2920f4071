// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/core/weights.h"

namespace sinew::transfer {

/// Rows for all vertices of a mesh from those of some.
struct InpaintResult {
  SkinWeights weights;        ///< Positive, sum 1, not capped; made rows have nothing below 1e-6.
  std::vector<char> reached;  ///< Per vertex: 1 spread along the surface, 2 copied from the nearest known row of
                              ///< another shell, 0 known.
  /// Vertices for which the equations could not be solved (transfer.inpaint), and what took over: "laplacian", the same
  /// without the term of second order, or "edges", the nearest row along edges. Empty when all is well.
  std::vector<Fallback> fallbacks;
};

/// Known rows stay; the others minimise wᵀ(L + L M⁻¹ L)w over the surface, welded, one factorisation of each shell for
/// all joints; negative values are cut off and rows scaled to sum 1. Lengths count relative to the mesh's size, so that
/// a character in centimetres gets the same. Copies of a vertex without a row of their own take that of the first copy
/// that has one. Shells without a known row take, vertex by vertex, that of the nearest known vertex in space, the
/// first of equally near ones. \pre at least one row is known; known rows sum to 1. About n^1.5 of the unknown
/// vertices. The same bytes for any number of threads. R. Abdrashitov et al., "Robust skin weights transfer via weight
/// inpainting", 2023. \throws Cancelled.
InpaintResult inpaint(const Mesh& mesh, const SkinWeights& rows, const std::vector<char>& known,
                      const Progress& progress = {});

}  // namespace sinew::transfer
