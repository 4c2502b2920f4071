// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/geometry/mesh/weld.h"

namespace sinew::geometry {

/// Joins vertices no further apart than `tolerance` (in the mesh's units), and those joined to the same one. Where such
/// a chain has grown longer than twice the tolerance it is cut up instead: its vertices in order of x, y, z, each joins
/// the first of those before it that stands for a group and is within the tolerance, or begins a group. So the groups
/// depend on positions alone, not on the order of vertices. Numbered in order of first appearance. Morphs are not
/// looked at.
///
/// With `across_parts` vertices of different parts are joined too. A hash grid finds neighbours: expected linear as
/// long as edges are longer than the tolerance. \pre positions are finite, tolerance ≥ 0.
Welding weld_within(const Mesh& mesh, double tolerance, bool across_parts = false);

}  // namespace sinew::geometry
