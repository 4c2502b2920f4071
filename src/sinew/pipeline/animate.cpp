// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/animate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sinew/core/text.h"

namespace sinew::pipeline {
namespace {

// In leg lengths: feet that slide more in one contact are reported.
constexpr double kMostSlide = 0.02;

std::string free_name(const std::vector<Clip>& clips, const std::string& wanted) {
  const std::string base = wanted.empty() ? "clip" : wanted;
  std::string name = base;
  for (int number = 2;; ++number) {
    if (std::none_of(clips.begin(), clips.end(), [&](const Clip& clip) { return clip.name == name; })) return name;
    name = fmt::format("{}_{}", base, number);
  }
}

std::vector<std::string> joint_names(const std::vector<Index>& joints, const Skeleton& skeleton) {
  std::vector<std::string> names;
  for (const Index j : joints) names.push_back(skeleton.joints[j].name);
  return names;
}

// Joints that the clip moves and the character does not follow.
std::vector<std::string> lost_joints(const AnimateResult& result, const Skeleton& source, const Clip& clip) {
  std::vector<std::string> names;
  for (const Index j : result.motion.map.unmapped_sources)
    if (std::any_of(clip.tracks.begin(), clip.tracks.end(),
                    [&](const Track& track) { return track.path != Track::Path::kMorphWeights && track.target == j; }))
      names.push_back(source.joints[j].name);
  return names;
}

}  // namespace

AnimateResult animate(Character& character, const Character& source, const Clip& clip, const AnimateOptions& options) {
  AnimateResult result;
  result.motion = motion::retarget(source.rig, clip, character.rig, options.map, options.retarget);
  result.findings = result.motion.findings;
  const motion::FootReport& feet = result.motion.feet;
  if (feet.most_slide > kMostSlide)
    result.findings.push_back(
        {"animate.slide", clip.name,
         fmt::format("A foot slides by {:.1f} % of the leg's length while it stands.", 100 * feet.most_slide)});
  const Index mapped = result.motion.map.mapped();
  if (const auto lost = lost_joints(result, source.rig.skeleton, clip); lost.size() > mapped)
    result.findings.push_back({"animate.few_joints", clip.name,
                               fmt::format("{} of the clip move nothing here, and only {} do. Check the map of joints.",
                                           count_of(lost.size(), "joint"), mapped)});
  result.motion.clip.name = free_name(character.clips, result.motion.clip.name);
  result.clip = static_cast<Index>(character.clips.size());
  character.clips.push_back(result.motion.clip);
  return result;
}

motion::Retargeted retarget_clip(const Rig& source, const Clip& clip, const Rig& target,
                                 const AnimateOptions& options) {
  return motion::retarget(source, clip, target, options.map, options.retarget);
}

Json animate_figures(const AnimateResult& result, const Character& character, const Character& source) {
  const motion::Retargeted& motion = result.motion;
  const Skeleton &from = source.rig.skeleton, &to = character.rig.skeleton;
  Json json;
  json["clip"] = motion.clip.name;
  json["duration_s"] = motion.clip.duration_s();
  json["scale"] = motion.scale;
  json["map"] = Json::array();
  for (Index j = 0; j < to.size(); ++j)
    if (const motion::JointSource& source_joint = motion.map.sources[j]; source_joint.joint != kNone)
      json["map"].push_back({{"joint", to.joints[j].name},
                             {"source", from.joints[source_joint.joint].name},
                             {"by", source_joint.by},
                             {"share", source_joint.share}});
  json["unmapped"] = joint_names(motion.map.unmapped_targets, to);
  json["unmapped_sources"] = joint_names(motion.map.unmapped_sources, from);
  json["feet"] = {{"contacts", motion.feet.contacts[0].size() + motion.feet.contacts[1].size()},
                  {"slide", motion.feet.most_slide},
                  {"slide_before", motion.feet.most_slide_before},
                  {"height", motion.feet.most_height}};
  return json;
}

std::string animate_text(const AnimateResult& result, const Character& character, const Character& source) {
  const motion::Retargeted& motion = result.motion;
  const Skeleton &from = source.rig.skeleton, &to = character.rig.skeleton;
  std::string text =
      fmt::format("clip       '{}': {:.2f} s, {} of {} move, scale {:.4g}\n", motion.clip.name,
                  motion.clip.duration_s(), motion.map.mapped(), count_of(to.size(), "joint"), motion.scale);
  for (Index j = 0; j < to.size(); ++j)
    if (const motion::JointSource& s = motion.map.sources[j]; s.joint != kNone)
      text += fmt::format("  {:<32} {} ({}{})\n", to.joints[j].name, from.joints[s.joint].name, s.by,
                          s.share < 1 ? fmt::format(", {:.0f} %", 100 * s.share) : "");
  const auto list = [&](const char* title, const std::vector<Index>& joints, const Skeleton& skeleton) {
    if (!joints.empty()) text += fmt::format("  {}: {}\n", title, fmt::join(joint_names(joints, skeleton), ", "));
  };
  list("stay at rest", motion.map.unmapped_targets, to);
  list("of the source, not used", motion.map.unmapped_sources, from);
  if (const std::size_t contacts = motion.feet.contacts[0].size() + motion.feet.contacts[1].size(); contacts > 0)
    text +=
        fmt::format("feet       {}; slide at most {:.2g} % of the leg's length, {:.2g} % without correction\n",
                    count_of(contacts, "contact"), 100 * motion.feet.most_slide, 100 * motion.feet.most_slide_before);
  return text;
}

}  // namespace sinew::pipeline
