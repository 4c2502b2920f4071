// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/upright.h"

#include <gtest/gtest.h>

#include <map>

#include "sinew/rigging/anatomy/upright_fit.h"
#include "sinew/rigging/rigger.h"
#include "sinew/rigging/templates/template_file.h"
#include "tests/rigging/bodies.h"
#include "tests/rigging/made_parts.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

/// A toy 1.8 m high with arms held out and round legs that are `gap` apart; below 0 they overlap. Legs begin at 0.8 m.
Mesh toy(double gap) {
  Mesh mesh = box({0, 1.1, 0}, {0.36, 0.62, 0.2});
  append(mesh, box({0, 1.44, 0}, {0.12, 0.1, 0.12}));
  append(mesh, box({0, 1.64, 0}, {0.22, 0.32, 0.22}));
  for (const double side : {-1.0, 1.0}) {
    append(mesh, box({side * 0.48, 1.34, 0}, {0.62, 0.12, 0.12}));
    const double middle = side * (0.5 * gap + 0.09);
    append(mesh, capsule_between({middle, 0.12, 0}, {middle, 0.82, 0}, 0.09));
    append(mesh, box({middle, 0.05, 0.08}, {0.14, 0.1, 0.3}));
  }
  return mesh;
}

PlanResult rigged(const Mesh& mesh) {
  RiggerRequest request;
  request.templates = templates();
  RiggerOptions options;
  options.fingers = "none";
  return plan_skeleton(mesh, request, options);
}

TEST(UprightSlices, AreEmptyBetweenLegsAndFullInTheTrunk) {
  const Interior inside = interior(toy(0.06));
  const double middle = inside.to_unit(Vec3::Zero()).x();
  const UprightSlices slices(inside, Mat3::Identity(), middle);
  const double height = slices.height();
  EXPECT_LT(slices.fill(slices.low() + 0.25 * height, 0.005, 0.14 * height), 0.1);
  EXPECT_GT(slices.fill(slices.low() + 0.6 * height, 0.005, 0.14 * height), 0.9);
  const Vec3 left = slices.side_center(slices.low() + 0.2 * height, 1, 0, 0.2 * height);
  EXPECT_NEAR(left.x() - middle, inside.scale * 0.12, 0.01);
}

TEST(UprightSlices, TheNeckIsNarrowerThanTheHead) {
  const Interior inside = interior(toy(0.06));
  const UprightSlices slices(inside, Mat3::Identity(), inside.to_unit(Vec3::Zero()).x());
  const double neck = slices.area(inside.to_unit({0, 1.44, 0}).y(), 0.05);
  EXPECT_LT(neck, slices.area(inside.to_unit({0, 1.64, 0}).y(), 0.3));
}

TEST(Upright, LegsThatTouchBeginWhereTheyWouldIfTheyWereApart) {
  const PlanResult apart = rigged(toy(0.06)), touching = rigged(toy(-0.02));
  for (const PlanResult* result : {&apart, &touching}) {
    ASSERT_EQ(result->plan.template_name, "human");
    for (const char* role : {"left_thigh", "right_thigh"}) {
      const Index j = result->plan.find_role(role);
      ASSERT_NE(j, kNone);
      EXPECT_NEAR(result->plan.joints[j].position.y(), 0.86, 0.13) << role;
    }
    const Vec3 left = result->plan.joints[result->plan.find_role("left_thigh")].position;
    const Vec3 right = result->plan.joints[result->plan.find_role("right_thigh")].position;
    EXPECT_GT(left.x() - right.x(), 0.08);
  }
}

/// The joints of the toy as a reading would have them, except for some.
Anatomy toy_anatomy(const Template& t, const Interior& inside) {
  const std::map<std::string, Vec3> places = {{"left_upper_arm", {0.2, 1.34, 0}},
                                              {"right_upper_arm", {-0.2, 1.34, 0}},
                                              {"left_forearm", {0.45, 1.34, 0}},
                                              {"right_forearm", {-0.45, 1.34, 0}},
                                              {"left_hand", {0.68, 1.34, 0}},
                                              {"right_hand", {-0.68, 1.34, 0}},
                                              {"left_thigh", {0.12, 0.85, 0}},
                                              {"right_thigh", {-0.12, 0.85, 0}},
                                              {"left_shin", {0.12, 0.48, 0}},
                                              {"right_shin", {-0.12, 0.48, 0}},
                                              {"left_foot", {0.12, 0.1, 0}},
                                              {"right_foot", {-0.12, 0.1, 0}},
                                              {"neck", {0, 1.42, 0}},
                                              {"head", {0, 1.49, 0}},
                                              {"left_shoulder", {0.03, 1.7, 0}},
                                              {"right_shoulder", {-0.03, 1.36, 0}}};
  Anatomy anatomy;
  for (const Template::Joint& joint : t.joints) {
    const auto place = places.find(joint.role);
    anatomy.places.push_back(place == places.end() ? Vec3(Vec3::Zero()) : inside.to_unit(place->second));
    anatomy.origins.emplace_back(place == places.end() ? "" : "derived");
  }
  return anatomy;
}

TEST(Upright, ACollarboneInTheFaceGoesToTheHeightOfItsShoulderAndOthersStay) {
  const Interior inside = interior(toy(0.06));
  const Template t = find_template("human");
  Anatomy anatomy = toy_anatomy(t, inside);
  correct_upright(inside, t, Mat3::Identity(), true, anatomy);
  const auto at = [&](const char* role) {
    for (Index j = 0; j < t.joints.size(); ++j)
      if (t.joints[j].role == role) return inside.to_model(anatomy.places[j]);
    throw Error(role);
  };
  EXPECT_NEAR(at("left_shoulder").y(), 1.34, 0.01);
  EXPECT_GT(at("left_shoulder").x(), 0);
  EXPECT_LT(at("left_shoulder").x(), at("left_upper_arm").x());
  EXPECT_NEAR(at("right_shoulder").y(), 1.36, 1e-9);
}

TEST(UprightFit, PutsHandsFeetAndHeadWhereTheyAre) {
  const Body body = make_body(toy(-0.02));
  const BodyWays ways(body.interior);
  const Template& t = find_template("human");
  const std::optional<Fit> fit = upright_fit(body, ways, t, false);
  ASSERT_TRUE(fit.has_value());
  const auto place = [&](const char* role) {
    for (Index j = 0; j < t.joints.size(); ++j)
      if (t.joints[j].role == role) return body.interior.to_model(fit->places[j]);
    return Vec3(Vec3::Zero());
  };
  const double side = fit->turn(0, 0);
  EXPECT_GT(side * place("left_hand").x(), 0.7);
  EXPECT_LT(side * place("right_hand").x(), -0.7);
  EXPECT_LT(place("left_toes").y(), 0.12);
  EXPECT_GT(place("head").y(), 1.5);
}

TEST(UprightFit, ABoxHasNoArms) {
  const Body body = make_body(box({0, 0.5, 0}, {0.2, 1, 0.2}));
  EXPECT_FALSE(upright_fit(body, BodyWays(body.interior), find_template("human"), false).has_value());
}

TEST(UprightFit, OtherTemplatesAreLeftToTheSearch) {
  const Body body = make_body(toy(0.06));
  EXPECT_FALSE(upright_fit(body, BodyWays(body.interior), find_template("quadruped"), false).has_value());
}

}  // namespace
}  // namespace sinew::rigging
