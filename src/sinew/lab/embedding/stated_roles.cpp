// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <map>

#include "sinew/lab/embedding/real_characters.h"

namespace sinew::lab {
namespace {

using Roles = std::vector<RoleOfJoint>;

// Legs of two bones have no joints to compare with elbow, wrist, stifle and hock. Their last joint is the end of the
// leg ("fore_end", "hind_end"), which is compared with the nearest of the last joints and end of the found leg.

/// Cat and wolf share a skeleton and face +x, so their left is −z.
const Roles kCatRoles = {{"Bone.002", "neck"},           {"Bone.003", "head"},          {"Bone.004", "tail_1"},
                         {"Bone.017", "left_upper_arm"}, {"Bone.019", "left_fore_end"}, {"Bone.014", "right_upper_arm"},
                         {"Bone.016", "right_fore_end"}, {"Bone.008", "left_thigh"},    {"Bone.010", "left_hind_end"},
                         {"Bone.011", "right_thigh"},    {"Bone.013", "right_hind_end"}};

Roles front_back_leg_roles(const char* neck) {
  return {{neck, "neck"},
          {"Head", "head"},
          {"Tail1", "tail_1"},
          {"FrontUpLeg.L", "left_upper_arm"},
          {"FrontUpLeg.R", "right_upper_arm"},
          {"FrontFoot.L", "left_fore_end"},
          {"FrontFoot.R", "right_fore_end"},
          {"BackUpLeg.L", "left_thigh"},
          {"BackUpLeg.R", "right_thigh"},
          {"BackFoot.L", "left_hind_end"},
          {"BackFoot.R", "right_hind_end"}};
}

Roles hand_roles() {
  return {{"wrist", "hand"},
          {"thumb-metacarpal", "thumb_1"},
          {"thumb-phalanx-proximal", "thumb_2"},
          {"thumb-phalanx-distal", "thumb_3"},
          {"index-finger-phalanx-proximal", "index_1"},
          {"index-finger-phalanx-intermediate", "index_2"},
          {"index-finger-phalanx-distal", "index_3"},
          {"middle-finger-phalanx-proximal", "middle_1"},
          {"middle-finger-phalanx-intermediate", "middle_2"},
          {"middle-finger-phalanx-distal", "middle_3"},
          {"ring-finger-phalanx-proximal", "ring_1"},
          {"ring-finger-phalanx-intermediate", "ring_2"},
          {"ring-finger-phalanx-distal", "ring_3"},
          {"pinky-finger-phalanx-proximal", "little_1"},
          {"pinky-finger-phalanx-intermediate", "little_2"},
          {"pinky-finger-phalanx-distal", "little_3"}};
}

/// Faces −z, so its left is −x.
Roles red_fox_roles() {
  return {{"Bone.001", "neck"},           {"Bone.002", "head"},
          {"Bone.003", "tail_1"},         {"Bone.004", "left_thigh"},
          {"Bone.006", "left_hind_end"},  {"Bone.007", "right_thigh"},
          {"Bone.009", "right_hind_end"}, {"Bone.011", "left_upper_arm"},
          {"Bone.013", "left_fore_end"},  {"Bone.014", "right_upper_arm"},
          {"Bone.016", "right_fore_end"}};
}

/// Faces −z. Its wings have more joints than a template; only the first three are compared.
Roles eagle_roles() {
  return {{"Bone.002", "neck"},
          {"Bone.003", "head"},
          {"Bone.004", "tail_1"},
          {"Bone.012", "left_upper_arm"},
          {"Bone.013", "left_forearm"},
          {"Bone.014", "left_hand"},
          {"Bone.007", "right_upper_arm"},
          {"Bone.008", "right_forearm"},
          {"Bone.009", "right_hand"},
          {"Bone.020", "left_thigh"},
          {"Bone.021", "left_shin"},
          {"Bone.022", "left_foot"},
          {"Bone.016", "right_thigh"},
          {"Bone.017", "right_shin"},
          {"Bone.018", "right_foot"}};
}

/// Faces +x; it has no joints in its wings, and none in its knees: the second joint of a leg is where the shank meets
/// the foot, and the third at the toes.
Roles chick_roles() {
  return {{"Bone", "tail_1"},          {"Bone.002", "neck"},       {"Bone.009", "head"},
          {"Bone.006", "left_thigh"},  {"Bone.007", "left_foot"},  {"Bone.008", "left_hind_end"},
          {"Bone.003", "right_thigh"}, {"Bone.004", "right_foot"}, {"Bone.005", "right_hind_end"}};
}

/// It has no legs, and two joints per wing, the second between elbow and wrist.
Roles bird_roles() {
  return {{"Bone.001", "neck"},
          {"Bone.002", "head"},
          {"Bone.003", "tail_1"},
          {"Bone.006", "left_upper_arm"},
          {"Bone.008", "right_upper_arm"}};
}

/// The sides in the names are the viewer's, and the arms are called legs.
Roles skeleton_roles() {
  return {{"Neck", "neck"},
          {"Head", "head"},
          {"R.UpperLeg", "left_thigh"},
          {"R.DownLeg", "left_shin"},
          {"L.UpperLeg", "right_thigh"},
          {"L.DownLeg", "right_shin"},
          {"R.UpperLeg.001", "left_upper_arm"},
          {"R.DownLeg.001", "left_forearm"},
          {"L.UpperLeg.001", "right_upper_arm"},
          {"L.DownLeg.001", "right_forearm"}};
}

}  // namespace

const std::vector<RoleOfJoint>& stated_roles(const std::string& path) {
  // The joint called Neck is half-way up the long necks.
  static const std::map<std::string, Roles> files = {
      {"zoo/quadrupeds/Cat.fbx", kCatRoles},
      {"zoo/quadrupeds/Wolf.fbx", kCatRoles},
      {"zoo/quadrupeds/Red_Fox.fbx", red_fox_roles()},
      {"zoo/quadrupeds/Cow.fbx", front_back_leg_roles("Neck")},
      {"zoo/quadrupeds/Llama.fbx", front_back_leg_roles("Shoulders")},
      {"zoo/quadrupeds/Pug.fbx", front_back_leg_roles("Neck")},
      {"zoo/quadrupeds/Sheep.fbx", front_back_leg_roles("Neck")},
      {"zoo/quadrupeds/Apatosaurus.fbx", front_back_leg_roles("Shoulders")},
      {"zoo/quadrupeds/Triceratops.fbx", front_back_leg_roles("Neck")},
      {"zoo/birds/Eagle.fbx", eagle_roles()},
      {"zoo/birds/Chick.fbx", chick_roles()},
      {"zoo/birds/bird.fbx", bird_roles()},
      {"zoo/stylised/Skeleton.fbx", skeleton_roles()},
      {"rigged/generic-hand-left.glb", hand_roles()}};
  static const Roles none;
  const auto found = files.find(path);
  return found == files.end() ? none : found->second;
}

}  // namespace sinew::lab
