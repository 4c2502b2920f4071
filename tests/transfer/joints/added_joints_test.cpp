// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/joints/added_joints.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/angles.h"
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

Vec3 stretched(const Vec3& p) { return {2 * p.x(), p.y(), p.z()}; }

void expect_sound(const AddedJoints& added, const Limb& target) {
  EXPECT_TRUE(validate(added.skeleton).empty());
  ASSERT_EQ(added.joints.size(), added.skeleton.joints.size());
  const std::vector<Mat4> rest = rest_matrices(added.skeleton);
  for (Index j = 0; j < rest.size(); ++j) EXPECT_LT((rest[j] - added.joints[j]).cwiseAbs().maxCoeff(), 1e-9) << j;
  for (Index j = 0; j < target.skeleton.size(); ++j)
    EXPECT_EQ(added.skeleton.joints[j].name, target.skeleton.joints[j].name);
}

// --- places

TEST(AddedJoints, HelpersLandWhereTheyBelongOnAStretchedArm) {
  const Limb reference = test::reference_limb();
  const Limb target = test::moved_limb(reference, stretched, test::limb_frames(reference));
  const TransferBody from = reference.side(), to = target.side();
  const AddedJoints added =
      add_joints(from, to, test::limb_pairs(reference, target), test::all_helpers(reference.skeleton));
  EXPECT_TRUE(added.warnings.empty());
  expect_sound(added, target);
  ASSERT_EQ(added.skeleton.size(), 9U);
  double worst = 0;
  for (Index h = kFirstHelper; h < 9; ++h) {
    ASSERT_EQ(added.of_reference[h], h);
    const Joint& joint = added.skeleton.joints[h];
    EXPECT_EQ(joint.name, reference.skeleton.joints[h].name);
    EXPECT_EQ(joint.parent, kUpperArm);
    EXPECT_EQ(joint.role, "helper");
    EXPECT_TRUE(joint.deforming);
    const Vec3 expected = stretched(from.position(h));
    worst = std::max(worst, (place_of(added.joints[h]) - expected).norm() / (expected - stretched({3, 0, 0})).norm());
  }
  EXPECT_LT(worst, 0.02);
  RecordProperty("worst_share_of_offset", std::to_string(worst));
}

TEST(AddedJoints, AThickerArmCarriesHelpersFurtherOut) {
  const Limb reference = test::reference_limb();
  const auto thicker = [](const Vec3& p) { return Vec3(0.5 * p.x(), 1.7 * p.y(), 1.7 * p.z()); };
  const Limb target = test::moved_limb(reference, thicker, test::limb_frames(reference));
  const AddedJoints added = add_joints(reference.side(), target.side(), test::limb_pairs(reference, target),
                                       test::all_helpers(reference.skeleton));
  for (Index h = kFirstHelper; h < 9; ++h)
    EXPECT_LT((place_of(added.joints[h]) - thicker(reference.side().position(h))).norm(), 0.01);
}

TEST(AddedJoints, CopiesKeepTheTransformAgainstTheParent) {
  const Limb reference = test::reference_limb();
  const Limb target = test::moved_limb(reference, stretched, test::limb_frames(reference));
  const AddedJoints added = add_joints(reference.side(), target.side(), test::limb_pairs(reference, target),
                                       test::all_helpers(reference.skeleton), Placement::kCopied);
  for (Index h = kFirstHelper; h < 9; ++h)
    EXPECT_LT((added.skeleton.joints[h].rest.matrix() - reference.skeleton.joints[h].rest.matrix()).norm(), 1e-12);
  // Also where the target's axes differ: relative to them.
  std::mt19937 random(4);
  std::vector<Mat3> frames;
  for (int i = 0; i < 3; ++i) frames.push_back(test::random_turn(random).toRotationMatrix());
  const Limb odd = test::moved_limb(reference, stretched, frames);
  const AddedJoints to_odd = add_joints(reference.side(), odd.side(), test::limb_pairs(reference, odd),
                                        test::all_helpers(reference.skeleton), Placement::kCopied);
  for (Index h = kFirstHelper; h < 9; ++h)
    EXPECT_LT((to_odd.skeleton.joints[h].rest.matrix() - reference.skeleton.joints[h].rest.matrix()).norm(), 1e-12);
}

