// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/names/joint_names.h"

#include <gtest/gtest.h>

#include "sinew/motion/names/joint_tables.h"
#include "tests/motion/test_bodies.h"

namespace sinew::motion {
namespace {

// A person whose joints have the names of a table, with whatever a program puts around them.
Skeleton named_after(const std::string& table, const std::string& before = "", const std::string& after = "") {
  const Recognition plain = recognize(test::skeleton_at(test::person()));
  Skeleton skeleton = test::skeleton_at(test::person());
  for (Index j = 0; j < skeleton.size(); ++j) {
    JointRole role = plain.roles[j];
    std::string name = joint_name(table, role);
    // Tables without a chest have one more joint in the spine.
    if (name.empty() && role.part == BodyPart::kChest) name = joint_name(table, {BodyPart::kSpine, Side::kMiddle, 2});
    if (name.empty() && role.part == BodyPart::kSpine) name = joint_name(table, {BodyPart::kSpine, Side::kMiddle, 2});
    skeleton.joints[j].name = before + name + after;
  }
  return skeleton;
}

TEST(JointNames, EveryTableRecognisesItsOwnNames) {
  for (const JointTable& named : joint_tables()) {
    const std::string table(named.id);
    const Recognition known = recognize(named_after(table));
    EXPECT_EQ(known.table, table);
    EXPECT_EQ(known.build, Build::kHumanoid) << table;
    EXPECT_EQ(known.coverage, 1) << table;
    const Recognition plain = recognize(test::skeleton_at(test::person()));
    for (const BodyPart part :
         {BodyPart::kUpperArm, BodyPart::kForearm, BodyPart::kThigh, BodyPart::kShin, BodyPart::kFoot})
      for (const Side side : {Side::kLeft, Side::kRight})
        EXPECT_EQ(known.find(part, side), plain.find(part, side)) << table;
    EXPECT_NE(known.find(BodyPart::kChest), kNone) << table;
    EXPECT_NE(known.find(BodyPart::kHips), kNone) << table;
  }
}

TEST(JointNames, NameSpacesAndNumbersOfExportersDoNotMatter) {
  EXPECT_EQ(recognize(named_after("mixamo", "vis_char_002:")).table, "mixamo");
  EXPECT_EQ(recognize(named_after("rigify", "", "_012")).table, "rigify");
  EXPECT_EQ(recognize(named_after("blender", "", "_Armature")).table, "blender");
  EXPECT_EQ(recognize(named_after("unreal", "Armature|")).table, "unreal");
}

TEST(JointNames, WordsAndOrderTellWhereNoTableFits) {
  auto places = test::person();
  const std::vector<std::string> names = {"torso_joint_1", "torso_joint_2",
                                          "torso_joint_3", "neck_joint_1",
                                          "neck_joint_2",  "x1",
                                          "arm_joint_L_1", "arm_joint_L_2",
                                          "arm_joint_L_3", "x2",
                                          "arm_joint_R_1", "arm_joint_R_2",
                                          "arm_joint_R_3", "leg_joint_L_1",
                                          "leg_joint_L_2", "leg_joint_L_3",
                                          "leg_joint_L_5", "leg_joint_R_1",
                                          "leg_joint_R_2", "leg_joint_R_3",
                                          "leg_joint_R_5"};
  for (std::size_t i = 0; i < places.size(); ++i) places[i].name = names[i];
  const Recognition known = recognize(test::skeleton_at(places));
  EXPECT_EQ(known.build, Build::kHumanoid);
  EXPECT_EQ(known.table, "words");
  EXPECT_EQ(role_name(known.roles[0]), "hips");
  EXPECT_EQ(role_name(known.roles[2]), "chest");
  EXPECT_EQ(role_name(known.roles[4]), "head");
  EXPECT_EQ(role_name(known.roles[7]), "left_forearm");
  EXPECT_EQ(role_name(known.roles[20]), "right_toes");
}

TEST(JointNames, ShapeTellsPeopleAnimalsAndBirdsApart) {
  EXPECT_EQ(recognize(test::skeleton_at(test::person(), 2)).build, Build::kHumanoid);
  EXPECT_EQ(recognize(test::skeleton_at(test::beast(), 2)).build, Build::kQuadruped);
  EXPECT_EQ(recognize(test::skeleton_at(test::fowl(), 2)).build, Build::kBird);
  EXPECT_EQ(recognize(test::skeleton_at({{"Bone", -1, {0, 0, 0}}, {"Bone.001", 0, {0, 1, 0}}})).build, Build::kUnknown);
  EXPECT_EQ(recognize(Skeleton()).build, Build::kUnknown);
}

TEST(JointNames, TheBodysAxesFollowHowItStands) {
  auto places = test::person();
  for (auto& place : places) place.position = Vec3(place.position.x(), -place.position.z(), place.position.y());
  const Recognition known = recognize(test::skeleton_at(places));
  EXPECT_EQ(known.build, Build::kHumanoid);
  EXPECT_LT((known.up - Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_LT((known.left - Vec3::UnitX()).norm(), 1e-12);
  EXPECT_LT((known.forward + Vec3::UnitY()).norm(), 1e-12);
}

TEST(JointNames, RolesHaveReadableNames) {
  EXPECT_EQ(role_name({BodyPart::kUpperArm, Side::kLeft, 1}), "left_upper_arm");
  EXPECT_EQ(role_name({BodyPart::kSpine, Side::kMiddle, 2}), "spine_2");
  EXPECT_EQ(role_name({BodyPart::kIndex, Side::kRight, 1}), "right_index_1");
  EXPECT_EQ(role_name({}), "");
  EXPECT_EQ(joint_name("unreal", {BodyPart::kIndex, Side::kLeft, 2}), "index_02_l");
  EXPECT_EQ(joint_name("mixamo", {BodyPart::kHips, Side::kMiddle, 1}), "mixamorig:Hips");
}

TEST(JointNames, JointsThatOnlyLeadToTheirNamesakeHaveNoRole) {
  std::vector<test::Place> places = {{"Hips", -1, {0, 0.95, 0}}};
  test::add_pair(places, {"__UpLeg", "UpLeg", "LoLeg", "Foot"}, 0,
                 {Vec3(0, 0.9, 0), Vec3(0.1, 0.9, 0), Vec3(0.1, 0.48, 0.01), Vec3(0.1, 0.08, 0)});
  for (test::Place& place : places)
    for (const std::string side : {"Left", "Right"})
      if (place.name.starts_with(side + "__")) place.name = "__" + side + "UpLeg";
  const Recognition known = recognize(test::skeleton_at(places));
  for (std::size_t j = 0; j < places.size(); ++j) {
    if (places[j].name.starts_with("__")) {
      EXPECT_TRUE(known.roles[j].empty()) << places[j].name;
    }
    if (places[j].name == "LeftUpLeg") {
      EXPECT_EQ(role_name(known.roles[j]), "left_thigh");
    }
  }
}

}  // namespace
}  // namespace sinew::motion
