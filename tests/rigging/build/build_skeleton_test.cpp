// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/build/build_skeleton.h"

#include <gtest/gtest.h>

#include <set>

#include "sinew/core/rig.h"
#include "sinew/rigging/build/bone_frames.h"
#include "sinew/rigging/templates/template_file.h"
#include "sinew/shapes/kinds.h"
#include "tests/rigging/plans.h"

namespace sinew::rigging {
namespace {

using test::frame_of;
using test::plan_of;

Vec3 place_of(const Mat4& matrix) { return matrix.topRightCorner<3, 1>(); }

Index joint_of(const SkeletonPlan& plan, const char* role) {
  const Index j = plan.find_role(role);
  EXPECT_NE(j, kNone) << role;
  return j;
}

// Where a joint's child goes when the joint turns by a little about its own axis.
Vec3 swing(const Skeleton& skeleton, Index joint, Index child, const Vec3& axis) {
  std::vector<Transform> local;
  for (const Joint& each : skeleton.joints) local.push_back(each.rest);
  const Vec3 before = place_of(model_matrices(skeleton, local)[child]);
  local[joint].rotation = local[joint].rotation * Quat(Eigen::AngleAxisd(0.2, axis));
  return place_of(model_matrices(skeleton, local)[child]) - before;
}

TEST(BuildSkeleton, JointsLieWhereThePlanHasThemForEveryPresetAndTemplate) {
  for (const Template& known : templates())
    for (const Preset& preset : presets()) {
      const SkeletonPlan plan = plan_of(known);
      const BuiltSkeleton built = build_skeleton(plan, preset);
      EXPECT_TRUE(validate(built.skeleton).empty()) << preset.name;
      ASSERT_EQ(built.joints.size(), plan.joints.size());
      const std::vector<Mat4> rest = rest_matrices(built.skeleton);
      for (Index j = 0; j < plan.joints.size(); ++j) {
        const Joint& joint = built.skeleton.joints[built.joints[j]];
        EXPECT_LT((place_of(rest[built.joints[j]]) - plan.joints[j].position).norm(), 1e-12) << preset.name;
        const Mat3 frame = frame_of(rest[built.joints[j]]);
        EXPECT_LT((frame.transpose() * frame - Mat3::Identity()).norm(), 1e-12);
        EXPECT_NEAR(frame.determinant(), 1, 1e-12);
        EXPECT_TRUE(joint.deforming);
        EXPECT_EQ(joint.role, plan.joints[j].role);
        if (plan.joints[j].partner == kNone) EXPECT_EQ(joint.mirror, kNone);
        else EXPECT_EQ(joint.mirror, built.joints[plan.joints[j].partner]);
        if (plan.joints[j].end && joint.end_local) {
          const Vec3 end = transform_point(rest[built.joints[j]], *joint.end_local);
          EXPECT_LT((end - *plan.joints[j].end).norm(), 1e-12) << preset.name << ' ' << joint.name;
        }
      }
      std::set<std::string> names;
      for (const Joint& joint : built.skeleton.joints) EXPECT_TRUE(names.insert(joint.name).second) << joint.name;
    }
}

TEST(BuildSkeleton, TheBoneAxisHitsTheNextJointOfTheChain) {
  for (const Template& known : templates())
    for (const Preset& preset : presets()) {
      if (preset.world_axes) continue;
      const SkeletonPlan plan = plan_of(known);
      const BuiltSkeleton built = build_skeleton(plan, preset);
      const std::vector<Mat4> rest = rest_matrices(built.skeleton);
      const std::vector<Index> next = next_joints(plan);
      const Vec3 axis = axes(preset).transpose() * Vec3::UnitY();
      EXPECT_EQ(axis.cwiseAbs().sum(), 1);
      for (Index j = 0; j < plan.joints.size(); ++j) {
        if (next[j] == kNone && !plan.joints[j].end) continue;
        const Vec3 target = next[j] != kNone ? plan.joints[next[j]].position : *plan.joints[j].end;
        const Vec3 way = (target - plan.joints[j].position).normalized();
        EXPECT_GT((frame_of(rest[built.joints[j]]) * axis).dot(way), 1 - 1e-12)
            << preset.name << ' ' << plan.joints[j].name;
      }
    }
}

TEST(BuildSkeleton, ChainsGoOnThroughTheBody) {
  const SkeletonPlan plan = plan_of(find_template("human"));
  const std::vector<Index> next = next_joints(plan);
  for (const auto& [from, to] : std::vector<std::pair<const char*, const char*>>{{"hips", "spine"},
                                                                                 {"spine", "chest"},
                                                                                 {"chest", "neck"},
                                                                                 {"neck", "head"},
                                                                                 {"left_shoulder", "left_upper_arm"},
                                                                                 {"left_upper_arm", "left_forearm"},
                                                                                 {"right_forearm", "right_hand"},
                                                                                 {"right_hand", "right_middle_1"},
                                                                                 {"left_thumb_1", "left_thumb_2"},
                                                                                 {"left_thigh", "left_shin"},
                                                                                 {"right_foot", "right_toes"}})
    EXPECT_EQ(next[joint_of(plan, from)], joint_of(plan, to)) << from;
  EXPECT_EQ(next[joint_of(plan, "head")], kNone) << "eyes and jaw do not go on with the head";
}

TEST(BuildSkeleton, APositiveTurnAboutTheBendAxisBendsElbowKneeAndFingersTheNaturalWayOnBothSides) {
  const SkeletonPlan plan = plan_of(find_template("human"));
  for (const Preset& preset : presets()) {
    if (preset.world_axes) continue;
    const BuiltSkeleton built = build_skeleton(plan, preset);
    const Vec3 bend = axes(preset).transpose() * Vec3::UnitZ();
    const auto moved = [&](const char* joint, const char* child) {
      return swing(built.skeleton, built.joints[joint_of(plan, joint)], built.joints[joint_of(plan, child)], bend)
          .normalized()
          .eval();
    };
    EXPECT_GT(moved("left_forearm", "left_hand").z(), 0.9) << preset.name;
    EXPECT_GT(moved("right_forearm", "right_hand").z(), 0.9) << preset.name;
    EXPECT_LT(moved("left_shin", "left_foot").z(), -0.9) << preset.name;
    EXPECT_LT(moved("right_shin", "right_foot").z(), -0.9) << preset.name;
    EXPECT_LT(moved("left_index_1", "left_index_2").y(), -0.8) << preset.name;
    EXPECT_LT(moved("right_index_1", "right_index_2").y(), -0.8) << preset.name;
    EXPECT_GT(moved("spine", "head").z(), 0.9) << preset.name;
  }
}

// The mirror image of a matrix across x = 0.
Mat4 mirrored(const Mat4& matrix) {
  const Mat4 flip = Vec4(-1, 1, 1, 1).asDiagonal();
  return flip * matrix * flip;
}

TEST(BuildSkeleton, EqualTurnsAboutTheBendAxisMoveTheSidesInMirrorImages) {
  const SkeletonPlan plan = plan_of(find_template("human"));
  for (const Preset& preset : presets()) {
    if (preset.world_axes) continue;
    const BuiltSkeleton built = build_skeleton(plan, preset);
    const Vec3 bend = axes(preset).transpose() * Vec3::UnitZ();
    std::vector<Transform> local;
    for (const Joint& joint : built.skeleton.joints) {
      local.push_back(joint.rest);
      if (joint.deforming) local.back().rotation = local.back().rotation * Quat(Eigen::AngleAxisd(0.3, bend));
    }
    const std::vector<Mat4> posed = model_matrices(built.skeleton, local);
    for (Index j = 0; j < built.skeleton.size(); ++j)
      if (const Index k = built.skeleton.joints[j].mirror; k != kNone) {
        EXPECT_LT((place_of(posed[j]) - place_of(mirrored(posed[k]))).norm(), 1e-6) << built.skeleton.joints[j].name;
      }
  }
}

SkeletonPlan turned_by(const SkeletonPlan& plan, const Quat& turn) {
  SkeletonPlan turned = plan;
  turned.up = turn * plan.up, turned.forward = turn * plan.forward, turned.left = turn * plan.left;
  for (PlannedJoint& joint : turned.joints) {
    joint.position = turn * joint.position;
    if (joint.end) joint.end = turn * *joint.end;
  }
  return turned;
}

TEST(BuildSkeleton, NumbersOfTheRightSideAreTheLeftsButForSignsHoweverTheBodyStands) {
  for (const Template& known : templates())
    for (const Preset& preset : presets()) {
      if (preset.world_axes) continue;
      for (const Quat& turn : {Quat(1, 0, 0, 0), Quat(0.3, -0.5, 0.7, 0.2).normalized()}) {
        const BuiltSkeleton built = build_skeleton(turned_by(plan_of(known), turn), preset);
        for (const Joint& joint : built.skeleton.joints) {
          if (joint.mirror == kNone) continue;
          const Joint& other = built.skeleton.joints[joint.mirror];
          EXPECT_EQ(joint.rest.translation.cwiseAbs(), other.rest.translation.cwiseAbs()) << preset.name << joint.name;
          EXPECT_EQ(joint.rest.rotation.coeffs().cwiseAbs(), other.rest.rotation.coeffs().cwiseAbs()) << joint.name;
          ASSERT_EQ(joint.end_local.has_value(), other.end_local.has_value());
          if (joint.end_local) {
            EXPECT_EQ(joint.end_local->cwiseAbs(), other.end_local->cwiseAbs()) << joint.name;
          }
        }
      }
    }
}

TEST(BuildSkeleton, AxesAgreeWithThoseOfMadeHumansWhateverTheirPose) {
  for (const char* pose : {"t", "a", "random"}) {
    shapes::MakeOptions options;
    options.made_pose = pose, options.seed = 3, options.vary = 0.3, options.vertices = 3000;
    const Skeleton truth = shapes::make("human", options).made.character.rig.skeleton;
    const SkeletonPlan plan = plan_of(truth, find_template("human"));
    const BuiltSkeleton built = build_skeleton(plan, find_preset("plain"));
    const std::vector<Mat4> rest = rest_matrices(built.skeleton), expected = rest_matrices(truth);
    for (Index j = 0; j < truth.size(); ++j) {
      const Mat3 own = frame_of(rest[built.joints[j]]), theirs = frame_of(expected[j]);
      // Hands of the truth point along the arm, ours to the middle finger. A random pose turns limbs about their bones,
      // which no place tells.
      const double least = std::string(pose) == "random" ? 0.5 : 0.93;
      EXPECT_GT(own.col(1).dot(theirs.col(1)), 0.97) << pose << ' ' << truth.joints[j].name;
      EXPECT_GT(own.col(2).dot(theirs.col(2)), least) << pose << ' ' << truth.joints[j].name;
    }
  }
}

TEST(BuildSkeleton, ABentLimbGivesThePlaneInWhichItBends) {
  SkeletonPlan plan = plan_of(find_template("human"));
  plan.symmetric = false;
  const Index elbow = joint_of(plan, "left_forearm"), wrist = joint_of(plan, "left_hand");
  // The forearm points up: the arm bends in the frontal plane.
  plan.joints[wrist].position = plan.joints[elbow].position + Vec3(0.05, 0.25, 0);
  std::vector<Mat3> frames = bone_frames(plan);
  EXPECT_GT(frames[elbow].col(2).z(), 0.99);
  EXPECT_GT(frames[joint_of(plan, "left_upper_arm")].col(2).z(), 0.99);
  // Bent backwards by a few degrees it is a straight arm to which noise happened.
  const Vec3 upper =
      (plan.joints[elbow].position - plan.joints[joint_of(plan, "left_upper_arm")].position).normalized();
  plan.joints[wrist].position = plan.joints[elbow].position + 0.25 * upper - Vec3(0, 0, 0.05);
  frames = bone_frames(plan);
  EXPECT_LT(frames[elbow].col(2).y(), -0.8);
}

TEST(BuildSkeleton, TheBendAxisOfThePlanIsTakenAndMadePerpendicular) {
  SkeletonPlan plan = plan_of(find_template("human"));
  plan.symmetric = false;
  const Index knee = joint_of(plan, "left_shin");
  plan.joints[knee].bend_axis = Vec3(0.6, 0.5, 0.8);
  const Mat3 frame = bone_frames(plan)[knee];
  EXPECT_NEAR(frame.col(1).dot(frame.col(2)), 0, 1e-15);
  EXPECT_NEAR(frame.col(2).dot(plan.joints[knee].bend_axis.cross(frame.col(1))), 0, 1e-12);
  EXPECT_GT(frame.col(2).dot(plan.joints[knee].bend_axis), 0.9);
}

TEST(BuildSkeleton, ASymmetricPlanGivesTheRightSideTheLeftsFrameMirrored) {
  SkeletonPlan plan = plan_of(find_template("human"));
  const Index left = joint_of(plan, "left_shin"), right = joint_of(plan, "right_shin");
  plan.joints[left].bend_axis = Vec3(0.6, 0, 0.8);  // Of the right nothing is said.
  const std::vector<Mat3> frames = bone_frames(plan);
  const Mat3 image = Vec3(-1, 1, 1).asDiagonal() * frames[left] * Vec3(1, 1, -1).asDiagonal();
  EXPECT_EQ(frames[right], image);
}

TEST(BuildSkeleton, FramesTurnWithTheBody) {
  const SkeletonPlan plan = plan_of(find_template("human"));
  const Quat turn = Quat(0.3, -0.5, 0.7, 0.2).normalized();
  const SkeletonPlan turned = turned_by(plan, turn);
  const std::vector<Mat3> before = bone_frames(plan), after = bone_frames(turned);
  for (Index j = 0; j < plan.joints.size(); ++j)
    EXPECT_LT((after[j] - turn.toRotationMatrix() * before[j]).norm(), 1e-7) << plan.joints[j].name;
}

TEST(BuildSkeleton, FrontLegsBendAsLegsAndWingsAsArms) {
  const SkeletonPlan dog = plan_of(find_template("quadruped"));
  const std::vector<Mat3> legs = bone_frames(dog);
  EXPECT_LT(legs[joint_of(dog, "left_forearm")].col(2).x(), -0.9) << "elbows point back";
  EXPECT_GT(legs[joint_of(dog, "left_shin")].col(2).x(), 0.9) << "knees point forward";
  EXPECT_GT(legs[joint_of(dog, "left_hand")].col(2).x(), 0.9);
  EXPECT_GT(legs[joint_of(dog, "right_hand")].col(2).x(), 0.9);
  const SkeletonPlan bird = plan_of(find_template("bird"));
  EXPECT_GT(std::abs(bone_frames(bird)[joint_of(bird, "left_forearm")].col(2).y()), 0.9);
}

TEST(BuildSkeleton, ChainsWithoutARoleTurnTheirAxesNoMoreThanTheyMust) {
  SkeletonPlan plan = plan_of(find_template("human"));
  Index above = joint_of(plan, "head");
  for (int k = 0; k < 8; ++k) {
    PlannedJoint joint;
    joint.name = "Extra1_" + std::to_string(k + 1);
    joint.parent = above;
    joint.position = Vec3(0.05 * std::sin(0.6 * k), 1.7 - 0.1 * k, -0.15 - 0.03 * std::cos(0.6 * k));
    above = static_cast<Index>(plan.joints.size());
    plan.joints.push_back(joint);
  }
  const std::vector<Mat3> frames = bone_frames(plan);
  for (Index j = above - 6; j <= above; ++j)
    EXPECT_GT(frames[j].col(2).dot(frames[j - 1].col(2)), frames[j].col(1).dot(frames[j - 1].col(1)) - 1e-9);
}

TEST(BuildSkeleton, RootUnitEndsAndNumbersAreAsThePresetWants) {
  SkeletonPlan plan = plan_of(find_template("human"));
  const BuiltSkeleton unreal = build_skeleton(plan, find_preset("unreal"));
  EXPECT_EQ(unreal.skeleton.joints[0].name, "root");
  EXPECT_FALSE(unreal.skeleton.joints[0].deforming);
  EXPECT_EQ(unreal.skeleton.joints[0].rest, Transform());
  EXPECT_EQ(unreal.skeleton.joints[unreal.joints[joint_of(plan, "spine")]].name, "spine_01");
  EXPECT_EQ(unreal.skeleton.joints[unreal.joints[joint_of(plan, "chest")]].name, "spine_02");
  EXPECT_EQ(unreal.skeleton.size(), plan.joints.size() + 1);

  const BuiltSkeleton mixamo = build_skeleton(plan, find_preset("mixamo"));
  EXPECT_EQ(mixamo.skeleton.joints[0].rest.scale, Vec3::Constant(0.01));
  EXPECT_NEAR(mixamo.skeleton.joints[mixamo.joints[0]].rest.translation.y(), 95.53, 1e-9);
  const Index end = mixamo.skeleton.find("mixamorig:LeftToe_End");
  ASSERT_NE(end, kNone);
  EXPECT_EQ(mixamo.skeleton.joints[end].role, "end");
  EXPECT_FALSE(mixamo.skeleton.joints[end].deforming);
  EXPECT_EQ(mixamo.skeleton.joints[end].mirror, mixamo.skeleton.find("mixamorig:RightToe_End"));
  const Joint& toes = mixamo.skeleton.joints[mixamo.joints[joint_of(plan, "left_toes")]];
  EXPECT_EQ(mixamo.skeleton.joints[end].rest.translation, *toes.end_local);
  EXPECT_NE(mixamo.skeleton.find("mixamorig:LeftHandIndex4"), kNone);

  // Far from the origin the root stands below the hips.
  for (PlannedJoint& joint : plan.joints) {
    joint.position += Vec3(5, 2, 1);
    if (joint.end) joint.end = *joint.end + Vec3(5, 2, 1);
  }
  const Vec3 place = build_skeleton(plan, find_preset("unreal")).skeleton.joints[0].rest.translation;
  EXPECT_EQ(place.x(), 5);
  EXPECT_LT(place.y(), 2.1);
}

TEST(BuildSkeleton, NamesThatWouldComeTwiceGetANumber) {
  SkeletonPlan plan = plan_of(find_template("human"));
  plan.joints[joint_of(plan, "jaw")].name = "Head";
  Preset preset;
  preset.root = "Hips";
  const BuiltSkeleton built = build_skeleton(plan, preset);
  EXPECT_EQ(built.skeleton.joints[0].name, "Hips");
  EXPECT_EQ(built.skeleton.joints[1].name, "Hips_2");
  EXPECT_NE(built.skeleton.find("Head_2"), kNone);
}

TEST(BuildSkeleton, LimitsTurnWithTheAxes) {
  SkeletonPlan plan = plan_of(find_template("human"));
  const Index knee = joint_of(plan, "left_shin");
  plan.joints[knee].limits = RotationLimits{Vec3(-0.1, -0.2, -0.3), Vec3(0.4, 0.5, 0.6)};
  const auto limits = [&](const Preset& preset) {
    const BuiltSkeleton built = build_skeleton(plan, preset);
    return built.skeleton.joints[built.joints[knee]].limits;
  };
  EXPECT_EQ(limits(Preset())->upper_rad, Vec3(0.4, 0.5, 0.6));
  Preset preset;
  preset.bone_axis = "-x", preset.bend_axis = "+y";
  // Sinew's x is bone × bend = −x × +y = −z.
  EXPECT_EQ(limits(preset)->lower_rad, Vec3(-0.5, -0.3, -0.4));
  EXPECT_EQ(limits(preset)->upper_rad, Vec3(0.2, 0.6, 0.1));
  EXPECT_FALSE(limits(find_preset("vrm")));
}

TEST(BuildSkeleton, WithoutMirroredAxesTheBendAxesOfBothSidesPointTheSameWay) {
  const SkeletonPlan plan = plan_of(find_template("human"));
  Preset preset;
  preset.mirrored_axes = false;
  const BuiltSkeleton built = build_skeleton(plan, preset);
  const std::vector<Mat4> rest = rest_matrices(built.skeleton);
  for (const Joint& joint : built.skeleton.joints)
    if (joint.mirror != kNone) {
      const Index j = built.skeleton.joints[joint.mirror].mirror;
      const Vec3 z = frame_of(rest[j]).col(2), other = frame_of(rest[joint.mirror]).col(2);
      EXPECT_GE(z.dot(other), 0) << joint.name;
    }
}

TEST(BuildSkeleton, DegeneratePlansStillGiveRotations) {
  SkeletonPlan plan;
  EXPECT_TRUE(build_skeleton(plan, Preset()).skeleton.empty());
  for (int k = 0; k < 4; ++k) {
    PlannedJoint joint;
    joint.name = "J";
    joint.parent = k == 0 ? kNone : static_cast<Index>(k - 1);
    joint.bend_axis = Vec3::UnitY();  // Along the bone.
    plan.joints.push_back(joint);     // All at one place.
  }
  const BuiltSkeleton built = build_skeleton(plan, find_preset("maya"));
  EXPECT_TRUE(validate(built.skeleton).empty());
  for (const Mat4& matrix : rest_matrices(built.skeleton)) EXPECT_NEAR(frame_of(matrix).determinant(), 1, 1e-12);
}

TEST(BuildSkeleton, IsTheSameEveryTime) {
  const SkeletonPlan plan = plan_of(find_template("quadruped"));
  const BuiltSkeleton a = build_skeleton(plan, find_preset("godot")), b = build_skeleton(plan, find_preset("godot"));
  for (Index j = 0; j < a.skeleton.size(); ++j) {
    EXPECT_EQ(a.skeleton.joints[j].rest, b.skeleton.joints[j].rest);
    EXPECT_EQ(a.skeleton.joints[j].name, b.skeleton.joints[j].name);
  }
}

}  // namespace
}  // namespace sinew::rigging
