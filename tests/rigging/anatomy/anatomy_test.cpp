// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/anatomy/anatomy.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "tests/rigging/bodies.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

/// What a search that found the truth would say.
Fit true_fit(const Template& t, const Places& places, const Interior& inside) {
  Template there = t;
  for (Template::Joint& joint : there.joints)
    if (const auto place = places.find(joint.name); place != places.end())
      joint.position = inside.to_unit(place->second);
  Fit fit;
  for (const Template::Joint& joint : search_template(there).joints) fit.places.push_back(joint.position);
  return fit;
}

/// The template itself, turned, scaled and moved.
Anatomy as_template(const Template& t, const Mat3& rotation, double scale, const Vec3& shift) {
  Anatomy anatomy;
  for (const Template::Joint& joint : t.joints) {
    anatomy.places.push_back(scale * (rotation * joint.position) + shift);
    anatomy.origins.push_back(joint.optional ? "" : "section");
  }
  return anatomy;
}

Index template_joint(const Template& t, const std::string& name) {
  for (Index j = 0; j < t.joints.size(); ++j)
    if (t.joints[j].name == name) return j;
  return kNone;
}

TEST(Anatomy, OfMadeCharactersLiesNearTheirTrueJoints) {
  for (const char* kind : {"human", "quadruped"}) {
    // Real animals have their shoulders and hips higher in the body than the made one; the template lies between.
    const bool beast = std::string(kind) == "quadruped";
    const double most = beast ? 0.09 : 0.05, mean = beast ? 0.04 : 0.025;
    for (const int seed : {0, 2}) {
      const shapes::Made made = small_made(kind, seed);
      const Mesh mesh = bare(made);
      const Interior inside = interior(mesh);
      const BodyWays ways(inside);
      const Template& t = find_template(kind);
      const Places places = places_of(made);
      const Anatomy anatomy = read_anatomy(ways, t, true_fit(t, places, inside));
      std::map<std::string, double> errors;
      for (Index j = 0; j < t.joints.size(); ++j) {
        const std::string& name = t.joints[j].name;
        EXPECT_EQ(anatomy.origins[j].empty(), t.joints[j].optional) << kind << " " << name;
        if (anatomy.origins[j].empty() || places.count(name) == 0) continue;
        errors[name] = (inside.to_model(anatomy.places[j]) - places.at(name)).norm() / height_of(mesh);
        EXPECT_LT(errors[name], most) << kind << " " << seed << " " << name;
      }
      EXPECT_GE(errors.size(), 18U) << kind;
      EXPECT_LT(mean_of(errors), mean) << kind << " " << seed << ", the worst " << worst_of(errors);
    }
  }
}

TEST(Anatomy, SaysOfEveryLimbWhereItBeginsAndEnds) {
  const shapes::Made made = small_made("human");
  const Interior inside = interior(bare(made));
  const BodyWays ways(inside);
  const Template& t = find_template("human");
  const Anatomy anatomy = read_anatomy(ways, t, true_fit(t, places_of(made), inside));
  ASSERT_EQ(anatomy.limbs.size(), t.limbs.size());
  for (const FoundLimb& found : anatomy.limbs) {
    EXPECT_LT(0, found.last) << t.limbs[found.limb].name;
    EXPECT_LT(found.last, found.first) << t.limbs[found.limb].name;
    EXPECT_LE(found.first, found.profile.length()) << t.limbs[found.limb].name;
  }
}

TEST(ShapeCost, IsNothingForTheTemplateItselfAtAnySizeAndTurn) {
  for (const Template& t : templates()) {
    const Mat3 rotation = rotation_exp(Vec3(0.4, -1.3, 0.8)).toRotationMatrix();
    EXPECT_NEAR(shape_cost(t, rotation.transpose(), as_template(t, rotation, 0.37, Vec3(1, 2, 3))), 0, 1e-9) << t.name;
    EXPECT_GT(shape_cost(t, Mat3::Identity(), as_template(t, rotation, 0.37, Vec3(1, 2, 3))), 0.3) << t.name;
  }
}

TEST(ShapeCost, GrowsWithAnArmThatIsTurnedOrTooLong) {
  const Template& t = find_template("human");
  const Index shoulder = template_joint(t, "LeftUpperArm");
  const auto cost_with_arm = [&](double angle, double stretch) {
    Anatomy anatomy = as_template(t, Mat3::Identity(), 1, Vec3::Zero());
    const Quat turn = rotation_exp(Vec3(0, 0, angle));
    for (const char* name : {"LeftForearm", "LeftHand"}) {
      Vec3& place = anatomy.places[template_joint(t, name)];
      place = anatomy.places[shoulder] + stretch * (turn * (place - anatomy.places[shoulder]));
    }
    return shape_cost(t, Mat3::Identity(), anatomy);
  };
  EXPECT_NEAR(cost_with_arm(0, 1), 0, 1e-12);
  // Two bones of the whole, each with one minus the cosine of 90 degrees; of less, as far as they run along the axis.
  double arm = 0, all = 0;
  for (Index j = 0; j < t.joints.size(); ++j) {
    Index parent = t.joints[j].parent;
    if (parent == kNone || t.joints[j].optional || t.joints[j].placement == Template::Placement::kDerived) continue;
    while (t.joints[parent].placement == Template::Placement::kDerived) parent = t.joints[parent].parent;
    const double length = (t.joints[j].position - t.joints[parent].position).norm();
    all += length;
    if (t.joints[j].name == "LeftForearm" || t.joints[j].name == "LeftHand") arm += length;
  }
  EXPECT_NEAR(cost_with_arm(kPi / 2, 1), arm / all, 5e-4);
  EXPECT_GT(cost_with_arm(kPi / 2, 1), cost_with_arm(0.5, 1));
  EXPECT_GT(cost_with_arm(0, 2), 0.005);
  EXPECT_GT(cost_with_arm(0, 3), cost_with_arm(0, 2));
}

TEST(FeetAhead, TellsFrontFromBack) {
  const Mesh mesh = bare(small_made("human"));
  const Interior inside = interior(mesh, {.resolution = 120});
  const Mat3 back = Vec3(-1, 1, -1).asDiagonal();
  EXPECT_GT(feet_ahead(inside, Mat3::Identity()), 0.01);
  EXPECT_LT(feet_ahead(inside, back), -0.01);
  const Mat3 quarter = rotation_exp(Vec3(0, kPi / 2, 0)).toRotationMatrix();
  const Interior turned = interior(rotated(mesh, quarter), {.resolution = 120});
  EXPECT_NEAR(feet_ahead(turned, quarter.transpose()), feet_ahead(inside, Mat3::Identity()), 0.002);
}

TEST(FeetAhead, IsNothingForAPillar) {
  EXPECT_NEAR(feet_ahead(interior(capsule(1, 0.3), {.resolution = 60}), Mat3::Identity()), 0, 1e-3);
}

}  // namespace
}  // namespace sinew::rigging
