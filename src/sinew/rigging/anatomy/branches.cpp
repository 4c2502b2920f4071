// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/branches.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/union_find.h"
#include "sinew/geometry/spatial/distance_field.h"

namespace sinew::rigging {
namespace {

constexpr double kFlare = 1.5;   // A section that is so much wider within a width is where a limb leaves the body.
constexpr double kTipCap = 1.2;  // Nearer to the tip than so many widths, it is the tip's own rounding.

// A branch that is still growing inwards, or has ended.
struct Growing {
  enum class Fate : std::uint8_t { kOpen, kBranch, kSwallowed, kLeftOut };
  Index tip = kNone;
  double top = 0, foot = 0;
  std::size_t voxels = 0;
  Index into = kNone;
  Fate fate = Fate::kOpen;
};

class MergeTree {
 public:
  MergeTree(const geometry::VoxelDistances& distances, std::span<const float> distance,
            std::span<const std::uint8_t> taken, const BranchOptions& options)
      : distances_(distances),
        distance_(distance),
        taken_(taken),
        cell_(distances.voxels().cell),
        options_(options),
        sets_(distance.size()),
        of_set_(distance.size(), kNone) {
    owner.assign(distance.size(), kNone);
  }

  void grow() {
    // By falling distance, then number. Floats that are not negative are ordered as their bits are.
    std::vector<std::uint64_t> order;
    for (Index i = 0; i < distance_.size(); ++i)
      if (taken_[i] != 0 && std::isfinite(distance_[i]))
        order.push_back(std::uint64_t{~std::bit_cast<std::uint32_t>(distance_[i] + 0.0F)} << 32 | i);
    parallel_sort(order);
    for (const std::uint64_t key : order) add(static_cast<Index>(key & 0xFFFFFFFFU));
  }

  // Of a swallowed branch, the one that has it now.
  Index final_owner(Index branch) const {
    while (all[branch].fate == Growing::Fate::kSwallowed) branch = all[branch].into;
    return branch;
  }

  std::vector<Growing> all;
  std::vector<Index> owner;  // Per solid voxel.

 private:
  double at(Index v) const { return cell_ * static_cast<double>(distance_[v]); }

  void add(Index v) {
    Index mine = kNone;
    for (std::size_t step = 0; step < geometry::kVoxelSteps; ++step) {
      const Index next = distances_.neighbour(v, step);
      if (next == kNone || owner[next] == kNone) continue;
      const Index other = of_set_[sets_.find(next)];
      if (mine == kNone) {
        mine = other;
      } else if (mine != other) {
        mine = meet(mine, other, at(v));
      }
      sets_.join(v, next);
      of_set_[sets_.find(v)] = mine;
    }
    if (mine == kNone) {
      mine = static_cast<Index>(all.size());
      all.push_back({v, at(v), at(v), 0, kNone, Growing::Fate::kOpen});
    }
    of_set_[sets_.find(v)] = mine;
    owner[v] = mine;
    ++all[mine].voxels;
    all[mine].foot = at(v);
  }

  bool is_long(const Growing& branch, double level) const {
    const double length = branch.top - level;
    const double area = static_cast<double>(branch.voxels) * cell_ * cell_ * cell_ / std::max(length, cell_);
    return length >= options_.least_length && length >= options_.least_ratio * std::sqrt(area / kPi);
  }

  // The one of the two that goes on.
  Index meet(Index a, Index b, double level) {
    if (all[b].top > all[a].top || (all[b].top == all[a].top && all[b].tip < all[a].tip)) std::swap(a, b);
    Growing& elder = all[a];
    Growing& younger = all[b];
    younger.into = a;
    younger.foot = level;
    if (is_long(younger, level)) {
      younger.fate = Growing::Fate::kBranch;
    } else if (is_long(elder, level)) {
      younger.fate = Growing::Fate::kLeftOut;
    } else {
      younger.fate = Growing::Fate::kSwallowed;
      elder.voxels += younger.voxels;
    }
    return a;
  }

