// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/face_joints.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/name_words.h"

namespace sinew::binding {
namespace {

constexpr std::array<std::string_view, 5> kEyeWords = {"eye", "eyes", "eyeball", "pupil", "iris"};
constexpr std::array<std::string_view, 17> kSkinWords = {"brow",   "brows",    "eyebrow",  "eyebrows",  "lid",  "lids",
                                                         "eyelid", "eyelids",  "blink",    "squint",    "lip",  "lips",
                                                         "cheek",  "masseter", "upperlip", "bottomlip", "frown"};

bool has_word(const std::vector<std::string>& words, std::span<const std::string_view> wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
  });
}

}  // namespace

FaceJoint face_joint(std::string_view name) {
  const std::vector<std::string> words = name_words(name);
  if (has_word(words, kSkinWords)) return FaceJoint::kSkin;
  return has_word(words, kEyeWords) ? FaceJoint::kEye : FaceJoint::kNone;
}

}  // namespace sinew::binding
