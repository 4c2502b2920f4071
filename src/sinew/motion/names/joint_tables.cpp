// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/names/joint_tables.h"

#include <array>

namespace sinew::motion {
namespace {

using P = BodyPart;

// Adobe Mixamo.
constexpr TableName kMixamo[] = {
    {"Hips", P::kHips}, {"Spine", P::kSpine}, {"Spine1", P::kSpine, 2}, {"Spine2", P::kSpine, 3}, {"Neck", P::kNeck},
    {"Head", P::kHead}, {"*Eye", P::kEye}, {"*Shoulder", P::kShoulder}, {"*Arm", P::kUpperArm},
    {"*ForeArm", P::kForearm}, {"*Hand", P::kHand}, {"*UpLeg", P::kThigh}, {"*Leg", P::kShin}, {"*Foot", P::kFoot},
    {"*ToeBase", P::kToes}, {"*HandThumb1", P::kThumb}, {"*HandThumb2", P::kThumb, 2}, {"*HandThumb3", P::kThumb, 3},
    {"*HandIndex1", P::kIndex}, {"*HandIndex2", P::kIndex, 2}, {"*HandIndex3", P::kIndex, 3},
    {"*HandMiddle1", P::kMiddle}, {"*HandMiddle2", P::kMiddle, 2}, {"*HandMiddle3", P::kMiddle, 3},
    {"*HandRing1", P::kRing}, {"*HandRing2", P::kRing, 2}, {"*HandRing3", P::kRing, 3}, {"*HandPinky1", P::kLittle},
    {"*HandPinky2", P::kLittle, 2}, {"*HandPinky3", P::kLittle, 3},
};

// Autodesk MotionBuilder, and the CMU motion library in its usual BVH form.
constexpr TableName kMotionBuilder[] = {
    {"Hips", P::kHips}, {"LowerBack", P::kSpine}, {"Spine", P::kSpine, 2}, {"Spine1", P::kSpine, 3},
    {"Spine2", P::kSpine, 4}, {"Spine3", P::kSpine, 5}, {"Spine4", P::kSpine, 6}, {"Chest", P::kChest},
    {"Neck", P::kNeck}, {"Neck1", P::kNeck, 2}, {"Head", P::kHead}, {"*Eye", P::kEye}, {"*Shoulder", P::kShoulder},
    {"*Arm", P::kUpperArm}, {"*ForeArm", P::kForearm}, {"*Hand", P::kHand}, {"*UpLeg", P::kThigh}, {"*Leg", P::kShin},
    {"*Foot", P::kFoot}, {"*ToeBase", P::kToes}, {"*FingerBase", P::kHand, 2}, {"*HandThumb1", P::kThumb},
    {"*HandThumb2", P::kThumb, 2}, {"*HandThumb3", P::kThumb, 3}, {"*HandIndex1", P::kIndex},
    {"*HandIndex2", P::kIndex, 2}, {"*HandIndex3", P::kIndex, 3}, {"*HandMiddle1", P::kMiddle},
    {"*HandMiddle2", P::kMiddle, 2}, {"*HandMiddle3", P::kMiddle, 3}, {"*HandRing1", P::kRing},
    {"*HandRing2", P::kRing, 2}, {"*HandRing3", P::kRing, 3}, {"*HandPinky1", P::kLittle},
    {"*HandPinky2", P::kLittle, 2}, {"*HandPinky3", P::kLittle, 3}, {"*Thumb", P::kThumb},
};

// Unity's humanoid, which VRM 1.0 took over.
constexpr TableName kVrm[] = {
    {"Hips", P::kHips}, {"Spine", P::kSpine}, {"Chest", P::kChest}, {"UpperChest", P::kChest, 2}, {"Neck", P::kNeck},
    {"Head", P::kHead}, {"Jaw", P::kJaw}, {"*Eye", P::kEye}, {"*Shoulder", P::kShoulder}, {"*UpperArm", P::kUpperArm},
    {"*LowerArm", P::kForearm}, {"*Hand", P::kHand}, {"*UpperLeg", P::kThigh}, {"*LowerLeg", P::kShin},
    {"*Foot", P::kFoot}, {"*Toes", P::kToes}, {"*ThumbMetacarpal", P::kThumb}, {"*ThumbProximal", P::kThumb},
    {"*ThumbIntermediate", P::kThumb, 2}, {"*ThumbDistal", P::kThumb, 3}, {"*IndexProximal", P::kIndex},
    {"*IndexIntermediate", P::kIndex, 2}, {"*IndexDistal", P::kIndex, 3}, {"*MiddleProximal", P::kMiddle},
    {"*MiddleIntermediate", P::kMiddle, 2}, {"*MiddleDistal", P::kMiddle, 3}, {"*RingProximal", P::kRing},
    {"*RingIntermediate", P::kRing, 2}, {"*RingDistal", P::kRing, 3}, {"*LittleProximal", P::kLittle},
    {"*LittleIntermediate", P::kLittle, 2}, {"*LittleDistal", P::kLittle, 3},
};

// VRoid Studio.
constexpr TableName kVroid[] = {
    {"C_Hips", P::kHips}, {"C_Spine", P::kSpine}, {"C_Chest", P::kChest}, {"C_UpperChest", P::kChest, 2},
    {"C_Neck", P::kNeck}, {"C_Head", P::kHead}, {"*_Shoulder", P::kShoulder}, {"*_UpperArm", P::kUpperArm},
    {"*_LowerArm", P::kForearm}, {"*_Hand", P::kHand}, {"*_UpperLeg", P::kThigh}, {"*_LowerLeg", P::kShin},
    {"*_Foot", P::kFoot}, {"*_ToeBase", P::kToes}, {"*_Thumb1", P::kThumb}, {"*_Thumb2", P::kThumb, 2},
    {"*_Thumb3", P::kThumb, 3}, {"*_Index1", P::kIndex}, {"*_Index2", P::kIndex, 2}, {"*_Index3", P::kIndex, 3},
    {"*_Middle1", P::kMiddle}, {"*_Middle2", P::kMiddle, 2}, {"*_Middle3", P::kMiddle, 3}, {"*_Ring1", P::kRing},
    {"*_Ring2", P::kRing, 2}, {"*_Ring3", P::kRing, 3}, {"*_Little1", P::kLittle}, {"*_Little2", P::kLittle, 2},
    {"*_Little3", P::kLittle, 3},
};

// Epic's Unreal mannequin.
constexpr TableName kUnreal[] = {
    {"pelvis", P::kHips}, {"spine_01", P::kSpine}, {"spine_02", P::kSpine, 2}, {"spine_03", P::kSpine, 3},
    {"spine_04", P::kSpine, 4}, {"spine_05", P::kSpine, 5}, {"neck_01", P::kNeck}, {"neck_02", P::kNeck, 2},
    {"head", P::kHead}, {"clavicle_*", P::kShoulder}, {"upperarm_*", P::kUpperArm}, {"lowerarm_*", P::kForearm},
    {"hand_*", P::kHand}, {"thigh_*", P::kThigh}, {"calf_*", P::kShin}, {"foot_*", P::kFoot}, {"ball_*", P::kToes},
    {"thumb_01_*", P::kThumb}, {"thumb_02_*", P::kThumb, 2}, {"thumb_03_*", P::kThumb, 3}, {"index_01_*", P::kIndex},
    {"index_02_*", P::kIndex, 2}, {"index_03_*", P::kIndex, 3}, {"middle_01_*", P::kMiddle},
    {"middle_02_*", P::kMiddle, 2}, {"middle_03_*", P::kMiddle, 3}, {"ring_01_*", P::kRing},
    {"ring_02_*", P::kRing, 2}, {"ring_03_*", P::kRing, 3}, {"pinky_01_*", P::kLittle}, {"pinky_02_*", P::kLittle, 2},
    {"pinky_03_*", P::kLittle, 3},
};

// Blender's Rigify: the joints that deform.
constexpr TableName kRigify[] = {
    {"spine", P::kHips}, {"spine.001", P::kSpine}, {"spine.002", P::kSpine, 2}, {"spine.003", P::kSpine, 3},
    {"spine.004", P::kNeck}, {"spine.005", P::kNeck, 2}, {"spine.006", P::kHead}, {"hips", P::kHips},
    {"chest", P::kChest}, {"neck", P::kNeck}, {"head", P::kHead}, {"jaw", P::kJaw}, {"shoulder.*", P::kShoulder},
    {"upper_arm.*", P::kUpperArm}, {"forearm.*", P::kForearm}, {"hand.*", P::kHand}, {"thigh.*", P::kThigh},
    {"shin.*", P::kShin}, {"foot.*", P::kFoot}, {"toe.*", P::kToes}, {"thumb.01.*", P::kThumb},
    {"thumb.02.*", P::kThumb, 2}, {"thumb.03.*", P::kThumb, 3}, {"f_index.01.*", P::kIndex},
    {"f_index.02.*", P::kIndex, 2}, {"f_index.03.*", P::kIndex, 3}, {"f_middle.01.*", P::kMiddle},
    {"f_middle.02.*", P::kMiddle, 2}, {"f_middle.03.*", P::kMiddle, 3}, {"f_ring.01.*", P::kRing},
    {"f_ring.02.*", P::kRing, 2}, {"f_ring.03.*", P::kRing, 3}, {"f_pinky.01.*", P::kLittle},
    {"f_pinky.02.*", P::kLittle, 2}, {"f_pinky.03.*", P::kLittle, 3},
};

// Plain Blender armatures: the meta-rig of Rigify, and what people usually write.
constexpr TableName kBlender[] = {
    {"hips", P::kHips}, {"pelvis", P::kHips}, {"spine", P::kSpine}, {"spine.001", P::kSpine, 2},
    {"spine.002", P::kSpine, 3}, {"spine.003", P::kSpine, 4}, {"tummy", P::kSpine}, {"abdomen", P::kSpine},
    {"torso", P::kChest}, {"chest", P::kChest}, {"neck", P::kNeck}, {"head", P::kHead}, {"jaw", P::kJaw},
    {"eye.*", P::kEye}, {"clavicle.*", P::kShoulder}, {"shoulder.*", P::kShoulder}, {"upper_arm.*", P::kUpperArm},
    {"forearm.*", P::kForearm}, {"hand.*", P::kHand}, {"thigh.*", P::kThigh}, {"shin.*", P::kShin},
    {"foot.*", P::kFoot}, {"toe.*", P::kToes}, {"upperarm.*", P::kUpperArm}, {"lowerarm.*", P::kForearm},
    {"lower_arm.*", P::kForearm}, {"upperleg.*", P::kThigh}, {"upper_leg.*", P::kThigh}, {"lowerleg.*", P::kShin},
    {"lower_leg.*", P::kShin}, {"toes.*", P::kToes}, {"thumb.01.*", P::kThumb}, {"thumb.02.*", P::kThumb, 2},
    {"thumb.03.*", P::kThumb, 3}, {"f_index.01.*", P::kIndex}, {"f_index.02.*", P::kIndex, 2},
    {"f_index.03.*", P::kIndex, 3}, {"f_middle.01.*", P::kMiddle}, {"f_middle.02.*", P::kMiddle, 2},
    {"f_middle.03.*", P::kMiddle, 3}, {"f_ring.01.*", P::kRing}, {"f_ring.02.*", P::kRing, 2},
    {"f_ring.03.*", P::kRing, 3}, {"f_pinky.01.*", P::kLittle}, {"f_pinky.02.*", P::kLittle, 2},
    {"f_pinky.03.*", P::kLittle, 3},
};

// Sinew's own characters.
constexpr TableName kSinew[] = {
    {"Hips", P::kHips}, {"Spine", P::kSpine}, {"Chest", P::kChest}, {"Neck", P::kNeck}, {"Head", P::kHead},
    {"*Shoulder", P::kShoulder}, {"*UpperArm", P::kUpperArm}, {"*Forearm", P::kForearm}, {"*Hand", P::kHand},
    {"*HandPaw", P::kHand, 2}, {"*Thigh", P::kThigh}, {"*Shin", P::kShin}, {"*Foot", P::kFoot},
    {"*FootPaw", P::kToes}, {"*Toes", P::kToes}, {"*Ear", P::kEar}, {"Tail", P::kTail}, {"Tail1", P::kTail},
    {"Tail2", P::kTail, 2}, {"Tail3", P::kTail, 3}, {"Tail4", P::kTail, 4}, {"*Thumb1", P::kThumb},
    {"*Thumb2", P::kThumb, 2}, {"*Thumb3", P::kThumb, 3}, {"*Index1", P::kIndex}, {"*Index2", P::kIndex, 2},
    {"*Index3", P::kIndex, 3}, {"*Middle1", P::kMiddle}, {"*Middle2", P::kMiddle, 2}, {"*Middle3", P::kMiddle, 3},
    {"*Ring1", P::kRing}, {"*Ring2", P::kRing, 2}, {"*Ring3", P::kRing, 3}, {"*Little1", P::kLittle},
    {"*Little2", P::kLittle, 2}, {"*Little3", P::kLittle, 3},
};

// 3ds Max Biped; the first word is the name of the figure.
constexpr TableName kBiped[] = {
    {"Pelvis", P::kHips}, {"Spine", P::kSpine}, {"Spine1", P::kSpine, 2}, {"Spine2", P::kSpine, 3},
    {"Spine3", P::kSpine, 4}, {"Neck", P::kNeck}, {"Neck1", P::kNeck, 2}, {"Neck2", P::kNeck, 3}, {"Head", P::kHead},
    {"MJaw", P::kJaw}, {"* Clavicle", P::kShoulder}, {"* UpperArm", P::kUpperArm}, {"* Forearm", P::kForearm},
    {"* Hand", P::kHand}, {"* Thigh", P::kThigh}, {"* Calf", P::kShin}, {"* HorseLink", P::kFoot},
    {"* Foot", P::kFoot}, {"* Toe0", P::kToes}, {"* Toe01", P::kToes, 2}, {"Tail", P::kTail}, {"Tail1", P::kTail, 2},
    {"Tail2", P::kTail, 3}, {"Tail3", P::kTail, 4}, {"* Finger0", P::kThumb}, {"* Finger01", P::kThumb, 2},
    {"* Finger02", P::kThumb, 3}, {"* Finger1", P::kIndex}, {"* Finger11", P::kIndex, 2},
    {"* Finger12", P::kIndex, 3}, {"* Finger2", P::kMiddle}, {"* Finger21", P::kMiddle, 2},
    {"* Finger22", P::kMiddle, 3}, {"* Finger3", P::kRing}, {"* Finger31", P::kRing, 2}, {"* Finger32", P::kRing, 3},
    {"* Finger4", P::kLittle}, {"* Finger41", P::kLittle, 2}, {"* Finger42", P::kLittle, 3},
};

constexpr std::array<JointTable, 9> kTables = {{
    {"sinew", "Left", "Right", "", kSinew},
    {"mixamo", "Left", "Right", "mixamorig", kMixamo},
    {"motionbuilder", "Left", "Right", "", kMotionBuilder},
    {"vrm", "Left", "Right", "", kVrm},
    {"vroid", "L", "R", "J_Bip_", kVroid},
    {"unreal", "l", "r", "", kUnreal},
    {"rigify", "L", "R", "DEF-", kRigify},
    {"blender", "L", "R", "", kBlender},
    {"biped", "L", "R", "Bip01 ", kBiped},
}};

}  // namespace

std::span<const JointTable> joint_tables() { return kTables; }

}  // namespace sinew::motion
