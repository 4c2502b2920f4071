// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/retarget/retarget.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/sample.h"
#include "tests/motion/test_bodies.h"

namespace sinew::motion {
namespace {

Rig moving_rig(const std::vector<test::Place>& places, unsigned seed) {
  Rig rig;
  rig.skeleton = test::skeleton_at(places, seed);
  return rig;
}

std::vector<Mat4> moved(const Rig& rig, const Clip& clip, double time_s) {
  return model_matrices(rig.skeleton, sample(rig, clip, time_s).local);
}

Vec3 joint_place(const Rig& rig, const std::vector<Mat4>& model, const std::string& name) {
  return model[rig.skeleton.find(name)].topRightCorner<3, 1>();
}

// Under other names and a root; what no table knows gets names that say nothing.
std::vector<test::Place> renamed(std::vector<test::Place> places) {
  const std::map<std::string, std::string> words = {{"UpperArm", "Arm"}, {"Forearm", "ForeArm"}, {"Thigh", "UpLeg"},
                                                    {"Shin", "Leg"},     {"Toes", "ToeBase"},    {"Chest", "Spine1"},
                                                    {"Trinket", "x_17"}};
  for (test::Place& place : places) {
    std::string name = place.name;
    for (const std::string side : {"", "Left", "Right"})
      for (const auto& [from, to] : words)
        if (place.name == side + from) name = side + to;
    place.name = "mixamorig:" + name;
  }
  return places;
}

std::vector<test::Place> person_with_trinket() {
  std::vector<test::Place> places = test::person();
  places.push_back({"Trinket", 4, {0.03, 1.7, 0.1}});
  return places;
}

Clip walk_with_trinket(const Rig& rig) {
  Clip clip = builtin_clip(rig.skeleton, "walk");
  Track track;
  track.path = Track::Path::kRotation;
  track.target = rig.skeleton.find("Trinket");
  track.times_s = {0, 1};
  const Quat a = rig.skeleton.joints[track.target].rest.rotation, b = a * rotation_exp(Vec3(0.3, 0.5, -0.2));
  for (const Quat& q : {a, b})
    for (int i = 0; i < 4; ++i) track.values.push_back(static_cast<float>(q.coeffs()[i]));
  clip.tracks.push_back(track);
  return clip;
}

TEST(Retarget, FeetThatAreNotBelowTheirShinsStayAtTheEndsOfTheLegs) {
  std::vector<test::Place> places = test::person();
  for (test::Place& place : places)
    if (place.name == "LeftFoot" || place.name == "RightFoot") place.parent = 0;
  const Rig source = moving_rig(test::person(), 5), target = moving_rig(places, 9);
  const Retargeted result = retarget(source, builtin_clip(source.skeleton, "walk"), target, {}, {});
  const auto rest = rest_matrices(target.skeleton);
  for (const std::string side : {"Left", "Right"})
    for (const double t : {0.1, 0.4, 0.8}) {
      const auto model = moved(target, result.clip, t);
      const auto length = [&](const std::vector<Mat4>& at) {
        return (joint_place(target, at, side + "Foot") - joint_place(target, at, side + "Shin")).norm();
      };
      EXPECT_NEAR(length(model), length(rest), 1e-5) << side << " at " << t;
      EXPECT_GT((joint_place(target, model, side + "Foot") - joint_place(target, rest, side + "Foot")).norm(), 0.01);
    }
}

TEST(Retarget, ToARenamedCopyAndBackIsTheSameMotion) {
  const Rig rig = moving_rig(person_with_trinket(), 5), copy = moving_rig(renamed(person_with_trinket()), 9);
  const Clip clip = walk_with_trinket(rig);
  const Retargeted there = retarget(rig, clip, copy, {}, {.feet = Feet::kOff});
  EXPECT_TRUE(there.map.unmapped_targets.empty());
  EXPECT_EQ(there.map.sources[copy.skeleton.find("mixamorig:x_17")].by, "shape");
  const Retargeted back = retarget(copy, there.clip, rig, {}, {.feet = Feet::kOff});
  for (const double t : {0.0, 0.21, 0.5, 0.83, 1.0}) {
    const auto expected = moved(rig, clip, t), result = moved(rig, back.clip, t);
    for (std::size_t j = 0; j < expected.size(); ++j)
      EXPECT_LT((expected[j] - result[j]).cwiseAbs().maxCoeff(), 1e-5) << rig.skeleton.joints[j].name << " at " << t;
  }
}

TEST(Retarget, LimbsPointAsInTheSourceFromAnyRestPoseAndSize) {
  const Rig rig = moving_rig(test::person(), 5);
  const Clip clip = builtin_clip(rig.skeleton, "run");
  for (const double lowered : {0.0, 0.8, 1.4}) {
    const Rig other = moving_rig(test::person(lowered, 2.5), 8);
    const Retargeted result = retarget(rig, clip, other, {}, {.feet = Feet::kOff});
    EXPECT_NEAR(result.scale, 2.5, 1e-6);
    for (const double t : {0.1, 0.4, 0.6}) {
      const auto a = moved(rig, clip, t), b = moved(other, result.clip, t);
      for (const std::string side : {"Left", "Right"})
        for (const auto& [from, to] : {std::pair{"UpperArm", "Forearm"}, std::pair{"Forearm", "Hand"},
                                       std::pair{"Thigh", "Shin"}, std::pair{"Shin", "Foot"}}) {
          const Vec3 theirs = joint_place(rig, a, side + to) - joint_place(rig, a, side + from);
          const Vec3 ours = joint_place(other, b, side + to) - joint_place(other, b, side + from);
          EXPECT_LT((theirs.normalized() - ours.normalized()).norm(), 1e-5) << side << from << " lowered " << lowered;
        }
      EXPECT_LT((2.5 * joint_place(rig, a, "Hips") - joint_place(other, b, "Hips")).norm(), 1e-5);
    }
  }
}

TEST(Retarget, TheSourceMayFaceAndStandAnotherWay) {
  const Rig rig = moving_rig(test::person(), 5);
  // Z up, facing −Y, as in Blender.
  std::vector<test::Place> lying = test::person();
  for (test::Place& place : lying) place.position = Vec3(place.position.x(), -place.position.z(), place.position.y());
  const Rig other = moving_rig(lying, 3);
  const Retargeted result = retarget(rig, builtin_clip(rig.skeleton, "walk"), other, {}, {.feet = Feet::kOff});
  for (const double t : {0.2, 0.6}) {
    const Vec3 a = joint_place(rig, moved(rig, builtin_clip(rig.skeleton, "walk"), t), "LeftFoot");
    const Vec3 b = joint_place(other, moved(other, result.clip, t), "LeftFoot");
    EXPECT_LT((Vec3(a.x(), -a.z(), a.y()) - b).norm(), 1e-5);
  }
}

TEST(Retarget, ChainsOfOtherLengthsBendAsOne) {
  const Rig rig = moving_rig(test::person(), 5);
  std::vector<test::Place> longer = test::person();
  for (test::Place& place : longer) place.parent += place.parent >= 2 ? 1 : 0;
  longer.insert(longer.begin() + 2, {"Spine2", 1, {0, 1.18, 0}});
  longer[3].parent = 2;
  const Rig other = moving_rig(longer, 4);
  Clip clip;
  clip.name = "bow";
  const Index chest = rig.skeleton.find("Chest");
  Track track{Track::Path::kRotation, chest, Track::Interpolation::kLinear, {0, 1}, {}};
  const Quat rest = rig.skeleton.joints[chest].rest.rotation;
  for (const Quat& q : {rest, Quat(rest * rotation_exp(Vec3(0.6, 0, 0)))})
    for (int i = 0; i < 4; ++i) track.values.push_back(static_cast<float>(q.coeffs()[i]));
  clip.tracks.push_back(track);
  const Retargeted result = retarget(rig, clip, other, {}, {.feet = Feet::kOff});
  const auto turn = [](const Rig& r, const std::vector<Mat4>& model, const char* name) {
    const Index j = r.skeleton.find(name);
    return Quat(Mat3((model[j] * rest_matrices(r.skeleton)[j].inverse()).topLeftCorner<3, 3>()));
  };
  const auto a = moved(rig, clip, 1), b = moved(other, result.clip, 1);
  EXPECT_LT(turn(rig, a, "Chest").angularDistance(turn(other, b, "Chest")), 1e-5);
  const double half = rotation_log(turn(other, b, "Spine2")).norm();
  EXPECT_GT(half, 0.1);
  EXPECT_LT(half, 0.5);
}

TEST(Retarget, FeetStandWhereTheSourceStands) {
  const Rig rig = moving_rig(test::person(), 5);
  // Walks as fast as its standing foot moves back when it walks on the spot.
  Clip clip = builtin_clip(rig.skeleton, "walk");
  const Index hips = rig.skeleton.find("Hips");
  const auto toes = [&](double t) { return joint_place(rig, moved(rig, clip, t), "LeftToes"); };
  double lowest = 1, speed = 0;
  for (double t = 0.01; t < 0.99; t += 0.01) lowest = std::min(lowest, toes(t).y());
  int count = 0;
  for (double t = 0.01; t < 0.99; t += 0.01)
    if (toes(t).y() < lowest + 0.002) speed -= (toes(t + 0.01).z() - toes(t - 0.01).z()) / 0.02, ++count;
  const auto pace = static_cast<float>(speed / count);
  for (Track& track : clip.tracks)
    if (track.target == hips && track.path == Track::Path::kTranslation)
      for (std::size_t k = 0; k < track.times_s.size(); ++k) track.values[3 * k + 2] += pace * track.times_s[k];
  // Shorter shins: the same angles give other steps.
  std::vector<test::Place> places = test::person(0.7);
  for (test::Place& place : places) {
    const bool foot = place.name.ends_with("Foot") || place.name.ends_with("Toes");
    if (!foot) place.position.y() -= 0.1;
  }
  // Feet below the shins, and below a root as in rigs for inverse kinematics.
  for (const bool loose : {false, true}) {
    for (test::Place& place : places)
      if (loose && place.name.ends_with("Foot")) place.parent = -1;
    const Rig other = moving_rig(places, 8);
    const Retargeted off = retarget(rig, clip, other, {}, {.feet = Feet::kOff});
    const Retargeted on = retarget(rig, clip, other);
    EXPECT_EQ(off.feet.contacts[0].size() + off.feet.contacts[1].size(), 0u);
    ASSERT_GT(on.feet.contacts[0].size() + on.feet.contacts[1].size(), 1u);
    EXPECT_LT(on.feet.most_slide, 0.005) << loose;
    EXPECT_LT(on.feet.most_height, 0.005) << loose;
    EXPECT_GT(on.feet.most_slide_before, 0.02) << loose;
    // The shin still ends at the foot.
    const auto rest = rest_matrices(other.skeleton);
    for (const double t : {0.1, 0.35, 0.7}) {
      const auto model = moved(other, on.clip, t);
      const auto length = [&](const std::vector<Mat4>& at) {
        return (joint_place(other, at, "LeftFoot") - joint_place(other, at, "LeftShin")).norm();
      };
      EXPECT_NEAR(length(model), length(rest), 1e-4) << loose;
    }
  }
}

TEST(Retarget, KneesKeepTheirSideWhenALegIsBent) {
  const Rig rig = moving_rig(test::person(), 5);
  const BodyFrame body = body_frame(rig);
  std::vector<Transform> local;
  for (const Joint& joint : rig.skeleton.joints) local.push_back(joint.rest);
  const Vec3 goal = body.place(body.legs[0].foot) + Vec3(0.05, 0.25, 0.1);
  bend_leg(body, body.legs[0], goal, local);
  const auto model = model_matrices(rig.skeleton, local);
  EXPECT_LT((joint_place(rig, model, "LeftFoot") - goal).norm(), 1e-9);
  const Vec3 knee = joint_place(rig, model, "LeftShin");
  EXPECT_GT(knee.z(), 0.5 * (joint_place(rig, model, "LeftThigh").z() + goal.z()) + 0.1) << "knees bend forward";
  EXPECT_LT(rotation_part(model[body.legs[0].foot]).angularDistance(body.rest_rotation[body.legs[0].foot]), 1e-6);
}

TEST(Retarget, TheWayIsKeptRemovedOrGivenToTheRoot) {
  std::vector<test::Place> places = test::person();
  for (test::Place& place : places) ++place.parent;
  places.insert(places.begin(), {"Root", -1, {0, 0, 0}});
  places[0].parent = -1;
  const Rig rig = moving_rig(test::person(), 5), other = moving_rig(places, 0);
  Clip clip = builtin_clip(rig.skeleton, "walk");
  const Index hips = rig.skeleton.find("Hips");
  for (Track& track : clip.tracks)
    if (track.target == hips && track.path == Track::Path::kTranslation)
      for (std::size_t k = 0; k < track.times_s.size(); ++k) track.values[3 * k + 2] += track.times_s[k];
  const auto at_end = [&](RootMotion way, const char* joint) {
    const Retargeted result = retarget(rig, clip, other, {}, {.root_motion = way});
    return joint_place(other, moved(other, result.clip, 1), joint).z();
  };
  EXPECT_NEAR(at_end(RootMotion::kKeep, "Hips"), 1, 0.02);
  EXPECT_NEAR(at_end(RootMotion::kInPlace, "Hips"), 0, 0.02);
  EXPECT_NEAR(at_end(RootMotion::kToRoot, "Hips"), 1, 0.02);
  EXPECT_NEAR(at_end(RootMotion::kToRoot, "Root"), 1, 0.02);
  EXPECT_NEAR(at_end(RootMotion::kKeep, "Root"), 0, 1e-9);
  EXPECT_THROW(retarget(rig, clip, rig, {}, {.root_motion = RootMotion::kToRoot}), Error);
}

TEST(Retarget, MirroredExchangesTheSides) {
  const Rig rig = moving_rig(test::person(), 5);
  const Clip clip = builtin_clip(rig.skeleton, "wave");
  const Retargeted result = retarget(rig, clip, rig, {}, {.feet = Feet::kOff, .mirrored = true});
  for (const double t : {0.4, 1.1}) {
    Vec3 right = joint_place(rig, moved(rig, clip, t), "RightHand");
    right.x() = -right.x();
    EXPECT_LT((right - joint_place(rig, moved(rig, result.clip, t), "LeftHand")).norm(), 1e-5);
  }
}

TEST(Retarget, TrimAndRateDecideTheKeys) {
  const Rig rig = moving_rig(test::person(), 5);
  RetargetOptions options;
  options.trim = {"0.25", "0.75"};
  options.fps = 10;
  const Clip clip = retarget(rig, builtin_clip(rig.skeleton, "walk"), rig, {}, options).clip;
  EXPECT_NEAR(clip.duration_s(), 0.5, 1e-6);
  std::size_t most = 0;
  for (const Track& track : clip.tracks) most = std::max(most, track.times_s.size());
  EXPECT_EQ(most, 6u);
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"1"}, {"2", "3"}, {"0.5", "0.5"}, {"a", "b"}, {"0", "1", "2"}}) {
    options.trim = wrong;
    EXPECT_THROW(retarget(rig, builtin_clip(rig.skeleton, "walk"), rig, {}, options), Error);
  }
}

