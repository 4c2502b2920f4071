// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/motion/names/joint_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

namespace sinew::motion {
namespace {

using Limb = WordRole::Limb;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::string_view without_name_space(std::string_view name) {
  const std::size_t colon = name.find_last_of(":|");
  return colon == std::string_view::npos || colon + 1 == name.size() ? name : name.substr(colon + 1);
}

// Runs of letters, cut where a capital follows a small letter; numbers are dropped.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  char before = ' ';
  for (const char c : without_name_space(name)) {
    if (is_letter(c)) {
      if (!is_letter(before) || (is_upper(c) && !is_upper(before))) words.emplace_back();
      words.back() += lower(c);
    }
    before = c;
  }
  return words;
}

// Takes the side out of the words: "l", "left", or a word that begins with it ("lefthand").
Side take_side(std::vector<std::string>& words) {
  Side side = Side::kMiddle;
  std::vector<std::string> kept;
  for (std::string& word : words) {
    if (word == "l" || word == "left") side = Side::kLeft;
    else if (word == "r" || word == "right") side = Side::kRight;
    else if (word.starts_with("left") && word.size() > 4) side = Side::kLeft, kept.push_back(word.substr(4));
    else if (word.starts_with("right") && word.size() > 5) side = Side::kRight, kept.push_back(word.substr(5));
    else kept.push_back(std::move(word));
  }
  words = std::move(kept);
  return side;
}

bool any_word(const std::vector<std::string>& words, std::initializer_list<const char*> wanted) {
  for (const std::string& word : words)
    for (const char* w : wanted)
      if (word == w) return true;
  return false;
}

struct WordRule {
  const char* text;  // Found anywhere in the words written together.
  BodyPart part;
  Limb limb;
};

// The first that fits decides.
constexpr std::array<WordRule, 46> kRules = {{
    {"upperarm", BodyPart::kUpperArm, Limb::kArm}, {"uparm", BodyPart::kUpperArm, Limb::kArm},
    {"humerus", BodyPart::kUpperArm, Limb::kArm},  {"forearm", BodyPart::kForearm, Limb::kArm},
    {"lowerarm", BodyPart::kForearm, Limb::kArm},  {"elbow", BodyPart::kForearm, Limb::kArm},
    {"thumb", BodyPart::kThumb, Limb::kNone},      {"index", BodyPart::kIndex, Limb::kNone},
    {"middle", BodyPart::kMiddle, Limb::kNone},    {"ring", BodyPart::kRing, Limb::kNone},
    {"pinky", BodyPart::kLittle, Limb::kNone},     {"little", BodyPart::kLittle, Limb::kNone},
    {"finger", BodyPart::kNone, Limb::kNone},      {"clavicle", BodyPart::kShoulder, Limb::kArm},
    {"collar", BodyPart::kShoulder, Limb::kArm},   {"shoulder", BodyPart::kShoulder, Limb::kArm},
    {"scapula", BodyPart::kShoulder, Limb::kArm},  {"hand", BodyPart::kHand, Limb::kArm},
    {"wrist", BodyPart::kHand, Limb::kArm},        {"palm", BodyPart::kHand, Limb::kArm},
    {"upperleg", BodyPart::kThigh, Limb::kLeg},    {"upleg", BodyPart::kThigh, Limb::kLeg},
    {"thigh", BodyPart::kThigh, Limb::kLeg},       {"femur", BodyPart::kThigh, Limb::kLeg},
    {"lowerleg", BodyPart::kShin, Limb::kLeg},     {"shin", BodyPart::kShin, Limb::kLeg},
    {"calf", BodyPart::kShin, Limb::kLeg},         {"knee", BodyPart::kShin, Limb::kLeg},
    {"tibia", BodyPart::kShin, Limb::kLeg},        {"toe", BodyPart::kToes, Limb::kLeg},
    {"ball", BodyPart::kToes, Limb::kLeg},         {"foot", BodyPart::kFoot, Limb::kLeg},
    {"ankle", BodyPart::kFoot, Limb::kLeg},        {"leg", BodyPart::kNone, Limb::kLeg},
    {"arm", BodyPart::kNone, Limb::kArm},          {"pelvis", BodyPart::kHips, Limb::kTrunk},
    {"hip", BodyPart::kHips, Limb::kTrunk},        {"chest", BodyPart::kChest, Limb::kTrunk},
    {"spine", BodyPart::kSpine, Limb::kTrunk},     {"torso", BodyPart::kSpine, Limb::kTrunk},
    {"abdomen", BodyPart::kSpine, Limb::kTrunk},   {"tummy", BodyPart::kSpine, Limb::kTrunk},
    {"neck", BodyPart::kNeck, Limb::kTrunk},       {"head", BodyPart::kHead, Limb::kTrunk},
    {"tail", BodyPart::kTail, Limb::kNone},        {"jaw", BodyPart::kJaw, Limb::kNone},
}};

// The part of a front or hind leg that the words written together name, if they do.
BodyPart part_of_leg(const std::string& text, bool front) {
  const auto has = [&](std::initializer_list<const char*> wanted) {
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const char* word) { return text.find(word) != std::string::npos; });
  };
  if (has({"upleg", "upperleg", "thigh", "upperarm"})) return front ? BodyPart::kUpperArm : BodyPart::kThigh;
  if (has({"lowleg", "lowerleg", "shin", "calf"})) return front ? BodyPart::kForearm : BodyPart::kShin;
  if (has({"foot", "paw", "hoof"})) return front ? BodyPart::kHand : BodyPart::kFoot;
  return BodyPart::kNone;
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : without_name_space(name)) plain += c == ' ' || c == '.' || c == '-' ? '_' : lower(c);
  return plain;
}

