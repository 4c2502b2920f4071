// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/drivers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/bone_axis.h"
#include "sinew/core/character.h"
#include "sinew/motion/resolve.h"
#include "tests/motion/test_bodies.h"

namespace sinew::motion {
namespace {

// Upper (0) – Fore (1) – Hand (2), and a helper (3) at the forearm's middle, with axes of its own.
Rig with_helper(const Driver& driver, unsigned seed = 11) {
  Rig rig;
  rig.skeleton = test::skeleton_at(
      {{"Upper", -1, {0, 0, 0}}, {"Fore", 0, {1, 0, 0}}, {"Hand", 1, {2, 0, 0}}, {"Helper", 0, {1.5, 0.1, 0}}}, seed);
  rig.skeleton.joints[3].driver = driver;
  return rig;
}

Vec3 point(const Mat4& m) { return m.topRightCorner<3, 1>(); }

// What the helper does to model space, away from rest.
Mat3 model_turn(const Rig& rig, const ModelPose& pose, Index joint) {
  const Mat3 rest = rest_matrices(rig.skeleton)[joint].topLeftCorner<3, 3>();
  return pose.joints[joint].topLeftCorner<3, 3>() * rest.transpose();
}

TEST(Drivers, TwistShareTurnsByItsShareAboutTheSameAxisInSpace) {
  Driver driver;
  driver.source = 2;
  driver.share = 0.4;
  Rig rig = with_helper(driver);
  rig.skeleton.joints[3].driver->axis = bone_axis(rig.skeleton, 2);
  for (const double twist : {0.0, 1.0, -2.5, 3 * kPi}) {
    Pose pose = rest_pose(rig);
    const Vec3 axis = bone_axis(rig.skeleton, 2);
    pose.local[2].rotation = pose.local[2].rotation * Quat(Eigen::AngleAxisd(twist, axis));
    pose.twist_rad.assign(4, 0);
    pose.twist_rad[2] = twist;
    const ModelPose model = resolve(rig.skeleton, pose);
    // The hand's bone lies along x, so the helper turns about x in the model.
    const Mat3 wanted = Eigen::AngleAxisd(0.4 * twist, Vec3::UnitX()).toRotationMatrix();
    EXPECT_LT((model_turn(rig, model, 3) - wanted).norm(), 1e-9) << twist;
    EXPECT_LT((point(model.joints[3]) - Vec3(1.5, 0.1, 0)).norm(), 1e-12);
  }
}

TEST(Drivers, TwistShareLeavesASwingAlone) {
  Driver driver;
  driver.source = 2;
  Rig rig = with_helper(driver);
  const Vec3 axis = bone_axis(rig.skeleton, 2);
  rig.skeleton.joints[3].driver->axis = axis;
  Pose pose = rest_pose(rig);
  pose.local[2].rotation = pose.local[2].rotation * Quat(Eigen::AngleAxisd(1.2, axis.unitOrthogonal()));
  EXPECT_LT((model_turn(rig, resolve(rig.skeleton, pose), 3) - Mat3::Identity()).norm(), 1e-9);
}

TEST(Drivers, AimPointsTheAxisAtTheSource) {
  Driver driver;
  driver.kind = Driver::Kind::kAim;
  driver.source = 2;
  driver.axis = Vec3(0, 0, 1);
  const Rig rig = with_helper(driver);
  std::mt19937 rng(4);
  for (int trial = 0; trial < 20; ++trial) {
    Pose pose = rest_pose(rig);
    for (const Index j : {0u, 1u, 2u}) pose.local[j].rotation = test::random_turn(rng);
    pose.local[0].scale = Vec3::Constant(1.7);
    const ModelPose model = resolve(rig.skeleton, pose);
    const Vec3 axis = (model.joints[3].topLeftCorner<3, 3>() * driver.axis).normalized();
    EXPECT_LT((axis - (point(model.joints[2]) - point(model.joints[3])).normalized()).norm(), 1e-9);
  }
}

TEST(Drivers, MonomialsAreInGradedLexicalOrder) {
  const std::vector<double> values = monomials({2, 3, 5}, 2);
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 5, 4, 6, 10, 9, 15, 25}));
  for (int degree = 0; degree < 6; ++degree) EXPECT_EQ(monomials({1, 1, 1}, degree).size(), monomial_count(degree));
}

