// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/curves/curve_skeleton.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/curve_measure.h"

namespace sinew::rigging {
namespace {

constexpr std::size_t kLeastNodes = 2;

void measure_chain(CurveChain& chain) {
  chain.along.assign(chain.nodes.size(), 0);
  for (std::size_t i = 1; i < chain.nodes.size(); ++i)
    chain.along[i] = chain.along[i - 1] + (chain.nodes[i].position - chain.nodes[i - 1].position).norm();
}

/// A centre far off the line of its neighbours belongs to a curve that took another way.
void drop_strays(CurveChain& chain) {
  std::vector<CurveNode> kept;
  for (std::size_t i = 0; i < chain.nodes.size(); ++i) {
    if (i > 0 && i + 1 < chain.nodes.size()) {
      const Vec3 middle = 0.5 * (chain.nodes[i - 1].position + chain.nodes[i + 1].position);
      const double off = (chain.nodes[i].position - middle).norm();
      const double usual = 0.5 * (chain.nodes[i - 1].radius + chain.nodes[i + 1].radius);
      if (off > std::max(usual, (chain.nodes[i + 1].position - chain.nodes[i - 1].position).norm())) continue;
    }
    kept.push_back(chain.nodes[i]);
  }
  chain.nodes = std::move(kept);
}

CurveChain chain_of(const CurveSet& set, std::span<const Index> ids, std::span<const Vec3> positions) {
  CurveChain chain;
  chain.nodes.reserve(ids.size());
  for (const Index id : ids) {
    const Curve& curve = set.curves[id];
    if (!curve.closed) continue;
    const CurveCentre centre = curve_centre(set.of(curve), positions, true);
    chain.nodes.push_back({id, centre.position, centre.radius});
  }
  drop_strays(chain);
  return chain;
}

}  // namespace

double CurveChain::mean_radius() const {
  double sum = 0;
  for (const CurveNode& node : nodes) sum += node.radius;
  return nodes.empty() ? 0 : sum / static_cast<double>(nodes.size());
}

Vec3 CurveChain::at(double distance) const {
  if (distance <= 0 || nodes.size() < 2) return nodes.front().position;
  if (distance >= along.back()) return nodes.back().position;
  const auto up = std::upper_bound(along.begin(), along.end(), distance);
  const auto i = static_cast<std::size_t>(up - along.begin());
  const double t = (distance - along[i - 1]) / (along[i] - along[i - 1]);
  return (1 - t) * nodes[i - 1].position + t * nodes[i].position;
}

double CurveChain::radius_at(double distance) const {
  if (distance <= 0 || nodes.size() < 2) return nodes.front().radius;
  if (distance >= along.back()) return nodes.back().radius;
  const auto up = std::upper_bound(along.begin(), along.end(), distance);
  const auto i = static_cast<std::size_t>(up - along.begin());
  const double t = (distance - along[i - 1]) / (along[i] - along[i - 1]);
  return (1 - t) * nodes[i - 1].radius + t * nodes[i].radius;
}

double CurveChain::nearest(const Vec3& position) const {
  double best = (position - nodes.front().position).squaredNorm(), where = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Vec3 a = nodes[i - 1].position, step = nodes[i].position - a;
    const double length = step.squaredNorm();
    const double t = length > 0 ? std::clamp((position - a).dot(step) / length, 0.0, 1.0) : 0;
    const double off = (position - a - t * step).squaredNorm();
    if (off < best) best = off, where = along[i - 1] + t * (along[i] - along[i - 1]);
  }
  return where;
}

CurveSkeleton curve_skeleton(const CurveSet& set, std::span<const Vec3> positions) {
  CurveSkeleton result;
  for (Index t = 0; t < set.limbs.size(); ++t) {
    const CurveLimb& limb = set.limbs[t];
    CurveChain chain = chain_of(set, limb.curves, positions);
    if (chain.nodes.size() < kLeastNodes) continue;
    std::reverse(chain.nodes.begin(), chain.nodes.end());
    chain.limb = t;
    chain.tip = positions[limb.tip];
    measure_chain(chain);
    result.limbs.push_back(std::move(chain));
  }
  for (const std::vector<Index>& trunk : set.trunks) {
    CurveChain chain = chain_of(set, trunk, positions);
    if (chain.nodes.size() < kLeastNodes) continue;
    measure_chain(chain);
    result.trunks.push_back(std::move(chain));
  }
  std::stable_sort(result.trunks.begin(), result.trunks.end(),
                   [](const CurveChain& a, const CurveChain& b) { return a.length() > b.length(); });
  return result;
}

}  // namespace sinew::rigging
