// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/volume.h"
#include "sinew/geometry/voxels/voxels.h"

namespace sinew::geometry {

/// Signed distances to the border of a solid given as voxels, at the voxels' centres: negative inside. Inside, minus
/// the distance to the nearest exterior centre plus half a cell; outside, the distance to the nearest solid centre
/// minus half a cell. Exact for the voxels, which take in all that the surface touches: within one and a half cells of
/// the true distance, and half a cell too deep on average. What lies inside the solid does not matter: teeth, eyeballs
/// and the body under clothes, which `distance_field` sees as surfaces, have no part in it. Space beyond the grid is
/// exterior. Linear in the voxels: after P. Felzenszwalb, D. Huttenlocher, "Distance transforms of sampled functions",
/// 2012. The same for any number of threads.
DistanceField depth_field(const SolidVoxels& voxels);

/// The exterior voxel whose centre is nearest to that of each solid voxel: an index per entry of `voxels.solid`. One of
/// them where several are equally near. Cost as above. \pre the outermost layer of the grid is exterior.
std::vector<Index> nearest_exterior(const SolidVoxels& voxels);

}  // namespace sinew::geometry
