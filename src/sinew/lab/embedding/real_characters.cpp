// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/embedding/real_characters.h"

#include <fmt/format.h>

#include <string_view>

namespace sinew::lab {
namespace {

using enum BodyClass;
constexpr bool kHeld = true, kSeen = false;

const std::vector<RealCharacter> kPeopleFiles = {
    {"rigged/CesiumMan.glb", kUprightPeople, "human"},
    {"rigged/RiggedFigure.glb", kUprightPeople, "human", kHeld},
    {"rigged/human-male.glb", kUprightPeople, "human"},
    {"rigged/HVGirl.glb", kUprightPeople, "human"},
    {"rigged/momentum_test_24fps.glb", kUprightPeople, "human"},
    {"rigged/VALID_Asian_F_1_Default.glb", kUprightPeople, "human"},
    {"rigged/100Avatars_002_CoolAlien.vrm", kUprightPeople, "human"},
    {"rigged-fbx/Male_Adult_01.fbx", kUprightPeople, "human"},
    {"rigged-fbx/arnaud.fbx", kUprightPeople, "human", kHeld},
    {"rigged-fbx/Smooth_Male_Shirt.fbx", kUprightPeople, "human"},
    {"zoo/people/Male_Suit.fbx", kUprightPeople, "human"},
    {"zoo/people/Female_Casual.fbx", kUprightPeople, "human", kHeld},
    {"zoo/people/Female_Dress.fbx", kUprightPeople, "human"},
    {"zoo/people/Animated_Human.fbx", kUprightPeople, "human"},
    {"zoo/people/Female_Party_01.fbx", kUprightPeople, "human", kHeld},
    {"zoo/people/Male_Adult_05.fbx", kUprightPeople, "human"},
    {"zoo/people/Female_Child_02.fbx", kUprightPeople, "human"},
    {"zoo/people/Business_Female_04.fbx", kUprightPeople, "human", kHeld},
    {"zoo/people/Construction_Male_03.fbx", kUprightPeople, "human"},
    {"zoo/people/Military_Male_03.fbx", kUprightPeople, "human"},
    {"zoo/people/AIAN_M_1_Busi.glb", kUprightPeople, "human"},
    {"zoo/people/Black_F_1_Casual.glb", kUprightPeople, "human", kHeld},
    {"zoo/people/Hispanic_M_1_Milit.glb", kUprightPeople, "human"},
    {"zoo/stylised/100Avatars_001_Crimsom.vrm", kUprightPeople, "human"},
    {"zoo/stylised/100Avatars_003_Jimmy.vrm", kUprightPeople, "human", kHeld},
    {"zoo/stylised/Zombie.fbx", kUprightPeople, "human"},
    {"unrigged/human_man.obj", kUprightPeople, "human", kHeld},
    {"unrigged/NASA_Gemini_Spacesuit.glb", kUprightPeople, "human"},
    {"unrigged/NASA_EMU_442k_draco.glb", kUprightPeople, "human"},
    {"makehuman/human.zae", kUprightPeople, "human", kHeld},
    {"makehuman/makehuman_base.obj", kUprightPeople, "human"}};

const std::vector<RealCharacter> kToyFiles = {{"rigged/RobotExpressive.glb", kToys, "human"},
                                              {"rigged/Knight.glb", kToys, "human"},
                                              {"rigged/human-bunny.glb", kToys, "human"},
                                              {"rigged/lumberjack.glb", kToys, "human"},
                                              {"rigged/Godette_vrm_v4.vrm", kToys, "human", kHeld},
                                              {"zoo/stylised/100Avatars_005_Skull.vrm", kToys, "human"},
                                              {"zoo/stylised/100Avatars_009_CactusBoy.vrm", kToys, "human"},
                                              {"zoo/stylised/100Avatars_011_Teddy.vrm", kToys, "human", kHeld},
                                              {"zoo/stylised/100Avatars_013_Mint.vrm", kToys, "human"},
                                              {"zoo/stylised/100Avatars_016_Pumpkin.vrm", kToys, "human"},
                                              {"zoo/stylised/Rogue.glb", kToys, "human", kHeld},
                                              {"zoo/stylised/KnightCharacter.fbx", kToys, "human"},
                                              {"zoo/stylised/Robot.fbx", kToys, "human"},
                                              {"zoo/stylised/Skeleton.fbx", kToys, "human"},
                                              {"zoo/stylised/Avocado.fbx", kToys, "human"},
                                              {"zoo/stylised/Banana.fbx", kToys, "human", kHeld}};

const std::vector<RealCharacter> kPosedFiles = {
    {"zoo/people/Male_Suit.fbx", kPosedPeople, "human", kSeen, "Man_Sitting", 0.5},
    {"zoo/people/Male_Suit.fbx", kPosedPeople, "human", kSeen, "Man_Walk", 0.25},
    {"zoo/people/Male_Suit.fbx", kPosedPeople, "human", kSeen, "Man_Clapping", 0.5},
    {"zoo/people/Male_Suit.fbx", kPosedPeople, "human", kHeld, "Man_Punch", 0.5},
    {"zoo/people/Female_Casual.fbx", kPosedPeople, "human", kHeld, "Female_Sitting", 0.5},
    {"zoo/people/Female_Casual.fbx", kPosedPeople, "human", kSeen, "Female_Run", 0.25},
    {"zoo/people/Female_Casual.fbx", kPosedPeople, "human", kSeen, "Female_SwordSlash", 0.5},
    {"zoo/people/Female_Dress.fbx", kPosedPeople, "human", kSeen, "Female_Idle", 0.5},
    {"zoo/people/Female_Dress.fbx", kPosedPeople, "human", kHeld, "Female_Walk", 0.25},
    {"rigged-fbx/Smooth_Male_Shirt.fbx", kPosedPeople, "human", kSeen, "Man_Sitting", 0.75},
    {"rigged-fbx/Smooth_Male_Shirt.fbx", kPosedPeople, "human", kSeen, "Man_Idle", 0.5},
    {"rigged-fbx/Smooth_Male_Shirt.fbx", kPosedPeople, "human", kSeen, "Man_Jump", 0.5},
    {"zoo/people/Animated_Human.fbx", kPosedPeople, "human", kSeen, "rest"},
    {"zoo/people/Animated_Human.fbx", kPosedPeople, "human", kSeen, "Working", 0.5},
    {"zoo/people/Animated_Human.fbx", kPosedPeople, "human", kHeld, "Run", 0.5},
    {"rigged/HVGirl.glb", kPosedPeople, "human", kSeen, "Samba", 0.5},
    {"rigged/HVGirl.glb", kPosedPeople, "human", kHeld, "Walking", 0.5},
    {"rigged/CesiumMan.glb", kPosedPeople, "human", kSeen, "clip_0", 0.5},
    {"rigged/RiggedFigure.glb", kPosedPeople, "human", kSeen, "clip_0", 0.5},
    {"zoo/stylised/Zombie.fbx", kPosedPeople, "human", kSeen, "ZombieWalk", 0.5},
    {"unrigged/man.off", kPosedPeople, "human"},
    {"poses/male_10_poses/Male_Standing.fbx", kPosedPeople, "human"},
    {"poses/male_10_poses/Male_Sitting.fbx", kPosedPeople, "human"},
    {"poses/male_10_poses/Male_PickingUp.fbx", kPosedPeople, "human"},
    {"poses/male_10_poses/Male_Walking.fbx", kPosedPeople, "human", kHeld},
    {"poses/male_10_poses/Male_Standing_Hips.fbx", kPosedPeople, "human"},
    {"poses/male_10_poses/Male_Standing_Waving.fbx", kPosedPeople, "human", kHeld},
    {"poses/female_22f_sequence/female_000001.obj", kPosedPeople, "human"},
    {"poses/female_22f_sequence/female_000021.obj", kPosedPeople, "human", kHeld},
    {"poses/female_22f_sequence/female_000041.obj", kPosedPeople, "human"}};

const std::vector<RealCharacter> kAnimalFiles = {
    {"rigged/Fox.glb", kQuadrupeds, "quadruped"},
    {"rigged/horse-animations.glb", kQuadrupeds, "quadruped"},
    {"rigged-fbx/Camel_OneHump_01.fbx", kQuadrupeds, "quadruped", kHeld},
    {"rigged-fbx/Dog_Beagle_01.fbx", kQuadrupeds, "quadruped"},
    {"zoo/quadrupeds/Cat.fbx", kQuadrupeds, "quadruped"},
    {"zoo/quadrupeds/Wolf.fbx", kQuadrupeds, "quadruped", kHeld},
    {"zoo/quadrupeds/Red_Fox.fbx", kQuadrupeds, "quadruped"},
    {"zoo/quadrupeds/Cow.fbx", kQuadrupeds, "quadruped"},
    {"zoo/quadrupeds/Llama.fbx", kQuadrupeds, "quadruped", kHeld},
    {"zoo/quadrupeds/Pug.fbx", kQuadrupeds, "quadruped"},
    {"zoo/quadrupeds/Sheep.fbx", kQuadrupeds, "quadruped"},
    {"zoo/quadrupeds/Bull_Brown_01.fbx", kQuadrupeds, "quadruped"},
    {"zoo/quadrupeds/Deer_Roe_Tabby_01.fbx", kQuadrupeds, "quadruped"},
    {"zoo/quadrupeds/Goat_Brown_01.fbx", kQuadrupeds, "quadruped", kHeld},
    {"zoo/quadrupeds/Apatosaurus.fbx", kQuadrupeds, "quadruped"},
    {"zoo/quadrupeds/Triceratops.fbx", kQuadrupeds, "quadruped"},
    {"unrigged/cat-low-resolution.obj", kQuadrupeds, "quadruped"},
    {"unrigged/elephant.off", kQuadrupeds, "quadruped"},
    {"unrigged/koala.obj", kQuadrupeds, "quadruped"},
    {"unrigged/spot_control_mesh.obj", kQuadrupeds, "quadruped", kHeld},
    {"zoo/birds/Eagle.fbx", kBirds, "bird"},
    {"zoo/birds/Chick.fbx", kBirds, "bird"},
    {"zoo/birds/bird.fbx", kBirds, "bird"},
    {"zoo/birds/Bird_Chicken_Brown_01.fbx", kBirds, "bird"},
    {"zoo/birds/Bird_Duck_Male_01.fbx", kBirds, "bird", kHeld},
    {"zoo/creatures/Trex.fbx", kCreatures, "tailed_biped"},
    {"zoo/creatures/Bat.fbx", kCreatures, "bird", kHeld},
    {"zoo/creatures/Snake.fbx", kCreatures, "snake"},
    {"zoo/creatures/Slime.fbx", kCreatures, "human|generic"},
    {"zoo/creatures/Spider.fbx", kCreatures, "spider", kHeld},
    {"zoo/creatures/Wasp.fbx", kCreatures, "insect"},
    {"rigged/spider-animations.glb", kCreatures, "spider"},
    {"rigged/dragon-animations.glb", kCreatures, "winged_quadruped"},
    {"zoo/fish/Dolphin.fbx", kCreatures, "fish", kHeld},
    {"zoo/fish/Manta_ray.fbx", kCreatures, "fish"},
    {"zoo/fish/Shark.fbx", kCreatures, "fish"},
    {"unrigged/scorpion_low_resolution.obj", kCreatures, "spider|insect|generic"},
    {"rigged/generic-hand-left.glb", kHands, "hand"},
    {"unrigged/hand_closed.obj", kHands, "hand"}};

}  // namespace

const char* body_class_name(BodyClass body) {
  static constexpr const char* kNames[kBodyClasses] = {
      "upright people", "chibi and toys", "posed people", "quadrupeds", "birds", "other creatures", "hands"};
  return kNames[static_cast<int>(body)];
}

bool is_person(BodyClass body) { return body <= kPosedPeople; }

std::string RealCharacter::name() const {
  std::string text = std::filesystem::path(path).stem().string();
  if (*clip != 0) text += fmt::format(" {}", clip);
  if (share > 0) text += fmt::format(" {:.0f} %", 100 * share);
  return text;
}

bool RealCharacter::wants(const std::string& template_name) const {
  return fmt::format("|{}|", wanted).find(fmt::format("|{}|", template_name)) != std::string::npos;
}

const std::vector<RealCharacter>& real_characters() {
  static const std::vector<RealCharacter> all = [] {
    std::vector<RealCharacter> files;
    for (const auto* some : {&kPeopleFiles, &kToyFiles, &kPosedFiles, &kAnimalFiles})
      files.insert(files.end(), some->begin(), some->end());
    return files;
  }();
  return all;
}

}  // namespace sinew::lab
