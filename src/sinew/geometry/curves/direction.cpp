// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/curves/direction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/core/angles.h"

namespace sinew::geometry {
namespace {

constexpr double kStartRel = 1e-5;  // Rays start this far below the surface.

Vec3 inward_normal(const CurveSurface& s, Index h) {
  const Vec3& p = s.position(s.from(h));
  const Vec3 n = (s.position(s.to(h)) - p).cross(s.position(s.from(s.edges.prev[h])) - p);
  return -s.facing * n.normalized();
}

}  // namespace

std::optional<SectionProbe> probe_section(const CurveSurface& s, const RayScene& scene, Index half_edge,
                                          const Vec3& inward) {
  const Vec3& p = s.position(s.from(half_edge));
  const RayHit across = scene.nearest_hit({p + kStartRel * s.size * inward, inward});
  if (!across) return {};
  SectionProbe probe;
  const Vec3 far = p + (kStartRel * s.size + across.t) * inward;
  probe.middle = 0.5 * (p + far);
  const Vec3 e1 = -inward;
  const Vec3 along = s.position(s.to(half_edge)) - p;
  const Vec3 e2 = (along - along.dot(e1) * e1).normalized();
  if (!e2.allFinite() || e2.norm() < 0.5) return {};
  probe.normal = e1.cross(e2);
  Vec3 mean = Vec3::Zero();
  for (std::size_t k = 0; k < probe.points.size(); ++k) {
    const double angle = static_cast<double>(k) * kPi / 10;
    const Vec3 direction = std::cos(angle) * e1 + std::sin(angle) * e2;
    const RayHit hit = scene.nearest_hit({probe.middle, direction});
    if (!hit) return {};
    probe.points[k] = probe.middle + hit.t * direction;
    mean += probe.points[k] / 20;
  }
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Vec3& q : probe.points) low = std::min(low, (q - mean).norm()), high = std::max(high, (q - mean).norm());
  probe.spread = high - low;
  return probe;
}

std::optional<RoundDirection> round_direction(const CurveSurface& s, const RayScene& scene, Index half_edge) {
  const Index a = half_edge, b = s.edges.twin[s.edges.prev[half_edge]];
  if (b == kNone) return {};
  const Vec3 inward = inward_normal(s, half_edge);
  if (!inward.allFinite()) return {};
  const std::optional<SectionProbe> first = probe_section(s, scene, a, inward);
  const std::optional<SectionProbe> second = probe_section(s, scene, b, inward);
  if (!first && !second) return {};
  constexpr double kMissed = std::numeric_limits<double>::infinity();
  const double d1 = first ? first->spread : kMissed, d2 = second ? second->spread : kMissed;
  RoundDirection result;
  const bool takes_first = d1 <= d2;
  result.half_edge = takes_first ? a : b;
  result.other = takes_first ? b : a;
  result.normal = takes_first ? first->normal : second->normal;
  result.doubt = std::max(d1, d2) > 0 ? std::min(d1, d2) / std::max(d1, d2) : 1;
  return result;
}

}  // namespace sinew::geometry
