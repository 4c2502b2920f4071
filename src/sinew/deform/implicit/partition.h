// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/core/skeleton.h"
#include "sinew/deform/implicit/skin_surface.h"

namespace sinew::deform {

/// Which vertices describe the rigid shape that each joint moves.
struct Partition {
  struct Part {
    Index joint = kNone;
    Index parent = kNone;  ///< The part of the nearest joint above that has one.
    std::vector<Index> vertices;
    double threshold = 0;  ///< The weight from which on vertices belong to it.
  };
  std::vector<Part> parts;           ///< In the order of joints.
  std::vector<Index> part_of_joint;  ///< Of the joint itself or of the nearest one above with a part; kNone: none.
  std::vector<char> own;             ///< Per joint: it has a part of its own.
  std::vector<Index> merged;         ///< Joints that move skin, but too little for a part; by number.
};

/// A vertex belongs to the joint whose weight for it is at least `threshold`; others are between joints. For a joint
/// with fewer than 12 such vertices, the threshold falls in steps of 0.1 to 0.4; a joint that is still too small has no
/// part. With `owners`, a joint per vertex of the surface or kNone, the vertices of a joint are the ones it owns.
/// Linear.
Partition make_partition(const SkinSurface& surface, const Skeleton& skeleton, double threshold,
                         std::span<const Index> owners = {});

}  // namespace sinew::deform
