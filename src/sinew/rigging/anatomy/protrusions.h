// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/geometry/voxels/voxels.h"
#include "sinew/rigging/embed/interior.h"

namespace sinew::rigging {

/// Something that sticks out of what a skeleton explains: an ear, a tail, a ponytail, a finger.
struct Protrusion {
  std::vector<Vec3> line;     ///< Its middle from where it leaves the explained body to its tip, in the interior's
                              ///< frame, evenly spaced.
  std::vector<double> radii;  ///< Of the inscribed sphere at each point of the line.
  std::vector<double>
      widths;             ///< Radius of the circle as large as the section there: more than `radii` where it is flat.
  Index bone = kNone;     ///< The bone it grows from.
  Index fork_of = kNone;  ///< The longer protrusion of the list that it grows from; kNone for the body.
  double length = 0;      ///< Of the line.
  double volume = 0;
};

struct ProtrusionOptions {
  double least_length = 0.05;  ///< Shorter ones are bumps.
  double least_ratio = 1.5;    ///< Length over the section's width (radius) at the root, at least.
  double beyond = 1.4;         ///< How far its tip must be from the bone, in reaches of the body round it.
  int most = 32;
};

/// A bone, for what it explains.
struct ExplainedBone {
  geometry::Segment segment;  ///< In the interior's frame.
};

/// What the bones do not explain. Distances through the solid voxels from all bones (geometry::VoxelDistances,
/// marching) say which short stretch of which bone each voxel is nearest to. What a stretch *reaches* is read off the
/// balls inside the body that hold it: the farthest point of any ball round a voxel of this stretch that is not farther
/// from the bone than it is deep. In a round limb this is its radius, in a flat trunk twice its half thickness, in a
/// belly the whole belly, even if the bone runs at the back; a tail or a leg, whose own balls do not hold the bone,
/// adds nothing.
///
/// What lies farther away than that is cut into `branches` of the distance, forks as branches of their own, and each is
/// followed from its tip inwards to where it widens into the body. It counts if it is long enough, in itself and for
/// its width there, if its tip is `beyond` reaches away, and if its middle is a line: brims of hats and hems of skirts,
/// which stick out all round, have none. Longest first. About a search through the voxels and a sort of those beyond
/// the reach. \pre there are solid voxels; finite bones.
std::vector<Protrusion> protrusions(const Interior& interior, std::span<const ExplainedBone> bones,
                                    const ProtrusionOptions& options = {});

}  // namespace sinew::rigging
