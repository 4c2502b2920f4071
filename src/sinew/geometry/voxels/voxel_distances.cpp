// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/voxel_distances.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/voxels/voxel_distances_seeds.h"

namespace sinew::geometry {

namespace {

constexpr float kStepLength[3] = {1.0F, 1.41421356F, 1.73205081F};
constexpr float kMarchingBuckets = 2;     // Per voxel. Narrower ones cost more room than they save of work done twice.
constexpr std::size_t kPause = 1U << 16;  // Voxels between two looks at whether to stop.

float step_length(std::size_t step) { return kStepLength[step < 6 ? 0 : step < 18 ? 1 : 2]; }

// The smallest t with Σ max(0, t − v)² = 1 over three values: Godunov's upwind scheme for a gradient of length 1.
float upwind(float a, float b, float c) {
  if (a > b) std::swap(a, b);
  if (b > c) std::swap(b, c);
  if (a > b) std::swap(a, b);
  float t = a + 1;
  if (t <= b) return t;
  t = 0.5F * (a + b + std::sqrt(std::max(0.0F, 2 - (b - a) * (b - a))));
  if (t <= c) return t;
  // Relative to a, so that large distances do not cancel.
  const float p = b - a, q = c - a, sum = p + q;
  return a + (sum + std::sqrt(std::max(0.0F, sum * sum - 3 * (p * p + q * q - 1)))) / 3;
}

}  // namespace

// Voxels to go on from, in buckets by distance.
struct VoxelField::Queue {
  std::vector<std::vector<Index>> buckets;
  std::vector<std::uint8_t> fresh;  // Per solid voxel: lowered since it was last gone on from.
  float per_voxel = 1;              // Buckets per voxel of distance.

  void begin(std::size_t voxels, float buckets_per_voxel) {
    for (auto& bucket : buckets) bucket.clear();
    fresh.assign(voxels, 0);
    per_voxel = buckets_per_voxel;
  }
  std::size_t bucket_of(float distance) const { return static_cast<std::size_t>(distance * per_voxel); }
  void push(float distance, Index solid) {
    const std::size_t bucket = bucket_of(distance);
    if (bucket >= buckets.size()) buckets.resize(bucket + 1);
    buckets[bucket].push_back(solid);
    fresh[solid] = 1;
  }
};

VoxelField::VoxelField() : queue_(std::make_unique<Queue>()) {}
VoxelField::VoxelField(VoxelField&&) noexcept = default;
VoxelField& VoxelField::operator=(VoxelField&&) noexcept = default;
VoxelField::~VoxelField() = default;

struct VoxelDistances::Links {
  const SolidVoxels& voxels;
  const VoxelLeaks* leaks;
  VoxelMetric metric;
  std::array<std::ptrdiff_t, kVoxelSteps> offsets;
  std::vector<std::array<Index, 6>> across;  // Neighbours through faces; marching only.
  std::vector<std::uint8_t> has_bridges;     // Per solid voxel.
  std::vector<VoxelBridge> bridges;          // By `from`.

  Links(const SolidVoxels& v, const VoxelLeaks* l, VoxelMetric m) : voxels(v), leaks(l), metric(m) {
    for (std::size_t s = 0; s < kVoxelSteps; ++s)
      offsets[s] = kVoxelStep[s][0] +
                   std::ptrdiff_t{v.counts[0]} * (kVoxelStep[s][1] + std::ptrdiff_t{v.counts[1]} * kVoxelStep[s][2]);
    has_bridges.assign(v.solid.size(), 0);
    if (m != VoxelMetric::kMarching) return;
    across.resize(v.solid.size());
    parallel_for(v.solid.size(), [&](std::size_t i) {
      for (std::size_t s = 0; s < 6; ++s) across[i][s] = neighbour(static_cast<Index>(i), s);
    });
  }

  bool closed(Index solid, std::size_t step) const {
    return leaks != nullptr && (leaks->closed()[solid] >> step & 1U) != 0;
  }
  Index neighbour(Index solid, std::size_t step) const {
    if (closed(solid, step)) return kNone;
    return voxels.ids[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(voxels.solid[solid]) + offsets[step])];
  }
  template <class Body>
  void for_each_bridge(Index from, Body&& body) const {
    const auto first = std::lower_bound(bridges.begin(), bridges.end(), from,
                                        [](const VoxelBridge& b, Index f) { return b.from < f; });
    for (auto it = first; it != bridges.end() && it->from == from; ++it) body(*it);
  }
};

VoxelDistances::VoxelDistances(const SolidVoxels& voxels, const VoxelLeaks* leaks, VoxelMetric metric)
    : links_(std::make_unique<Links>(voxels, leaks, metric)) {}
VoxelDistances::VoxelDistances(VoxelDistances&&) noexcept = default;
VoxelDistances::~VoxelDistances() = default;

const SolidVoxels& VoxelDistances::voxels() const { return links_->voxels; }
VoxelMetric VoxelDistances::metric() const { return links_->metric; }
Index VoxelDistances::neighbour(Index solid, std::size_t step) const { return links_->neighbour(solid, step); }

void VoxelDistances::add_bridges(std::span<const VoxelBridge> bridges) {
  links_->bridges.insert(links_->bridges.end(), bridges.begin(), bridges.end());
  std::stable_sort(links_->bridges.begin(), links_->bridges.end(),
                   [](const VoxelBridge& a, const VoxelBridge& b) { return a.from < b.from; });
  for (const VoxelBridge& b : bridges) links_->has_bridges[b.from] = 1;
}

