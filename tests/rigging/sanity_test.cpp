// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/sanity.h"

#include <gtest/gtest.h>

#include "tests/rigging/bodies.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

struct PlannedPerson {
  SkeletonPlan plan;
  Mesh mesh;
};

PlannedPerson planned_person(int seed) {
  const shapes::Made made = small_made("human", seed);
  PlannedPerson result{true_plan(made, {"Thumb", "Index", "Middle", "Ring", "Little"}), bare(made)};
  result.plan.template_name = "human";
  return result;
}

TEST(Sanity, TrueSkeletonsOfPeopleAreWithinTheBounds) {
  for (const int seed : {0, 1, 2, 3}) {
    const PlannedPerson p = planned_person(seed);
    const SanityResult sanity = check_proportions(p.plan, p.mesh);
    EXPECT_GT(sanity.checked, 20);
    EXPECT_LE(sanity.implausible.size(), 1u) << seed << ": " << sanity.implausible.front().what;
  }
}

TEST(Sanity, ThighsThatAreFarTooLowAreImplausible) {
  PlannedPerson p = planned_person(0);
  const double height = height_of(p.mesh);
  for (const char* role : {"left_thigh", "right_thigh"})
    p.plan.joints[p.plan.find_role(role)].position.y() -= 0.35 * height;
  const SanityResult sanity = check_proportions(p.plan, p.mesh);
  EXPECT_GE(sanity.implausible.size(), 2u);
  EXPECT_LE(most_confidence(sanity), 0.6);
}

TEST(Sanity, ToesFarFromTheirFeetAreImplausible) {
  PlannedPerson p = planned_person(0);
  const SanityResult before = check_proportions(p.plan, p.mesh);
  const Vec3 chest = p.plan.joints[p.plan.find_role("chest")].position;
  for (const char* role : {"left_toes", "right_toes"}) p.plan.joints[p.plan.find_role(role)].position = chest;
  EXPECT_EQ(check_proportions(p.plan, p.mesh).implausible.size(), before.implausible.size() + 2);
}

TEST(Sanity, ExchangedSidesAreImplausible) {
  PlannedPerson p = planned_person(0);
  for (const char* part : {"_thigh", "_shin", "_foot"})
    std::swap(p.plan.joints[p.plan.find_role(std::string("left") + part)].position,
              p.plan.joints[p.plan.find_role(std::string("right") + part)].position);
  EXPECT_FALSE(check_proportions(p.plan, p.mesh).implausible.empty());
}

TEST(Sanity, ABodyOfUnknownPlanHasNothingToCheck) {
  PlannedPerson p = planned_person(0);
  p.plan.template_name = "generic";
  const SanityResult sanity = check_proportions(p.plan, p.mesh);
  EXPECT_EQ(sanity.checked, 0);
  EXPECT_EQ(most_confidence(sanity), 1);
}

TEST(Sanity, ConfidenceFallsWithEveryImplausibleProportion) {
  SanityResult sanity;
  double last = 2;
  for (int k = 0; k < 6; ++k) {
    EXPECT_LT(most_confidence(sanity), last);
    last = most_confidence(sanity);
    sanity.implausible.emplace_back();
  }
}

}  // namespace
}  // namespace sinew::rigging
