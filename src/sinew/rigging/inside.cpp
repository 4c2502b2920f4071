// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/inside.h"

#include <algorithm>
#include <limits>

#include "sinew/geometry/distance_field.h"

namespace sinew::rigging {
namespace {

double radius_near(const Body& body, const Vec3& place) {
  double nearest = std::numeric_limits<double>::infinity(), radius = 0;
  for (const Sphere& sphere : body.graph.spheres)
    if (const double d = (sphere.center - place).squaredNorm(); d < nearest) nearest = d, radius = sphere.radius;
  return radius;
}

Vec3 nearest_sample(const Body& body, const Vec3& place) {
  double nearest = std::numeric_limits<double>::infinity();
  Vec3 best = place;
  for (const MedialSample& sample : body.samples)
    if (const double d = (sample.point - place).squaredNorm(); d < nearest) nearest = d, best = sample.point;
  return best;
}

}  // namespace

void keep_inside(const Body& body, const Template& skeleton_template, Anatomy& anatomy,
                 const std::vector<char>& fixed) {
  constexpr double kLeastDepth = 0.006;
  for (Index j = 0; j < skeleton_template.joints.size(); ++j) {
    if (anatomy.origins[j].empty() || fixed[j]) continue;
    Vec3& place = anatomy.places[j];
    const double depth = -geometry::sample(body.interior.depth, place);
    if (depth >= std::min(kLeastDepth, 0.2 * radius_near(body, place)) && depth > 0.5 * body.interior.voxels.cell)
      continue;
    place = nearest_sample(body, place);
  }
}

double bone_inside(const Interior& interior, const Vec3& a, const Vec3& b) {
  constexpr int kSamples = 33;
  int inside = 0;
  for (int i = 0; i < kSamples; ++i)
    inside += geometry::sample(interior.depth, a + (b - a) * (i / (kSamples - 1.0))) < 0 ? 1 : 0;
  return inside / static_cast<double>(kSamples);
}

}  // namespace sinew::rigging
