// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/face_joints.h"

#include <gtest/gtest.h>

namespace sinew::binding {
namespace {

TEST(FaceJoint, EyesOfRealSkeletonsAreKnown) {
  for (const char* name : {"Bip01 LEye", "bull Xtra EyeR", "goat Xtra Eye L", "eye.R", "b_l_eye", "mixamorig:LeftEye"})
    EXPECT_EQ(face_joint(name), FaceJoint::kEye) << name;
}

TEST(FaceJoint, SpotsOfTheSkinAreNotEyes) {
  for (const char* name : {"Bip01 LOuterEyebrow", "Bip01 REyeBlinkTop", "Bip01 MUpperLip", "brow2.l_Armature",
                           "eye_lid_l", "LeftCheek", "Bip01 RMasseter"})
    EXPECT_EQ(face_joint(name), FaceJoint::kSkin) << name;
}

TEST(FaceJoint, WhatHasALengthIsNone) {
  for (const char* name :
       {"Head", "ear_1_l", "Jaw", "Mouth", "LeftHandIndex3", "Ponytail1", "Clip", "Slide", "Bone.001"})
    EXPECT_EQ(face_joint(name), FaceJoint::kNone) << name;
}

}  // namespace
}  // namespace sinew::binding
