// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/core/volume.h"
#include "sinew/geometry/voxels/voxels.h"

namespace sinew::rigging {

/// The inside of a character, in the frame in which the embedding works: translated and scaled so that the bounding box
/// of the mesh is in the middle of the unit cube and its longest side is 0.9 long. Constants of the method are lengths
/// in this frame.
struct Interior {
  geometry::SolidVoxels voxels;  ///< Only the largest body of voxels that are connected, or nearly: see `interior`.
  DistanceField depth;           ///< Of these voxels; depth is minus its value.
  double scale = 1;              ///< From model space: p ↦ scale · p + shift.
  Vec3 shift = Vec3::Zero();
  double left_out = 0;  ///< Share of the solid volume that was left out.

  Vec3 to_unit(const Vec3& p) const { return scale * p + shift; }
  Vec3 to_model(const Vec3& p) const { return (p - shift) / scale; }
};

struct InteriorOptions {
  int resolution = 200;  ///< Voxels along the longest side. Higher values find thinner limbs; time grows with the cube.
};

/// Computes the interior of any mesh, including meshes that are open, overlapping or in several shells. Of the bodies
/// of voxels that touch each other, including at corners, the largest is kept. Another body with at least 0.2 % of the
/// volume, across a gap of at most 0.03 (0.09 with 1 % of the volume), is joined to it by a bridge between the nearest
/// positions. The bridge is a little more than half as thick as the thinner of the two bodies is there. This repeats
/// until no body is near. The rest is left out. Time: voxels, once more for each link of a chain of loose bodies. The
/// result is the same for any number of threads. \throws Error if the mesh has no faces, has positions that are not
/// finite, or encloses no volume (no point deeper than two voxels); Cancelled.
Interior interior(const Mesh& mesh, const InteriorOptions& options = {}, const Progress& progress = {});

/// The highest resolution, at most `resolution` and at least 16, at which the body would have about `most_voxels` solid
/// voxels or fewer, judged by its voxels at its own resolution.
int bounded_resolution(const Interior& body, int resolution, double most_voxels);

}  // namespace sinew::rigging
