// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/match/joint_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "sinew/core/angles.h"
#include "sinew/shapes/kinds.h"
#include "sinew/transfer/match/joint_body.h"
#include "sinew/transfer/match/joint_chains.h"

namespace sinew::transfer {
namespace {

/// A skeleton built joint by joint, by places in model space.
struct Bones {
  Mesh mesh;
  Skeleton skeleton;
  std::vector<Mat4> frames;

  void add(const std::string& name, const std::string& parent, const Vec3& place) {
    Joint joint;
    joint.name = name;
    joint.parent = parent.empty() ? kNone : skeleton.find(parent);
    joint.deforming = true;
    Mat4 frame = Mat4::Identity();
    frame.topRightCorner<3, 1>() = place;
    joint.rest.translation = joint.parent == kNone ? place : Vec3(place - frames[joint.parent].topRightCorner<3, 1>());
    skeleton.joints.push_back(joint);
    frames.push_back(frame);
  }
  TransferBody side() const { return {mesh, skeleton, frames}; }
  std::vector<char> all() const { return std::vector<char>(skeleton.joints.size(), 1); }
};

/// What the names of a human's joints are in some program.
struct Names {
  std::string hips, spine, spine2, chest, neck, head, shoulder, upper_arm, forearm, hand, thigh, shin, foot, toes;
};

std::string sided(std::string name, bool left, const std::string& l, const std::string& r) {
  return name.replace(name.find('*'), 1, left ? l : r);
}

// A human of that height, arms down by an angle.
Bones human(const Names& n, const std::string& l, const std::string& r, double height, double arms_rad,
            const Mat3& turn = Mat3::Identity()) {
  Bones bones;
  const auto at = [&](double x, double y, double z) { return Vec3(height * (turn * Vec3(x, y, z))); };
  bones.add(n.hips, "", at(0, 0.53, 0));
  bones.add(n.spine, n.hips, at(0, 0.6, 0));
  std::string below = n.spine;
  if (!n.spine2.empty()) bones.add(n.spine2, below, at(0, 0.67, 0)), below = n.spine2;
  bones.add(n.chest, below, at(0, 0.74, 0));
  bones.add(n.neck, n.chest, at(0, 0.84, 0));
  bones.add(n.head, n.neck, at(0, 0.89, 0.01));
  for (const bool left : {true, false}) {
    const double side = left ? 1 : -1;
    const auto name = [&](const std::string& text) { return sided(text, left, l, r); };
    const auto arm = [&](double along) {
      return at(side * (0.1 + along * std::cos(arms_rad)), 0.81 - along * std::sin(arms_rad), 0);
    };
    if (!n.shoulder.empty()) bones.add(name(n.shoulder), n.chest, at(side * 0.02, 0.81, 0));
    bones.add(name(n.upper_arm), n.shoulder.empty() ? n.chest : name(n.shoulder), arm(0));
    bones.add(name(n.forearm), name(n.upper_arm), arm(0.16));
    bones.add(name(n.hand), name(n.forearm), arm(0.31));
    bones.add(name(n.thigh), n.hips, at(side * 0.05, 0.51, 0));
    bones.add(name(n.shin), name(n.thigh), at(side * 0.05, 0.28, 0.005));
    bones.add(name(n.foot), name(n.shin), at(side * 0.05, 0.05, 0));
    bones.add(name(n.toes), name(n.foot), at(side * 0.05, 0.01, 0.08));
  }
  return bones;
}

const Names kMixamo = {"mixamorig:Hips",     "mixamorig:Spine",   "mixamorig:Spine1",    "mixamorig:Spine2",
                       "mixamorig:Neck",     "mixamorig:Head",    "mixamorig:*Shoulder", "mixamorig:*Arm",
                       "mixamorig:*ForeArm", "mixamorig:*Hand",   "mixamorig:*UpLeg",    "mixamorig:*Leg",
                       "mixamorig:*Foot",    "mixamorig:*ToeBase"};
const Names kUnreal = {"pelvis",     "spine_01",   "spine_02", "spine_03", "neck_01", "head",   "clavicle_*",
                       "upperarm_*", "lowerarm_*", "hand_*",   "thigh_*",  "calf_*",  "foot_*", "ball_*"};

std::map<std::string, std::string> names_of(const JointMap& map, const Bones& reference, const Bones& target) {
  std::map<std::string, std::string> names;
  for (const MappedJoint& joint : map.joints)
    names[reference.skeleton.joints[joint.reference].name] = target.skeleton.joints[joint.target].name;
  return names;
}

JointMap mapped(const Bones& reference, const Bones& target, const std::map<std::string, std::string>& given = {}) {
  return map_joints(reference.side(), reference.all(), target.side(), target.all(), given);
}

// Nearest paired joints above partners are partners, and come before them.
void expect_consistent(const JointMap& map) {
  const std::vector<JointPair>& pairs = map.correspondence.pairs;
  EXPECT_EQ(pairs.size(), map.joints.size());
  for (Index p = 0; p < pairs.size(); ++p) EXPECT_TRUE(pairs[p].parent == kNone || pairs[p].parent < p) << p;
}

TEST(JointMap, NamesOfOneProgramMeetThoseOfAnother) {
  const Bones reference = human(kMixamo, "Left", "Right", 1.7, 0), target = human(kUnreal, "l", "r", 180, 0.8);
  const JointMap map = mapped(reference, target);
  expect_consistent(map);
  EXPECT_EQ(map.joints.size(), reference.skeleton.size());
  EXPECT_TRUE(map.reference_alone.empty());
  EXPECT_TRUE(map.target_alone.empty());
  EXPECT_TRUE(map.warnings.empty());
  auto names = names_of(map, reference, target);
  EXPECT_EQ(names["mixamorig:Hips"], "pelvis");
  EXPECT_EQ(names["mixamorig:Spine1"], "spine_02");
  EXPECT_EQ(names["mixamorig:LeftLeg"], "calf_l");
  EXPECT_EQ(names["mixamorig:RightArm"], "upperarm_r");
  EXPECT_EQ(names["mixamorig:RightToeBase"], "ball_r");
}

TEST(JointMap, NameSpacesCaseAndSeparatorsDoNotMatter) {
  const Bones reference = human(kMixamo, "Left", "Right", 1.7, 0);
  Bones target = reference;
  for (Joint& joint : target.skeleton.joints) {
    joint.name = "rig_" + joint.name.substr(10);
    joint.name = "x:" + joint.name.substr(4);
    std::transform(joint.name.begin(), joint.name.end(), joint.name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }
  const JointMap map = mapped(reference, target);
  ASSERT_EQ(map.joints.size(), reference.skeleton.size());
  for (const MappedJoint& joint : map.joints) {
    EXPECT_EQ(joint.reference, joint.target);
    EXPECT_EQ(joint.by, "name");
  }
}

TEST(JointMap, ABodyThatFacesAnotherWayIsTurned) {
  const Mat3 back = Eigen::AngleAxisd(kPi, Vec3::UnitY()).toRotationMatrix();
  const Bones reference = human(kMixamo, "Left", "Right", 1.7, 0), target = human(kUnreal, "l", "r", 1.7, 0, back);
  const JointMap map = mapped(reference, target);
  EXPECT_NEAR((map.correspondence.turn * Vec3::UnitY() - Vec3::UnitY()).norm(), 0, 1e-9);
  EXPECT_NEAR((map.correspondence.turn * (back * Vec3::UnitZ()) - Vec3::UnitZ()).norm(), 0, 1e-9);
  EXPECT_EQ(map.joints.size(), reference.skeleton.size());
}

TEST(JointMap, SpinesOfOtherLengthsMeetAtTheSameHeight) {
  Names shorter = kUnreal;
  shorter.spine2 = "";
  const Bones reference = human(kMixamo, "Left", "Right", 1.7, 0), target = human(shorter, "l", "r", 1.7, 0);
  const JointMap map = mapped(reference, target);
  expect_consistent(map);
  auto names = names_of(map, reference, target);
  EXPECT_EQ(names["mixamorig:Spine2"], "spine_03");
  EXPECT_EQ(names.count("mixamorig:Spine") + names.count("mixamorig:Spine1"), 1U);
  ASSERT_EQ(map.reference_alone.size(), 1U);
  // What has no partner leaves its weight to the one above it.
  const Index alone = map.reference_alone.front();
  const Index above = reference.skeleton.joints[alone].parent;
  EXPECT_EQ(map.heir[alone], map.heir[above]);
}

TEST(JointMap, ASpineBesideTheLimbsIsStillTheirs) {
  // As Rigify exports it: what moves the spine's skin is a chain of its own, and limbs hang on joints that move
  // nothing.
  Bones reference;
  reference.add("root", "", {0, 0, 0});
  reference.add("DEF-spine", "root", {0, 0.9, 0});
  reference.add("DEF-spine.001", "DEF-spine", {0, 1.0, 0});
  reference.add("DEF-spine.002", "DEF-spine.001", {0, 1.15, 0});
  reference.add("DEF-spine.003", "DEF-spine.002", {0, 1.3, 0});
  reference.add("ORG-spine", "root", {0, 0.9, 0});
  reference.add("ORG-chest", "ORG-spine", {0, 1.3, 0});
  reference.add("DEF-neck", "ORG-chest", {0, 1.42, 0});
  reference.add("DEF-head", "DEF-neck", {0, 1.5, 0});
  for (const std::string side : {".L", ".R"}) {
    const double x = side == ".L" ? 1 : -1;
    reference.add("DEF-upper_arm" + side, "ORG-chest", {x * 0.18, 1.38, 0});
    reference.add("DEF-upper_arm" + side + ".001", "DEF-upper_arm" + side, {x * 0.32, 1.38, 0});
    reference.add("DEF-forearm" + side, "DEF-upper_arm" + side + ".001", {x * 0.46, 1.38, 0});
    reference.add("DEF-hand" + side, "DEF-forearm" + side, {x * 0.7, 1.38, 0});
    reference.add("DEF-thigh" + side, "ORG-spine", {x * 0.09, 0.87, 0});
    reference.add("DEF-shin" + side, "DEF-thigh" + side, {x * 0.09, 0.47, 0});
    reference.add("DEF-foot" + side, "DEF-shin" + side, {x * 0.09, 0.08, 0});
  }
  std::vector<char> counts = reference.all();
  for (const char* idle : {"root", "ORG-spine", "ORG-chest"}) counts[reference.skeleton.find(idle)] = 0;
  const Bones target = human(kUnreal, "l", "r", 1.7, 0.5);
  const JointMap map = map_joints(reference.side(), counts, target.side(), target.all());
  expect_consistent(map);
  auto names = names_of(map, reference, target);
  EXPECT_EQ(names["DEF-spine"], "pelvis");
  EXPECT_EQ(names["DEF-spine.003"], "spine_03");
  EXPECT_EQ(names["DEF-upper_arm.L"], "upperarm_l");
  EXPECT_EQ(names["DEF-shin.R"], "calf_r");
  EXPECT_TRUE(map.warnings.empty());
  // Arms hang on the chest, whatever the file says.
  const Index arm = map.correspondence.of_reference(reference.skeleton.find("DEF-upper_arm.L"));
  const Index above = map.correspondence.pairs[arm].parent;
  EXPECT_EQ(reference.skeleton.joints[map.correspondence.pairs[above].reference].name, "DEF-spine.003");
  // A second joint of the upper arm goes on in the upper arm.
  EXPECT_EQ(map.heir[reference.skeleton.find("DEF-upper_arm.L.001")], target.skeleton.find("upperarm_l"));
}

TEST(JointMap, ThighsOnTheSpineAreThoseOnTheHips) {
  const Bones reference = human(kMixamo, "Left", "Right", 1.7, 0);
  Bones target = human(kUnreal, "l", "r", 1.7, 0);
  for (const char* thigh : {"thigh_l", "thigh_r"})
    target.skeleton.joints[target.skeleton.find(thigh)].parent = target.skeleton.find("spine_01");
  const JointMap map = mapped(reference, target);
  expect_consistent(map);
  EXPECT_EQ(map.joints.size(), reference.skeleton.size());
}

TEST(JointMap, TailsOfOtherLengthsMeetByTheirShareOfTheWay) {
  Bones reference, target;
  reference.add("hips", "", {0, 1, 0});
  target.add("hips", "", {0, 1, 0});
  for (int i = 0; i < 6; ++i)
    reference.add("feeler" + std::to_string(i), i == 0 ? "hips" : "feeler" + std::to_string(i - 1),
                  {0, 1, -0.1 * (i + 1)});
  for (int i = 0; i < 3; ++i)
    target.add("lash" + std::to_string(i), i == 0 ? "hips" : "lash" + std::to_string(i - 1), {0, 1, -0.1 - 0.2 * i});
  const JointMap map = mapped(reference, target);
  expect_consistent(map);
  ASSERT_EQ(map.joints.size(), 4U);
  EXPECT_EQ(map.joints[1].by, "place");
  EXPECT_EQ(map.joints[1].reference, reference.skeleton.find("feeler0"));
  EXPECT_EQ(map.joints[2].reference, reference.skeleton.find("feeler2"));
  EXPECT_EQ(map.joints[3].reference, reference.skeleton.find("feeler4"));
}

TEST(JointMap, LegsWithoutNamesMeetByWhereTheyGoAndNeverAcross) {
  // Eight legs around a body, in another order and with other names.
  const auto spider = [](const std::string& word, const std::vector<int>& order, double radius) {
    Bones bones;
    bones.add(word, "", {0, 0.5, 0});
    for (const int k : order) {
      const double angle = 0.35 + 0.785398 * k;
      const Vec3 out(radius * std::cos(angle), 0, radius * std::sin(angle));
      const std::string name = word + std::string(1, static_cast<char>('a' + k));
      bones.add(name + "x", word, Vec3(0, 0.5, 0) + 0.3 * out);
      bones.add(name + "y", name + "x", Vec3(0, 0.6, 0) + 0.6 * out);
      bones.add(name + "z", name + "y", out);
    }
    return bones;
  };
  const Bones reference = spider("q", {0, 1, 2, 3, 4, 5, 6, 7}, 1), target = spider("w", {5, 2, 7, 0, 3, 6, 1, 4}, 1.3);
  const JointMap map = mapped(reference, target);
  expect_consistent(map);
  EXPECT_EQ(map.joints.size(), 25U);
  for (const auto& [from, to] : names_of(map, reference, target)) EXPECT_EQ(from.substr(1), to.substr(1));
}

TEST(JointMap, GivenPairsGoFirstAndNothingGivenMeansNone) {
  const Bones reference = human(kMixamo, "Left", "Right", 1.7, 0), target = human(kUnreal, "l", "r", 1.7, 0);
  const JointMap map = mapped(reference, target, {{"mixamorig:Neck", ""}, {"mixamorig:Head", "neck_01"}});
  auto names = names_of(map, reference, target);
  EXPECT_EQ(names["mixamorig:Head"], "neck_01");
  EXPECT_EQ(names.count("mixamorig:Neck"), 0U);
  for (const MappedJoint& joint : map.joints)
    EXPECT_EQ(joint.by == "given", target.skeleton.joints[joint.target].name == "neck_01");
}

TEST(JointMap, AGivenPairThatTurnsTheTreesOverDropsThoseItContradicts) {
  const Bones reference = human(kMixamo, "Left", "Right", 1.7, 0), target = human(kUnreal, "l", "r", 1.7, 0);
  const JointMap map = mapped(reference, target, {{"mixamorig:LeftForeArm", "hand_l"}, {"mixamorig:LeftHand", ""}});
  expect_consistent(map);
  auto names = names_of(map, reference, target);
  EXPECT_EQ(names["mixamorig:LeftForeArm"], "hand_l");
  EXPECT_EQ(names["mixamorig:LeftArm"], "upperarm_l");
  const JointMap crossed = mapped(reference, target, {{"mixamorig:Spine", "head"}});
  expect_consistent(crossed);
  ASSERT_FALSE(crossed.warnings.empty());
  EXPECT_EQ(crossed.warnings.front().code, "transfer.map_dropped");
}

TEST(JointMap, WrongMapsAreRefusedWithTheNearestName) {
  const Bones reference = human(kMixamo, "Left", "Right", 1.7, 0), target = human(kUnreal, "l", "r", 1.7, 0);
  const auto message = [&](const std::map<std::string, std::string>& given) -> std::string {
    try {
      mapped(reference, target, given);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({{"mixamorig:Hisp", "pelvis"}}).find("Did you mean 'mixamorig:Hips'?"), std::string::npos);
  EXPECT_NE(message({{"mixamorig:Hips", "pelvus"}}).find("Did you mean 'pelvis'?"), std::string::npos);
  EXPECT_NE(message({{"mixamorig:Hips", "head"}, {"mixamorig:Head", "pelvis"}}).find("is inconsistent"),
            std::string::npos);
  EXPECT_NE(message({{"mixamorig:Hips", "head"}, {"mixamorig:Head", "head"}}).find("two joints"), std::string::npos);
}

TEST(JointMap, SkeletonsWithNothingInCommonAreRefused) {
  Bones reference, target;
  reference.add("a", "", {0, 0, 0});
  reference.add("b", "a", {1, 0, 0});
  target.add("c", "", {0, 0, 0});
  target.add("d", "c", {0, 0, -1});
  EXPECT_THROW(mapped(reference, target), Error);
}

TEST(JointMap, AMadeHumanOfOtherProportionsMeetsItselfByName) {
  shapes::MakeOptions options;
  options.vertices = 1200;
  const shapes::Made reference = shapes::kinds().find("human").make(options, {});
  options.vary = 1;
  options.seed = 5;
  options.made_pose = "t";
  const shapes::Made target = shapes::kinds().find("human").make(options, {});
  const Rig &r = reference.character.rig, &t = target.character.rig;
  const std::vector<char> all(r.skeleton.joints.size(), 1);
  const JointMap map = map_joints({r.mesh, r.skeleton, rest_matrices(r.skeleton)}, all,
                                  {t.mesh, t.skeleton, rest_matrices(t.skeleton)}, all);
  ASSERT_EQ(map.joints.size(), r.skeleton.joints.size());
  for (const MappedJoint& joint : map.joints) EXPECT_EQ(joint.reference, joint.target);
  // And the plain check of both trees agrees.
  std::vector<std::pair<Index, Index>> pairs;
  for (const MappedJoint& joint : map.joints) pairs.emplace_back(joint.reference, joint.target);
  const Correspondence plain = correspond(r.skeleton, t.skeleton, pairs);
  for (Index p = 0; p < plain.pairs.size(); ++p) EXPECT_EQ(plain.pairs[p].parent, map.correspondence.pairs[p].parent);
}

TEST(HelperJoints, AreToldByRoleDriverOrNameUnlessALimbGoesOnBelow) {
  Bones bones = human(kUnreal, "l", "r", 1.7, 0);
  bones.add("lowerarm_twist_01_l", "lowerarm_l", {0.4, 1.3, 0});
  bones.add("wrist_twist_r", "lowerarm_r", {-0.5, 1.3, 0});
  bones.skeleton.joints[bones.skeleton.find("hand_r")].parent = bones.skeleton.find("lowerarm_r");
  bones.add("finger_r", "wrist_twist_r", {-0.7, 1.3, 0});
  bones.add("elbowThing", "upperarm_l", {0.3, 1.3, 0});
  bones.add("bicep", "upperarm_l", {0.3, 1.35, 0});
  bones.skeleton.joints[bones.skeleton.find("elbowThing")].role = "helper";
  bones.skeleton.joints[bones.skeleton.find("bicep")].driver.emplace();
  const std::vector<char> helpers = helper_joints(bones.skeleton);
  const auto helps = [&](const char* name) { return helpers[bones.skeleton.find(name)] != 0; };
  EXPECT_TRUE(helps("lowerarm_twist_01_l"));
  EXPECT_TRUE(helps("elbowThing"));
  EXPECT_TRUE(helps("bicep"));
  EXPECT_FALSE(helps("wrist_twist_r"));
  EXPECT_FALSE(helps("lowerarm_l"));
  EXPECT_EQ(std::count(helpers.begin(), helpers.end(), 1), 3);
}

TEST(PrimaryJoints, ABoneWhoseHelpersHaveAllItsWeightCounts) {
  Bones bones = human(kUnreal, "l", "r", 1.7, 0);
  bones.add("lowerarm_twist_01_l", "lowerarm_l", {0.4, 1.3, 0});
  std::vector<char> moves = bones.all();
  for (const char* idle : {"lowerarm_l", "pelvis", "ball_r"}) moves[bones.skeleton.find(idle)] = 0;
  const std::vector<char> primary = primary_joints(bones.skeleton, moves, helper_joints(bones.skeleton));
  EXPECT_EQ(primary[bones.skeleton.find("lowerarm_l")], 1);
  EXPECT_EQ(primary[bones.skeleton.find("pelvis")], 1);  // Legs and spine part there.
  EXPECT_EQ(primary[bones.skeleton.find("ball_r")], 0);
  EXPECT_EQ(primary[bones.skeleton.find("lowerarm_twist_01_l")], 0);
}

TEST(PairRows, RisesInBothAndTakesTheNearest) {
  const auto row = [](std::vector<double> places) {
    std::vector<Index> joints;
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < places.size(); ++i) {
      joints.push_back(static_cast<Index>(i));
      points.emplace_back(places[i], 0, 0);
    }
    return joint_row(joints, points, Vec3::Zero(), Vec3::UnitX());
  };
  const auto any = [](Index, Index) { return true; };
  using Pairs = std::vector<std::pair<Index, Index>>;
  EXPECT_EQ(pair_rows(row({0.2, 0.4, 0.6, 0.8}), row({0.41, 0.79}), any), (Pairs{{1, 0}, {3, 1}}));
  EXPECT_EQ(pair_rows(row({0.1, 0.2}), row({0.8, 0.9}), any), (Pairs{{0, 0}, {1, 1}}));
  EXPECT_EQ(pair_rows(row({0.1}), row({0.7, 0.9}), any), Pairs{});
  EXPECT_EQ(pair_rows(row({0.5, 0.6}), row({0.5}), [](Index a, Index) { return a != 0; }), (Pairs{{1, 0}}));
}

}  // namespace
}  // namespace sinew::transfer