TEST(Retarget, AFirstFrameAtRestIsLeftOut) {
  const Rig rig = moving_rig(test::person(), 5), copy = moving_rig(renamed(test::person()), 9);
  Clip clip = builtin_clip(rig.skeleton, "walk");
  Track& arm = *std::find_if(clip.tracks.begin(), clip.tracks.end(), [&](const Track& track) {
    return track.path == Track::Path::kRotation && track.target == rig.skeleton.find("LeftUpperArm");
  });
  const Retargeted as_it_is = retarget(rig, clip, copy, {}, {});
  EXPECT_TRUE(as_it_is.findings.empty());
  // All keys a frame later, with the rest pose before them.
  for (Track& track : clip.tracks) {
    for (float& t : track.times_s) t += 0.01F;
    if (track.path != Track::Path::kRotation) continue;
    track.times_s.insert(track.times_s.begin(), 0);
    // CMU's T pose is not quite the rest pose.
    const bool turned = track.target == rig.skeleton.find("LeftThigh");
    const Vec4 q =
        (rig.skeleton.joints[track.target].rest.rotation * rotation_exp(Vec3(turned ? 0.36 : 0, 0, 0))).coeffs();
    for (int i = 4; i-- > 0;) track.values.insert(track.values.begin(), static_cast<float>(q[i]));
  }
  const Quat second(static_cast<double>(arm.values[7]), static_cast<double>(arm.values[4]),
                    static_cast<double>(arm.values[5]), static_cast<double>(arm.values[6]));
  ASSERT_GT(second.angularDistance(rig.skeleton.joints[arm.target].rest.rotation), 0.5);
  const Retargeted result = retarget(rig, clip, copy, {}, {});
  ASSERT_EQ(result.findings.size(), 1);
  EXPECT_EQ(result.findings[0].code, "animate.rest_frame");
  EXPECT_NEAR(result.clip.duration_s(), as_it_is.clip.duration_s(), 1e-5);
  const auto a = moved(copy, as_it_is.clip, 0.3), b = moved(copy, result.clip, 0.3);
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_LT((a[j] - b[j]).cwiseAbs().maxCoeff(), 1e-3) << j;
  EXPECT_TRUE(retarget(rig, clip, copy, {}, {.trim = {"0", "1"}}).findings.empty());
}

