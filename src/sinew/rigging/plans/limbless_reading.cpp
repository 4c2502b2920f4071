// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/limbless_reading.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sinew/geometry/voxels/voxel_distances.h"
#include "sinew/rigging/anatomy/branches.h"
#include "sinew/rigging/plans/body_ends.h"
#include "sinew/rigging/plans/trunk.h"
#include "sinew/rigging/plans/wings.h"

namespace sinew::rigging {
namespace {

constexpr double kFishCost = 0.25;   // Anything that the embedding finds good costs less.
constexpr double kFishLong = 1.6;    // Length of a fish, at least, in heights and in thicknesses of 2.
constexpr double kSnakeLong = 8;     // Length of a snake, at least, in mean diameters.
constexpr double kSnakeLimb = 0.12;  // What is so long, of the unit cube, is a limb.

/// A body cut across, from the rear to the front.
CenterLine sections_across(const BodyVoxels& body) {
  const double length = body.high_z - body.low_z, step = 2 * body.cell;
  const auto count = static_cast<std::size_t>(length / step) + 1;
  std::vector<Vec3> sum(count, Vec3::Zero());
  std::vector<double> weight(count, 0), deepest(count, 0);
  for (Index v = 0; v < body.places.size(); ++v) {
    const auto k = std::min(static_cast<std::size_t>((body.places[v].z() - body.low_z) / step), count - 1);
    const double w = std::pow(std::max(body.ways.depth(v), 0.25 * body.cell), 2);
    sum[k] += w * body.places[v];
    weight[k] += w;
    deepest[k] = std::max(deepest[k], body.ways.depth(v));
  }
  CenterLine line;
  for (std::size_t k = 0; k < count; ++k) {
    if (weight[k] <= 0) continue;
    Vec3 p = sum[k] / weight[k];
    p.x() = 0;
    line.points.push_back(p);
    line.widths.push_back(deepest[k]);
  }
  for (std::size_t i = 1; i < line.points.size(); ++i) line.length += (line.points[i] - line.points[i - 1]).norm();
  return line;
}

double mean_width(const CenterLine& line, double from, double to) {
  double sum = 0;
  for (int k = 0; k < 12; ++k) sum += line.width((from + (to - from) * (k + 0.5) / 12) * line.length) / 12;
  return sum;
}

/// Cuts thin ends off a line: a tongue is no part of a head. At most `most` of the length at each end.
CenterLine without_thin_ends(const CenterLine& line, double thin, double most) {
  std::size_t first = 0, last = line.points.size();
  const auto is_thin = [&](std::size_t i) { return line.widths[i] < thin; };
  const auto count = static_cast<std::size_t>(most * static_cast<double>(line.points.size()));
  while (first < count && is_thin(first)) ++first;
  while (line.points.size() - last < count && is_thin(last - 1)) --last;
  CenterLine result;
  result.points.assign(line.points.begin() + static_cast<std::ptrdiff_t>(first),
                       line.points.begin() + static_cast<std::ptrdiff_t>(last));
  result.widths.assign(line.widths.begin() + static_cast<std::ptrdiff_t>(first),
                       line.widths.begin() + static_cast<std::ptrdiff_t>(last));
  for (std::size_t i = 1; i < result.points.size(); ++i)
    result.length += (result.points[i] - result.points[i - 1]).norm();
  return result;
}

/// Axes whose forward direction is the level part of a direction in the old ones.
BodyAxes facing_along(const BodyAxes& axes, const Vec3& direction) {
  const Vec3 level(direction.x(), 0, direction.z());
  if (level.norm() < 0.2 * direction.norm()) return axes;
  BodyAxes result = axes;
  const Vec3 up = axes.turn.row(1).transpose(), forward = (axes.turn.transpose() * level).normalized();
  result.turn.row(2) = forward.transpose();
  result.turn.row(0) = up.cross(forward).transpose();
  return result;
}

/// Whether anything long leaves a body, seen from one of its ends.
bool has_limbs(const BodyVoxels& body, const std::vector<float>& from_end, const std::vector<std::uint8_t>& all) {
  const geometry::VoxelDistances links(body.ways.interior().voxels, nullptr, geometry::VoxelMetric::kChamfer);
  std::vector<float> distance = from_end;
  for (float& d : distance) d = static_cast<float>(d / body.cell);
  return branches(links, body.ways.interior().depth, distance, all, {kSnakeLimb, 1.5, 1.5}).size() > 1;
}

}  // namespace

std::optional<PlanReading> read_fish(const BodyWays& ways, const BodyAxes& frame, bool facing_known) {
  std::optional<BodyVoxels> seen(std::in_place, ways, frame);
  double deepest = 0;
  for (Index v = 0; v < ways.size(); ++v) deepest = std::max(deepest, ways.depth(v));
  const double length = seen->high_z - seen->low_z;
  if (frame.symmetry < 0.93 || length < kFishLong * seen->height || length < 2 * kFishLong * 2 * deepest) return {};
  CenterLine line = sections_across(*seen);
  const double ahead = mean_width(line, 0.6, 1), behind = mean_width(line, 0, 0.4);
  if (!facing_known && ahead < behind) {
    seen.emplace(ways, frame.reversed());
    line = sections_across(*seen);
  }
  if (line.points.size() < 8) return {};
  PlanReading reading;
  reading.frame = seen->frame;
  reading.template_name = "fish";
  // From the rear to the front, after dolphin, shark and manta.
  constexpr std::array<std::pair<const char*, double>, 7> kFish = {{{"hips", 0.52},
                                                                    {"spine", 0.64},
                                                                    {"chest", 0.74},
                                                                    {"head", 0.83},
                                                                    {"tail_1", 0.41},
                                                                    {"tail_2", 0.29},
                                                                    {"tail_3", 0.18}}};
  for (const auto& [role, share] : kFish) reading.places.joints[role] = line.at(share * line.length);
  reading.places.ends["head"] = line.points.back();
  reading.places.ends["tail_3"] = line.points.front();
  reading.evidence["winged"] = find_wings(*seen, 0, "wing", reading.places);
  reading.facing = std::abs(std::log((ahead + 1e-9) / (behind + 1e-9)));
  reading.evidence["facing"] = reading.facing;
  reading.cost = kFishCost;
  return reading;
}

std::optional<PlanReading> read_snake(const BodyWays& ways, const BodyAxes& frame) {
  const BodyVoxels body(ways, frame);
  const auto farthest = [&](const std::vector<float>& from) {
    Index best = 0;
    for (Index v = 0; v < from.size(); ++v)
      if (std::isfinite(from[v]) && (!std::isfinite(from[best]) || from[v] > from[best])) best = v;
    return best;
  };
  const Index one = farthest(ways.from(Index{0}));
  const std::vector<float> from_one = ways.from(one);
  const Index two = farthest(from_one);
  const std::vector<std::uint8_t> all(body.places.size(), 1);
  if (has_limbs(body, from_one, all)) return {};
  CenterLine line = center_line(body, body.places[one], body.places[two], all);
  const double width = mean_width(line, 0, 1);
  if (line.points.size() < 8 || line.length < kSnakeLong * 2 * width) return {};
  // Sections of one piece are as wide as the body is deep; those of several limbs are wider.
  double deepest = 0;
  for (Index v = 0; v < ways.size(); ++v) deepest += ways.depth(v) / static_cast<double>(ways.size());
  if (width > 6 * deepest) return {};
  constexpr double kThinEnd = 0.5, kTongue = 0.2;
  const CenterLine thick = without_thin_ends(line, kThinEnd * width, kTongue);
  const double at_two = mean_width(thick, 0.8, 0.97), at_one = mean_width(thick, 0.03, 0.2);
  // A snake that rears up raises its head.
  const double raised = 2 * (body.places[two].y() - body.places[one].y()) / line.length;
  const double facing = std::log((at_two + 1e-9) / (at_one + 1e-9)) + raised;
  if (facing < 0) {
    std::reverse(line.points.begin(), line.points.end());
    std::reverse(line.widths.begin(), line.widths.end());
  }
  // Of the head; a tail ends in a point.
  const Vec3 nose = facing < 0 ? thick.points.front() : thick.points.back();
  while (line.points.size() > 2 && line.points.back() != nose) {
    line.length -= (line.points.back() - line.points[line.points.size() - 2]).norm();
    line.points.pop_back();
    line.widths.pop_back();
  }
  PlanReading reading;
  reading.frame = facing_along(frame, line.points.back() - line.at(0.5 * line.length));
  for (Vec3& p : line.points) p = reading.frame.to_body(frame.from_body(p));
  reading.template_name = "snake";
  constexpr std::array<std::pair<const char*, double>, 9> kSnake = {{{"hips", 0.5},
                                                                     {"spine", 0.61},
                                                                     {"chest", 0.72},
                                                                     {"neck", 0.82},
                                                                     {"head", 0.91},
                                                                     {"tail_1", 0.39},
                                                                     {"tail_2", 0.28},
                                                                     {"tail_3", 0.17},
                                                                     {"tail_4", 0.08}}};
  for (const auto& [role, share] : kSnake) reading.places.joints[role] = line.at(share * line.length);
  reading.places.ends["head"] = line.points.back();
  reading.places.ends["tail_4"] = line.points.front();
  reading.evidence["slenderness"] = line.length / (2 * width);
  reading.evidence["width"] = width / deepest;
  reading.evidence["facing"] = std::abs(facing);
  reading.facing = std::abs(facing);
  reading.cost = kFishCost;
  return reading;
}

}  // namespace sinew::rigging
