// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/voxel_distances_seeds.h"
#include "sinew/geometry/spatial/segment.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

namespace sinew::geometry {
namespace {

constexpr std::ptrdiff_t kBlock = 8;
constexpr double kMargin = 32;            // How far beside the grid a bone may be followed.
constexpr int kRings = 4;                 // Around the bones, where straight distances are better than marched ones.
constexpr float kDetour = 2, kSlack = 2;  // What an outside sample may be from the inside ones: times, plus voxels.

Vec3 grid_point(const SolidVoxels& voxels, const Vec3& p) { return (p - voxels.origin) / voxels.cell; }

Vec3 solid_center(const SolidVoxels& voxels, Index solid) {
  const std::array<Index, 3> at = voxels.coordinates(voxels.solid[solid]);
  return Vec3(at[0] + 0.5, at[1] + 0.5, at[2] + 0.5);
}

// The part of a segment, in voxels, within the grid and a margin: parameters from and to, in order if there is any.
std::array<double, 2> clip(const SolidVoxels& voxels, const Vec3& a, const Vec3& way, double margin = 0) {
  double from = 0, to = 1;
  for (int k = 0; k < 3; ++k) {
    const double count = voxels.counts[static_cast<std::size_t>(k)];
    if (way[k] == 0) {
      if (a[k] < -margin || a[k] > count + margin) to = -1;
      continue;
    }
    const double low = (-margin - a[k]) / way[k], high = (count + margin - a[k]) / way[k];
    from = std::max(from, std::min(low, high));
    to = std::min(to, std::max(low, high));
  }
  return {from, to};
}

}  // namespace

std::vector<std::size_t> voxels_along(const SolidVoxels& voxels, const Segment& segment) {
  const Vec3 a = grid_point(voxels, segment.a), way = grid_point(voxels, segment.b) - a;
  const auto [from, to] = clip(voxels, a, way);
  if (!(from <= to)) return {};
  const Vec3 start = a + from * way, end = a + to * way;
  std::array<std::ptrdiff_t, 3> at, last, step;
  std::array<double, 3> next, width;  // Parameter of the next face along each axis, and between two faces.
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    const std::ptrdiff_t top = std::ptrdiff_t{voxels.counts[k]} - 1;
    at[k] = std::clamp(static_cast<std::ptrdiff_t>(std::floor(start[axis])), std::ptrdiff_t{0}, top);
    last[k] = std::clamp(static_cast<std::ptrdiff_t>(std::floor(end[axis])), std::ptrdiff_t{0}, top);
    step[k] = last[k] < at[k] ? -1 : 1;
    const double speed = std::abs(way[axis]);
    const double face = static_cast<double>(step[k] > 0 ? at[k] + 1 : at[k]);
    next[k] = speed > 0 ? (face - a[axis]) / way[axis] : std::numeric_limits<double>::infinity();
    width[k] = speed > 0 ? 1 / speed : 0;
  }
  std::vector<std::size_t> passed;
  const auto here = [&] {
    return voxels.index(static_cast<Index>(at[0]), static_cast<Index>(at[1]), static_cast<Index>(at[2]));
  };
  passed.push_back(here());
  while (at != last) {
    // The nearest face of an axis that has not arrived.
    std::size_t axis = 3;
    for (std::size_t k = 0; k < 3; ++k)
      if (at[k] != last[k] && (axis == 3 || next[k] < next[axis])) axis = k;
    at[axis] += step[axis];
    next[axis] += width[axis];
    passed.push_back(here());
  }
  return passed;
}

NearestVoxel::NearestVoxel(const SolidVoxels& voxels, std::span<const Index> solid) : voxels_(voxels) {
  std::size_t total = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    blocks_[k] = (std::ptrdiff_t{voxels.counts[k]} + kBlock - 1) / kBlock;
    total *= static_cast<std::size_t>(blocks_[k]);
  }
  const auto block_of = [&](Index id) {
    const std::array<Index, 3> at = voxels.coordinates(voxels.solid[id]);
    return static_cast<std::size_t>((at[2] / kBlock * blocks_[1] + at[1] / kBlock) * blocks_[0] + at[0] / kBlock);
  };
  first_.assign(total + 1, 0);
  for (const Index id : solid) ++first_[block_of(id) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  items_.resize(solid.size());
  std::vector<Index> next(first_.begin(), first_.end() - 1);
  for (const Index id : solid) items_[next[block_of(id)]++] = id;
}

