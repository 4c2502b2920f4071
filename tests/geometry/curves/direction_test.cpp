// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/curves/direction.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "tests/geometry/curves/cube_figure.h"

namespace sinew::geometry {
namespace {

/// The axis of the limb at a position of the plain figure, away from tips and body; −1 elsewhere.
int limb_axis(const Vec3& p) {
  if (p.x() < -0.5 && p.x() > -4) return 0;
  if (p.x() > 3.5 && p.x() < 7) return 0;
  return p.z() < -0.5 && p.z() > -4 ? 2 : -1;
}

TEST(RoundDirection, IsRightOnLimbsAwayFromTheirTips) {
  const CurveSurface s = curve_surface(cube_figure(3));
  const RayScene scene(s.mesh);
  int right = 0, all = 0;
  for (Index v = 0; v < s.mesh.vertex_count(); ++v) {
    const int axis = limb_axis(s.position(v));
    if (axis < 0 || !s.regular[v]) continue;
    const std::optional<RoundDirection> found = round_direction(s, scene, s.out[v]);
    ++all;
    if (!found) continue;
    const Vec3 edge = s.position(s.to(found->half_edge)) - s.position(v);
    right += std::abs(edge[axis]) < 0.5 * edge.norm() ? 1 : 0;
  }
  EXPECT_GT(all, 2000);
  EXPECT_GE(right, 0.995 * all);
}

TEST(RoundDirection, PointsOfASectionAreOnTheSurfaceInThePlaneAndEvenlyTurned) {
  const CurveSurface s = curve_surface(cube_figure(3));
  const RayScene scene(s.mesh);
  Index v = 0;
  while (limb_axis(s.position(v)) < 0 || !s.regular[v]) ++v;
  const Index h = s.out[v];
  const Vec3 normal =
      (s.position(s.to(h)) - s.position(v)).cross(s.position(s.from(s.edges.prev[h])) - s.position(v)).normalized();
  const auto probe = probe_section(s, scene, h, -normal);
  ASSERT_TRUE(probe);
  for (std::size_t k = 0; k < 20; ++k) {
    const Vec3 a = probe->points[k] - probe->middle, b = probe->points[(k + 1) % 20] - probe->middle;
    EXPECT_LT(std::abs(a.dot(probe->normal)), 1e-5 * s.size);
    EXPECT_LT(scene.closest_point(probe->points[k]).distance, 1e-5 * s.size);
    EXPECT_NEAR(std::acos(a.normalized().dot(b.normalized())), kPi / 10, 1e-6);
  }
}

}  // namespace
}  // namespace sinew::geometry
