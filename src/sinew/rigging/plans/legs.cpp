// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/legs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sinew/geometry/voxels/voxel_distances.h"
#include "sinew/rigging/anatomy/branches.h"

namespace sinew::rigging {
namespace {

constexpr double kNearGround = 0.14;  // Of the height: where a foot's lowest point may be; a walking body lifts one.
constexpr double kShortest = 0.05;    // Of the height: the free part of a leg.

/// Where a leg ends: the level of the first other leg that it meets, or of the body.
double top_of(const std::vector<Branch>& all, const std::vector<char>& is_leg, Index i, double height) {
  double top = height - all[i].foot;
  for (Index c = 0; c < all.size(); ++c)
    if (is_leg[c] && all[c].parent == i) top = std::min(top, height - all[c].foot);
  if (const std::size_t root = branch_root(all[i]); root > 0) top = std::min(top, height - all[i].slices[root].d);
  return top;
}

/// Whether a section belongs to a foot: a narrower one is not far above it.
bool in_foot(const std::vector<Leg::Section>& sections, std::size_t i, double top) {
  constexpr double kNarrower = 0.7, kFootShare = 0.5;
  for (std::size_t k = i + 1; k < sections.size() && sections[k].y < kFootShare * top; ++k)
    if (sections[k].width < kNarrower * sections[i].width) return true;
  return false;
}

/// The first section in which a leg has become part of the body: one that is much wider than those below it, or lies
/// aside of them.
std::size_t body_begins(const std::vector<Leg::Section>& sections, double top, double cell) {
  constexpr std::size_t kSteps = 6;
  constexpr double kWiderThanAll = 2.2, kWider = 1.5, kAside = 1.2, kFoot = 0.2;
  double sum = 0, count = 0;
  for (std::size_t i = kSteps; i < sections.size(); ++i) {
    const Leg::Section &here = sections[i], &below = sections[i - kSteps];
    // A foot and an ankle do so as well.
    if (below.y < kFoot * top || in_foot(sections, i - kSteps, top)) continue;
    sum += below.width, ++count;
    const Vec3 way = here.center - below.center;
    if (here.width > kWiderThanAll * sum / count || here.width > kWider * below.width + cell ||
        std::hypot(way.x(), way.z()) > kAside * (here.y - below.y) + cell)
      return i - kSteps + 1;
  }
  return sections.size();
}

}  // namespace

Vec3 Leg::at(double y) const {
  if (y <= sections.front().y) return sections.front().center;
  for (std::size_t i = 1; i < sections.size(); ++i) {
    if (sections[i].y < y) continue;
    const double t = (y - sections[i - 1].y) / std::max(1e-12, sections[i].y - sections[i - 1].y);
    return (1 - t) * sections[i - 1].center + t * sections[i].center;
  }
  return sections.back().center;
}

double Leg::width(double y) const {
  for (const Section& section : sections)
    if (section.y >= y) return section.width;
  return sections.back().width;
}

BodyVoxels::BodyVoxels(const BodyWays& body_ways, const BodyAxes& body_frame)
    : ways(body_ways), frame(body_frame), places(body_ways.size()), cell(body_ways.cell()) {
  low_z = std::numeric_limits<double>::infinity(), high_z = -low_z;
  for (Index v = 0; v < ways.size(); ++v) {
    places[v] = frame.to_body(ways.center(v));
    height = std::max(height, places[v].y() + 0.5 * cell);
    half_width = std::max(half_width, std::abs(places[v].x()) + 0.5 * cell);
    low_z = std::min(low_z, places[v].z() - 0.5 * cell);
    high_z = std::max(high_z, places[v].z() + 0.5 * cell);
  }
}

std::vector<Leg> find_legs(const BodyVoxels& body) {
  const geometry::SolidVoxels& voxels = body.ways.interior().voxels;
  const geometry::VoxelDistances links(voxels, nullptr, geometry::VoxelMetric::kChamfer);
  std::vector<float> below_top(body.places.size());
  for (Index v = 0; v < below_top.size(); ++v)
    below_top[v] = static_cast<float>((body.height - body.places[v].y()) / body.cell);
  const std::vector<std::uint8_t> all(below_top.size(), 1);
  const std::vector<Branch> found = branches(links, body.ways.interior().depth, below_top, all,
                                             {std::max(kShortest * body.height, 3 * body.cell), 0.5, 1.0});
  std::vector<char> is_leg(found.size(), 0);
  for (Index i = 0; i < found.size(); ++i)
    is_leg[i] = body.places[found[i].tip].y() < kNearGround * body.height ? 1 : 0;
  std::vector<Leg> legs;
  for (Index i = 0; i < found.size(); ++i) {
    if (!is_leg[i]) continue;
    Leg leg;
    leg.top = top_of(found, is_leg, i, body.height);
    for (std::size_t s = found[i].slices.size(); s-- > 0;) {
      const Branch::Slice& slice = found[i].slices[s];
      if (body.height - slice.d > leg.top) break;
      leg.sections.push_back({body.height - slice.d, body.frame.to_body(slice.center), slice.width});
    }
    if (leg.sections.size() < 2) continue;
    leg.sections.resize(std::max<std::size_t>(2, body_begins(leg.sections, leg.top, body.cell)));
    leg.top = std::min(leg.top, leg.sections.back().y + 0.5 * body.cell);
    legs.push_back(std::move(leg));
  }
  return legs;
}

std::vector<LegPair> leg_pairs(const BodyVoxels& body, const std::vector<Leg>& legs) {
  std::vector<Leg> left, right;
  double farthest = 0;
  for (const Leg& leg : legs) farthest = std::max(farthest, std::abs(leg.at(0.5 * leg.top).x()));
  for (const Leg& leg : legs) {
    const double x = leg.at(0.5 * leg.top).x();
    if (std::abs(x) < std::max(body.cell, 0.25 * farthest)) continue;  // A tail, a snout or an udder.
    (x > 0 ? left : right).push_back(leg);
  }
  // One that is alone and near the mirror plane is a tail or a snout as well.
  if (left.size() != right.size()) {
    std::vector<Leg>& more = left.size() > right.size() ? left : right;
    const auto off = [](const Leg& leg) { return std::abs(leg.at(0.5 * leg.top).x()); };
    const auto nearest =
        std::min_element(more.begin(), more.end(), [&](const Leg& a, const Leg& b) { return off(a) < off(b); });
    if (off(*nearest) < 0.3 * farthest) more.erase(nearest);
  }
  if (left.size() != right.size()) return {};
  const auto order = [](const Leg& a, const Leg& b) { return a.at(0.5 * a.top).z() < b.at(0.5 * b.top).z(); };
  std::sort(left.begin(), left.end(), order);
  std::sort(right.begin(), right.end(), order);
  std::vector<LegPair> pairs;
  for (std::size_t i = 0; i < left.size(); ++i) pairs.push_back({left[i], right[i]});
  return pairs;
}

void find_toes(const BodyVoxels& body, LegPair& pair) {
  for (Leg& leg : pair) {
    const double low = 0.25 * leg.top;
    const Vec3 sole = leg.at(0.5 * low);
    const double reach = 3 * leg.width(low) + 0.3 * leg.top;
    leg.toe = sole;
    for (const Vec3& p : body.places)
      if (p.y() < low && p.z() > leg.toe.z() && std::abs(p.x() - sole.x()) < 1.5 * leg.width(low) &&
          p.z() < sole.z() + reach)
        leg.toe.z() = p.z();
    leg.toe.y() = 0.5 * low;
  }
}

double feet_point_forward(const BodyVoxels& body, const LegPair& pair) {
  constexpr double kSole = 0.2, kShank = 0.7;  // Of the leg.
  constexpr double kFootLength = 1.6;          // At least, in diameters of the leg.
  double sum = 0;
  for (const Leg& leg : pair) {
    const Vec3 sole = leg.at(0.5 * kSole * leg.top), shank = leg.at(kShank * leg.top);
    const double radius = leg.width(kShank * leg.top), reach = leg.top + 3 * radius;
    double front = -std::numeric_limits<double>::infinity(), rear = -front;
    for (const Vec3& p : body.places)
      if (p.y() < kSole * leg.top && std::abs(p.x() - sole.x()) < 2 * radius && std::abs(p.z() - sole.z()) < reach)
        front = std::max(front, p.z()), rear = std::min(rear, p.z());
    const double length = front - rear;
    if (!(length > kFootLength * 2 * radius)) continue;
    sum += 0.5 * std::clamp((0.5 * (front + rear) - shank.z()) / (0.2 * length), -1.0, 1.0);
  }
  return sum;
}

}  // namespace sinew::rigging