std::vector<std::string> plain_candidates(std::string_view name) {
  std::vector<std::string> candidates = {plain_name(name)};
  const auto cut_numbers = [](std::string text) {
    std::size_t end = text.size();
    while (end > 0 && is_digit(text[end - 1])) --end;
    return end > 0 && end < text.size() && text[end - 1] == '_' ? text.substr(0, end - 1) : std::string();
  };
  if (std::string cut = cut_numbers(candidates[0]); !cut.empty()) candidates.push_back(std::move(cut));
  constexpr std::string_view kArmature = "_armature";
  if (candidates[0].ends_with(kArmature))
    candidates.push_back(candidates[0].substr(0, candidates[0].size() - kArmature.size()));
  return candidates;
}

std::pair<Side, std::string> name_without_side(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  const Side side = take_side(words);
  std::string rest;
  for (const std::string& word : words) rest += word + ' ';
  for (const char c : name)
    if (is_digit(c)) rest += c;
    else if (!rest.empty() && is_digit(rest.back())) rest += ' ';
  return {side, rest};
}

WordRole role_by_words(std::string_view name) {
  std::vector<std::string> words = words_of(name);
  WordRole result;
  const Side side = take_side(words);
  // Controls, sockets, ends and what lies on the skin have no place in the body's own chains.
  if (words.empty() ||
      any_word(words, {"ik",    "fk",   "pole",     "target", "control",  "ctrl",    "socket",  "slot",      "handslot",
                       "twist", "roll", "leaf",     "end",    "tip",      "null",    "nub",     "footsteps", "anchor",
                       "hair",  "eye",  "eyes",     "brow",   "lip",      "mouth",   "nose",    "teeth",     "tongue",
                       "mch",   "org",  "tweak",    "vis",    "drv",      "horn",    "feather", "rect",      "glut",
                       "scap",  "delt", "ponytail", "xtra",   "backpack", "stomach", "ribcage"}))
    return result;
  std::string text;
  for (const std::string& word : words) text += word;
  result.role.side = side;
  if (any_word(words, {"ear", "ears"})) {
    result.role.part = BodyPart::kEar;
    return result;
  }
  if (text.find("wing") != std::string::npos) {
    if (side != Side::kMiddle) result.limb = Limb::kWing;
    return result;
  }
  const bool front =
      any_word(words, {"front"}) || (any_word(words, {"fore"}) && text.find("forearm") == std::string::npos);
  const bool hind = any_word(words, {"back", "hind", "rear"});
  if (side != Side::kMiddle && (front || hind)) {
    if (hind && any_word(words, {"hip", "pelvis"})) return {};
    result.limb = front ? Limb::kFrontLeg : Limb::kHindLeg;
    if (front && any_word(words, {"collar", "scapula", "shoulder", "clavicle"})) result.role.part = BodyPart::kShoulder;
    else result.role.part = part_of_leg(text, front);
    return result;
  }
  for (const WordRule& rule : kRules) {
    if (text.find(rule.text) == std::string::npos) continue;
    const bool limb = rule.limb == Limb::kArm || rule.limb == Limb::kLeg;
    const bool finger = rule.part >= BodyPart::kThumb && rule.part <= BodyPart::kLittle;
    if ((limb || finger) && side == Side::kMiddle) return {};
    if (rule.limb == Limb::kTrunk && side != Side::kMiddle) return {};
    result.role.part = rule.part;
    result.limb = rule.limb;
    return result;
  }
  return {};
}

}  // namespace sinew::motion
