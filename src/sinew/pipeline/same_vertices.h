// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/weights.h"

namespace sinew::pipeline {

/// For each vertex of a mesh, the vertex of another copy of it. Programs that write a file split and order vertices
/// differently, so vertices are matched by position, within 1e-5 of the size. Where that finds no partner for every
/// vertex, meshes with equally many vertices are matched in order, which compares two shapes of one mesh. Expected
/// linear. \throws Error if neither is possible.
std::vector<Index> same_vertices(const Mesh& mesh, const Mesh& other);

/// The rows of those vertices, in their order.
SkinWeights matched_rows(const SkinWeights& weights, const std::vector<Index>& vertices);

}  // namespace sinew::pipeline