NearestVoxel::Result NearestVoxel::find(const Vec3& point, double reach) const {
  // The reach is looked at in the end: a point outside the grid may be far from its first block.
  std::array<std::ptrdiff_t, 3> home;
  std::ptrdiff_t rings = 0;
  double outside = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double p = point[static_cast<Eigen::Index>(k)], top = voxels_.counts[k];
    home[k] = static_cast<std::ptrdiff_t>(std::clamp(p, 0.0, top - 1)) / kBlock;
    rings = std::max(rings, blocks_[k]);
    outside = std::max({outside, -p, p - top});
  }
  Result best;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::ptrdiff_t ring = 0; ring <= rings; ++ring) {
    // Everything in this ring is at least so far away, whether or not the point lies in the grid.
    const double least = static_cast<double>((ring - 1) * kBlock);
    if (ring > 0 && least > 0 && (least * least > nearest || least > reach)) break;
    for (std::ptrdiff_t z = std::max<std::ptrdiff_t>(0, home[2] - ring); z <= std::min(blocks_[2] - 1, home[2] + ring);
         ++z)
      for (std::ptrdiff_t y = std::max<std::ptrdiff_t>(0, home[1] - ring);
           y <= std::min(blocks_[1] - 1, home[1] + ring); ++y)
        for (std::ptrdiff_t x = std::max<std::ptrdiff_t>(0, home[0] - ring);
             x <= std::min(blocks_[0] - 1, home[0] + ring); ++x) {
          if (std::max({std::abs(x - home[0]), std::abs(y - home[1]), std::abs(z - home[2])}) != ring) continue;
          const auto block = static_cast<std::size_t>((z * blocks_[1] + y) * blocks_[0] + x);
          for (Index i = first_[block]; i < first_[block + 1]; ++i) {
            const double d = (solid_center(voxels_, items_[i]) - point).squaredNorm();
            if (d < nearest || (d == nearest && items_[i] < best.solid)) nearest = d, best.solid = items_[i];
          }
        }
  }
  best.distance = std::sqrt(nearest);
  if (!(best.distance <= reach)) return {};
  return best;
}

// A voxel that a bone passes, or the solid voxel nearest to it.
struct BoneSeeder::Sample {
  Index solid;
  double along;   // The bone, in voxels.
  double offset;  // From the bone's voxel to the solid one.
  bool inside;
};

// A voxel that may be one of the bone's.
struct BoneSeeder::Candidate {
  Index solid;
  float straight;  // From the bone's home along the bone, and from there to the voxel.
  bool inside;
};

BoneSeeder::BoneSeeder(const VoxelDistances& distances)
    : distances_(distances), nearest_(distances.voxels(), [&] {
        std::vector<Index> all(distances.voxels().solid.size());
        std::iota(all.begin(), all.end(), Index{0});
        return all;
      }()) {
  pieces_.assign(distances.voxels().solid.size(), kNone);
  std::vector<Index> front;
  for (Index i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i] != kNone) continue;
    pieces_[i] = i;
    front.assign(1, i);
    while (!front.empty()) {
      const Index at = front.back();
      front.pop_back();
      for (std::size_t s = 0; s < kVoxelSteps; ++s) {
        const Index next = distances.neighbour(at, s);
        if (next == kNone || pieces_[next] != kNone) continue;
        pieces_[next] = i;
        front.push_back(next);
      }
    }
  }
}

float BoneSeeder::distance_to(std::span<const Segment> bones, Index solid) const {
  const SolidVoxels& voxels = distances_.voxels();
  const Vec3 center = solid_center(voxels, solid);
  double best = std::numeric_limits<double>::infinity();
  for (const Segment& bone : bones)
    best = std::min(best, segment_distance(center, grid_point(voxels, bone.a), grid_point(voxels, bone.b)));
  return static_cast<float>(best);
}

std::vector<BoneSeeder::Sample> BoneSeeder::sample(const Segment& bone) const {
  const SolidVoxels& voxels = distances_.voxels();
  const Vec3 a = grid_point(voxels, bone.a), way = grid_point(voxels, bone.b) - a;
  std::vector<Sample> samples;
  const auto add = [&](const Vec3& p, Index id) {
    const double along = way.norm() > 0 ? (p - a).dot(way) / way.norm() : 0.0;
    const NearestVoxel::Result near = id != kNone ? NearestVoxel::Result{id, 0} : nearest_.find(p);
    samples.push_back({near.solid, along, near.distance, id != kNone});
  };
  for (const std::size_t voxel : voxels_along(voxels, bone)) {
    const std::array<Index, 3> at = voxels.coordinates(voxel);
    add(Vec3(at[0] + 0.5, at[1] + 0.5, at[2] + 0.5), voxels.ids[voxel]);
  }
  const auto [from, to] = clip(voxels, a, way, kMargin);
  if (samples.empty() && from <= to) {
    // Beside the grid.
    const int steps = static_cast<int>(std::ceil((to - from) * way.norm()));
    for (int i = 0; i <= steps; ++i) add(a + (from + (to - from) * i / std::max(1, steps)) * way, kNone);
  }
  if (samples.empty()) {
    // Far from it: the point nearest to the grid's middle stands for all.
    const Vec3 middle = 0.5 * Vec3(voxels.counts[0], voxels.counts[1], voxels.counts[2]);
    add(segment_point(middle, a, grid_point(voxels, bone.b)), kNone);
  }
  return samples;
}

