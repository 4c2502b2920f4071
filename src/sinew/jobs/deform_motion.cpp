// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/deform_motion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "sinew/core/error.h"
#include "sinew/core/options.h"
#include "sinew/core/text.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/pose_file.h"

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
  std::string text = fmt::format("{} has no clip '{}'. {}", asset.path.string(), word, clips_there_are(asset));
  for (const Clip& clip : asset.character.clips) known.push_back(clip.name);
  const std::string near = closest_word(word, known);
  if (!near.empty()) text += fmt::format(" Did you mean '{}'?", near);
  throw Error(text);
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

// The tracks of another character's clip for those joints and parts that have the same names here.
Clip matched(const Clip& clip, const Rig& from, const Rig& to, const std::string& file, Findings& warnings) {
  Clip result;
  result.name = clip.name;
  std::set<std::string> missing;
  std::size_t joints = 0;
  for (Track track : clip.tracks) {
    if (track.path == Track::Path::kMorphWeights) {
      const MeshPart& part = from.mesh.parts[track.target];
      track.target = kNone;
      for (Index p = 0; p < to.mesh.parts.size(); ++p)
        if (to.mesh.parts[p].name == part.name && to.mesh.parts[p].morphs.size() == part.morphs.size())
          track.target = p;
      if (track.target == kNone) missing.insert(part.name);
    } else {
      const std::string& name = from.skeleton.joints[track.target].name;
      track.target = to.skeleton.find(name);
      if (track.target == kNone) missing.insert(name);
      else ++joints;
    }
    if (track.target != kNone) result.tracks.push_back(std::move(track));
  }
  if (joints == 0)
    throw Error(
        fmt::format("{}: the clip '{}' moves no joint that has the same name here. Clips of other files need the "
                    "same joint names.",
                    file, clip.name));
  if (!missing.empty())
    warnings.push_back({"deform.missing_joints", clip.name,
                        fmt::format("{} of the clip's joints are not here and are left out: {}.", missing.size(),
                                    fmt::join(missing, ", "))});
  return result;
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
                        fmt::format("It has {} clips; the first, '{}', is played. Name another as {}#CLIP.",
                                    clips.size(), clips[0].name, file)});
  ChosenMotion motion;
  motion.clip = matched(clips[number], other.character.rig, asset.character.rig, file, warnings);
  motion.name = motion.clip->name;
  return motion;
}

double frame_time(std::size_t frame, double duration_s, double fps) {
  return std::min(static_cast<double>(frame) / fps, duration_s);
}

void add_key(Track& track, const Pose& pose) {
  const auto put = [&](double value) { track.values.push_back(static_cast<float>(value)); };
  if (track.path == Track::Path::kMorphWeights) {
    for (const double weight : pose.morph_weights[track.target]) put(weight);
    return;
  }
  const Transform& local = pose.local[track.target];
  if (track.path == Track::Path::kTranslation) {
    for (int c = 0; c < 3; ++c) put(local.translation[c]);
  } else if (track.path == Track::Path::kScale) {
    for (int c = 0; c < 3; ++c) put(local.scale[c]);
  } else {
    for (int c = 0; c < 4; ++c) put(local.rotation.coeffs()[c]);  // x, y, z, w.
  }
}

bool is_constant(const Track& track) {
  const std::size_t width = track.width();
  for (std::size_t i = width; i < track.values.size(); ++i)
    if (track.values[i] != track.values[i - width]) return false;
  return true;
}

}  // namespace

std::string clips_there_are(const io::Asset& asset) {
  const std::vector<std::string> made = motion::builtin_clip_names(asset.character.rig.skeleton);
  return fmt::format("It has {}; built in for it: {}.", listed(asset.character.clips),
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
  const io::Bytes bytes = io::read_file(path);
  const Json json = Json::parse(io::as_text(bytes), nullptr, false);
  if (json.is_discarded())
    throw Error(fmt::format("{} is not JSON. docs/formats/poses-and-clips.md says what a pose is.", path));
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

FrameRange choose_frames(const std::string& words, double duration_s, double fps) {
  constexpr double kMostFrames = 1e6;
  if (!(fps > 0) || !std::isfinite(fps)) throw Error("--fps must be above zero.");
  const double last_exact = std::ceil(duration_s * fps - 1e-6);
  if (!(last_exact < kMostFrames)) throw Error("The clip has more than a million frames. Choose a smaller --fps.");
  const auto last = static_cast<std::size_t>(std::max(0.0, last_exact));
  std::size_t begin = 0, end = last;
  if (!words.empty()) {
    const std::size_t colon = words.find(':');
    const std::string_view text = words;
    const bool good = colon == std::string::npos
                          ? whole_number(text, begin)
                          : whole_number(text.substr(0, colon), begin) && whole_number(text.substr(colon + 1), end);
    if (colon == std::string::npos) end = begin;
    if (!good)
      throw Error(fmt::format("--frames '{}' is neither a frame nor a range of frames, such as 10:50.", words));
    if (begin > end) throw Error(fmt::format("--frames {} holds no frames: its end comes before its start.", words));
    if (end > last)
      throw Error(fmt::format("--frames {}: the clip has frames 0 to {} at {} frames a second.", words, last, fps));
  }
  FrameRange range;
  range.first = static_cast<Index>(begin);
  range.whole = begin == 0 && end == last;
  for (std::size_t f = begin; f <= end; ++f) range.times_s.push_back(frame_time(f, duration_s, fps));
  return range;
}

Clip resampled(const Rig& rig, const motion::Player& player, const FrameRange& frames, const std::string& name) {
  const motion::Drivers drivers(rig.skeleton);
  std::set<std::pair<Track::Path, Index>> targets;
  for (const Track& track : player.clip().tracks) targets.emplace(track.path, track.target);
  for (const Index joint : drivers.order())
    for (const Track::Path path : {Track::Path::kTranslation, Track::Path::kRotation, Track::Path::kScale})
      targets.emplace(path, joint);
  Clip clip;
  clip.name = name;
  for (const auto& target : targets) {
    Track track;
    track.path = target.first;
    track.target = target.second;
    clip.tracks.push_back(std::move(track));
  }
  for (std::size_t f = 0; f < frames.times_s.size(); ++f) {
    Pose pose = player.at(frames.times_s[f]);
    drivers.apply(pose);
    for (Track& track : clip.tracks) {
      track.times_s.push_back(static_cast<float>(frames.from_start(f)));
      add_key(track, pose);
    }
  }
  for (Track& track : clip.tracks)
    if (is_constant(track)) {
      const std::size_t width = track.width();
      track.values.resize(width);
      track.times_s.resize(1);
    }
  return clip;
}

}  // namespace sinew::jobs
