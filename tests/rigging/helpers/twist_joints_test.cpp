// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/helpers/twist_joints.h"

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/shapes/kinds.h"

namespace sinew::rigging {
namespace {

shapes::Made cylinder(int joints = 3) {
  shapes::MakeOptions options;
  options.joint_count = joints;
  return shapes::make("cylinder", options).made;
}

std::vector<float> known_places(const shapes::Made& made, const TwistBone& bone) {
  return twist_places(made.character.rig, made.owners, made.owners.along, bone,
                      rest_matrices(made.character.rig.skeleton));
}

double row_sum(std::span<const Influence> row) {
  double sum = 0;
  for (const Influence& influence : row) sum += static_cast<double>(influence.weight);
  return sum;
}

double weight_on(std::span<const Influence> row, Index joint) {
  double sum = 0;
  for (const Influence& influence : row)
    if (influence.joint == joint) sum += static_cast<double>(influence.weight);
  return sum;
}

// Linear blending in double.
std::vector<Vec3> blended(const Rig& rig, const std::vector<Mat4>& joints) {
  std::vector<Vec3> positions = rig.mesh.positions;
  for (std::size_t p = 0; p < rig.mesh.parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    const std::vector<Mat4> bind = inverse_bind_of_part(rig, static_cast<Index>(p));
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      Vec3 sum = Vec3::Zero();
      for (const Influence& influence : rig.weights.row(v))
        sum += static_cast<double>(influence.weight) *
               transform_point(joints[influence.joint] * bind[influence.joint], rig.mesh.positions[v]);
      positions[v] = sum / row_sum(rig.weights.row(v));
    }
  }
  return positions;
}

// The mean over a row of each joint's share of the twist.
double mean_share(const Rig& rig, Index v, const TwistJoints& added) {
  const int n = static_cast<int>(added.helpers.size());
  double sum = 0;
  for (const Influence& influence : rig.weights.row(v)) {
    double share = influence.joint > added.bone.joint && influence.joint < 3 ? 1 : 0;
    if (influence.joint == added.bone.joint) share = added.bone.near ? 1 : 0;
    for (int k = 0; k < n; ++k)
      if (added.helpers[static_cast<std::size_t>(k)] == influence.joint) share = (k + 1.0) / (n + 1);
    sum += share * static_cast<double>(influence.weight);
  }
  return sum / row_sum(rig.weights.row(v));
}

TEST(TwistJoints, AutoIsTheFewestThatKeepTheSection) {
  EXPECT_EQ(twist_joints_needed(kPi, 0.85), 3);
  EXPECT_EQ(twist_joints_needed(kPi, 0.75), 2);
  EXPECT_EQ(twist_joints_needed(kPi / 2, 0.85), 1);
  EXPECT_NEAR(twist_section(kPi, 1), 0.5, 1e-12);
  for (const double angle : {0.5, 1.5, kPi, 3 * kPi})
    for (const double least : {0.5, 0.85, 0.95}) {
      const int n = twist_joints_needed(angle, least);
      if (n < 15) {
        EXPECT_GE(twist_section(angle, n), least);
      }
      if (n > 1) {
        EXPECT_TRUE(twist_section(angle, n - 1) < least || angle / n >= kPi) << angle << " " << least;
      }
    }
}

TEST(TwistJoints, HelpersLieEvenlyOnTheBoneWithSharesOfItsTwist) {
  for (const bool near : {false, true}) {
    shapes::Made made = cylinder();
    Rig& rig = made.character.rig;
    const TwistBone bone{0, 1, near};
    const TwistJoints added = add_twist_joints(rig, bone, 3, known_places(made, bone));
    ASSERT_EQ(added.helpers.size(), 3U);
    const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
    for (int k = 0; k < 3; ++k) {
      const Joint& helper = rig.skeleton.joints[added.helpers[static_cast<std::size_t>(k)]];
      EXPECT_EQ(helper.parent, 0U);
      EXPECT_EQ(helper.role, "helper");
      EXPECT_EQ(helper.name, "Joint0Twist" + std::to_string(k + 1));
      EXPECT_TRUE(helper.deforming);
      const Vec3 place = rest[added.helpers[static_cast<std::size_t>(k)]].topRightCorner<3, 1>();
      EXPECT_LT((place - Vec3(0, k + 1, 0)).norm(), 1e-9);  // The link is 4 m long.
      ASSERT_TRUE(helper.driver.has_value());
      EXPECT_EQ(helper.driver->source, near ? 0U : 1U);
      EXPECT_NEAR(helper.driver->share, (k + 1) / 4.0 - (near ? 1 : 0), 1e-12);
      EXPECT_LT((helper.driver->axis - Vec3::UnitY()).norm(), 1e-9);
    }
    EXPECT_TRUE(validate(rig).empty());
  }
}

TEST(TwistJoints, OnlyTheBonesOwnWeightMovesAndRowsKeepTheirSumsToTheBit) {
  for (const bool near : {false, true})
    for (const int count : {1, 2, 5}) {
      shapes::Made made = cylinder();
      Rig& rig = made.character.rig;
      const Rig before = rig;
      const TwistBone bone{0, 1, near};
      const TwistJoints added = add_twist_joints(rig, bone, count, known_places(made, bone));
      Index changed = 0;
      for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
        const auto was = before.weights.row(v), is = rig.weights.row(v);
        for (Index joint = 1; joint < before.skeleton.size(); ++joint)
          ASSERT_EQ(weight_on(was, joint), weight_on(is, joint));
        double own = weight_on(is, 0);
        for (const Index helper : added.helpers) own += weight_on(is, helper);
        ASSERT_EQ(own, weight_on(was, 0));
        EXPECT_LE(is.size(), was.size() + 1);
        changed += !std::equal(was.begin(), was.end(), is.begin(), is.end());
      }
      EXPECT_EQ(changed, added.vertices);
      EXPECT_GT(changed, rig.mesh.vertex_count() / 4);
    }
}

