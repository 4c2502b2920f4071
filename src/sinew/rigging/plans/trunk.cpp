// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/trunk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/angles.h"

namespace sinew::rigging {

MidlineProfile::MidlineProfile(const BodyVoxels& body) : low_(body.low_z), step_(1.5 * body.cell) {
  const auto count = static_cast<std::size_t>(std::ceil((body.high_z - body.low_z) / step_)) + 1;
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  top_.assign(count, -kUnknown);
  bottom_.assign(count, kUnknown);
  for (const Vec3& p : body.places) {
    if (std::abs(p.x()) > 2 * body.cell) continue;
    const std::size_t i = bin(p.z());
    top_[i] = std::max(top_[i], p.y() + 0.5 * body.cell);
    bottom_[i] = std::min(bottom_[i], p.y() - 0.5 * body.cell);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(top_[i])) continue;
    top_[i] = i > 0 ? top_[i - 1] : 0;
    bottom_[i] = i > 0 ? bottom_[i - 1] : 0;
  }
}

std::size_t MidlineProfile::bin(double z) const {
  return static_cast<std::size_t>(std::clamp((z - low_) / step_, 0.0, static_cast<double>(top_.size() - 1)));
}

double MidlineProfile::top(double z) const { return top_[bin(z)]; }
double MidlineProfile::bottom(double z) const { return bottom_[bin(z)]; }

Vec3 CenterLine::at(double s) const {
  double before = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double step = (points[i] - points[i - 1]).norm();
    if (before + step >= s)
      return points[i - 1] + std::clamp((s - before) / std::max(step, 1e-12), 0.0, 1.0) * (points[i] - points[i - 1]);
    before += step;
  }
  return points.back();
}

double CenterLine::width(double s) const {
  if (widths.empty()) return 0;
  const double t = std::clamp(s / std::max(length, 1e-12), 0.0, 1.0) * static_cast<double>(widths.size() - 1);
  return widths[static_cast<std::size_t>(t)];
}

CenterLine center_line(const BodyVoxels& body, const Vec3& start, const Vec3& end,
                       const std::vector<std::uint8_t>& taken) {
  const std::vector<float> from = body.ways.from(body.frame.from_body(start));
  const Index last = body.ways.nearest(body.frame.from_body(end));
  const double step = 2.5 * body.cell;
  const double reach = std::isfinite(from[last]) ? from[last] : 0;
  const auto count = static_cast<std::size_t>(reach / step) + 1;
  std::vector<Vec3> sum(count, Vec3::Zero());
  std::vector<double> weight(count, 0), voxels(count, 0);
  for (Index v = 0; v < body.places.size(); ++v) {
    if (!taken[v] || !(from[v] < reach)) continue;
    const auto k = static_cast<std::size_t>(from[v] / step);
    if (k >= count) continue;
    const double w = std::pow(std::max(body.ways.depth(v), 0.25 * body.cell), 2);
    sum[k] += w * body.places[v];
    weight[k] += w;
    ++voxels[k];
  }
  CenterLine line;
  line.points.push_back(start);
  line.widths.push_back(0);
  for (std::size_t k = 0; k < count; ++k) {
    if (weight[k] <= 0) continue;
    line.points.push_back(sum[k] / weight[k]);
    line.widths.push_back(std::sqrt(voxels[k] * std::pow(body.cell, 3) / step / kPi));
  }
  line.widths.front() = line.widths.size() > 1 ? line.widths[1] : 0;
  for (int round = 0; round < 2 && line.points.size() > 2; ++round) {
    const std::vector<Vec3> raw = line.points;
    for (std::size_t i = 1; i + 1 < raw.size(); ++i)
      line.points[i] = 0.25 * raw[i - 1] + 0.5 * raw[i] + 0.25 * raw[i + 1];
  }
  line.points.push_back(end);
  line.widths.push_back(line.widths.back());
  for (std::size_t i = 1; i < line.points.size(); ++i) line.length += (line.points[i] - line.points[i - 1]).norm();
  return line;
}

}  // namespace sinew::rigging
