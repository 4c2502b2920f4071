// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/body_ends.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::rigging {

BodyEnd body_end(const BodyVoxels& body, double z, double sign) {
  BodyEnd end;
  for (Index v = 0; v < body.places.size(); ++v) {
    if (sign * (body.places[v].z() - z) < 0) continue;
    end.volume += 1;
    end.thickness = std::max(end.thickness, body.ways.depth(v));
    end.height = std::max(end.height, body.places[v].y());
  }
  return end;
}

double facing_evidence(const BodyVoxels& body, double rear_z, double front_z, double feet, Json& evidence) {
  const double gap = std::max(0.2 * (front_z - rear_z), 0.08 * (body.high_z - body.low_z));
  const BodyEnd ahead = body_end(body, front_z + gap, 1), behind = body_end(body, rear_z - gap, -1);
  const auto ratio = [](double a, double b, double least) {
    return std::clamp(std::log((a + least) / (b + least)), -1.5, 1.5);
  };
  const double volume = 0.6 * ratio(ahead.volume, behind.volume, 20);
  const double thickness = 1.2 * ratio(ahead.thickness, behind.thickness, body.cell);
  const double height = ratio(ahead.height, behind.height, 0.05 * body.height);
  evidence["volume"] = volume, evidence["thickness"] = thickness, evidence["height"] = height, evidence["feet"] = feet;
  return volume + thickness + height + feet;
}

std::optional<Vec3> farthest_end(const BodyVoxels& body, const Vec3& start, const std::vector<std::uint8_t>& taken,
                                 double sign) {
  const std::vector<float> from = body.ways.from(body.frame.from_body(start));
  Index best = kNone;
  double most = -std::numeric_limits<double>::infinity();
  for (Index v = 0; v < taken.size(); ++v) {
    // Ears and horns are beside the plane.
    if (!taken[v] || !std::isfinite(from[v]) || std::abs(body.places[v].x()) > 2 * body.cell) continue;
    const double value = from[v] + 0.6 * sign * body.places[v].z();
    if (value > most) most = value, best = v;
  }
  if (best == kNone) return {};
  Vec3 end = body.places[best];
  end.x() = 0;
  return end;
}

}  // namespace sinew::rigging