TEST(Retarget, ToesDoNotPointIntoTheGround) {
  std::vector<test::Place> places = test::person();
  for (const std::string side : {"Left", "Right"}) {
    const auto toes =
        std::find_if(places.begin(), places.end(), [&](const auto& p) { return p.name == side + "Toes"; });
    places.push_back({side + "ToesTip", static_cast<int>(toes - places.begin()), toes->position + Vec3(0, 0, 0.08)});
  }
  const Rig rig = moving_rig(places, 5);
  // Standing still with one foot on its toes.
  const Index toes = rig.skeleton.find("LeftToes");
  const auto rest = rest_matrices(rig.skeleton);
  const Quat above = rotation_part(rest[rig.skeleton.joints[toes].parent]);
  const Quat turned =
      above.conjugate() * rotation_exp(Vec3(0.9, 0, 0)) * above * rig.skeleton.joints[toes].rest.rotation;
  Clip clip;
  Track& track = clip.tracks.emplace_back();
  track.path = Track::Path::kRotation;
  track.target = toes;
  for (int key = 0; key <= 10; ++key) {
    track.times_s.push_back(0.1F * static_cast<float>(key));
    for (const double x : turned.coeffs()) track.values.push_back(static_cast<float>(x));
  }
  const auto tip = [&](Feet feet) {
    const Retargeted result = retarget(rig, clip, rig, {}, {.feet = feet});
    return joint_place(rig, moved(rig, result.clip, 0.5), "LeftToesTip").y();
  };
  const double at_rest = joint_place(rig, rest, "LeftToesTip").y();
  EXPECT_LT(tip(Feet::kOff), at_rest - 0.04);
  EXPECT_NEAR(tip(Feet::kOn), at_rest, 1e-4);
}

