// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/limb.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/geometry/voxels/voxel_leaks.h"

namespace sinew::rigging {
namespace {

constexpr double kSliceVoxels = 2;

/// Voxels by slice: slice k has items[offsets[k]] … .
struct Slices {
  std::vector<Index> offsets, items;
};

Slices sort_into_slices(std::span<const float> distance, double step, std::size_t count) {
  Slices slices;
  slices.offsets.assign(count + 1, 0);
  const auto slice_of = [&](float d) { return static_cast<std::size_t>(d / step); };
  for (const float d : distance)
    if (d < step * static_cast<double>(count) && slice_of(d) < count) ++slices.offsets[slice_of(d) + 1];
  for (std::size_t k = 0; k < count; ++k) slices.offsets[k + 1] += slices.offsets[k];
  slices.items.resize(slices.offsets.back());
  std::vector<Index> next(slices.offsets.begin(), slices.offsets.end() - 1);
  for (Index v = 0; v < distance.size(); ++v)
    if (distance[v] < step * static_cast<double>(count) && slice_of(distance[v]) < count)
      slices.items[next[slice_of(distance[v])]++] = v;
  return slices;
}

/// Follows the pieces of slices from the tip inwards.
class Follower {
 public:
  Follower(const BodyWays& ways, std::span<const float> from_body, const Slices& slices)
      : ways_(ways), from_body_(from_body), slice_(ways.size(), kNone), seen_(ways.size(), 0) {
    for (Index k = 0; k + 1 < slices.offsets.size(); ++k)
      for (Index i = slices.offsets[k]; i < slices.offsets[k + 1]; ++i) slice_[slices.items[i]] = k;
  }

  /// The piece of slice k that holds or touches the voxels of `before`; nearest to the body if there are several.
  std::vector<Index> next(Index k, const std::vector<Index>& before) {
    std::vector<Index> best;
    float best_way = std::numeric_limits<float>::infinity();
    for (const Index v : before) {
      for (std::size_t step = 0; step < geometry::kVoxelSteps; ++step) {
        const Index n = ways_.neighbour(v, step);
        if (n == kNone || slice_[n] != k || seen_[n]) continue;
        std::vector<Index> piece = flood(k, n);
        float way = std::numeric_limits<float>::infinity();
        for (const Index p : piece) way = std::min(way, from_body_[p]);
        if (way < best_way || best.empty()) best_way = way, best = std::move(piece);
      }
    }
    return best;
  }

  std::vector<Index> flood(Index k, Index start) {
    std::vector<Index> piece = {start};
    seen_[start] = 1;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      for (std::size_t step = 0; step < geometry::kVoxelSteps; ++step) {
        const Index n = ways_.neighbour(piece[i], step);
        if (n == kNone || slice_[n] != k || seen_[n]) continue;
        seen_[n] = 1;
        piece.push_back(n);
      }
    }
    return piece;
  }

 private:
  const BodyWays& ways_;
  std::span<const float> from_body_;
  std::vector<Index> slice_;
  std::vector<char> seen_;
};

LimbProfile::Slice measure_slice(const BodyWays& ways, const std::vector<Index>& piece, double s, double step) {
  LimbProfile::Slice slice;
  slice.s = s;
  double weight = 0;
  for (const Index v : piece) {
    // Deep voxels count more: the middle of a limb, not of its folds.
    const double w = std::max(ways.depth(v), 0.25 * ways.cell());
    slice.center += w * ways.center(v);
    weight += w;
    slice.radius = std::max(slice.radius, ways.depth(v));
  }
  slice.center /= weight;
  slice.area = static_cast<double>(piece.size()) * std::pow(ways.cell(), 3) / step;
  return slice;
}

/// Evens out what whole voxels make of slices.
void smooth(std::vector<LimbProfile::Slice>& slices) {
  const std::vector<LimbProfile::Slice> raw = slices;
  for (std::size_t i = 1; i + 1 < raw.size(); ++i) {
    slices[i].center = 0.25 * (raw[i - 1].center + raw[i + 1].center) + 0.5 * raw[i].center;
    slices[i].area = 0.25 * (raw[i - 1].area + raw[i + 1].area) + 0.5 * raw[i].area;
    slices[i].radius = 0.25 * (raw[i - 1].radius + raw[i + 1].radius) + 0.5 * raw[i].radius;
  }
}

}  // namespace

