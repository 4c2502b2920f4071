// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/retargeting/retargeting.h"

#include <gtest/gtest.h>

#include "sinew/lab/retargeting/family.h"

namespace sinew::lab {
namespace {

TEST(RetargetFamily, MembersShareTheVertexOrderAndEqualRowsPoseEqually) {
  const Character a = family_member(0, "a", 0, 1200), b = family_member(5, "t", 0.5, 1200);
  ASSERT_EQ(a.rig.mesh.vertex_count(), b.rig.mesh.vertex_count());
  EXPECT_EQ(a.rig.mesh.face_vertices, b.rig.mesh.face_vertices);
  EXPECT_LT(mean_difference_of(a.rig.weights.normalized(), b.rig.weights.normalized()), 1e-3);
  EXPECT_EQ(posed_difference(b.rig.mesh, b.rig.skeleton, b.rig.weights, b.rig.weights, 2), 0);
}

TEST(Retargeting, GarmentsAndFamiliesMeetTheirBounds) {
  ReproduceOptions options;
  options.characters = 1;
  Reproduction result;
  retarget_families(options, 2500, {}, result);
  retarget_garments(options, 8000, {}, result);
  EXPECT_EQ(result.tables.size(), 2U);
  EXPECT_EQ(result.tables[0].rows.size(), 4U);
  for (const Finding& miss : result.misses) ADD_FAILURE() << miss.text;
}

TEST(Retargeting, HelpersThatFollowTheirDriversAreNearerToTheTruthThanStillOnes) {
  Reproduction result;
  retarget_helpers({}, 1200, {}, result);
  ASSERT_EQ(result.tables.size(), 1U);
  EXPECT_EQ(result.tables[0].rows.size(), 2U);
  for (const Finding& miss : result.misses) ADD_FAILURE() << miss.text;
}

TEST(Retargeting, LevelsOfDetailAndPosedWeightsMeetTheirBounds) {
  Reproduction result;
  retarget_details({}, 6000, {}, result);
  retarget_posed(2000, {}, result);
  ASSERT_EQ(result.tables.size(), 2U);
  EXPECT_EQ(result.tables[0].rows.size(), 3U);
  EXPECT_EQ(result.tables[1].rows.size(), 5U);
  for (const Finding& miss : result.misses) ADD_FAILURE() << miss.text;
}

}  // namespace
}  // namespace sinew::lab
