// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/limb_scene.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/angles.h"

namespace sinew::rigging {
namespace {

// Two tubes along y, one behind the other, each inside a sleeve of its own.
Mesh tubes() {
  Mesh mesh;
  constexpr int kSides = 32, kRings = 20;
  const auto tube = [&](const Vec3& middle, double radius) {
    const auto first = mesh.vertex_count();
    for (int i = 0; i <= kRings; ++i)
      for (int k = 0; k < kSides; ++k) {
        const double angle = kTwoPi * k / kSides;
        mesh.positions.push_back(middle + Vec3(radius * std::cos(angle), 0.1 * i - 1, radius * std::sin(angle)));
      }
    for (Index i = 0; i < kRings; ++i)
      for (Index k = 0; k < kSides; ++k) {
        const Index next = (k + 1) % kSides, at = first + i * kSides;
        mesh.add_face(std::array<Index, 4>{at + k, at + kSides + k, at + kSides + next, at + next});
      }
  };
  tube(Vec3(0, 0, 1), 0.1);
  tube(Vec3(0, 0, 1), 0.12);
  tube(Vec3(0, 0, -1), 0.1);
  mesh.parts.resize(1);
  mesh.parts[0].vertex_count = mesh.vertex_count();
  mesh.parts[0].face_count = mesh.face_count();
  return mesh;
}

TEST(LimbScene, TheFrontLimbIsFoundWithItsSleeveAndCentredByItsSection) {
  const LimbScene scene(tubes());
  // Off the middle by a third of the radius: the section corrects it.
  const auto centre = scene.centre(Vec3(0.04, 0.03, 5), Vec3(0, 0, -1), LimbDepth::kFront, Vec3(0, 1, 0));
  ASSERT_TRUE(centre);
  EXPECT_LT((centre->point - Vec3(0, 0.03, 1)).norm(), 0.02 * 0.12);
  EXPECT_FALSE(centre->outline.empty());
}

TEST(LimbScene, TheWholeDepthReachesFromTheFirstToTheLast) {
  const LimbScene scene(tubes());
  const auto centre = scene.centre(Vec3(0, 0.03, 5), Vec3(0, 0, -1), LimbDepth::kWhole);
  ASSERT_TRUE(centre);
  EXPECT_NEAR(centre->point.z(), 0.01, 1e-6);
  EXPECT_FALSE(scene.centre(Vec3(3, 0, 5), Vec3(0, 0, -1), LimbDepth::kFront));
}

}  // namespace
}  // namespace sinew::rigging