double LimbProfile::interpolate(double s, std::size_t& i) const {
  const double x = std::clamp((s - slices.front().s) / step, 0.0, static_cast<double>(slices.size() - 1));
  i = std::min(static_cast<std::size_t>(x), slices.size() < 2 ? 0 : slices.size() - 2);
  return slices.size() < 2 ? 0 : x - static_cast<double>(i);
}

Vec3 LimbProfile::center(double s) const {
  std::size_t i = 0;
  const double t = interpolate(s, i);
  return slices.size() < 2 ? slices[0].center : Vec3((1 - t) * slices[i].center + t * slices[i + 1].center);
}

double LimbProfile::area(double s) const {
  std::size_t i = 0;
  const double t = interpolate(s, i);
  return slices.size() < 2 ? slices[0].area : (1 - t) * slices[i].area + t * slices[i + 1].area;
}

double LimbProfile::radius(double s) const {
  std::size_t i = 0;
  const double t = interpolate(s, i);
  return slices.size() < 2 ? slices[0].radius : (1 - t) * slices[i].radius + t * slices[i + 1].radius;
}

Index limb_tip(const BodyWays& ways, std::span<const float> from_body, const Vec3& leaf, double share,
               const Vec3& direction, bool thick) {
  Index at = ways.nearest(leaf);
  const double base = share * from_body[at];
  while (from_body[at] > base) {
    Index next = at;
    for (std::size_t step = 0; step < geometry::kVoxelSteps; ++step)
      if (const Index n = ways.neighbour(at, step); n != kNone && from_body[n] < from_body[next]) next = n;
    if (next == at) break;
    at = next;
  }
  const double start = from_body[at];
  double farthest = start;
  for (const float d : from_body)
    if (std::isfinite(d)) farthest = std::max<double>(farthest, d);
  const std::vector<float> from_base = ways.from(at, (farthest - start) / 0.75 + 4 * ways.cell());
  const Vec3 place = ways.center(at);
  Index best = at, deepest = at;
  double best_value = -std::numeric_limits<double>::infinity();
  for (Index v = 0; v < ways.size(); ++v) {
    if (!std::isfinite(from_body[v]) || !std::isfinite(from_base[v])) continue;
    // Behind that place: the way from the body leads past it.
    const double slack = std::max(3 * ways.cell(), 0.25 * from_base[v]);
    if (from_body[v] < start + from_base[v] - slack) continue;
    const double value = direction.isZero() ? from_body[v] : direction.dot(ways.center(v) - place);
    if (value > best_value) best_value = value, best = v;
    // A ball that does not reach back to where the looking began.
    if (thick && ways.depth(v) > ways.depth(deepest) && direction.dot(ways.center(v) - place) > 0.5 * ways.depth(v))
      deepest = v;
  }
  return thick ? ways.nearest(ways.center(deepest) + (ways.depth(deepest) - ways.cell()) * direction) : best;
}

LimbProfile limb_profile(const BodyWays& ways, std::span<const float> from_body, Index tip, double reach) {
  LimbProfile profile;
  profile.step = kSliceVoxels * ways.cell();
  const std::vector<float> from_tip = ways.from(tip, reach);
  const auto count = static_cast<std::size_t>(std::ceil(reach / profile.step));
  const Slices slices = sort_into_slices(from_tip, profile.step, count);
  Follower follower(ways, from_body, slices);
  std::vector<Index> piece = follower.flood(0, tip);
  for (Index k = 0; k < count; ++k) {
    profile.slices.push_back(measure_slice(ways, piece, (k + 0.5) * profile.step, profile.step));
    piece = follower.next(k + 1, piece);
    if (piece.empty()) break;
  }
  smooth(profile.slices);
  return profile;
}

}  // namespace sinew::rigging