TEST(TwistJoints, TheMeanShareOfARowIsThePlaceOfTheVertexWhereItCanBe) {
  for (const bool near : {false, true}) {
    shapes::Made made = cylinder();
    Rig& rig = made.character.rig;
    const TwistBone bone{0, 1, near};
    const std::vector<float> places = known_places(made, bone);
    const TwistJoints added = add_twist_joints(rig, bone, 3, places);
    double worst = 0;
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
      const double place = static_cast<double>(places[v]);
      // A far bone has nothing between the last helper and the far joint but the blend that was there, a near one
      // nothing before the first helper.
      if (near ? place < 0.25 : place > 0.7) continue;
      worst = std::max(worst, std::abs(mean_share(rig, v, added) - place));
    }
    EXPECT_LT(worst, near ? 0.02 : 1e-5);
  }
}

TEST(TwistJoints, TheRestShapeStaysAlsoWhereTheBindPoseIsAnother) {
  for (const bool near : {false, true}) {
    shapes::Made made = cylinder();
    Rig& rig = made.character.rig;
    // Another rest pose, scaled, and one joint bound elsewhere in a second skin.
    rig.skeleton.joints[0].rest.rotation = rotation_exp(Vec3(0.3, 0.2, 0.9));
    rig.skeleton.joints[0].rest.scale = Vec3::Constant(0.4);
    rig.skeleton.joints[1].rest.rotation = rotation_exp(Vec3(0.5, 1.1, 0.1));
    rig.skeleton.joints[1].rest.translation += Vec3(0.3, 0.1, -0.2);
    const std::vector<Vec3> before = blended(rig, rest_matrices(rig.skeleton));
    const TwistBone bone{0, 1, near};
    add_twist_joints(rig, bone, 3, known_places(made, bone));
    const std::vector<Vec3> after = blended(rig, rest_matrices(rig.skeleton));
    for (std::size_t v = 0; v < before.size(); ++v) ASSERT_LT((before[v] - after[v]).norm(), 1e-7 * rig.mesh.size());
  }
}

