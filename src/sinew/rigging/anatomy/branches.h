// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/volume.h"
#include "sinew/geometry/voxels/voxel_distances.h"

namespace sinew::rigging {

/// Something long that a distance through a solid grows along: from where it joins a longer one, or where the looking
/// ended, to its tip. All lengths are those of the voxels' frame.
struct Branch {
  struct Slice {
    double d = 0;                ///< The distance in its middle.
    Vec3 center = Vec3::Zero();  ///< Of its voxels, but always inside: of a hollow or bent slice, its deepest voxel.
    double radius = 0;           ///< The greatest depth in it.
    double width = 0;            ///< Radius of the circle that is as large as the section.
  };
  Index tip = kNone;     ///< The farthest solid voxel.
  double top = 0;        ///< The distance there,
  double foot = 0;       ///< and where it begins.
  Index parent = kNone;  ///< The longer branch that it joins there.
  double volume = 0;
  std::vector<Slice>
      slices;  ///< From the foot to the tip, evenly spaced but for slices without voxels, which are left out.

  double length() const { return top - foot; }
};

struct BranchOptions {
  double least_length = 0.05;  ///< What ends sooner is part of its neighbour.
  double least_ratio = 1.5;    ///< Length over mean width, at least.
  double step = 1.5;           ///< Thickness of slices, in voxels.
};

/// The tree of what is long in a solid, seen from where `distance` (in voxels, per solid voxel) is zero. Solid voxels
/// are taken from the farthest to the nearest, those that touch joined: each local maximum begins a branch, and where
/// two meet, the one that reaches less far ends if both are long enough, as a branch of the other. If only one is, the
/// other was a corner beside it and is left out; if neither is, they are one, say the rim of a limb's flat end. (The
/// merge tree of the distance; the elder survives.) Only voxels with a nonzero `taken` count; others are not passed.
/// Longest first, ties by the tip's voxel. Sorts: n log n.
std::vector<Branch> branches(const geometry::VoxelDistances& distances, const DistanceField& depth,
                             std::span<const float> distance, std::span<const std::uint8_t> taken,
                             const BranchOptions& options = {});

/// Where a branch leaves what it grows from: the place in `slices`, from the tip inwards the first, from which on the
/// section stays 1.5 times as wide as it was one width further out. 0 if it never does.
std::size_t branch_root(const Branch& branch);

/// A line through places with what is known there.
struct BranchLine {
  std::vector<Vec3> points;
  std::vector<double> radii, widths;
  double length = 0;

  Vec3 at(double s) const;                        ///< At the length s from its start; clamped.
  Vec3 direction(double s, double window) const;  ///< Unit, over the window round s.
  double width(double s) const;
};

/// The middle of a branch from a slice on to its tip, smoothed lightly, in even steps of about `step`. The tip lies
/// straight on from the last slices, inside.
BranchLine branch_line(const geometry::SolidVoxels& voxels, const DistanceField& depth, const Branch& branch,
                       std::size_t first, double step);

}  // namespace sinew::rigging
