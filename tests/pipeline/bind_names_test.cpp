// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bind_names.h"

#include <gtest/gtest.h>

namespace sinew::pipeline {
namespace {

TEST(NodeUse, EndsOfRealSkeletonsAreKnown) {
  for (const char* name :
       {"mixamorig:HeadTop_End", "mixamorig:LeftToe_End", "mixamorig:LeftHandThumb4", "HeadEnd", "RightToeEnd_end_end",
        "Foot.L_end", "pinky-finger-tip", "horn_tip_L", "head_leaf", "ear_leaf_r", "index_04_leaf_l", "b_l_eye_null",
        "Bip01 HeadNub", "End Site", "HairBall_Center_End", "toe_end_L", "LeftHandPinky4"})
    EXPECT_EQ(node_use(name), NodeUse::kEnd) << name;
  EXPECT_EQ(node_use("whatever", "end"), NodeUse::kEnd);
}

TEST(NodeUse, ControlsOfRealSkeletonsAreKnown) {
  for (const char* name :
       {"kneeIK.l", "IK-foot.r", "control-toe-roll.l", "heelIK.l", "PoleTarget.L", "hand_ik_l", "ik_hand_root",
        "elbow_pole.R", "MCH-torso.parent_06", "ORG-spine_012", "tweak_spine.003_033", "spine_fk.001_08", "DRV_root",
        "Hand_CTRL", "Bip01 Footsteps", "VIS_knee"})
    EXPECT_EQ(node_use(name), NodeUse::kControl) << name;
  EXPECT_EQ(node_use("whatever", "control"), NodeUse::kControl);
}

TEST(NodeUse, SocketsOfRealSkeletonsAreKnown) {
  for (const char* name : {"handslot.l", "weapon_r", "WeaponSocket", "Prop1", "attach_back", "Camera", "hand_socket_l"})
    EXPECT_EQ(node_use(name), NodeUse::kSocket) << name;
  EXPECT_EQ(node_use("whatever", "socket"), NodeUse::kSocket);
}

TEST(NodeUse, RootsOfRealSkeletonsAreKnown) {
  for (const char* name : {"root", "_rootJoint", "b_Root_00", "Armature", "RootNode", "Z_UP", "Bip01", "SpiderRig",
                           "Armature_rootJoint", "body_world", "root_01"})
    EXPECT_EQ(node_use(name), NodeUse::kRoot) << name;
}

TEST(NodeUse, JointsThatMoveSkinAreTakenForNothingElse) {
  for (const char* name : {"Hips",
                           "mixamorig:LeftHandThumb3",
                           "Bone",
                           "Bone.001",
                           "joint1",
                           "helper1",
                           "b_Tail03_014",
                           "HairBall_L",
                           "hand.l_Armature",
                           "lowerarm.l_Armature",
                           "wing_feather_5_1_l",
                           "mouth_lower",
                           "b_l_transversetarsal",
                           "front_leg_ankle_l",
                           "index_03_l",
                           "Bip01 L Finger4",
                           "Bip01 MTongue",
                           "dromedar Xtra Eye L",
                           "p_l_leg_twist4",
                           "DEF-thigh.R.001_016",
                           "pinky-finger-phalanx-distal",
                           "Palm2.L",
                           "backpack_Armature",
                           "Ribbon",
                           "spine_4",
                           "stomach",
                           "LeftFingerBase",
                           "tentacle_bend",
                           "legs_anchor_1_l"})
    EXPECT_EQ(node_use(name), NodeUse::kSkin) << name;
}

Skeleton tree(const std::vector<std::pair<const char*, Index>>& nodes) {
  Skeleton skeleton;
  for (const auto& [name, parent] : nodes) {
    Joint joint;
    joint.name = name;
    joint.parent = parent;
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

std::string kept(const Skeleton& skeleton) {
  std::string names;
  const std::vector<char> flags = joints_of_skin(skeleton, std::vector<char>(skeleton.joints.size(), 1));
  for (Index j = 0; j < skeleton.size(); ++j)
    if (flags[j] != 0) names += skeleton.joints[j].name + " ";
  return names;
}

TEST(JointsOfSkin, ARootAboveTheHipsGoesAndOneThatIsTheHipsStays) {
  EXPECT_EQ(kept(tree({{"Armature", kNone}, {"root", 0}, {"hips", 1}, {"leg.l", 2}, {"leg.r", 2}, {"spine", 2}})),
            "hips leg.l leg.r spine ");
  EXPECT_EQ(kept(tree({{"root", kNone}, {"leg.l", 0}, {"leg.r", 0}, {"spine", 0}})), "root leg.l leg.r spine ");
  EXPECT_EQ(kept(tree({{"root", kNone}, {"a", 0}, {"b", 1}, {"c", 2}})), "root a b c ") << "a plain chain";
}

TEST(JointsOfSkin, ControlsBesideTheHipsDoNotMakeTheRootTheHips) {
  EXPECT_EQ(kept(tree({{"root", kNone}, {"hips", 0}, {"kneeIK.l", 0}, {"handIK.l", 0}, {"leg.l", 1}, {"leg.r", 1}})),
            "hips leg.l leg.r ");
}

TEST(JointsOfSkin, AnEndWithAJointBelowItIsNone) {
  EXPECT_EQ(kept(tree({{"hips", kNone}, {"tail_tip", 0}, {"bell", 1}, {"bell_end", 2}, {"bell_end_end", 3}})),
            "hips tail_tip bell ");
}

TEST(JointsOfSkin, WhereJointsAreMarkedAsDeformingThoseAloneStay) {
  EXPECT_EQ(kept(tree({{"root", kNone}, {"torso", 0}, {"DEF-spine", 1}, {"DEF-chest", 2}, {"ORG-chest", 1}})),
            "DEF-spine DEF-chest ");
}

}  // namespace
}  // namespace sinew::pipeline