TEST(Retarget, FeetFarBelowTheGroundStandOnIt) {
  const Rig rig = moving_rig(test::person(), 5);
  const Clip clip = builtin_clip(rig.skeleton, "walk");
  // The same clip about the origin, as MakeHuman writes it.
  Clip lowered = clip;
  const Index hips = rig.skeleton.find("Hips");
  bool moves = false;
  for (Track& track : lowered.tracks)
    if (track.target == hips && track.path == Track::Path::kTranslation)
      for (std::size_t k = 1; k < track.values.size(); k += 3) track.values[k] -= 0.9F, moves = true;
  ASSERT_TRUE(moves);
  const Clip a = retarget(rig, clip, rig, {}, {}).clip, b = retarget(rig, lowered, rig, {}, {}).clip;
  for (const double t : {0.1, 0.4, 0.8})
    EXPECT_NEAR(joint_place(rig, moved(rig, a, t), "Head").y(), joint_place(rig, moved(rig, b, t), "Head").y(), 0.03)
        << t;
}

TEST(Retarget, ALoopEndsAsItBegins) {
  const Rig rig = moving_rig(test::person(), 5);
  RetargetOptions options;
  options.trim = {"0", "0.6"};
  options.loop = true;
  options.root_motion = RootMotion::kInPlace;
  const Clip clip = retarget(rig, builtin_clip(rig.skeleton, "walk"), rig, {}, options).clip;
  const auto a = moved(rig, clip, 0), b = moved(rig, clip, clip.duration_s());
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_LT((a[j] - b[j]).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Retarget, TheUsersMapComesFirst) {
  const Rig rig = moving_rig(test::person(), 5);
  const Clip clip = builtin_clip(rig.skeleton, "walk");
  const Retargeted result = retarget(rig, clip, rig, {{"LeftHand", "Head"}, {"RightHand", ""}});
  EXPECT_EQ(result.map.sources[rig.skeleton.find("Head")].joint, rig.skeleton.find("LeftHand"));
  EXPECT_EQ(result.map.sources[rig.skeleton.find("RightHand")].joint, kNone);
  EXPECT_THROW(retarget(rig, clip, rig, {{"LeftHnd", "Head"}}), Error);
  EXPECT_THROW(retarget(rig, clip, rig, {{"LeftHand", "Haed"}}), Error);
}

TEST(Retarget, SkeletonsWithNothingInCommonAreRefused) {
  const Rig rig = moving_rig(test::person(), 5);
  const Rig other = moving_rig({{"a", -1, {0, 0, 0}}, {"b", 0, {0, 1, 0}}}, 0);
  EXPECT_THROW(retarget(rig, builtin_clip(rig.skeleton, "walk"), other), Error);
}

}  // namespace
}  // namespace sinew::motion
