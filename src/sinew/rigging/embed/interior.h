// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/core/mesh.h"
#include "sinew/core/progress.h"
#include "sinew/core/volume.h"
#include "sinew/geometry/voxels/voxels.h"

namespace sinew::rigging {

/// The inside of a character in the frame in which all of the embedding works: moved and scaled so that the box of the
/// mesh lies in the middle of the unit cube and its longest side is 0.9 long. Constants of the method are lengths of
/// this frame.
struct Interior {
  geometry::SolidVoxels voxels;  ///< Only the largest body of voxels that hang together, or nearly: see `interior`.
  DistanceField depth;           ///< Of these voxels; depth is minus its value.
  double scale = 1;              ///< From model space: p ↦ scale · p + shift.
  Vec3 shift = Vec3::Zero();
  double left_out = 0;  ///< Share of the solid volume that is not part of it.

  Vec3 to_unit(const Vec3& p) const { return scale * p + shift; }
  Vec3 to_model(const Vec3& p) const { return (p - shift) / scale; }
};

struct InteriorOptions {
  int resolution = 200;  ///< Voxels along the longest side. More: thinner limbs are seen; time grows with its cube.
};

/// Makes it from any mesh: open, in shells, overlapping. Of the bodies of voxels that touch each other, corners
/// included, the largest is kept. Another one of at least 0.2 % of the volume, across a gap of at most 0.03, is joined
/// to it by a bridge between the nearest places, a little more than half as thick as the thinner of the two bodies is
/// there; again, until none is near. The rest is left out. Time: voxels, once more for each link of a chain of loose
/// bodies. The same for any number of threads. \throws Error if the mesh has no faces, positions that are not finite,
/// or encloses nothing (no point deeper than two voxels); Cancelled.
Interior interior(const Mesh& mesh, const InteriorOptions& options = {}, const Progress& progress = {});

}  // namespace sinew::rigging
