// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/motion_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "sinew/core/error.h"
#include "sinew/core/options.h"
#include "sinew/core/text.h"
#include "sinew/motion/clip_by_names.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/pose_file.h"
#include "sinew/pipeline/animate.h"

namespace sinew::jobs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBuiltin = "builtin:";

bool whole_number(std::string_view word, std::size_t& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return !word.empty() && error == std::errc() && end == word.data() + word.size();
}

Index clip_number(const std::vector<Clip>& clips, const std::string& word) {
  for (Index c = 0; c < clips.size(); ++c)
    if (clips[c].name == word) return c;
  std::size_t number = 0;
  return whole_number(word, number) && number < clips.size() ? static_cast<Index>(number) : kNone;
}

std::string listed(const std::vector<Clip>& clips) {
  constexpr std::size_t kListed = 12;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < std::min(clips.size(), kListed); ++c) names.push_back(fmt::format("'{}'", clips[c].name));
  if (names.empty()) return "no clips";
  return fmt::format("{}{}", fmt::join(names, ", "),
                     clips.size() > kListed ? fmt::format(" and {} more", clips.size() - kListed) : "");
}

[[noreturn]] void no_such_clip(const io::Asset& asset, const std::string& word) {
  std::vector<std::string> known = motion::builtin_clip_names(asset.character.rig.skeleton);
  std::string text = fmt::format("{} has no clip '{}'. {}", asset.path.string(), word, available_clips(asset));
  for (const Clip& clip : asset.character.clips) known.push_back(clip.name);
  throw Error(text + did_you_mean(word, known));
}

// "other.glb#Walk" as "other.glb" and "Walk".
std::pair<std::string, std::string> split_file(const std::string& word) {
  const std::size_t at = word.rfind('#');
  std::error_code problem;
  if (at == std::string::npos || fs::exists(word, problem)) return {word, ""};
  return {word.substr(0, at), word.substr(at + 1)};
}

bool names_a_file(const std::string& word) {
  const std::string file = split_file(word).first;
  std::error_code problem;
  if (fs::is_regular_file(file, problem)) return true;
  for (const auto& format : io::formats().entries())
    for (const std::string& ending : format.make.endings)
      if (file.size() > ending.size() && file.ends_with(ending)) return true;
  return false;
}

// Whether the tracks of a clip mean the same here: joints of the same names rest with the same rotations.
bool rests_agree(const Clip& clip, const Rig& from, const Rig& to) {
  constexpr double kSame_rad = 0.02;
  for (const Track& track : clip.tracks) {
    if (track.path == Track::Path::kMorphWeights) continue;
    const Joint& joint = from.skeleton.joints[track.target];
    const Index here = to.skeleton.find(joint.name);
    if (here != kNone && joint.rest.rotation.angularDistance(to.skeleton.joints[here].rest.rotation) > kSame_rad)
      return false;
  }
  return true;
}

// The clip of another file for this rig. \throws Error if it moves nothing here.
Clip matched(const Clip& clip, const Rig& from, const Rig& to, const std::string& file, Findings& warnings) {
  motion::NamedClip named = motion::clip_by_names(clip, from, to);
  if (named.joint_tracks == 0 || !rests_agree(clip, from, to)) {
    motion::Retargeted retargeted;
    try {
      retargeted = pipeline::retarget_clip(from, clip, to);
    } catch (const Error& problem) {
      throw Error(
          fmt::format("{}: the clip '{}' moves no joint of this character. {} It is an option of 'sinew animate'.",
                      file, clip.name, problem.what()));
    }
    warnings.push_back({"deform.retargeted", clip.name,
                        fmt::format("The clip belongs to another skeleton: {} of {} follow it. See `sinew animate`.",
                                    retargeted.map.mapped(), count_of(to.skeleton.size(), "joint"))});
    return std::move(retargeted.clip);
  }
  if (!named.missing.empty())
    warnings.push_back({"deform.missing_joints", clip.name,
                        fmt::format("{} joints of the clip do not exist in this character and are ignored: {}.",
                                    named.missing.size(), fmt::join(named.missing, ", "))});
  return std::move(named.clip);
}