TEST(Drivers, PolynomialIsTheClosedForm) {
  Driver driver;
  driver.kind = Driver::Kind::kPolynomial;
  driver.source = 1;
  // Translation y = 0.5 + 2 x·z; rotation vector x = −0.25 z + y².
  driver.coefficients = {{}, {0.5, 0, 0, 0, 0, 0, 2, 0, 0, 0}, {}, {0, 0, 0, -0.25, 0, 0, 0, 1, 0, 0}, {}, {}};
  const Rig rig = with_helper(driver);
  const Vec3 v(0.3, -0.7, 0.4);
  Pose pose = rest_pose(rig);
  pose.local[1].rotation = pose.local[1].rotation * rotation_exp(v);
  Drivers(rig.skeleton).apply(pose);
  const Transform& rest = rig.skeleton.joints[3].rest;
  const double x = v.x(), y = v.y(), z = v.z();
  EXPECT_LT(
      (rest.rotation.conjugate() * (pose.local[3].translation - rest.translation) - Vec3(0, 0.5 + 2 * x * z, 0)).norm(),
      1e-12);
  EXPECT_LT((rotation_log(delta_rotation(rest, pose.local[3])) - Vec3(-0.25 * z + y * y, 0, 0)).norm(), 1e-12);
}

TEST(Drivers, DrivenKeysArePiecewiseLinear) {
  Driver driver;
  driver.kind = Driver::Kind::kDrivenKeys;
  driver.source = 1;
  driver.axis = Vec3(0, 0, 1);
  driver.keys = {{0, 0}, {1, 0.5}, {2, -0.5}};
  const Rig rig = with_helper(driver);
  const auto rest = rest_matrices(rig.skeleton);
  const Vec3 axis_model = rest[1].topLeftCorner<3, 3>() * driver.axis;
  for (const auto& [angle, value] :
       std::vector<std::pair<double, double>>{{-1, 0}, {0.5, 0.25}, {1, 0.5}, {1.5, 0}, {3, -0.5}}) {
    Pose pose = rest_pose(rig);
    pose.local[1].rotation = pose.local[1].rotation * Quat(Eigen::AngleAxisd(angle, driver.axis));
    const Mat3 wanted = Eigen::AngleAxisd(value, axis_model).toRotationMatrix();
    EXPECT_LT((model_turn(rig, resolve(rig.skeleton, pose), 3) - wanted).norm(), 1e-9) << angle;
  }
}

TEST(Drivers, RotationShareIsTheShortWayRoundInTheHelpersOwnFrame) {
  Driver driver;
  driver.kind = Driver::Kind::kRotationShare;
  driver.source = 1;
  std::mt19937 rng(21);
  for (const double share : {0.0, 0.3, 1.0, -0.5, 1.75}) {
    driver.share = share;
    const Rig rig = with_helper(driver);
    for (int trial = 0; trial < 20; ++trial) {
      Pose pose = rest_pose(rig);
      const Quat delta = test::random_turn(rng);
      pose.local[1].rotation = pose.local[1].rotation * delta;
      Drivers(rig.skeleton).apply(pose);
      const Quat got = delta_rotation(rig.skeleton.joints[3].rest, pose.local[3]);
      EXPECT_LT(got.angularDistance(rotation_exp(share * rotation_log(delta))), 1e-9) << share;
      if (share >= 0 && share <= 1) {
        EXPECT_LT(got.angularDistance(Quat::Identity().slerp(share, delta)), 1e-9) << share;
      }
      EXPECT_EQ(pose.local[3].translation, rig.skeleton.joints[3].rest.translation);
    }
  }
}