TEST(AddedJoints, HelpersOfHelpersGoTheSameWay) {
  Limb reference = test::reference_limb();
  Joint below;
  below.name = "Tip";
  below.parent = kFirstHelper;
  below.role = "helper";
  below.rest.translation = Vec3(0.1, 0.2, 0.05);
  below.end_local = Vec3(0, 0.3, 0);
  reference.skeleton.joints.push_back(below);
  below.name = "Tip of tip";
  below.parent = 9;
  reference.skeleton.joints.push_back(below);
  const Limb target = test::moved_limb(reference, stretched, test::limb_frames(reference));
  const TransferBody from = reference.side();
  const AddedJoints added =
      add_joints(from, target.side(), test::limb_pairs(reference, target), test::all_helpers(reference.skeleton));
  expect_sound(added, target);
  for (const Index h : {9U, 10U}) {
    EXPECT_EQ(added.skeleton.joints[h].parent, added.of_reference[reference.skeleton.joints[h].parent]);
    EXPECT_LT((place_of(added.joints[h]) - stretched(from.position(h))).norm(), 0.01) << h;
    const Vec3 end = transform_point(from.joints[h], *reference.skeleton.joints[h].end_local);
    EXPECT_LT((transform_point(added.joints[h], *added.skeleton.joints[h].end_local) - stretched(end)).norm(), 0.01);
  }
  // Without the joint between, the lower ones hang on the nearest that is there.
  std::vector<char> wanted = test::all_helpers(reference.skeleton);
  wanted[kFirstHelper] = 0;
  const AddedJoints fewer = add_joints(from, target.side(), test::limb_pairs(reference, target), wanted);
  EXPECT_EQ(fewer.of_reference[kFirstHelper], kNone);
  EXPECT_EQ(fewer.skeleton.joints[fewer.of_reference[9]].parent, kUpperArm);
}

TEST(AddedJoints, HelpersOfAJointWithoutBonesAreScaledAsTheWholeBody) {
  Limb reference = test::reference_limb();
  Joint tip;
  tip.name = "Tip";
  tip.parent = kHand;
  tip.role = "helper";
  tip.rest.translation = Vec3(0.1, 0.2, 0.3);
  reference.skeleton.joints.push_back(tip);
  const auto larger = [](const Vec3& p) { return Vec3(3 * p + Vec3(1, 2, 3)); };
  const Limb target = test::moved_limb(reference, larger, test::limb_frames(reference));
  const AddedJoints added = add_joints(reference.side(), target.side(), test::limb_pairs(reference, target),
                                       test::all_helpers(reference.skeleton));
  EXPECT_LT((place_of(added.joints[9]) - larger(reference.side().position(9))).norm(), 1e-9);
}

TEST(AddedJoints, WithoutSkinTheBonesLengthDecidesAndAFindingSaysSo) {
  const Limb reference = test::reference_limb();
  Limb target = test::moved_limb(reference, stretched, test::limb_frames(reference));
  target.mesh = Mesh();
  const AddedJoints added = add_joints(reference.side(), target.side(), test::limb_pairs(reference, target),
                                       test::all_helpers(reference.skeleton));
  ASSERT_EQ(added.warnings.size(), 6U);
  EXPECT_EQ(added.warnings[0].code, "transfer.place");
  for (Index h = kFirstHelper; h < 9; ++h)
    EXPECT_LT((place_of(added.joints[h]) - 2 * reference.side().position(h)).norm(), 1e-9);
}

// --- names, partners

