// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"

namespace sinew::pipeline {

/// Biharmonic distances from one vertex to all others along the surface, in metres; infinite on parts of the mesh that
/// are not connected with its largest surface. From 128 modes, or exactly on small meshes. \throws Error if the vertex
/// does not exist or does not belong to the largest connected surface; Cancelled.
std::vector<double> surface_distances(const Mesh& mesh, Index vertex, const Progress& progress = {});

}  // namespace sinew::pipeline