TEST(Drivers, AWeightedAimGoesPartOfTheSmallestTurn) {
  Driver driver;
  driver.kind = Driver::Kind::kAim;
  driver.source = 2;
  driver.axis = Vec3(0, 0, 1);
  std::mt19937 rng(5);
  for (int trial = 0; trial < 20; ++trial) {
    Rig rig = with_helper(driver);
    Pose pose = rest_pose(rig);
    for (const Index j : {0u, 1u, 2u}) pose.local[j].rotation = test::random_turn(rng);
    const auto turn_at = [&](double weight) {
      rig.skeleton.joints[3].driver->weight = weight;
      Pose posed = pose;
      Drivers(rig.skeleton).apply(posed);
      return rotation_log(delta_rotation(rig.skeleton.joints[3].rest, posed.local[3]));
    };
    const Vec3 whole = turn_at(1);
    EXPECT_LT((turn_at(0.25) - 0.25 * whole).norm(), 1e-9);
    EXPECT_LT(turn_at(0).norm(), 1e-12);
  }
}

TEST(Drivers, APolynomialMayScaleByAnExponential) {
  Driver driver;
  driver.kind = Driver::Kind::kPolynomial;
  driver.source = 1;
  driver.coefficients = {{}, {}, {}, {}, {}, {}, {0, 0.5, 0, 0}, {}, {0, 0, 0, 0, 0, 0, 0, -1, 0, 0}};
  Rig rig = with_helper(driver);
  rig.skeleton.joints[3].rest.scale = Vec3(2, 3, 0.5);
  Pose pose = rest_pose(rig);
  const Vec3 v(0.4, -0.6, 0.2);
  pose.local[1].rotation = pose.local[1].rotation * rotation_exp(v);
  Drivers(rig.skeleton).apply(pose);
  const Vec3 wanted(2 * std::exp(0.5 * v.x()), 3, 0.5 * std::exp(-v.y() * v.y()));
  EXPECT_LT((pose.local[3].scale - wanted).norm(), 1e-12);
  EXPECT_LT(rotation_log(delta_rotation(rig.skeleton.joints[3].rest, pose.local[3])).norm(), 1e-12);
}

TEST(Drivers, APolynomialMadeInAnotherRestPoseIsTakenFromThere) {
  std::mt19937 rng(8);
  std::uniform_real_distribution<double> number(-0.4, 0.4);
  Driver driver;
  driver.kind = Driver::Kind::kPolynomial;
  driver.source = 1;
  for (int i = 0; i < 9; ++i) {
    driver.coefficients.emplace_back();
    for (int k = 0; k < 10; ++k) driver.coefficients.back().push_back(number(rng));
  }
  const Rig plain = with_helper(driver);
  driver.before = rotation_exp({0.2, -0.5, 0.3});
  const Rig rebased = with_helper(driver);
  const Transform& rest = plain.skeleton.joints[3].rest;
  // What the driver without `before` says, as the nine numbers it is made of.
  const auto outputs = [&](const Quat& turned) {
    Pose pose = rest_pose(plain);
    pose.local[1].rotation = pose.local[1].rotation * turned;
    Drivers(plain.skeleton).apply(pose);
    Eigen::Matrix<double, 9, 1> out;
    out.head<3>() = rest.rotation.conjugate() * (pose.local[3].translation - rest.translation);
    out.segment<3>(3) = rotation_log(delta_rotation(rest, pose.local[3]));
    out.tail<3>() = pose.local[3].scale.cwiseQuotient(rest.scale).array().log();
    return out;
  };
  for (int trial = 0; trial < 20; ++trial) {
    const Quat delta = trial == 0 ? Quat::Identity() : rotation_exp({number(rng), number(rng), number(rng)});
    const Eigen::Matrix<double, 9, 1> wanted = outputs(driver.before * delta) - outputs(driver.before);
    Pose pose = rest_pose(rebased);
    pose.local[1].rotation = pose.local[1].rotation * delta;
    Drivers(rebased.skeleton).apply(pose);
    EXPECT_LT((pose.local[3].translation - rest.translation - rest.rotation * wanted.head<3>()).norm(), 1e-10);
    EXPECT_LT((rotation_log(delta_rotation(rest, pose.local[3])) - wanted.segment<3>(3)).norm(), 1e-10);
    EXPECT_LT((pose.local[3].scale - rest.scale.cwiseProduct(wanted.tail<3>().array().exp().matrix())).norm(), 1e-10);
  }
}