TEST(AddedJoints, NamesAreUniqueAndPartnersPointBack) {
  Limb reference = test::reference_limb();
  reference.skeleton.joints[3].mirror = 4;
  reference.skeleton.joints[4].mirror = 3;
  reference.skeleton.joints[5].mirror = kForearm;
  reference.skeleton.joints[5].limits = RotationLimits{Vec3(-1, -2, -3), Vec3(1, 2, 3)};
  Limb target = test::moved_limb(reference, stretched, test::limb_frames(reference));
  target.skeleton.joints[kHand].name = "ElbowHelper0";
  const AddedJoints added = add_joints(reference.side(), target.side(), test::limb_pairs(reference, target),
                                       test::all_helpers(reference.skeleton));
  EXPECT_TRUE(validate(added.skeleton).empty());
  EXPECT_EQ(added.skeleton.joints[added.of_reference[3]].name, "ElbowHelper0_2");
  EXPECT_EQ(added.skeleton.joints[added.of_reference[3]].mirror, added.of_reference[4]);
  EXPECT_EQ(added.skeleton.joints[added.of_reference[5]].mirror, kForearm);
  EXPECT_EQ(added.skeleton.joints[added.of_reference[5]].limits->upper_rad, Vec3(1, 2, 3));
}

TEST(AddedJoints, NothingIsAddedThatIsNotWantedOrIsThere) {
  const Limb reference = test::reference_limb();
  const Limb target = test::moved_limb(reference, stretched, test::limb_frames(reference));
  std::vector<char> wanted(9, 0);
  wanted[kForearm] = wanted[7] = 1;
  const AddedJoints added = add_joints(reference.side(), target.side(), test::limb_pairs(reference, target), wanted);
  EXPECT_EQ(added.skeleton.size(), 4U);
  EXPECT_EQ(added.of_reference, (std::vector<Index>{0, 1, 2, kNone, kNone, kNone, kNone, 3, kNone}));
}

TEST(AddedJoints, AJointAboveAllPairsBecomesARoot) {
  const Limb reference = test::reference_limb();
  Limb target;
  target.mesh = reference.mesh;
  const TransferBody from = reference.side();
  target.skeleton = test::chain_of({"Forearm", "Hand"}, {from.joints[1], from.joints[2]});
  const Correspondence pairs = correspond(reference.skeleton, target.skeleton, {{1, 0}, {2, 1}});
  std::vector<char> wanted(9, 0);
  wanted[kUpperArm] = 1;
  const AddedJoints added = add_joints(from, target.side(), pairs, wanted);
  EXPECT_EQ(added.skeleton.joints[2].parent, kNone);
  EXPECT_LT((added.joints[2] - from.joints[0]).norm(), 1e-9);
}

// --- drivers

TEST(AddedJoints, ADriverMovesTheHelperByTheScaledPolynomial) {
  std::mt19937 random(21);
  Limb reference = test::reference_limb();
  reference.skeleton.joints[kFirstHelper + 1].driver = test::random_polynomial(random, kForearm);
  const Limb target = test::moved_limb(reference, stretched, test::limb_frames(reference));
  const Index h = kFirstHelper + 1;
  const AddedJoints added = add_joints(reference.side(), target.side(), test::limb_pairs(reference, target),
                                       test::all_helpers(reference.skeleton));
  ASSERT_TRUE(added.skeleton.joints[h].driver);
  const Quat delta = test::random_turn(random).slerp(0.2, Quat::Identity());
  for (const Quat& turn : {Quat(Eigen::AngleAxisd(radians(60), Vec3::UnitZ())), delta}) {
    const Mat4 before = test::turned(reference.skeleton, kForearm, turn)[h];
    const Mat4 after = test::turned(added.skeleton, kForearm, turn)[h];
    const Vec3 moved = place_of(before) - reference.side().position(h);
    ASSERT_GT(moved.norm(), 0.01);
    EXPECT_LT((place_of(after) - place_of(added.joints[h]) - stretched(moved)).norm(), 1e-6);
    EXPECT_LT((turn_of(after) - turn_of(before)).norm(), 1e-9);
    EXPECT_LT((decompose(after).transform.scale - decompose(before).transform.scale).norm(), 1e-9);
  }
}

