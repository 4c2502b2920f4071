// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/rigging/curves/curve_skeleton.h"

namespace sinew::rigging {
namespace {

constexpr double kLeastBend = 20 * kPi / 180;
constexpr double kWindowShare = 0.12;
constexpr double kWindowSpacings = 3;
constexpr int kSmoothings = 3;
constexpr std::size_t kLeastChainSamples = 50;
constexpr double kTop = 0.95;

double angle_between(const Vec3& a, const Vec3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

double median_spacing(const CurveChain& chain) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < chain.along.size(); ++i) steps.push_back(chain.along[i] - chain.along[i - 1]);
  std::sort(steps.begin(), steps.end());
  return steps.empty() ? 0 : steps[steps.size() / 2];
}

/// The chain at even distances, smoothed.
struct EvenChain {
  std::vector<Vec3> points;
  double step = 0;

  Vec3 at(double distance) const {
    const double x = std::clamp(distance / step, 0.0, static_cast<double>(points.size() - 1));
    const auto i = std::min(static_cast<std::size_t>(x), points.size() - 2);
    const double t = x - static_cast<double>(i);
    return (1 - t) * points[i] + t * points[i + 1];
  }
};

EvenChain even_chain(const CurveChain& chain) {
  EvenChain even;
  const std::size_t count = std::max(kLeastChainSamples, 2 * chain.nodes.size());
  even.step = chain.length() / static_cast<double>(count - 1);
  for (std::size_t i = 0; i < count; ++i) even.points.push_back(chain.at(even.step * static_cast<double>(i)));
  for (int k = 0; k < kSmoothings; ++k) {
    std::vector<Vec3> smooth = even.points;
    for (std::size_t i = 1; i + 1 < count; ++i)
      smooth[i] = 0.25 * even.points[i - 1] + 0.5 * even.points[i] + 0.25 * even.points[i + 1];
    even.points.swap(smooth);
  }
  return even;
}

/// The turn at a distance; 0 where even half the window leaves the chain.
double turn_at(const EvenChain& even, double length, double at, double window) {
  for (const double w : {window, 0.5 * window}) {
    if (at < 1.5 * w || at > length - 1.5 * w) continue;
    return angle_between(even.at(at - 0.5 * w) - even.at(at - 1.5 * w), even.at(at + 1.5 * w) - even.at(at + 0.5 * w));
  }
  return 0;
}

std::vector<CurveBend> windowed_bends(const CurveChain& chain) {
  const double length = chain.length();
  const EvenChain even = even_chain(chain);
  const double window = std::max(kWindowShare * length, kWindowSpacings * median_spacing(chain));
  std::vector<double> turns(even.points.size());
  for (std::size_t i = 0; i < turns.size(); ++i)
    turns[i] = turn_at(even, length, even.step * static_cast<double>(i), window);
  std::vector<CurveBend> bends;
  std::vector<char> left(turns.size(), 1);
  for (;;) {
    // The flank of a bend that was found is none of its own: only local maxima count.
    std::size_t top = turns.size();
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const bool peak = (i == 0 || turns[i - 1] <= turns[i]) && (i + 1 == turns.size() || turns[i + 1] <= turns[i]);
      if (left[i] && peak && turns[i] > kLeastBend && (top == turns.size() || turns[i] > turns[top])) top = i;
    }
    if (top == turns.size()) break;
    std::size_t first = top, last = top;
    while (first > 0 && turns[first - 1] >= kTop * turns[top]) --first;
    while (last + 1 < turns.size() && turns[last + 1] >= kTop * turns[top]) ++last;
    const double along = 0.5 * even.step * static_cast<double>(first + last);
    bends.push_back({along, turns[top]});
    // A long arc is one bend, however far its middle is from its ends.
    for (std::size_t i = 0; i < turns.size(); ++i)
      if ((i >= first && i <= last) || std::abs(even.step * static_cast<double>(i) - along) <= 1.5 * window)
        left[i] = 0;
  }
  std::sort(bends.begin(), bends.end(), [](const CurveBend& a, const CurveBend& b) { return a.along < b.along; });
  return bends;
}

std::vector<CurveBend> literal_bends(const CurveChain& chain) {
  std::vector<CurveBend> bends;
  for (std::size_t i = 1; i + 1 < chain.nodes.size(); ++i) {
    const double turn = angle_between(chain.nodes[i].position - chain.nodes[i - 1].position,
                                      chain.nodes[i + 1].position - chain.nodes[i].position);
    if (turn > kLeastBend) bends.push_back({chain.along[i], turn});
  }
  return bends;
}

}  // namespace

std::vector<CurveBend> find_bends(const CurveChain& chain, BendRule rule) {
  if (chain.nodes.size() < 3 || chain.length() <= 0) return {};
  return rule == BendRule::kPaper ? literal_bends(chain) : windowed_bends(chain);
}

}  // namespace sinew::rigging