TEST(Drivers, KeysMadeInAnotherRestPoseAreTakenFromThere) {
  Driver driver;
  driver.kind = Driver::Kind::kDrivenKeys;
  driver.source = 2;
  driver.keys = {{-1, 0.5}, {0, 0.1}, {2, 1.1}, {9, 4.6}};
  Rig rig = with_helper(driver);
  const Vec3 axis = bone_axis(rig.skeleton, 2);
  rig.skeleton.joints[3].driver->axis = axis;
  rig.skeleton.joints[3].driver->before = Quat(Eigen::AngleAxisd(0.8, axis));
  const auto turned = [&](double angle, bool unbounded) {
    Pose pose = rest_pose(rig);
    pose.local[2].rotation = pose.local[2].rotation * Quat(Eigen::AngleAxisd(angle, axis));
    if (unbounded) pose.twist_rad = {0, 0, angle, 0};
    return model_turn(rig, resolve(rig.skeleton, pose), 3);
  };
  // In model space the hand's bone lies along x. Both segments that are met rise by one half per radian.
  for (const double angle : {0.0, 0.5, -0.7, 1.5})
    for (const bool unbounded : {false, true})
      EXPECT_LT((turned(angle, unbounded) - Eigen::AngleAxisd(0.5 * angle, Vec3::UnitX()).toRotationMatrix()).norm(),
                1e-9)
          << angle;
  EXPECT_LT((turned(7, true) - Eigen::AngleAxisd(3.5, Vec3::UnitX()).toRotationMatrix()).norm(), 1e-9);
}

TEST(Drivers, AnUnknownKindStaysAtRestAndIsInNobodysWay) {
  Driver unknown;
  unknown.kind = Driver::Kind::kOpaque;
  unknown.opaque = R"({"kind": "spring"})";
  Rig rig = with_helper(unknown);
  std::mt19937 rng(3);
  Pose pose = rest_pose(rig);
  pose.local[2].rotation = pose.local[3].rotation = test::random_turn(rng);
  Drivers(rig.skeleton).apply(pose);
  EXPECT_EQ(pose.local[3], rig.skeleton.joints[3].rest);
  EXPECT_TRUE(validate(rig.skeleton).empty());
  // Even where its source would close a circle.
  rig.skeleton.joints[3].driver->source = 2;
  Driver driver;
  driver.source = 3;
  rig.skeleton.joints[2].driver = driver;
  EXPECT_EQ(Drivers(rig.skeleton).order().size(), 2u);
}

TEST(Drivers, AtRestEveryRelativeDriverLeavesTheRestPose) {
  for (const Driver::Kind kind : {Driver::Kind::kTwistShare, Driver::Kind::kPolynomial, Driver::Kind::kDrivenKeys,
                                  Driver::Kind::kRotationShare}) {
    Driver driver;
    driver.kind = kind;
    driver.source = 2;
    driver.coefficients = {{0, 1, 2, 3}};
    driver.keys = {{-1, 1}, {1, -1}};
    const Rig rig = with_helper(driver);
    const auto rest = rest_matrices(rig.skeleton);
    EXPECT_LT((resolve(rig.skeleton, rest_pose(rig)).joints[3] - rest[3]).norm(), 1e-9);
  }
}

