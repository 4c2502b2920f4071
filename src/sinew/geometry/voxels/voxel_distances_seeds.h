// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <vector>

#include "sinew/geometry/voxels/voxel_distances.h"

namespace sinew::geometry {

/// The voxels that a segment passes, in its order; its part outside the grid is left out. A segment along a face or
/// edge between voxels passes one of those it touches. J. Amanatides, A. Woo, "A fast voxel traversal algorithm", 1987.
std::vector<std::size_t> voxels_along(const SolidVoxels& voxels, const Segment& segment);

/// Finds the nearest of a set of solid voxels by rings of blocks of 8³ voxels.
class NearestVoxel {
 public:
  NearestVoxel(const SolidVoxels& voxels, std::span<const Index> solid);

  struct Result {
    Index solid = kNone;  ///< kNone when none is within reach.
    double distance = 0;  ///< From the voxel's centre, in voxels.
  };
  /// Nearest to a point given in voxels from the lowest corner of the grid, which may lie outside it. Of equally near
  /// ones the first.
  Result find(const Vec3& point, double reach = std::numeric_limits<double>::infinity()) const;

 private:
  const SolidVoxels& voxels_;
  std::array<std::ptrdiff_t, 3> blocks_;
  std::vector<Index> first_;  // Per block, of items_.
  std::vector<Index> items_;
};

/// Where the search for one joint begins.
struct BoneSeeds {
  std::vector<VoxelSeed> seeds;
  std::size_t samples = 0;   ///< Voxels that the bones pass.
  std::size_t outside = 0;   ///< Of these, exterior.
  bool clipped = false;      ///< A bone leaves the grid.
  bool all_outside = false;  ///< No bone has a solid home.
};

/// Seeds of the bones of one joint: every solid voxel that a bone passes, at the distance of its centre from the bones.
/// For marching, which is least exact near its sources, also all that can be reached from these in four steps.
///
/// A bone is at *home* in the solid voxels it passes without a break from its joint on; if the joint lies outside, in
/// the longest such run; if the whole bone does, at the solid voxel nearest to it. What it passes elsewhere, and for
/// each exterior voxel the solid one nearest to it, is a seed too, but only if it can be reached from home inside the
/// body within twice the straight way (plus two voxels): so a finger bone that sticks out does not take hold of the
/// thigh, and an arm whose bone lies beside it is still held along its length. Solid voxels that it passes in pieces of
/// the body without any way from home are seeds.
class BoneSeeder {
 public:
  /// Refers to it. \pre there are solid voxels.
  explicit BoneSeeder(const VoxelDistances& distances);

  /// \pre finite segments, at least one. `work` is used for searches.
  BoneSeeds seeds(std::span<const Segment> bones, VoxelField& work) const;

 private:
  struct Sample;
  struct Candidate;
  std::vector<Sample> sample(const Segment& bone) const;
  std::array<std::size_t, 2> home(std::span<const Sample> samples) const;
  void walk(const Segment& bone, std::vector<Index>& inside, std::vector<Candidate>& candidates,
            BoneSeeds& result) const;
  void grow(std::vector<VoxelSeed>& seeds, std::span<const Segment> bones, int rings) const;
  float distance_to(std::span<const Segment> bones, Index solid) const;

  const VoxelDistances& distances_;
  NearestVoxel nearest_;
  std::vector<Index> pieces_;  // Per solid voxel: the lowest that steps lead to.
};

}  // namespace sinew::geometry
