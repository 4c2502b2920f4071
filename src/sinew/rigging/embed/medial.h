// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/math.h"
#include "sinew/rigging/embed/interior.h"

namespace sinew::rigging {

/// A point in the middle of the body.
struct MedialSample {
  Vec3 point = Vec3::Zero();
  double depth = 0;  ///< Distance to the surface.
};

struct MedialOptions {
  /// Directions to the nearest surface that differ by this make a sample: 120 published, 90 released; at least 90.
  double angle_deg = 120;
  double least_depth = 0.006;  ///< Samples are deeper.
  int enough = 500;            ///< With fewer samples than this the angle is 90°.
};

/// Where at least two nearest surface points lie in directions far apart, by falling depth; ties from the middle of the
/// body outwards.
///
/// For each solid voxel the nearest exterior voxels of itself and of its six neighbours are looked at in pairs, each
/// side's directions taken together. The widest pair that both lie, within half a cell, as near as any counts; the
/// sample is the point next to the voxel's centre that is equally far from the two. So samples lie within about a cell
/// of the medial axis of the true shape. Gradients of the depth field, which the paper compares, mix both sides within
/// a cell of the axis, and miss it where it runs between voxels. An angle counts only as far as the roughness of a
/// surface of voxels cannot have made it: `angle_deg` is reached in the limit of great depth, thin limbs need opposite
/// sides, and edges with a right angle have no samples even at 90°. Cost: that of `geometry::nearest_exterior`. The
/// same for any number of threads.
std::vector<MedialSample> medial_samples(const Interior& interior, const MedialOptions& options = {});

}  // namespace sinew::rigging
