// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/curves/template_joints.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::rigging {
namespace {

constexpr double kCollinear = 0.02;

/// A unit vector that is orthogonal to another.
Vec3 any_orthogonal(const Vec3& unit) {
  const Vec3 axis = std::abs(unit.x()) < 0.6 ? Vec3(Vec3::UnitX()) : Vec3(Vec3::UnitY());
  return unit.cross(axis).normalized();
}

}  // namespace

Vec3 template_joint(const Vec3& first, const Vec3& second, const TemplateTriple& triple, const Mat3& turn) {
  const Vec3 line = triple.first - triple.second;
  const double base = line.norm();
  const Vec3 span = first - second;
  const double own = span.norm();
  if (!(base > 0) || !(own > 0)) return second;
  const Vec3 to_sought = triple.sought - triple.second;
  const double fraction = to_sought.dot(line) / (base * base);
  const Vec3 off = to_sought - fraction * line;
  if (off.norm() < kCollinear * base) return second + fraction * span;
  const double scale = own / base;
  const double r3 = scale * (triple.sought - triple.first).norm(), r4 = scale * to_sought.norm();
  const Vec3 u = span / own;
  const double x = (r4 * r4 - r3 * r3 + own * own) / (2 * own);
  const double y = std::sqrt(std::max(0.0, r4 * r4 - x * x));
  Vec3 side = turn * off;
  side -= side.dot(u) * u;
  side = side.norm() > 1e-12 * off.norm() ? Vec3(side.normalized()) : any_orthogonal(u);
  return second + x * u + y * side;
}

std::vector<double> at_fractions(const CurveChain& chain, std::span<const double> fractions) {
  std::vector<double> result;
  for (const double fraction : fractions) result.push_back(fraction * chain.length());
  return result;
}

std::vector<MatchedJoint> match_bends(const CurveChain& chain, std::span<const CurveBend> bends,
                                      std::span<const double> fractions, double gate) {
  const std::size_t n = fractions.size(), m = bends.size();
  const double length = std::max(chain.length(), std::numeric_limits<double>::min());
  // best[i][j]: the cost of the first i joints and j bends; each match is worth more than any distance costs.
  std::vector<std::vector<double>> best(n + 1, std::vector<double>(m + 1, 0));
  const auto gain = [&](std::size_t i, std::size_t j) {
    const double apart = std::abs(bends[j].along / length - fractions[i]);
    return apart <= gate ? apart - 1 : 0;
  };
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= m; ++j)
      best[i][j] = std::min({best[i - 1][j], best[i][j - 1], best[i - 1][j - 1] + gain(i - 1, j - 1)});
  std::vector<MatchedJoint> joints(n);
  for (std::size_t i = n, j = m; i > 0 && j > 0;) {
    const double g = gain(i - 1, j - 1);
    if (g < 0 && best[i][j] == best[i - 1][j - 1] + g) {
      joints[i - 1].bend = j - 1;
      joints[i - 1].along = bends[j - 1].along;
      --i, --j;
    } else if (best[i][j] == best[i - 1][j]) {
      --i;
    } else {
      --j;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (joints[i].bend) continue;
    double f0 = 0, s0 = 0, f1 = 1, s1 = chain.length();
    for (std::size_t k = 0; k < n; ++k) {
      if (!joints[k].bend) continue;
      if (k < i) f0 = fractions[k], s0 = joints[k].along;
      else if (k > i && f1 == 1) f1 = fractions[k], s1 = joints[k].along;
    }
    joints[i].along = f1 > f0 ? s0 + (s1 - s0) * (fractions[i] - f0) / (f1 - f0) : s0;
  }
  return joints;
}

double same_place(const CurveChain& from, const CurveChain& to, double along) {
  if (from.nodes.size() != to.nodes.size()) return along / std::max(from.length(), 1e-300) * to.length();
  const auto up = std::upper_bound(from.along.begin() + 1, from.along.end() - 1, along);
  const auto i = static_cast<std::size_t>(up - from.along.begin());
  const double step = from.along[i] - from.along[i - 1];
  const double t = step > 0 ? std::clamp((along - from.along[i - 1]) / step, 0.0, 1.0) : 0;
  return (1 - t) * to.along[i - 1] + t * to.along[i];
}

std::vector<PosedJoint> match_in_poses(const CurveChain& chain, std::span<const CurveChain* const> poses,
                                       std::span<const double> fractions, BendRule rule) {
  std::vector<PosedJoint> joints;
  for (const double fraction : fractions) joints.push_back({fraction * chain.length(), 0, 0});
  for (Index p = 0; p < poses.size(); ++p) {
    if (!poses[p]) continue;
    const std::vector<CurveBend> bends = find_bends(*poses[p], rule);
    std::vector<double> there;
    for (const double f : fractions)
      there.push_back(same_place(chain, *poses[p], f * chain.length()) / std::max(poses[p]->length(), 1e-300));
    const std::vector<MatchedJoint> matched = match_bends(*poses[p], bends, there);
    for (std::size_t i = 0; i < joints.size(); ++i) {
      if (!matched[i].bend || bends[*matched[i].bend].angle_rad <= joints[i].bend_rad) continue;
      joints[i] = {same_place(*poses[p], chain, matched[i].along), bends[*matched[i].bend].angle_rad, p};
    }
  }
  return joints;
}

}  // namespace sinew::rigging