/// One driver of each kind on the six helpers, two of them on other helpers.
void add_all_kinds(Limb& limb, std::mt19937& random) {
  std::vector<Joint>& joints = limb.skeleton.joints;
  joints[3].driver = test::random_polynomial(random, kForearm);
  Driver twist;
  twist.source = kForearm;
  twist.share = 0.4;
  joints[4].driver = twist;
  Driver keys = twist;
  keys.kind = Driver::Kind::kDrivenKeys;
  keys.axis = Vec3(0.3, 0.2, 0.9).normalized();
  keys.keys = {{-2, -1}, {0, 0}, {1, 0.7}, {2, 0.8}};
  joints[5].driver = keys;
  Driver share = twist;
  share.kind = Driver::Kind::kRotationShare;
  joints[6].driver = share;
  joints[7].driver = test::random_polynomial(random, 6, 5);
  Driver aim;
  aim.kind = Driver::Kind::kAim;
  aim.source = kHand;
  aim.weight = 0.7;
  const TransferBody side = limb.side();
  aim.axis = side.frame(8).transpose() * (side.position(kHand) - side.position(8)).normalized();
  joints[8].driver = aim;
}

TEST(AddedJoints, EveryKindOfDriverMovesATurnedScaledArmOfOtherAxesAlike) {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    Limb reference = test::reference_limb();
    add_all_kinds(reference, random);
    const Mat3 turn = round == 0 ? Mat3(Mat3::Identity()) : test::random_turn(random).toRotationMatrix();
    const double scale = round % 3 == 0 ? 1 : 2.5;
    const Vec3 shift(0.3, -1, 2);
    const auto move = [&](const Vec3& p) { return Vec3(scale * (turn * p) + shift); };
    std::vector<Mat3> frames;
    for (int i = 0; i < 3; ++i) frames.push_back(test::random_turn(random).toRotationMatrix());
    const Limb target = test::moved_limb(reference, move, frames);
    const TransferBody from = reference.side(), to = target.side();
    const AddedJoints added = add_joints(from, to, test::limb_pairs(reference, target, turn.transpose()),
                                         test::all_helpers(reference.skeleton));
    EXPECT_TRUE(added.warnings.empty());
    expect_sound(added, target);
    // The same turn of the forearm, in the axes of each.
    const Quat delta = rotation_exp(0.35 * rotation_log(test::random_turn(random)));
    const Mat3 axes = (turn * from.frame(kForearm)).transpose() * to.frame(kForearm);
    const Quat same(Mat3(axes.transpose() * delta.toRotationMatrix() * axes));
    const std::vector<Mat4> before = test::turned(reference.skeleton, kForearm, delta);
    const std::vector<Mat4> after = test::turned(added.skeleton, kForearm, same);
    for (Index h = kFirstHelper; h < 9; ++h) {
      EXPECT_LT((place_of(after[h]) - move(place_of(before[h]))).norm(), 1e-6) << h;
      EXPECT_LT((turn_of(after[h]) - turn * turn_of(before[h])).norm(), 1e-6) << h;
    }
  }
}

/// The arm with everything beyond the elbow, and then the whole, turned.
Limb bent_arm(const Limb& reference, const Mat3& at_elbow, const Mat3& whole, const std::vector<Mat3>& extra) {
  const Vec3 elbow = reference.side().position(kForearm);
  const auto move = [&](const Vec3& p) {
    return Vec3(whole * (p.x() > elbow.x() + 1e-9 ? Vec3(elbow + at_elbow * (p - elbow)) : p));
  };
  std::vector<Mat3> frames = test::limb_frames(reference);
  frames[0] = whole * frames[0] * extra[0];
  frames[1] = whole * at_elbow * frames[1] * extra[1];
  frames[2] = whole * at_elbow * frames[2] * extra[2];
  return test::moved_limb(reference, move, frames);
}