// The samples [first, last) where the bone is at home: the run of solid voxels at its joint, else the longest, else the
// sample nearest to something solid.
std::array<std::size_t, 2> BoneSeeder::home(std::span<const Sample> samples) const {
  const auto connected = [&](std::size_t i) {
    for (std::size_t s = 0; s < 6; ++s)
      if (distances_.neighbour(samples[i - 1].solid, s) == samples[i].solid) return true;
    return false;
  };
  std::array<std::size_t, 2> best = {0, 0};
  for (std::size_t first = 0; first < samples.size();) {
    std::size_t last = first;
    while (last < samples.size() && samples[last].inside && (last == first || connected(last))) ++last;
    if (first == 0 && last > 0) return {0, last};
    if (last - first > best[1] - best[0]) best = {first, last};
    first = std::max(last, first + 1);
  }
  if (best[0] < best[1]) return best;
  const auto nearest = std::min_element(samples.begin(), samples.end(),
                                        [](const Sample& s, const Sample& t) { return s.offset < t.offset; });
  const auto at = static_cast<std::size_t>(nearest - samples.begin());
  return {at, at + 1};
}

void BoneSeeder::walk(const Segment& bone, std::vector<Index>& inside, std::vector<Candidate>& candidates,
                      BoneSeeds& result) const {
  const SolidVoxels& voxels = distances_.voxels();
  const Vec3 a = grid_point(voxels, bone.a);
  const auto [from, to] = clip(voxels, a, grid_point(voxels, bone.b) - a);
  result.clipped = result.clipped || from > 0 || to < 1;
  const std::vector<Sample> samples = sample(bone);
  const auto [first, last] = home(samples);
  result.samples += samples.size();
  result.all_outside = result.all_outside && !samples[first].inside;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& s = samples[i];
    result.outside += s.inside ? 0 : 1;
    if (i >= first && i < last) {
      inside.push_back(s.solid);
      continue;
    }
    const double gap = i < first ? samples[first].along - s.along : s.along - samples[last - 1].along;
    candidates.push_back({s.solid, static_cast<float>(gap + s.offset), s.inside});
  }
}

void BoneSeeder::grow(std::vector<VoxelSeed>& seeds, std::span<const Segment> bones, int rings) const {
  std::unordered_set<Index> seen;
  for (const VoxelSeed& seed : seeds) seen.insert(seed.solid);
  std::size_t begin = 0;
  for (int ring = 0; ring < rings; ++ring) {
    const std::size_t end = seeds.size();
    for (; begin < end; ++begin)
      for (std::size_t s = 0; s < kVoxelSteps; ++s) {
        const Index next = distances_.neighbour(seeds[begin].solid, s);
        if (next != kNone && seen.insert(next).second) seeds.push_back({next, distance_to(bones, next), 0});
      }
  }
}

BoneSeeds BoneSeeder::seeds(std::span<const Segment> bones, VoxelField& work) const {
  BoneSeeds result;
  result.all_outside = true;
  std::vector<Index> inside;
  std::vector<Candidate> candidates;
  for (const Segment& bone : bones) walk(bone, inside, candidates, result);
  std::sort(inside.begin(), inside.end());
  inside.erase(std::unique(inside.begin(), inside.end()), inside.end());
  for (const Index solid : inside) result.seeds.push_back({solid, distance_to(bones, solid), 0});
  std::vector<VoxelSeed> snapped;
  if (!candidates.empty()) {
    float farthest = 0;
    for (const Candidate& c : candidates) farthest = std::max(farthest, kDetour * c.straight + kSlack);
    std::vector<VoxelSeed> zero = result.seeds;
    for (VoxelSeed& seed : zero) seed.distance = 0;
    distances_.search(zero, work, farthest);
    const auto in_own_piece = [&](const Candidate& c) {
      return std::none_of(inside.begin(), inside.end(), [&](Index i) { return pieces_[i] == pieces_[c.solid]; });
    };
    for (const Candidate& c : candidates) {
      const bool near = work.distance[c.solid] <= kDetour * c.straight + kSlack;
      if (!near && !(c.inside && in_own_piece(c))) continue;
      (c.inside ? result.seeds : snapped).push_back({c.solid, distance_to(bones, c.solid), 0});
    }
  }
  if (distances_.metric() == VoxelMetric::kMarching) grow(result.seeds, bones, kRings);
  result.seeds.insert(result.seeds.end(), snapped.begin(), snapped.end());
  return result;
}

}  // namespace sinew::geometry
