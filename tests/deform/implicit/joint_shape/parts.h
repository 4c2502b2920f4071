// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Tubes with known shapes, cut open, for tests of joint shapes.

#include <cmath>
#include <random>

#include "sinew/core/angles.h"
#include "sinew/deform/implicit/hrbf.h"
#include "sinew/deform/implicit/joint_shape/closed_part.h"

namespace sinew::deform::test_parts {

struct Tube {
  double length = 3, radius = 0.8, flat = 1, bend = 0;  ///< `flat` is the ratio of the radii of its section.
  double cut = 0;                                       ///< Of the radius: how far before the joint it ends.
  Index around = 24, along = 12;
};

/// A tube about the bone from −`outward` · length to the origin, which is the joint. Its far end is closed by a point,
/// its near one is a hole.
inline ClosedPart open_tube(const Tube& tube, const Vec3& outward, Index partner = 1) {
  ClosedPart part;
  const Vec3 w = outward.normalized(), a = w.unitOrthogonal(), b = w.cross(a);
  for (Index i = 0; i <= tube.along; ++i) {
    const double s = static_cast<double>(i) / tube.along, x = -tube.length + s * (tube.length - tube.cut * tube.radius);
    for (Index k = 0; k < tube.around; ++k) {
      const double angle = kTwoPi * k / tube.around;
      part.positions.push_back(x * w + tube.radius * (std::cos(angle) * a + tube.flat * std::sin(angle) * b) +
                               tube.bend * (s - 1) * (s - 1) * a);
    }
  }
  const Index tip = static_cast<Index>(part.positions.size());
  part.positions.push_back(-(tube.length + tube.radius) * w + tube.bend * a);
  for (Index k = 0; k < tube.around; ++k) {
    const Index next = (k + 1) % tube.around;
    part.triangles.push_back({tip, next, k});
    for (Index i = 0; i < tube.along; ++i) {
      const Index p = i * tube.around, q = p + tube.around;
      part.triangles.push_back({p + k, p + next, q + next});
      part.triangles.push_back({p + k, q + next, q + k});
    }
  }
  part.fixed_vertices = static_cast<Index>(part.positions.size());
  part.fixed_triangles = static_cast<Index>(part.triangles.size());
  PartHole hole;
  hole.bones = {{partner, Vec3::Zero(), -tube.length * w}};
  const Index last = tube.along * tube.around;
  // With the surface at the left.
  for (Index k = tube.around; k-- > 0;) hole.loop.push_back(last + k);
  for (const Index v : hole.loop) {
    const double distance = (part.positions[v] - foot_on(hole.bones[0], part.positions[v]).point).norm();
    hole.radius = std::max(hole.radius, distance);
    hole.mean_radius += distance / static_cast<double>(tube.around);
  }
  part.holes = {hole};
  return part;
}

/// A function of the open tube: samples of its vertices, and of a sphere about its joint where `end` is above 0.
inline Hrbf tube_function(const ClosedPart& part, const Tube& tube, const Vec3& outward, double end = 1) {
  std::vector<SurfaceSample> samples;
  const Vec3 w = outward.normalized();
  for (Index i = 0; i <= tube.along; i += 2)
    for (Index k = i % 4 == 0 ? 0 : 1; k < tube.around; k += 3) {
      const Vec3& p = part.positions[i * tube.around + k];
      const Vec3& before = part.positions[i * tube.around + (k + tube.around - 1) % tube.around];
      const Vec3& after = part.positions[i * tube.around + (k + 1) % tube.around];
      samples.push_back({p, (after - before).cross(w).normalized()});
    }
  samples.push_back({part.positions[part.fixed_vertices - 1], -w});
  if (end > 0) samples.push_back({end * tube.radius * w, w});
  return Hrbf::fit(samples);
}

}  // namespace sinew::deform::test_parts