TEST(AddedJoints, TheRestShapeStaysFromAnotherRestPose) {
  std::mt19937 random(6);
  const std::vector<Mat3> none(3, Mat3::Identity());
  for (int round = 0; round < 10; ++round) {
    Limb reference = test::reference_limb();
    add_all_kinds(reference, random);
    const Mat3 elbow(Eigen::AngleAxisd(radians(50), test::random_turn(random) * Vec3::UnitX()));
    const Mat3 shoulder(Eigen::AngleAxisd(-radians(45), Vec3::UnitZ()));
    const Limb target = bent_arm(reference, elbow, shoulder, none);
    const AddedJoints added = add_joints(reference.side(), target.side(), test::limb_pairs(reference, target),
                                         test::all_helpers(reference.skeleton));
    expect_sound(added, target);
    const std::vector<Mat4> rest = motion::resolve(added.skeleton, test::rest_of(added.skeleton)).joints;
    for (Index j = 0; j < 9; ++j) EXPECT_LT((rest[j] - added.joints[j]).cwiseAbs().maxCoeff(), 1e-7) << j;
  }
}

TEST(AddedJoints, FromAnotherRestPoseTheSameBendMovesTheHelperAlike) {
  // Bent at rest by a smallest turn, at right angles to the bone, and turned about the model's axes: reposed as the
  // reference is, the helper stands as there but for what it gave at rest.
  std::mt19937 random(9);
  for (int round = 0; round < 10; ++round) {
    Limb reference = test::reference_limb();
    reference.skeleton.joints[kFirstHelper].driver = test::random_polynomial(random, kForearm, 3);
    const Mat3 elbow(Eigen::AngleAxisd(radians(50), Vec3(0, std::cos(round), std::sin(round))));
    std::vector<Mat3> extra;
    for (int i = 0; i < 3; ++i) extra.push_back(test::random_turn(random).toRotationMatrix());
    Limb target = bent_arm(reference, elbow, Mat3::Identity(), extra);
    target.mesh = reference.mesh;  // The skin at the elbow is as far as there.
    const TransferBody from = reference.side(), to = target.side();
    const AddedJoints added =
        add_joints(from, to, test::limb_pairs(reference, target), test::all_helpers(reference.skeleton));
    const Quat delta = rotation_exp(0.35 * rotation_log(test::random_turn(random)));
    const Mat3 wanted = from.frame(kForearm) * delta.toRotationMatrix();
    const Mat3 frame = to.frame(kForearm);
    const Mat3 own = from.frame(kForearm) * extra[1];  // The target's forearm laid straight.
    const Quat same(Mat3(frame.transpose() * wanted * from.frame(kForearm).transpose() * own));
    const Quat straight(Mat3(frame.transpose() * own));
    const Vec3 at_bend = place_of(test::turned(reference.skeleton, kForearm, delta)[3]) - from.position(3);
    const Vec3 at_straight = place_of(test::turned(added.skeleton, kForearm, straight)[3]);
    EXPECT_LT((place_of(test::turned(added.skeleton, kForearm, same)[3]) - at_straight - at_bend).norm(), 1e-6);
  }
}