TEST(TwistJoints, AnAxisOfAHelperRunsAlongABoneThatLiesAcrossItsParentsAxes) {
  shapes::Made made = cylinder();
  Rig& rig = made.character.rig;
  const Vec3 along = Vec3(0.4, -0.7, 0.6).normalized() * 4;
  rig.skeleton.joints[1].rest.translation = along;
  const TwistBone bone{0, 1, false};
  const TwistJoints added = add_twist_joints(rig, bone, 1, known_places(made, bone));
  const Transform& rest = rig.skeleton.joints[added.helpers[0]].rest;
  EXPECT_LT((rest.rotation * Vec3::UnitY() - along.normalized()).norm(), 1e-12);
  EXPECT_LT((rest.translation - 0.5 * along).norm(), 1e-12);
}

TEST(TwistJoints, BothSidesAreMirrorImages) {
  shapes::MakeOptions options;
  options.vertices = 3000;
  shapes::Made made = shapes::make("human", options).made;
  Rig& rig = made.character.rig;
  const auto bone = [&](const char* from, const char* to) {
    return TwistBone{rig.skeleton.find(from), rig.skeleton.find(to), false};
  };
  const TwistBone left_bone = bone("LeftForearm", "LeftHand"), right_bone = bone("RightForearm", "RightHand");
  const TwistJoints left = add_twist_joints(rig, left_bone, 2, known_places(made, left_bone));
  const TwistJoints right = add_twist_joints(rig, right_bone, 2, known_places(made, right_bone));
  EXPECT_EQ(left.vertices, right.vertices);
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  for (std::size_t k = 0; k < 2; ++k) {
    const Vec3 a = rest[left.helpers[k]].topRightCorner<3, 1>(), b = rest[right.helpers[k]].topRightCorner<3, 1>();
    EXPECT_LT((a - Vec3(-b.x(), b.y(), b.z())).norm(), 1e-9);
    double left_sum = 0, right_sum = 0;
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
      left_sum += weight_on(rig.weights.row(v), left.helpers[k]);
      right_sum += weight_on(rig.weights.row(v), right.helpers[k]);
    }
    EXPECT_NEAR(left_sum, right_sum, 1e-3 * left_sum);
  }
}

TEST(TwistJoints, PartsThatHangRigidlyKeepTheirRows) {
  shapes::Made made = cylinder();
  Rig& rig = made.character.rig;
  rig.mesh.parts[0].skin = kNone;
  rig.mesh.parts[0].joint = 0;
  const SkinWeights before = rig.weights;
  const TwistBone bone{0, 1, false};
  EXPECT_EQ(add_twist_joints(rig, bone, 2, known_places(made, bone)).vertices, 0U);
  EXPECT_EQ(rig.weights, before);
}

TEST(TwistJoints, NamesKeepASideAtTheirEndAndAreNew) {
  Skeleton skeleton;
  for (const char* name : {"LeftForearm", "forearm.L", "lowerarm_l", "LeftForearmTwist"}) {
    skeleton.joints.emplace_back();
    skeleton.joints.back().name = name;
  }
  EXPECT_EQ(helper_name(skeleton, "LeftForearm", "Twist", 2), "LeftForearmTwist2");
  EXPECT_EQ(helper_name(skeleton, "LeftForearm", "Twist", 0), "LeftForearmTwist2");
  EXPECT_EQ(helper_name(skeleton, "forearm.L", "Twist", 1), "forearm_twist_1.L");
  EXPECT_EQ(helper_name(skeleton, "lowerarm_l", "Bend", 0), "lowerarm_bend_l");
}

TEST(TwistJoints, ABoneWithoutLengthIsRefused) {
  shapes::Made made = cylinder();
  made.character.rig.skeleton.joints[1].rest.translation = Vec3::Zero();
  EXPECT_THROW(add_twist_joints(made.character.rig, {0, 1, false}, 1,
                                std::vector<float>(made.character.rig.mesh.positions.size(), 0.0F)),
               Error);
}

TEST(TwistJoints, PlacesAreTheSameForAnyNumberOfThreads) {
  const shapes::Made made = cylinder();
  set_thread_count(1);
  const std::vector<float> one = known_places(made, {0, 1, false});
  set_thread_count(2);
  const std::vector<float> two = known_places(made, {0, 1, false});
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace sinew::rigging
