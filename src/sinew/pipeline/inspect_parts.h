// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The steps of `inspect`.

#include "sinew/geometry/mesh/weld.h"
#include "sinew/pipeline/inspect.h"

namespace sinew::pipeline {

/// A bounding box and a coarse grid of the vertices decide. The side axis is the most symmetric one. Of the other two
/// axes the one with the ground at zero points up, otherwise the longer one. A person is 1.4 to 2.1 m tall. Linear.
SpaceGuess guess_space(const Mesh& mesh);

MeshHealth mesh_health(const Mesh& mesh, const geometry::Welding& welding, bool deep, const Progress& progress);

SkeletonHealth skeleton_health(const Rig& rig, const geometry::Welding& welding, const geometry::Topology& topology,
                               double size);

WeightHealth weight_health(const Rig& rig, const geometry::Welding& welding, const SkeletonHealth& skeleton);

ClipFacts clip_facts(const Clip& clip);

}  // namespace sinew::pipeline