  const geometry::VoxelDistances& distances_;
  std::span<const float> distance_;
  std::span<const std::uint8_t> taken_;
  double cell_;
  BranchOptions options_;
  geometry::UnionFind sets_;
  std::vector<Index> of_set_;
};

// Sums of the voxels of one slice.
struct SliceSum {
  Vec3 sum = Vec3::Zero();
  std::size_t count = 0;
  double deepest = 0;
  Index voxel = kNone;
};

std::vector<Branch::Slice> slices_of(const std::vector<SliceSum>& sums, double foot, double step,
                                     const geometry::SolidVoxels& voxels, const DistanceField& depth) {
  std::vector<Branch::Slice> result;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const SliceSum& sum = sums[i];
    if (sum.count == 0) continue;
    Branch::Slice slice;
    slice.d = foot + step * (static_cast<double>(i) + 0.5);
    slice.center = sum.sum / static_cast<double>(sum.count);
    if (geometry::sample(depth, slice.center) > -0.5 * voxels.cell)
      slice.center = voxels.center(voxels.solid[sum.voxel]);
    slice.radius = sum.deepest;
    const double area = static_cast<double>(sum.count) * voxels.cell * voxels.cell * voxels.cell / step;
    slice.width = std::sqrt(area / kPi);
    result.push_back(slice);
  }
  return result;
}

}  // namespace

std::vector<Branch> branches(const geometry::VoxelDistances& distances, const DistanceField& depth,
                             std::span<const float> distance, std::span<const std::uint8_t> taken,
                             const BranchOptions& options) {
  MergeTree tree(distances, distance, taken, options);
  tree.grow();
  const geometry::SolidVoxels& voxels = distances.voxels();
  std::vector<Index> order;  // Of those that stay.
  for (Index i = 0; i < tree.all.size(); ++i) {
    const Growing& g = tree.all[i];
    if (g.fate == Growing::Fate::kOpen || g.fate == Growing::Fate::kBranch) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const Growing &x = tree.all[a], &y = tree.all[b];
    const double lx = x.top - x.foot, ly = y.top - y.foot;
    return lx != ly ? lx > ly : x.tip < y.tip;
  });
  while (!order.empty() && tree.all[order.back()].top - tree.all[order.back()].foot < options.least_length)
    order.pop_back();
  std::vector<Index> place(tree.all.size(), kNone);
  for (Index i = 0; i < order.size(); ++i) place[order[i]] = i;
  const double step = options.step * voxels.cell;
  std::vector<std::vector<SliceSum>> sums(order.size());
  for (Index v = 0; v < distance.size(); ++v) {
    if (tree.owner[v] == kNone) continue;
    const Index b = place[tree.final_owner(tree.owner[v])];
    if (b == kNone) continue;
    const double above = std::max(0.0, voxels.cell * static_cast<double>(distance[v]) - tree.all[order[b]].foot);
    const auto bin = static_cast<std::size_t>(above / step);
    if (sums[b].size() <= bin) sums[b].resize(bin + 1);
    SliceSum& sum = sums[b][bin];
    sum.sum += voxels.center(voxels.solid[v]);
    ++sum.count;
    const double inside = -static_cast<double>(depth.values[voxels.solid[v]]);
    if (sum.voxel == kNone || inside > sum.deepest) {
      sum.deepest = inside;
      sum.voxel = v;
    }
  }
  std::vector<Branch> result(order.size());
  for (Index i = 0; i < order.size(); ++i) {
    const Growing& g = tree.all[order[i]];
    Branch& branch = result[i];
    branch.tip = g.tip;
    branch.top = g.top;
    branch.foot = g.foot;
    // A longer branch may itself have been swallowed later; what it went into may not have stayed.
    branch.parent = g.into == kNone ? kNone : place[tree.final_owner(g.into)];
    for (const SliceSum& sum : sums[i]) branch.volume += static_cast<double>(sum.count) * std::pow(voxels.cell, 3);
    branch.slices = slices_of(sums[i], g.foot, step, voxels, depth);
  }
  return result;
}

std::size_t branch_root(const Branch& branch) {
  const std::vector<Branch::Slice>& slices = branch.slices;
  if (slices.empty()) return 0;
  // The least width from each slice to the foot: what is wider only here and there is no body.
  std::vector<double> least(slices.size());
  for (std::size_t i = 0; i < slices.size(); ++i)
    least[i] = i == 0 ? slices[i].width : std::min(least[i - 1], slices[i].width);
  for (std::size_t i = slices.size(); i-- > 1;) {
    // A slice alone may be cut thin by the grid.
    const double width = i + 1 < slices.size() ? 0.5 * (slices[i].width + slices[i + 1].width) : slices[i].width;
    std::size_t inner = i;
    while (inner > 0 && slices[i].d - slices[inner].d < width) --inner;
    if (branch.top - slices[i].d < kTipCap * std::min(2 * width, least[inner])) continue;
    if (slices[i].d - slices[inner].d >= width && least[inner] >= kFlare * width) return i;
  }
  return 0;
}

