// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/joint_places.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sinew/rigging/templates/template_file.h"

namespace sinew::studio {
namespace {

using Sentence = std::pair<std::string_view, std::string_view>;

/// By role, without its side.
constexpr std::array kSentences = {
    Sentence("hips", "In the middle of the pelvis, a little above the line between the two thigh joints."),
    Sentence("spine", "Inside the back, at the height of the waist."),
    Sentence("chest", "Inside the back, below the shoulder blades."),
    Sentence("neck", "Where the neck leaves the shoulders, nearer to the nape than to the throat."),
    Sentence("head", "Between the ears, where the skull rests on the neck."),
    Sentence("shoulder", "Beside the breastbone, where the collarbone begins."),
    Sentence("upper_arm", "In the middle of the shoulder, under its highest point."),
    Sentence("forearm", "At the elbow, in the middle of the arm at the crease."),
    Sentence("hand", "At the wrist, in the middle between its front and its back."),
    Sentence("thigh", "In the socket of the hip: beside the crotch and a little higher, in the middle of the thigh."),
    Sentence("shin", "At the knee, in the middle of the leg behind the kneecap."),
    Sentence("foot", "At the ankle, between its two knobs."),
    Sentence("toes", "At the ball of the foot, where the toes bend."),
    Sentence("jaw", "Below the ear, where the lower jaw turns."),
    Sentence("eye", "In the middle of the eyeball."),
};

std::string sentence_of(std::string_view role) {
  for (const std::string_view side : {"left_", "right_"})
    if (role.starts_with(side)) role.remove_prefix(side.size());
  const auto* const found =
      std::find_if(kSentences.begin(), kSentences.end(), [&](const Sentence& s) { return s.first == role; });
  return found == kSentences.end() ? std::string() : std::string(found->second);
}

}  // namespace

Json joint_places(const std::string& template_name) {
  Json places = Json::array();
  const auto& all = rigging::all_templates();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Template& t) { return t.name == template_name; });
  if (found == all.end()) return places;
  // Paws and wings are told by the figure alone.
  const bool person = template_name == "human" || template_name == "tailed_biped";
  for (const Template::Joint& joint : found->joints)
    places.push_back({{"name", joint.name},
                      {"parent", joint.parent == kNone ? -1 : static_cast<int>(joint.parent)},
                      {"at", {joint.position.x(), joint.position.y(), joint.position.z()}},
                      {"text", person ? sentence_of(joint.role) : std::string()}});
  return places;
}

}  // namespace sinew::studio