TEST(AddedJoints, ATwistShareTurnsAboutTheTargetsBone) {
  std::mt19937 random(12);
  Limb reference = test::reference_limb();
  Driver twist;
  twist.source = kForearm;
  twist.share = 0.5;
  reference.skeleton.joints[3].driver = twist;
  const Mat3 whole = test::random_turn(random).toRotationMatrix();
  std::vector<Mat3> extra;
  for (int i = 0; i < 3; ++i) extra.push_back(test::random_turn(random).toRotationMatrix());
  const Limb target = bent_arm(reference, Mat3::Identity(), whole, extra);
  const TransferBody to = target.side();
  const AddedJoints added =
      add_joints(reference.side(), to, test::limb_pairs(reference, target), test::all_helpers(reference.skeleton));
  const Vec3 bone = (to.position(kHand) - to.position(kForearm)).normalized();
  const Vec3 local = to.frame(kForearm).transpose() * bone;
  const std::vector<Mat4> after = test::turned(added.skeleton, kForearm, Quat(Eigen::AngleAxisd(radians(80), local)));
  const Mat3 expected = Mat3(Eigen::AngleAxisd(radians(40), bone)) * turn_of(added.joints[3]);
  EXPECT_LT((turn_of(after[3]) - expected).norm(), 1e-6);
  // Beyond half a turn too, which only a twist about the bone itself has.
  Pose pose = test::rest_of(added.skeleton);
  pose.local[kForearm].rotation = pose.local[kForearm].rotation * Quat(Eigen::AngleAxisd(radians(300), local));
  pose.twist_rad.assign(pose.local.size(), 0);
  pose.twist_rad[kForearm] = radians(300);
  const Mat3 far = Mat3(Eigen::AngleAxisd(radians(150), bone)) * turn_of(added.joints[3]);
  EXPECT_LT((turn_of(motion::resolve(added.skeleton, pose).joints[3]) - far).norm(), 1e-6);
}

TEST(AddedJoints, ATwistShareOfALeafTurnsAboutWhereItsOwnEndLies) {
  // The end of the target's hand lies 15° from where the forearm's turn would put it; unbounded twists are about it.
  Limb reference = test::reference_limb();
  const Vec3 end = reference.skeleton.joints[kHand].end_local.value();
  Driver twist;
  twist.source = kHand;
  twist.axis = end.normalized();
  reference.skeleton.joints[3].driver = twist;
  for (const double angle : {15.0, 60.0}) {
    Limb target = test::moved_limb(reference, stretched, test::limb_frames(reference));
    target.skeleton.joints[kHand].end_local = Eigen::AngleAxisd(radians(angle), Vec3::UnitZ()) * end;
    const AddedJoints added = add_joints(reference.side(), target.side(), test::limb_pairs(reference, target),
                                         test::all_helpers(reference.skeleton));
    const Vec3 axis = added.skeleton.joints[3].driver->axis;
    const Vec3 expected = angle < 30 ? target.skeleton.joints[kHand].end_local->normalized() : end.normalized();
    EXPECT_LT((axis - expected).norm(), 1e-9) << angle;
  }
}

TEST(AddedJoints, ARestPoseOtherThanThatAtBindingIsAllowedFor) {
  std::mt19937 random(14);
  Limb reference = test::reference_limb();
  reference.skeleton.joints[3].driver = test::random_polynomial(random, kForearm, 3);
  const Limb target = test::moved_limb(
      reference, [](const Vec3& p) { return p; }, test::limb_frames(reference));
  const TransferBody bound = reference.side();
  // The file's rest is bent; it was bound straight.
  Limb bent = reference;
  const Quat rest_turn = rotation_exp({0.3, -0.2, 0.8});
  bent.skeleton.joints[kForearm].rest.rotation = bent.skeleton.joints[kForearm].rest.rotation * rest_turn;
  const TransferBody from{bent.mesh, bent.skeleton, bound.joints};
  const AddedJoints added =
      add_joints(from, target.side(), test::limb_pairs(bent, target), test::all_helpers(reference.skeleton));
  const Quat delta = rotation_exp({0.4, 0.1, -0.5});  // Away from binding.
  const auto reference_place = [&](const Quat& turn) {
    return place_of(test::turned(bent.skeleton, kForearm, rest_turn.conjugate() * turn)[3]);
  };
  const Vec3 expected = reference_place(delta) - reference_place(Quat::Identity());
  const Vec3 moved = place_of(test::turned(added.skeleton, kForearm, delta)[3]) - place_of(added.joints[3]);
  EXPECT_GT(expected.norm(), 0.01);
  EXPECT_LT((moved - expected).norm(), 1e-6);
}