ChosenMotion from_file(const io::Asset& asset, const std::string& word, std::vector<ReportFile>& files,
                       Findings& warnings, const Progress& progress) {
  const auto [file, name] = split_file(word);
  const io::Asset other = io::load(file, {}, progress);
  files.insert(files.end(), other.files.begin(), other.files.end());
  const std::vector<Clip>& clips = other.character.clips;
  if (clips.empty()) throw Error(fmt::format("{} has no clips.", file));
  const Index number = name.empty() ? 0 : clip_number(clips, name);
  if (number == kNone) throw Error(fmt::format("{} has no clip '{}'. It has {}.", file, name, listed(clips)));
  if (name.empty() && clips.size() > 1)
    warnings.push_back({"deform.first_clip", file,
                        fmt::format("It has {} clips; the first, '{}', is played. Select another with {}#CLIP.",
                                    clips.size(), clips[0].name, file)});
  ChosenMotion motion;
  motion.clip = matched(clips[number], other.character.rig, asset.character.rig, file, warnings);
  motion.name = motion.clip->name;
  return motion;
}

}  // namespace

ClipSource find_clips(const io::Asset& asset, const std::string& word, const Progress& progress) {
  ClipSource source;
  if (word.starts_with(kBuiltin)) {
    source.character.rig = asset.character.rig;
    source.clips.push_back(motion::builtin_clip(asset.character.rig.skeleton, word.substr(kBuiltin.size())));
    return source;
  }
  const auto [file, name] = split_file(word);
  io::Asset other = io::load(file, {}, progress);
  source.files = std::move(other.files);
  source.warnings = std::move(other.warnings);
  source.clips = std::move(other.character.clips);
  source.character = std::move(other.character);
  if (source.clips.empty()) throw Error(fmt::format("{} has no clips.", file));
  if (name.empty()) return source;
  const Index number = clip_number(source.clips, name);
  if (number == kNone) throw Error(fmt::format("{} has no clip '{}'. It has {}.", file, name, listed(source.clips)));
  source.clips = {source.clips[number]};
  return source;
}

std::string available_clips(const io::Asset& asset) {
  const std::vector<std::string> made = motion::builtin_clip_names(asset.character.rig.skeleton);
  return fmt::format("It has {}; built in: {}.", listed(asset.character.clips),
                     made.empty() ? "none" : fmt::format("{}", fmt::join(made, ", ")));
}

ChosenMotion find_motion(const io::Asset& asset, const std::string& word, std::vector<ReportFile>& files,
                         Findings& warnings, const Progress& progress) {
  ChosenMotion motion;
  motion.own_clip = clip_number(asset.character.clips, word);
  if (motion.own_clip != kNone) {
    motion.clip = asset.character.clips[motion.own_clip];
  } else if (names_a_file(word)) {
    return from_file(asset, word, files, warnings, progress);
  } else {
    const std::string name = word.starts_with(kBuiltin) ? word.substr(kBuiltin.size()) : word;
    const std::vector<std::string>& known = motion::all_builtin_clip_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) no_such_clip(asset, word);
    motion.clip = motion::builtin_clip(asset.character.rig.skeleton, name);
  }
  motion.name = motion.clip->name;
  return motion;
}

ChosenMotion read_pose(const io::Asset& asset, const std::string& path, std::vector<ReportFile>& files) {
  const io::Bytes bytes = io::read_json_bytes(path);
  const Json json = io::parse_json(bytes, path);
  if (json.is_discarded())
    throw Error(fmt::format("{} is not JSON. docs/formats/poses-and-clips.md describes pose files.", path));
  files.push_back(io::describe(path, bytes));
  ChosenMotion motion;
  motion.name = fs::path(path).stem().string();
  try {
    motion.pose = motion::pose_from_json(json, asset.character.rig);
  } catch (const Error& problem) {
    throw Error(fmt::format("{}: {}", path, problem.what()));
  }
  return motion;
}

std::optional<std::pair<std::size_t, std::size_t>> parse_frames(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::string_view view = text;
  const std::size_t colon = view.find(':');
  std::size_t begin = 0, end = 0;
  const bool one = colon == std::string_view::npos;
  const bool good = one ? whole_number(view, begin)
                        : whole_number(view.substr(0, colon), begin) && whole_number(view.substr(colon + 1), end);
  if (!good) throw Error(fmt::format("The option 'frames' takes a frame or a range such as 10:50, not '{}'.", text));
  return std::pair(begin, one ? begin : end);
}

}  // namespace sinew::jobs
