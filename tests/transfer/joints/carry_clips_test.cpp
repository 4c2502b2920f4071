// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/joints/carry_clips.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/motion/sample.h"
#include "sinew/transfer/joints/added_joints.h"
#include "tests/transfer/limb.h"

namespace sinew::transfer {
namespace {

using test::kFirstHelper;
using test::kForearm;
using test::kHand;
using test::kUpperArm;
using test::Limb;
using test::place_of;
using test::turn_of;

std::vector<Mat4> posed(const Skeleton& skeleton, const Clip& clip, double time_s) {
  Rig rig;
  rig.skeleton = skeleton;
  return motion::resolve(skeleton, motion::sample(rig, clip, time_s)).joints;
}

void add_turns(Clip& clip, const Skeleton& skeleton, Index joint, const std::vector<Quat>& deltas, float step = 0.5F) {
  Track track;
  track.path = Track::Path::kRotation;
  track.target = joint;
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    track.times_s.push_back(step * static_cast<float>(i));
    const Quat q = skeleton.joints[joint].rest.rotation * deltas[i];
    for (const double x : {q.x(), q.y(), q.z(), q.w()}) track.values.push_back(static_cast<float>(x));
  }
  clip.tracks.push_back(track);
}

void add_moves(Clip& clip, const Skeleton& skeleton, Index joint, const std::vector<Vec3>& moves, float step = 0.5F) {
  Track track;
  track.target = joint;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    track.times_s.push_back(step * static_cast<float>(i));
    const Vec3 p = skeleton.joints[joint].rest.translation + moves[i];
    for (const double x : {p.x(), p.y(), p.z()}) track.values.push_back(static_cast<float>(x));
  }
  clip.tracks.push_back(track);
}

Clip made_clip(const Skeleton& skeleton, unsigned seed) {
  std::mt19937 random(seed);
  Clip clip;
  clip.name = "wave";
  for (const Index joint : {kUpperArm, kForearm, kHand}) {
    std::vector<Quat> deltas;
    for (int i = 0; i < 4; ++i) deltas.push_back(rotation_exp(0.4 * rotation_log(test::random_turn(random))));
    add_turns(clip, skeleton, joint, deltas, joint == kHand ? 0.3F : 0.5F);
  }
  add_moves(clip, skeleton, kUpperArm, {{0, 0, 0}, {0.1, 0.2, 0}, {0.3, 0, -0.4}});
  return clip;
}

std::vector<Index> paired_only(const Limb& reference) {
  std::vector<Index> of_reference(reference.skeleton.joints.size(), kNone);
  for (Index j = 0; j < 3; ++j) of_reference[j] = j;
  return of_reference;
}

TEST(CarryClips, OnTheReferenceItselfNothingChanges) {
  const Limb reference = test::reference_limb();
  Clip clip = made_clip(reference.skeleton, 1);
  add_turns(clip, reference.skeleton, 5, {Quat::Identity(), rotation_exp({0.2, 0.3, 0.4})});
  add_moves(clip, reference.skeleton, 5, {{0, 0, 0}, {0.1, 0.05, -0.02}});
  std::vector<std::pair<Index, Index>> all;
  std::vector<Index> of_reference;
  for (Index j = 0; j < reference.skeleton.size(); ++j) {
    if (j < 3) all.emplace_back(j, j);
    of_reference.push_back(j);
  }
  const TransferBody side = reference.side();
  const Clip carried =
      carried_clip(clip, side, side, correspond(reference.skeleton, reference.skeleton, all), of_reference);
  EXPECT_EQ(carried.name, "wave");
  EXPECT_TRUE(validate(carried, reference.skeleton.size(), 0).empty());
  double worst = 0;
  for (const Track& track : clip.tracks)
    for (const float time : track.times_s) {
      const auto a = posed(reference.skeleton, clip, static_cast<double>(time));
      const auto b = posed(reference.skeleton, carried, static_cast<double>(time));
      for (Index j = 0; j < a.size(); ++j) worst = std::max(worst, (a[j] - b[j]).cwiseAbs().maxCoeff());
    }
  EXPECT_LT(worst, 2e-6);  // Tracks hold floats; places are up to 6 m from the shoulder.
  RecordProperty("worst", std::to_string(worst));
}

TEST(CarryClips, LimbsPointAsTheReferencesFromAnotherRestPose) {
  std::mt19937 random(3);
  const Limb reference = test::reference_limb();
  const Clip clip = made_clip(reference.skeleton, 2);
  // Another build, bent, with other axes, turned as a whole.
  const Mat3 whole = test::random_turn(random).toRotationMatrix();
  std::vector<Mat4> frames;
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(2, 1, 0), Vec3(2.5, 0.5, 2)})
    frames.push_back(test::frame_of(test::random_turn(random).toRotationMatrix(), whole * p));
  Limb target;
  target.mesh = reference.mesh;
  target.skeleton = test::chain_of({"UpperArm", "Forearm", "Hand"}, frames);
  const Correspondence pairs = test::limb_pairs(reference, target, whole.transpose());
  const Clip carried = carried_clip(clip, reference.side(), target.side(), pairs, paired_only(reference));
  for (const double time : {0.0, 0.3, 0.5, 0.9, 1.5}) {
    const auto a = posed(reference.skeleton, clip, time), b = posed(target.skeleton, carried, time);
    for (Index j = 0; j < 2; ++j) {
      const Vec3 points = whole * (place_of(a[j + 1]) - place_of(a[j])).normalized();
      EXPECT_LT(((place_of(b[j + 1]) - place_of(b[j])).normalized() - points).norm(), 1e-5) << j;
      EXPECT_NEAR((place_of(b[j + 1]) - place_of(b[j])).norm(), (place_of(frames[j + 1]) - place_of(frames[j])).norm(),
                  1e-5);
    }
  }
}

