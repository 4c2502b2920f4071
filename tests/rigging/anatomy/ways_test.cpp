// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/ways.h"

#include <gtest/gtest.h>

#include "tests/geometry/field_meshes.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

TEST(BodyWays, KeptFieldsAreTheSameAsNewOnesAndAreFoundOnce) {
  const Interior inside = interior(capsule(1, 0.3), {.resolution = 48});
  const BodyWays ways(inside);
  const Vec3 place = inside.to_unit(Vec3(0, 0.4, 0));
  const BodyWays::Field kept = ways.all_from(place);
  EXPECT_EQ(*kept, ways.from(place));
  EXPECT_EQ(ways.all_from(place).get(), kept.get());
  EXPECT_NE(ways.all_from(inside.to_unit(Vec3(0, -0.4, 0))).get(), kept.get());
}

TEST(BodyWays, ALimitLeavesNearDistancesAsTheyAre) {
  const Interior inside = interior(capsule(1, 0.3), {.resolution = 48});
  const BodyWays ways(inside);
  const std::vector<float> all = ways.from(Vec3(0.5, 0.2, 0.5)), near = ways.from(Vec3(0.5, 0.2, 0.5), 0.3);
  std::size_t beyond = 0;
  for (std::size_t v = 0; v < all.size(); ++v) {
    if (all[v] <= 0.3F) EXPECT_EQ(near[v], all[v]);
    else beyond += std::isinf(near[v]) ? 1 : 0;
  }
  EXPECT_GT(beyond, 100U);
}

}  // namespace
}  // namespace sinew::rigging
