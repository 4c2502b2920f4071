// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/gestures/builtin_clips.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/character.h"
#include "sinew/motion/gestures/body.h"
#include "sinew/motion/gestures/exercise.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/motion/sample.h"
#include "tests/motion/test_bodies.h"

namespace sinew::motion {
namespace {

using test::skeleton_at;

Rig rig_of(Skeleton skeleton) {
  Rig rig;
  rig.skeleton = std::move(skeleton);
  return rig;
}

std::vector<Mat4> model_at(const Rig& rig, const Clip& clip, double time_s) {
  return model_matrices(rig.skeleton, sample(rig, clip, time_s).local);
}

Vec3 place_of(const Rig& rig, const std::vector<Mat4>& model, const char* name) {
  return model[rig.skeleton.find(name)].topRightCorner<3, 1>();
}

TEST(BuiltinClips, EachBuildHasItsOwn) {
  EXPECT_EQ(
      builtin_clip_names(skeleton_at(test::person())),
      (std::vector<std::string>{"exercise", "idle", "walk", "run", "wave", "jump", "sit", "look-around", "turn"}));
  EXPECT_EQ(builtin_clip_names(skeleton_at(test::beast())),
            (std::vector<std::string>{"exercise", "idle", "walk", "trot"}));
  EXPECT_EQ(builtin_clip_names(skeleton_at(test::fowl())),
            (std::vector<std::string>{"exercise", "walk", "flap", "glide"}));
  EXPECT_EQ(builtin_clip_names(skeleton_at({{"a", -1, {0, 0, 0}}, {"b", 0, {0, 1, 0}}})),
            (std::vector<std::string>{"exercise"}));
  EXPECT_TRUE(builtin_clip_names(Skeleton()).empty());
}

TEST(BuiltinClips, WhatThereIsNotIsRefusedWithWhatThereIs) {
  try {
    builtin_clip(skeleton_at(test::beast()), "wave");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("exercise, idle, walk"), std::string::npos);
  }
}

TEST(BuiltinClips, AreValidAndLoopsEndAsTheyBegin) {
  for (const auto& places : {test::person(), test::beast(), test::fowl()}) {
    const Rig rig = rig_of(skeleton_at(places, 3));
    for (const std::string& name : builtin_clip_names(rig.skeleton)) {
      const Clip clip = builtin_clip(rig.skeleton, name);
      EXPECT_TRUE(validate(clip, rig.skeleton.size(), 0).empty()) << name;
      EXPECT_EQ(clip.name, name);
      const auto first = model_at(rig, clip, 0), last = model_at(rig, clip, clip.duration_s());
      const auto middle = model_at(rig, clip, 0.37 * clip.duration_s());
      double moved = 0;
      for (Index j = 0; j < rig.skeleton.size(); ++j) {
        if (name != "turn") {
          EXPECT_LT((first[j] - last[j]).norm(), 1e-4) << name << " " << rig.skeleton.joints[j].name;
        }
        moved = std::max(moved, (first[j] - middle[j]).norm());
      }
      EXPECT_GT(moved, 0.01) << name;
    }
  }
}

TEST(BuiltinClips, TheLowestFootTouchesTheGround) {
  for (const auto& places : {test::person(), test::person(0.8), test::beast(), test::fowl()}) {
    const Rig rig = rig_of(skeleton_at(places, 4));
    const Recognition known = recognize(rig.skeleton);
    const Body body(rig.skeleton, known);
    for (const std::string& name : builtin_clip_names(rig.skeleton)) {
      if (name == "exercise" || name == "glide") continue;
      const Clip clip = builtin_clip(rig.skeleton, name);
      double lowest = 1, highest = -1;
      for (double t = 0; t <= clip.duration_s(); t += 1.0 / 120) {
        const double height = body.clearance(sample(rig, clip, t).local) / body.leg_length();
        lowest = std::min(lowest, height), highest = std::max(highest, height);
      }
      EXPECT_GT(lowest, -0.006) << name;
      EXPECT_LT(highest, name == "run" ? 0.1 : name == "jump" ? 0.6 : 0.006) << name;
      if (name == "run" || name == "jump") {
        EXPECT_GT(highest, 0.03);
      }
    }
  }
}

// The part of a foot that stands goes back at the speed of the ground: it does not slide when the body travels.
TEST(BuiltinClips, FeetOfPeopleDoNotSlide) {
  for (const double arms : {0.0, 0.8}) {
    const Rig rig = rig_of(skeleton_at(test::person(arms), 4));
    const Recognition known = recognize(rig.skeleton);
    const Body body(rig.skeleton, known);
    for (const std::string name : {"walk", "run"}) {
      const Clip clip = builtin_clip(rig.skeleton, name);
      // The foot is flat on the ground in this part of the cycle.
      const double from = (name == "walk" ? 0.12 : 0.07) * clip.duration_s();
      const double to = (name == "walk" ? 0.34 : 0.16) * clip.duration_s();
      const double stride = name == "walk" ? 1.05 : 1.9;
      const Vec3 start = place_of(rig, model_at(rig, clip, from), "LeftFoot");
      for (double t = from; t <= to; t += 1.0 / 240) {
        const Vec3 moved = place_of(rig, model_at(rig, clip, t), "LeftFoot") - start;
        const Vec3 ground = {0, 0, -stride * body.leg_length() * (t - from) / clip.duration_s()};
        EXPECT_LT((moved - ground).norm(), 0.01 * body.leg_length()) << name << " " << t;
      }
    }
  }
}

TEST(BuiltinClips, TheAxesOfJointsDoNotMatter) {
  for (const auto& places : {test::person(), test::beast(), test::fowl()}) {
    const Rig plain = rig_of(skeleton_at(places)), turned = rig_of(skeleton_at(places, 9));
    for (const std::string& name : builtin_clip_names(plain.skeleton)) {
      const Clip a = builtin_clip(plain.skeleton, name), b = builtin_clip(turned.skeleton, name);
      ASSERT_NEAR(a.duration_s(), b.duration_s(), 1e-6);
      for (double t = 0; t < a.duration_s(); t += 0.11) {
        const auto x = model_at(plain, a, t), y = model_at(turned, b, t);
        for (Index j = 0; j < plain.skeleton.size(); ++j)
          EXPECT_LT((x[j].topRightCorner<3, 1>() - y[j].topRightCorner<3, 1>()).norm(), 2e-4)
              << name << " " << t << " " << plain.skeleton.joints[j].name;
      }
    }
  }
}

TEST(BuiltinClips, TheRestPoseOfTheArmsDoesNotMatter) {
  const Rig out = rig_of(skeleton_at(test::person(0))), down = rig_of(skeleton_at(test::person(1.1), 6));
  for (const char* name : {"walk", "idle", "wave", "run", "jump", "sit", "turn", "look-around"}) {
    const Clip a = builtin_clip(out.skeleton, name), b = builtin_clip(down.skeleton, name);
    for (double t = 0; t < a.duration_s(); t += 0.13)
      for (const char* joint : {"LeftHand", "RightHand", "LeftForearm", "Head", "RightFoot"})
        EXPECT_LT((place_of(out, model_at(out, a, t), joint) - place_of(down, model_at(down, b, t), joint)).norm(),
                  1e-3)
            << name << " " << joint;
  }
}

TEST(BuiltinClips, GrowWithTheBody) {
  const Rig one = rig_of(skeleton_at(test::person())), tall = rig_of(skeleton_at(test::person(0, 50)));
  const Clip a = builtin_clip(one.skeleton, "walk"), b = builtin_clip(tall.skeleton, "walk");
  for (double t = 0; t < 1; t += 0.1)
    EXPECT_LT(
        (50 * place_of(one, model_at(one, a, t), "LeftFoot") - place_of(tall, model_at(tall, b, t), "LeftFoot")).norm(),
        0.02);
}

TEST(BuiltinClips, AWalkSwingsLegsInTurnAndAWaveRaisesOneHand) {
  const Rig rig = rig_of(skeleton_at(test::person(), 2));
  const Clip walk = builtin_clip(rig.skeleton, "walk");
  const auto start = model_at(rig, walk, 0), half = model_at(rig, walk, 0.5);
  EXPECT_GT(place_of(rig, start, "LeftFoot").z(), place_of(rig, start, "RightFoot").z() + 0.3);
  EXPECT_LT(place_of(rig, half, "LeftFoot").z(), place_of(rig, half, "RightFoot").z() - 0.3);
  EXPECT_GT(place_of(rig, start, "RightHand").z(), place_of(rig, start, "LeftHand").z());
  const auto wave = model_at(rig, builtin_clip(rig.skeleton, "wave"), 1);
  EXPECT_GT(place_of(rig, wave, "RightHand").y(), place_of(rig, wave, "Neck").y());
  EXPECT_LT(place_of(rig, wave, "LeftHand").y(), place_of(rig, wave, "Spine").y());
}

TEST(BuiltinClips, FeetThatHangElsewhereFollowTheLegs) {
  auto places = test::person();
  std::vector<test::Place> rearranged = places;
  for (auto& place : rearranged)
    if (place.name.ends_with("Foot")) place.parent = -1;  // Moved by targets in the program they come from.
  const Rig whole = rig_of(skeleton_at(places)), apart = rig_of(skeleton_at(rearranged, 3));
  const Clip a = builtin_clip(whole.skeleton, "walk"), b = builtin_clip(apart.skeleton, "walk");
  for (double t = 0; t < 1; t += 0.17)
    EXPECT_LT((place_of(whole, model_at(whole, a, t), "LeftToes") - place_of(apart, model_at(apart, b, t), "LeftToes"))
                  .norm(),
              1e-3);
}

TEST(BuiltinClips, LimitsOfJointsAreKept) {
  for (const auto& places : {test::person(), test::beast()}) {
    Rig rig = rig_of(skeleton_at(places, 8));
    for (Joint& joint : rig.skeleton.joints) joint.limits = RotationLimits{Vec3::Constant(-0.2), Vec3(0.1, 0.3, 0.25)};
    for (const std::string& name : builtin_clip_names(rig.skeleton)) {
      const Clip clip = builtin_clip(rig.skeleton, name);
      for (const Track& track : clip.tracks) {
        if (track.path != Track::Path::kRotation) continue;
        const Joint& joint = rig.skeleton.joints[track.target];
        for (const float time : track.times_s) {
          const Quat q = sample_rotation(track, static_cast<double>(time));
          const Vec3 turn = rotation_log(joint.rest.rotation.conjugate() * q);
          EXPECT_TRUE(((turn - joint.limits->lower_rad).array() > -1e-5).all()) << name << " " << joint.name;
          EXPECT_TRUE(((joint.limits->upper_rad - turn).array() > -1e-5).all()) << name << " " << joint.name;
        }
      }
    }
  }
}

TEST(Exercise, MovesEveryDeformingJointAndReturnsToRest) {
  Rig rig = rig_of(skeleton_at(test::person(), 5));
  rig.skeleton.joints[4].deforming = false;
  Driver driver;
  driver.source = 0;
  rig.skeleton.joints[3].driver = driver;
  const Clip clip = exercise(rig.skeleton);
  std::vector<bool> moved(rig.skeleton.joints.size(), false);
  for (const Track& track : clip.tracks) {
    double largest = 0;
    for (const float time : track.times_s)
      largest = std::max(largest, sample_rotation(track, static_cast<double>(time))
                                      .angularDistance(rig.skeleton.joints[track.target].rest.rotation));
    moved[track.target] = largest > 0.1;
  }
  for (Index j = 0; j < rig.skeleton.size(); ++j) EXPECT_EQ(moved[j], j != 3 && j != 4) << rig.skeleton.joints[j].name;
  for (const double t : {0.0, clip.duration_s()})
    for (Index j = 0; j < rig.skeleton.size(); ++j)
      EXPECT_LT(sample(rig, clip, t).local[j].rotation.angularDistance(rig.skeleton.joints[j].rest.rotation), 1e-5);
}

TEST(Exercise, PairsMoveTogetherAndMirrored) {
  const Rig rig = rig_of(skeleton_at(test::person(), 5));
  const Clip clip = exercise(rig.skeleton);
  int looked = 0;
  for (double t = 0; t < clip.duration_s(); t += 0.173) {
    const auto model = model_at(rig, clip, t);
    const auto start = model_at(rig, clip, 0);
    double trunk = 0;
    for (Index j = 0; j < 5; ++j) trunk += (model[j] - start[j]).norm();
    if (trunk > 1e-6) continue;  // While the trunk moves the sides differ.
    ++looked;
    for (const char* part : {"Hand", "Forearm", "Foot", "Toes"}) {
      const Vec3 left = place_of(rig, model, (std::string("Left") + part).c_str());
      const Vec3 right = place_of(rig, model, (std::string("Right") + part).c_str());
      EXPECT_LT((left - Vec3(-right.x(), right.y(), right.z())).norm(), 1e-4) << part << " " << t;
    }
  }
  EXPECT_GT(looked, 20);
}

TEST(Exercise, NeverTakesLongerThanAllowed) {
  std::vector<test::Place> places = {{"root", -1, {0, 0, 0}}};
  for (int i = 1; i < 300; ++i) places.push_back({"link" + std::to_string(i), i - 1, {0, 0.1 * i, 0}});
  ExerciseOptions options;
  options.longest_s = 20;
  const Clip clip = exercise(skeleton_at(places), options);
  EXPECT_LT(clip.duration_s(), 20.01);
  EXPECT_TRUE(validate(clip, 300, 0).empty());
  EXPECT_THROW(exercise(Skeleton()), Error);
}

}  // namespace
}  // namespace sinew::motion