Vec3 BranchLine::at(double s) const {
  if (points.size() < 2 || length <= 0) return points.empty() ? Vec3(Vec3::Zero()) : points.front();
  const double t = std::clamp(s / length, 0.0, 1.0) * static_cast<double>(points.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(t), points.size() - 2);
  return points[i] + (t - static_cast<double>(i)) * (points[i + 1] - points[i]);
}

Vec3 BranchLine::direction(double s, double window) const {
  const Vec3 way = at(s + 0.5 * window) - at(s - 0.5 * window);
  const double size = way.norm();
  return size > 0 ? Vec3(way / size) : Vec3(Vec3::Zero());
}

double BranchLine::width(double s) const {
  if (widths.empty()) return 0;
  const double t = length > 0 ? std::clamp(s / length, 0.0, 1.0) * static_cast<double>(widths.size() - 1) : 0;
  const auto i = static_cast<std::size_t>(t);
  if (i + 1 >= widths.size()) return widths.back();
  return widths[i] + (t - static_cast<double>(i)) * (widths[i + 1] - widths[i]);
}

BranchLine branch_line(const geometry::SolidVoxels& voxels, const DistanceField& depth, const Branch& branch,
                       std::size_t first, double step) {
  std::vector<Branch::Slice> at(branch.slices.begin() + static_cast<std::ptrdiff_t>(first), branch.slices.end());
  if (at.empty()) return {};
  for (int round = 0; round < 2 && at.size() > 2; ++round) {
    std::vector<Branch::Slice> smooth = at;
    for (std::size_t i = 1; i + 1 < at.size(); ++i)
      smooth[i].center = 0.25 * at[i - 1].center + 0.5 * at[i].center + 0.25 * at[i + 1].center;
    at = std::move(smooth);
  }
  // The last slices are of few voxels; the tip is laid straight on from before them.
  const double cap = std::max(at[at.size() / 2].radius, 2 * voxels.cell);
  while (at.size() > 3 && branch.top - at.back().d < 0.7 * cap) at.pop_back();
  std::size_t before = at.size() - 1;
  while (before > 0 && at.back().d - at[before].d < 2 * cap) --before;
  Vec3 way = at.back().center - at[before].center;
  if (way.isZero()) way = voxels.center(voxels.solid[branch.tip]) - at.back().center;
  if (!way.isZero()) way.normalize();
  Branch::Slice tip = at.back();
  double ahead = branch.top - tip.d + 0.5 * voxels.cell;
  while (ahead > 0 && geometry::sample(depth, tip.center + ahead * way) > 0) ahead -= 0.25 * voxels.cell;
  if (ahead > 0) {
    tip.center += ahead * way;
    tip.radius = tip.width = 0;
    at.push_back(tip);
  }
  BranchLine line;
  std::vector<double> s(at.size(), 0.0);
  for (std::size_t i = 1; i < at.size(); ++i) s[i] = s[i - 1] + (at[i].center - at[i - 1].center).norm();
  line.length = s.back();
  const auto parts = static_cast<std::size_t>(std::max(1.0, std::round(line.length / step)));
  std::size_t k = 0;
  for (std::size_t i = 0; i <= parts; ++i) {
    const double here = line.length * static_cast<double>(i) / static_cast<double>(parts);
    while (k + 2 < at.size() && s[k + 1] < here) ++k;
    const std::size_t next = std::min(k + 1, at.size() - 1);
    const double t = s[next] > s[k] ? std::clamp((here - s[k]) / (s[next] - s[k]), 0.0, 1.0) : 0;
    line.points.push_back(at[k].center + t * (at[next].center - at[k].center));
    line.radii.push_back(at[k].radius + t * (at[next].radius - at[k].radius));
    line.widths.push_back(at[k].width + t * (at[next].width - at[k].width));
  }
  return line;
}

}  // namespace sinew::rigging
