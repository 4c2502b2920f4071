// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/protrusions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/segment.h"
#include "sinew/geometry/voxels/voxel_distances.h"
#include "sinew/geometry/voxels/voxel_distances_seeds.h"
#include "sinew/rigging/anatomy/branches.h"

namespace sinew::rigging {
namespace {

constexpr double kStretch = 4;   // Length of a stretch of a bone, in voxels.
constexpr double kTouching = 2;  // Voxels so near to a bone hold it, in voxels.
constexpr double kLineLike =
    0.6;  // A middle shorter than this share of the distance it spans is no line, nor is one so much longer.

// The bones cut into short stretches, and what each reaches.
struct Stretches {
  std::vector<Index> first;  // Per bone, and one more.
  std::vector<Index> bone;   // Per stretch.
  std::vector<double> reach;

  explicit Stretches(std::span<const ExplainedBone> bones, double length) {
    for (Index b = 0; b < bones.size(); ++b) {
      first.push_back(static_cast<Index>(bone.size()));
      const double whole = (bones[b].segment.b - bones[b].segment.a).norm();
      const auto parts = static_cast<std::size_t>(std::clamp(std::ceil(whole / length), 1.0, 4096.0));
      bone.insert(bone.end(), parts, b);
    }
    first.push_back(static_cast<Index>(bone.size()));
    reach.assign(bone.size(), 0.0);
  }

  Index of(Index b, const geometry::Segment& segment, const Vec3& point) const {
    const double t = geometry::segment_parameter(point, segment.a, segment.b);
    const Index parts = first[b + 1] - first[b];
    return first[b] + std::min(parts - 1, static_cast<Index>(t * parts));
  }

  // Neighbouring stretches share the larger one: a ball belongs to the stretch at its middle alone.
  void widen() {
    const std::vector<double> own = reach;
    for (std::size_t s = 0; s < own.size(); ++s) {
      if (s > 0 && bone[s - 1] == bone[s]) reach[s] = std::max(reach[s], own[s - 1]);
      if (s + 1 < own.size() && bone[s + 1] == bone[s]) reach[s] = std::max(reach[s], own[s + 1]);
    }
  }
};

std::vector<geometry::VoxelSeed> seeds_of(const geometry::VoxelDistances& distances,
                                          std::span<const ExplainedBone> bones, const Stretches& stretches) {
  constexpr std::size_t kBonesTogether = 8;  // They share the memory for a search.
  const geometry::SolidVoxels& voxels = distances.voxels();
  const geometry::BoneSeeder seeder(distances);
  std::vector<geometry::BoneSeeds> of_bone(bones.size());
  parallel_blocks(bones.size(), kBonesTogether, [&](std::size_t begin, std::size_t end) {
    geometry::VoxelField work;
    for (std::size_t b = begin; b < end; ++b) of_bone[b] = seeder.seeds(std::span(&bones[b].segment, 1), work);
  });
  std::vector<geometry::VoxelSeed> all;
  for (Index b = 0; b < bones.size(); ++b)
    for (geometry::VoxelSeed& seed : of_bone[b].seeds) {
      seed.source = stretches.of(b, bones[b].segment, voxels.center(voxels.solid[seed.solid]));
      all.push_back(seed);
    }
  return all;
}

// What is thicker than what it grows from is the body itself, and the bone lies beside it.
double greatest_radius(const Branch& branch, std::size_t root) {
  double greatest = 0;
  for (std::size_t i = root; i < branch.slices.size(); ++i) greatest = std::max(greatest, branch.slices[i].radius);
  return greatest;
}

// The longest first, no more than so many; forks keep track of what they grow from.
std::vector<Protrusion> longest_first(std::vector<Protrusion> all, int most) {
  std::vector<Index> order(all.size());
  for (Index i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return all[a].length > all[b].length; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(std::max(0, most))));
  std::vector<Index> place(all.size(), kNone);
  for (Index i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<Protrusion> sorted;
  for (const Index i : order) {
    sorted.push_back(std::move(all[i]));
    if (sorted.back().fork_of != kNone) sorted.back().fork_of = place[sorted.back().fork_of];
  }
  return sorted;
}

}  // namespace

std::vector<Protrusion> protrusions(const Interior& interior, std::span<const ExplainedBone> bones,
                                    const ProtrusionOptions& options) {
  const geometry::SolidVoxels& voxels = interior.voxels;
  if (bones.empty() || voxels.solid.empty()) return {};
  const geometry::VoxelDistances distances(voxels, nullptr, geometry::VoxelMetric::kMarching);
  Stretches stretches(bones, kStretch * voxels.cell);
  geometry::VoxelField field;
  const std::vector<geometry::VoxelSeed> seeds = seeds_of(distances, bones, stretches);
  distances.search(seeds, field, geometry::VoxelField::kUnreached, true);
  for (Index v = 0; v < voxels.solid.size(); ++v) {
    if (field.source[v] == kNone) continue;
    const double d = voxels.cell * static_cast<double>(field.distance[v]);
    const double inside = -static_cast<double>(interior.depth.values[voxels.solid[v]]);
    double& reach = stretches.reach[field.source[v]];
    // A bone outside has no ball that holds it: then what is next to it counts.
    if (d <= inside || d <= kTouching * voxels.cell) reach = std::max(reach, d + inside);
  }
  stretches.widen();
  std::vector<std::uint8_t> taken(voxels.solid.size(), 0);
  for (Index v = 0; v < voxels.solid.size(); ++v)
    if (field.source[v] != kNone)
      taken[v] = voxels.cell * static_cast<double>(field.distance[v]) > stretches.reach[field.source[v]] ? 1 : 0;
  // Half as long here: what was lost within the reach does not count against it.
  const BranchOptions cut{0.5 * options.least_length, 0.5 * options.least_ratio, 1.5};
  const std::vector<Branch> found = branches(distances, interior.depth, field.distance, taken, cut);
  std::vector<Protrusion> result;
  std::vector<Index> kept_as(found.size(), kNone), branch_of;
  for (Index i = 0; i < found.size(); ++i) {
    const Branch& branch = found[i];
    const Index source = field.source[branch.tip];
    if (branch.top < options.beyond * stretches.reach[source]) continue;
    // Slices within the reach are cut askew, where neighbouring stretches reach less far.
    std::size_t root = branch_root(branch);
    while (root + 2 < branch.slices.size() && branch.slices[root].d < stretches.reach[source]) ++root;
    if (greatest_radius(branch, root) > stretches.reach[source]) continue;
    BranchLine line = branch_line(voxels, interior.depth, branch, root, 2 * voxels.cell);
    const double span = branch.top - branch.slices[root].d;
    if (line.length < options.least_length || line.length < options.least_ratio * line.width(0) ||
        line.length < kLineLike * span || span < kLineLike * line.length)
      continue;
    kept_as[i] = static_cast<Index>(result.size());
    branch_of.push_back(i);
    Protrusion p;
    p.line = std::move(line.points);
    p.radii = std::move(line.radii);
    p.widths = std::move(line.widths);
    p.bone = stretches.bone[source];
    p.length = line.length;
    p.volume = branch.volume;
    result.push_back(std::move(p));
  }
  for (Index i = 0; i < result.size(); ++i) {
    const Index parent = found[branch_of[i]].parent;
    if (parent != kNone) result[i].fork_of = kept_as[parent];
  }
  return longest_first(std::move(result), options.most);
}

}  // namespace sinew::rigging