TEST(Drivers, AChainIsEvaluatedInOrderWhateverTheOrderOfJoints) {
  Driver driver;
  driver.source = 3;
  driver.share = 0.5;
  Rig rig = with_helper(driver, 0);
  Driver first = driver;
  first.source = 2;
  first.axis = driver.axis = Vec3::UnitX();
  rig.skeleton.joints[1].driver = driver;  // Joint 1 hangs on joint 3, which comes after it.
  rig.skeleton.joints[3].driver = first;
  const Drivers drivers(rig.skeleton);
  EXPECT_EQ(drivers.order(), (std::vector<Index>{3, 1}));
  Pose pose = rest_pose(rig);
  pose.local[2].rotation = Quat(Eigen::AngleAxisd(0.8, Vec3::UnitX()));
  drivers.apply(pose);
  EXPECT_NEAR(twist_angle_rad(pose.local[3].rotation, Vec3::UnitX()), 0.4, 1e-12);
  EXPECT_NEAR(twist_angle_rad(pose.local[1].rotation, Vec3::UnitX()), 0.2, 1e-12);
}

std::string driver_error(const Skeleton& skeleton) {
  try {
    const Drivers drivers(skeleton);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Drivers, CirclesAreRefusedByName) {
  Driver driver;
  driver.source = 1;
  Rig rig = with_helper(driver);
  driver.source = 3;
  rig.skeleton.joints[1].driver = driver;
  const std::string text = driver_error(rig.skeleton);
  EXPECT_NE(text.find("cycle"), std::string::npos);
  EXPECT_NE(text.find("'Fore'"), std::string::npos);
  EXPECT_NE(text.find("'Helper'"), std::string::npos);
}

TEST(Drivers, AimingAtOnesOwnChildIsACircle) {
  Rig rig = with_helper({});
  rig.skeleton.joints[3].driver.reset();
  Driver driver;
  driver.kind = Driver::Kind::kAim;
  driver.source = 2;
  rig.skeleton.joints[1].driver = driver;
  EXPECT_NE(driver_error(rig.skeleton).find("cycle"), std::string::npos);
  rig.skeleton.joints[1].driver->kind = Driver::Kind::kTwistShare;  // Its rotation alone is known before.
  EXPECT_EQ(driver_error(rig.skeleton), "");
}

TEST(Drivers, DamagedOnesAreRefused) {
  Driver driver;
  driver.source = 2;
  const auto error = [&](auto&& damage) {
    Driver damaged = driver;
    damage(damaged);
    return driver_error(with_helper(damaged).skeleton);
  };
  EXPECT_EQ(error([](Driver&) {}), "");
  EXPECT_NE(error([](Driver& d) { d.source = kNone; }), "");
  EXPECT_NE(error([](Driver& d) { d.source = 3; }), "");
  EXPECT_NE(error([](Driver& d) { d.axis.setZero(); }), "");
  EXPECT_NE(error([](Driver& d) { d.kind = Driver::Kind::kPolynomial, d.coefficients = {{1, 2, 3}}; }), "");
  EXPECT_NE(error([](Driver& d) { d.kind = Driver::Kind::kPolynomial, d.coefficients.resize(10); }), "");
  EXPECT_NE(error([](Driver& d) { d.kind = Driver::Kind::kAim, d.weight = 1.5; }), "");
  EXPECT_NE(error([](Driver& d) { d.before.coeffs().setZero(); }), "");
  EXPECT_NE(error([](Driver& d) { d.kind = Driver::Kind::kDrivenKeys; }), "");
  EXPECT_NE(error([](Driver& d) { d.kind = Driver::Kind::kDrivenKeys, d.keys = {{1, 0}, {1, 2}}; }), "");
}

}  // namespace
}  // namespace sinew::motion