TEST(AddedJoints, AScaledRootChangesNothing) {
  std::mt19937 random(15);
  Limb reference = test::reference_limb();
  add_all_kinds(reference, random);
  const Limb plain = test::moved_limb(reference, stretched, test::limb_frames(reference));
  Limb scaled = plain;  // In centimetres, below a node that makes metres of them.
  for (Joint& joint : scaled.skeleton.joints) joint.rest.translation *= 100, joint.parent = joint.parent + 1;
  scaled.skeleton.joints[0].parent = 0;
  Joint root;
  root.name = "Armature";
  root.rest.scale.setConstant(0.01);
  scaled.skeleton.joints.insert(scaled.skeleton.joints.begin(), root);
  const AddedJoints a = add_joints(reference.side(), plain.side(), test::limb_pairs(reference, plain),
                                   test::all_helpers(reference.skeleton));
  const AddedJoints b = add_joints(reference.side(), scaled.side(),
                                   correspond(reference.skeleton, scaled.skeleton, {{0, 1}, {1, 2}, {2, 3}}),
                                   test::all_helpers(reference.skeleton));
  for (Index h = kFirstHelper; h < 9; ++h) {
    EXPECT_EQ(b.skeleton.joints[h + 1].rest.scale, Vec3::Ones());
    EXPECT_EQ(b.skeleton.joints[h + 1].shear, Mat3::Identity());
  }
  const Quat delta = rotation_exp({0.4, 0.1, -0.5});
  const std::vector<Mat4> in_metres = test::turned(a.skeleton, kForearm, delta);
  const std::vector<Mat4> in_centimetres = test::turned(b.skeleton, kForearm + 1, delta);
  for (Index h = kFirstHelper; h < 9; ++h) {
    EXPECT_LT((place_of(in_metres[h]) - place_of(in_centimetres[h + 1])).norm(), 1e-6) << h;
    EXPECT_LT((turn_of(in_metres[h]) - turn_of(in_centimetres[h + 1])).norm(), 1e-6) << h;
  }
}

TEST(AddedJoints, ADriverWhoseSourceIsNotThereIsLeftOutWithAFinding) {
  Limb reference = test::reference_limb();
  Driver twist;
  twist.source = kHand;
  reference.skeleton.joints[3].driver = twist;
  twist.source = 4;
  reference.skeleton.joints[5].driver = twist;
  Driver unknown;
  unknown.kind = Driver::Kind::kOpaque;
  unknown.opaque = "{\"kind\":\"spring\"}";
  unknown.source = kHand;
  reference.skeleton.joints[6].driver = unknown;
  const TransferBody from = reference.side();
  Limb target;
  target.mesh = reference.mesh;
  target.skeleton = test::chain_of({"UpperArm", "Forearm"}, {from.joints[0], from.joints[1]});
  const Correspondence pairs = correspond(reference.skeleton, target.skeleton, {{0, 0}, {1, 1}});
  std::vector<char> wanted = test::all_helpers(reference.skeleton);
  wanted[4] = 0;
  const AddedJoints added = add_joints(from, target.side(), pairs, wanted);
  EXPECT_FALSE(added.skeleton.joints[added.of_reference[3]].driver);
  EXPECT_FALSE(added.skeleton.joints[added.of_reference[5]].driver);
  ASSERT_TRUE(added.skeleton.joints[added.of_reference[6]].driver);
  EXPECT_EQ(added.skeleton.joints[added.of_reference[6]].driver->opaque, unknown.opaque);
  ASSERT_EQ(added.warnings.size(), 3U);
  for (const Finding& finding : added.warnings) EXPECT_EQ(finding.code, "transfer.driver");
  EXPECT_NE(added.warnings[0].text.find("Hand"), std::string::npos);
}

}  // namespace
}  // namespace sinew::transfer