void VoxelDistances::search(std::span<const VoxelSeed> seeds, VoxelField& field, float limit, bool sources,
                            const Progress& progress) const {
  const std::size_t count = links_->voxels.solid.size();
  field.distance.assign(count, VoxelField::kUnreached);
  if (sources) field.source.assign(count, kNone);
  else field.source.clear();
  for (const VoxelSeed& seed : seeds) {
    if (seed.distance > limit) continue;
    float& distance = field.distance[seed.solid];
    if (seed.distance < distance) {
      distance = seed.distance;
      if (sources) field.source[seed.solid] = seed.source;
    } else if (sources && seed.distance == distance) {
      field.source[seed.solid] = std::min(field.source[seed.solid], seed.source);
    }
  }
  VoxelField::Queue& queue = *field.queue_;
  queue.begin(count, metric() == VoxelMetric::kMarching ? kMarchingBuckets : 1);
  for (const VoxelSeed& seed : seeds)
    if (seed.distance == field.distance[seed.solid]) queue.push(seed.distance, seed.solid);
  std::size_t visited = 0;
  for (std::size_t b = 0; b < queue.buckets.size(); ++b) {
    // A bucket may grow, and the list of buckets too, while it is worked on.
    for (std::size_t i = 0; i < queue.buckets[b].size(); ++i) {
      const Index at = queue.buckets[b][i];
      if (queue.fresh[at] == 0 || queue.bucket_of(field.distance[at]) != b) continue;
      queue.fresh[at] = 0;
      if (++visited % kPause == 0) progress.check();
      go_on(at, field, limit, sources);
    }
  }
}

void VoxelDistances::go_on(Index at, VoxelField& field, float limit, bool sources) const {
  const Links& links = *links_;
  std::vector<float>& distance = field.distance;
  const float here = distance[at];
  const auto lower = [&](Index to, float value) {
    if (!(value < distance[to]) || value > limit) return;
    distance[to] = value;
    if (sources) field.source[to] = field.source[at];
    field.queue_->push(value, to);
  };
  const bool marching = links.metric == VoxelMetric::kMarching;
  if (marching) {
    const auto known = [&](Index i) { return i != kNone ? distance[i] : VoxelField::kUnreached; };
    for (const Index to : links.across[at]) {
      if (to == kNone || !(distance[to] > here)) continue;
      const std::array<Index, 6>& around = links.across[to];
      lower(to, upwind(std::min(known(around[0]), known(around[1])), std::min(known(around[2]), known(around[3])),
                       std::min(known(around[4]), known(around[5]))));
    }
  }
  const std::uint32_t closed = links.leaks != nullptr ? links.leaks->closed()[at] : 0;
  const auto voxel = static_cast<std::ptrdiff_t>(links.voxels.solid[at]);
  for (std::size_t s = marching ? 6 : 0; s < kVoxelSteps; ++s) {
    const Index to = links.voxels.ids[static_cast<std::size_t>(voxel + links.offsets[s])];
    if (to != kNone && (closed >> s & 1U) == 0) lower(to, here + step_length(s));
  }
  if (links.has_bridges[at] != 0)
    links.for_each_bridge(at, [&](const VoxelBridge& b) { lower(b.to, here + std::max(1.0F, b.length)); });
}

std::vector<VoxelBridge> bridges_to_shells(const SolidVoxels& voxels, const VoxelField& reached, float reach) {
  const std::size_t count = voxels.solid.size();
  // Everything that hangs together with what is reached, over closed steps too.
  std::vector<std::uint8_t> joined(count, 0);
  std::vector<Index> front, features;
  for (Index i = 0; i < count; ++i)
    if (reached.distance[i] < VoxelField::kUnreached) joined[i] = 1, front.push_back(i);
  if (front.size() == count || front.empty()) return {};
  features = front;
  const VoxelDistances open(voxels, nullptr, VoxelMetric::kChamfer);
  for (std::size_t i = 0; i < front.size(); ++i)
    for (std::size_t s = 0; s < kVoxelSteps; ++s) {
      const Index next = open.neighbour(front[i], s);
      if (next == kNone || joined[next] != 0) continue;
      joined[next] = 1;
      front.push_back(next);
    }
  std::vector<Index> apart;
  for (Index i = 0; i < count; ++i)
    if (joined[i] == 0 && voxels.classes[voxels.solid[i]] == VoxelClass::kBoundary) apart.push_back(i);
  if (apart.empty()) return {};
  const NearestVoxel nearest(voxels, features);
  std::vector<VoxelBridge> found(apart.size());
  parallel_for(
      apart.size(),
      [&](std::size_t i) {
        const std::array<Index, 3> at = voxels.coordinates(voxels.solid[apart[i]]);
        const NearestVoxel::Result from =
            nearest.find(Vec3(at[0] + 0.5, at[1] + 0.5, at[2] + 0.5), static_cast<double>(reach));
        if (from.solid != kNone) found[i] = {from.solid, apart[i], static_cast<float>(from.distance)};
      },
      256);
  std::erase_if(found, [](const VoxelBridge& b) { return b.from == kNone; });
  return found;
}

}  // namespace sinew::geometry
