// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bind_names.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

namespace sinew::pipeline {
namespace {

bool is_number(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool any_of_words(const std::vector<std::string>& words, std::initializer_list<const char*> wanted) {
  for (const std::string& word : words)
    for (const char* w : wanted)
      if (word == w) return true;
  return false;
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> wanted) {
  return any_of_words({word}, wanted);
}

// The last word that is neither a side nor a number nor an armature's name.
std::string last_telling_word(const std::vector<std::string>& words) {
  for (auto word = words.rbegin(); word != words.rend(); ++word)
    if (!is_number(word->front()) && !is_one_of(*word, {"l", "r", "left", "right", "armature"})) return *word;
  return "";
}

// The joint behind the last phalanx, as Mixamo and MotionBuilder have it.
bool is_fourth_finger_joint(const std::vector<std::string>& words) {
  return words.size() >= 3 && words.back() == "4" && any_of_words(words, {"hand"}) &&
         is_one_of(words[words.size() - 2], {"thumb", "index", "middle", "ring", "pinky"});
}

bool is_root_name(std::vector<std::string> words) {
  if (words.size() == 2 && words[1] == "up" && is_one_of(words[0], {"x", "y", "z"})) return true;
  if (words.size() == 2 && words[0] == "bip") return true;  // "Bip01", above "Bip01 Pelvis".
  // "root_01", "RootNode", "hips_Armature": what programs append does not count.
  while (words.size() > 1 &&
         (is_number(words.back().front()) || is_one_of(words.back(), {"joint", "node", "armature"})))
    words.pop_back();
  return !words.empty() && is_one_of(words.back(), {"root", "rootnode", "rootjoint", "armature", "rig", "reference",
                                                    "master", "world", "global", "trajectory", "scene", "placement"});
}

bool is_marked_deforming(std::string_view name) {
  return name.starts_with("DEF-") || name.starts_with("DEF_") || name.starts_with("def_");
}

}  // namespace

NodeUse node_use(std::string_view name, std::string_view role) {
  if (role == "end") return NodeUse::kEnd;
  if (role == "control") return NodeUse::kControl;
  if (role == "socket") return NodeUse::kSocket;
  const std::vector<std::string> words = name_words(name);
  if (any_of_words(words, {"ik", "fk", "pole", "target", "poletarget", "ctrl", "ctl", "control", "controller", "mch",
                           "org", "drv", "tweak", "vis", "wgt", "widget", "footsteps"}))
    return NodeUse::kControl;
  if (any_of_words(words, {"socket", "slot", "handslot", "attach", "attachment", "attachpoint", "prop", "props",
                           "weapon", "camera", "cam", "light", "locator"}))
    return NodeUse::kSocket;
  if (is_one_of(last_telling_word(words), {"end", "nub", "tip", "leaf", "null", "site", "endsite", "effector"}) ||
      is_fourth_finger_joint(words))
    return NodeUse::kEnd;
  return is_root_name(words) ? NodeUse::kRoot : NodeUse::kSkin;
}

std::vector<char> joints_of_skin(const Skeleton& skeleton, std::vector<char> candidates) {
  const Index count = skeleton.size();
  const auto marked = [&](Index j) { return candidates[j] != 0 && is_marked_deforming(skeleton.joints[j].name); };
  Index deforming = 0;
  for (Index j = 0; j < count; ++j) deforming += marked(j) ? 1 : 0;
  if (deforming >= 2)
    for (Index j = 0; j < count; ++j) candidates[j] = marked(j) ? 1 : 0;
  std::vector<NodeUse> use(count);
  for (Index j = 0; j < count; ++j) {
    use[j] = node_use(skeleton.joints[j].name, skeleton.joints[j].role);
    if (use[j] == NodeUse::kControl || use[j] == NodeUse::kSocket) candidates[j] = 0;
  }
  // From the leaves up: how many joints that stay hang next below each, and the one there is if it is one.
  std::vector<Index> below(count, 0), only(count, kNone);
  for (Index j = count; j-- > 0;) {
    if (candidates[j] != 0 && use[j] == NodeUse::kEnd && below[j] == 0) candidates[j] = 0;
    if (candidates[j] != 0 && use[j] == NodeUse::kRoot && below[j] == 1 && below[only[j]] > 1) candidates[j] = 0;
    const Index parent = skeleton.joints[j].parent;
    if (parent == kNone) continue;
    if (candidates[j] != 0) {
      ++below[parent];
      only[parent] = j;
    } else {
      // What is passed over hands on what hangs below it.
      below[parent] += below[j];
      if (only[j] != kNone) only[parent] = only[j];
    }
  }
  return candidates;
}

}  // namespace sinew::pipeline