TEST(CarryClips, TheRootMovesByTheRatioOfHeights) {
  const Limb reference = test::reference_limb();
  Clip clip;
  add_moves(clip, reference.skeleton, kUpperArm, {{0, 0, 0}, {0.5, 1, -2}});
  // The reference stands on its end; so does the target, twice as tall.
  const Mat3 up(Eigen::AngleAxisd(-kPi / 2, Vec3::UnitZ()));
  std::vector<Mat3> frames = test::limb_frames(reference);
  for (Mat3& frame : frames) frame = up * frame;
  const Limb standing = test::moved_limb(
      reference, [&](const Vec3& p) { return Vec3(up * p); }, frames);
  const Limb taller = test::moved_limb(
      reference, [&](const Vec3& p) { return Vec3(2 * (up * p)); }, frames);
  Clip upright;
  add_moves(upright, standing.skeleton, kUpperArm, {{0, 0, 0}, {0.5, 1, -2}});
  const Clip carried =
      carried_clip(upright, standing.side(), taller.side(), test::limb_pairs(standing, taller), {0, 1, 2});
  const Vec3 moved = place_of(posed(taller.skeleton, carried, 0.5)[0]) - taller.side().position(0);
  EXPECT_LT((moved - Vec3(1, 2, -4)).norm(), 1e-5);
  // An arm that lies tells nothing by its height: sizes count.
  const auto larger = [](const Vec3& p) { return Vec3(3 * p); };
  const Limb lying = test::moved_limb(reference, larger, test::limb_frames(reference));
  const Clip by_size =
      carried_clip(clip, reference.side(), lying.side(), test::limb_pairs(reference, lying), paired_only(reference));
  const Vec3 by = place_of(posed(lying.skeleton, by_size, 0.5)[0]) - lying.side().position(0);
  EXPECT_LT((by - Vec3(1.5, 3, -6)).norm(), 1e-5);
}

TEST(CarryClips, BakedHelpersAreCarriedAndDrivenOnesAreNot) {
  Limb reference = test::reference_limb();
  Driver twist;
  twist.source = kForearm;
  reference.skeleton.joints[kFirstHelper].driver = twist;
  Clip clip = made_clip(reference.skeleton, 5);
  add_turns(clip, reference.skeleton, 5, {Quat::Identity(), rotation_exp({0.2, 0.3, 0.4}), rotation_exp({1, 0, 0})});
  add_moves(clip, reference.skeleton, 5, {{0, 0, 0}, {0.1, 0.05, -0.02}, {0, 0.2, 0}});
  const auto larger = [](const Vec3& p) { return Vec3(3 * p); };
  std::mt19937 random(8);
  std::vector<Mat3> frames;
  for (int i = 0; i < 3; ++i) frames.push_back(test::random_turn(random).toRotationMatrix());
  const Limb target = test::moved_limb(reference, larger, frames);
  const Correspondence pairs = test::limb_pairs(reference, target);
  const AddedJoints added = add_joints(reference.side(), target.side(), pairs, test::all_helpers(reference.skeleton));
  const TransferBody to{target.mesh, added.skeleton, added.joints};
  const Clip carried = carried_clip(clip, reference.side(), to, pairs, added.of_reference);
  for (const Track& track : carried.tracks) EXPECT_NE(track.target, added.of_reference[kFirstHelper]);
  for (const double time : {0.0, 0.5, 0.9, 1.0}) {
    const auto a = posed(reference.skeleton, clip, time), b = posed(added.skeleton, carried, time);
    for (Index j = 0; j < a.size(); ++j)
      EXPECT_LT((place_of(b[added.of_reference[j]]) - 3 * place_of(a[j])).norm(), 2e-5) << j << " " << time;
    for (const Index h : {kFirstHelper, 5U})
      EXPECT_LT((turn_of(b[added.of_reference[h]]) - turn_of(a[h])).norm(), 1e-5) << h;
  }
}

TEST(CarryClips, JointsAboveThatAreNotPairedStayAndScaleIsAllowedFor) {
  const Limb reference = test::reference_limb();
  const Clip clip = made_clip(reference.skeleton, 6);
  Limb target = test::moved_limb(
      reference, [](const Vec3& p) { return p; }, test::limb_frames(reference));
  for (Joint& joint : target.skeleton.joints) joint.rest.translation *= 100, joint.parent = joint.parent + 1;
  target.skeleton.joints[0].parent = 0;
  Joint root;
  root.name = "Armature";
  root.rest.scale.setConstant(0.01);
  root.rest.rotation = rotation_exp({-kPi / 2, 0, 0});
  target.skeleton.joints.insert(target.skeleton.joints.begin(), root);
  Joint& arm = target.skeleton.joints[1];  // Stands where it stood.
  arm.rest.rotation = root.rest.rotation.conjugate() * arm.rest.rotation;
  arm.rest.translation = root.rest.rotation.conjugate() * arm.rest.translation;
  const Correspondence pairs = correspond(reference.skeleton, target.skeleton, {{0, 1}, {1, 2}, {2, 3}});
  std::vector<Index> of_reference(9, kNone);
  for (Index j = 0; j < 3; ++j) of_reference[j] = j + 1;
  const Clip carried = carried_clip(clip, reference.side(), target.side(), pairs, of_reference);
  for (const Track& track : carried.tracks) EXPECT_NE(track.target, 0U);
  for (const double time : {0.0, 0.5, 1.0}) {
    const auto a = posed(reference.skeleton, clip, time), b = posed(target.skeleton, carried, time);
    for (Index j = 0; j < 3; ++j) EXPECT_LT((place_of(b[j + 1]) - place_of(a[j])).norm(), 1e-5);
  }
}

TEST(CarryClips, JointsBesideWhatTheyHangOnStayWithIt) {
  // As in rigs that are made flat for a game: every joint below one root, the hand before the arm.
  const Limb reference = test::reference_limb();
  const Clip clip = made_clip(reference.skeleton, 7);
  const TransferBody from = reference.side();
  Limb target;
  target.mesh = reference.mesh;
  target.skeleton.joints.resize(4);
  target.skeleton.joints[0].name = "Root";
  for (Index j = 0; j < 3; ++j) {
    Joint& joint = target.skeleton.joints[3 - j];
    joint.name = reference.skeleton.joints[j].name;
    joint.parent = 0;
    joint.rest = decompose(from.joints[j]).transform;
  }
  Correspondence pairs;
  pairs.pairs = {{0, 3, kNone}, {1, 2, 0}, {2, 1, 1}};
  std::vector<Index> of_reference(9, kNone);
  for (Index j = 0; j < 3; ++j) of_reference[j] = 3 - j;
  const Clip carried = carried_clip(clip, from, target.side(), pairs, of_reference);
  for (const double time : {0.0, 0.5, 1.0, 1.5}) {  // At keys; between them flat joints go straight.
    const auto a = posed(reference.skeleton, clip, time), b = posed(target.skeleton, carried, time);
    for (Index j = 0; j < 3; ++j) EXPECT_LT((b[3 - j] - a[j]).cwiseAbs().maxCoeff(), 1e-5) << j;
  }
}

TEST(CarryClips, WhatMovesAgainstItsParentMovesAndOtherLengthsOfBonesAreNotTakenOver) {
  const Limb reference = test::reference_limb();
  const auto larger = [](const Vec3& p) { return Vec3(3 * p); };
  const Limb target = test::moved_limb(reference, larger, test::limb_frames(reference));
  Clip clip;
  add_moves(clip, reference.skeleton, kForearm, {{0, 0, 0}, {0.1, 0.5, 0}, {0.3, 0, 0.2}});
  add_moves(clip, reference.skeleton, kHand, {{0, 0.4, 0}, {0, 0.4, 0}});
  const Clip carried =
      carried_clip(clip, reference.side(), target.side(), test::limb_pairs(reference, target), paired_only(reference));
  for (const double time : {0.0, 0.5, 1.0}) {
    const auto a = posed(reference.skeleton, clip, time), b = posed(target.skeleton, carried, time);
    EXPECT_LT((place_of(b[kForearm]) - 3 * place_of(a[kForearm])).norm(), 1e-5);
    EXPECT_NEAR((place_of(b[kHand]) - place_of(b[kForearm])).norm(), 9, 1e-5);
  }
  // What hangs on a joint that moves no skin is at no bone's end.
  Limb loose = reference;
  loose.skeleton.joints[kForearm].deforming = false;
  const Clip taken =
      carried_clip(clip, loose.side(), target.side(), test::limb_pairs(loose, target), paired_only(loose));
  const auto a = posed(reference.skeleton, clip, 0.5), b = posed(target.skeleton, taken, 0.5);
  EXPECT_LT((place_of(b[kHand]) - 3 * place_of(a[kHand])).norm(), 1e-5);
}

TEST(CarryClips, MorphsAndEmptyClipsAreLeftOut) {
  const Limb reference = test::reference_limb();
  Clip clip;
  clip.name = "blink";
  Track morph;
  morph.path = Track::Path::kMorphWeights;
  morph.target = 0;
  morph.times_s = {0, 1};
  morph.values = {0, 1};
  clip.tracks.push_back(morph);
  const TransferBody side = reference.side();
  const Correspondence pairs = test::limb_pairs(reference, reference);
  EXPECT_TRUE(carried_clip(clip, side, side, pairs, paired_only(reference)).tracks.empty());
}

}  // namespace
}  // namespace sinew::transfer
