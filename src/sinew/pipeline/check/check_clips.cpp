// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/text.h"
#include "sinew/motion/sample.h"
#include "sinew/pipeline/check/check_parts.h"

namespace sinew::pipeline {
namespace {

constexpr double kFps = 30;
constexpr std::size_t kMostFrames = 1800;  // Of a clip: a minute.

// The worst place of all clips.
struct ClipFault {
  double value = 0;
  std::string clip;
  Index joint = kNone;
  double time_s = 0;

  void take(double other, const std::string& name, Index at, double time) {
    if (other > value) value = other, clip = name, joint = at, time_s = time;
  }
};

// Steps of a rotation that are much larger than the ones before and after.
void find_jumps(const Track& track, const Clip& clip, std::size_t frames, ClipFault& worst) {
  std::vector<double> steps;
  Quat before = motion::sample_rotation(track, 0);
  for (std::size_t i = 1; i < frames; ++i) {
    const Quat now = motion::sample_rotation(track, static_cast<double>(i) / kFps);
    steps.push_back(degrees(before.angularDistance(now)));
    before = now;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    double beside = 0;
    if (i > 0) beside = std::max(beside, steps[i - 1]);
    if (i + 1 < steps.size()) beside = std::max(beside, steps[i + 1]);
    // A jump lies between two keys; where it is cut by a frame, its two halves follow each other.
    double wide = steps[i];
    if (i + 1 < steps.size() && steps[i + 1] > 0.3 * steps[i]) {
      wide += steps[i + 1];
      beside = std::max(i > 0 ? steps[i - 1] : 0, i + 2 < steps.size() ? steps[i + 2] : 0);
    }
    if (wide > 4 * beside) worst.take(wide, clip.name, track.target, static_cast<double>(i) / kFps);
  }
}

// How much longer or shorter a bone is than at rest.
void find_stretch(const Track& track, const Clip& clip, const CheckInput& input, ClipFault& worst) {
  const Joint& joint = input.character.rig.skeleton.joints[track.target];
  const double rest = joint.rest.translation.norm();
  if (joint.parent == kNone || input.facts.skeleton.joints[track.target].vertices == 0 ||
      input.recognition.roles[track.target].part == motion::BodyPart::kHips)
    return;
  if (!input.character.rig.skeleton.joints[joint.parent].deforming || rest < 0.02 * input.size) return;
  const std::size_t stride = track.interpolation == Track::Interpolation::kCubic ? 9 : 3;
  const std::size_t offset = stride == 9 ? 3 : 0;
  for (std::size_t k = 0; k < track.times_s.size(); ++k) {
    const float* value = track.values.data() + k * stride + offset;
    const double length = Vec3(value[0], value[1], value[2]).norm();
    worst.take(std::max(length, rest) / std::max(1e-9 * input.size, std::min(length, rest)), clip.name, track.target,
               track.times_s[k]);
  }
}

bool moves(const Track& track) {
  const std::size_t width = track.width();
  if (width == 0 || track.times_s.empty()) return false;
  const std::size_t stride = width * (track.interpolation == Track::Interpolation::kCubic ? 3 : 1);
  for (std::size_t i = stride; i < track.values.size(); ++i)
    if (std::abs(track.values[i] - track.values[i - stride]) > 1e-6F) return true;
  return false;
}

std::string text_of(const ClipFault& fault, const CheckInput& input, const char* what) {
  if (fault.joint == kNone) return "";
  return fmt::format("'{}' {} in the clip '{}' at {:.2f} s.", input.joint_name(fault.joint), what, fault.clip,
                     fault.time_s);
}

}  // namespace

void check_clips(const CheckInput& input, CheckRows& rows, const Progress& progress) {
  const Character& character = input.character;
  if (character.clips.empty()) return;
  ClipFault jump, stretch{1, "", kNone, 0};
  std::vector<std::string> empty;
  for (const Clip& clip : character.clips) {
    progress.check();
    const auto frames = std::min(kMostFrames, static_cast<std::size_t>(std::ceil(clip.duration_s() * kFps)) + 1);
    // A clip of one pose stands still on purpose.
    if (clip.tracks.empty() || (frames > 2 && std::none_of(clip.tracks.begin(), clip.tracks.end(), moves)))
      empty.push_back(clip.name);
    for (const Track& track : clip.tracks) {
      if (track.times_s.empty()) continue;
      if (track.path == Track::Path::kRotation && track.interpolation != Track::Interpolation::kStep &&
          input.facts.skeleton.joints[track.target].vertices > 0)
        find_jumps(track, clip, frames, jump);
      if (track.path == Track::Path::kTranslation) find_stretch(track, clip, input, stretch);
    }
  }
  rows.add("clips.empty", static_cast<double>(empty.size()),
           fmt::format("{} nothing.", count_of(empty.size(), "clip moves", "clips move")),
           empty.empty() ? "" : empty.front());
  CheckRow& jumps = rows.add("clips.jumps", jump.value, text_of(jump, input, "turns suddenly"), jump.clip);
  jumps.joint = jump.joint;
  if (jump.joint != kNone) jumps.time_s = jump.time_s;
  CheckRow& longer =
      rows.add("clips.stretch", stretch.value, text_of(stretch, input, "changes the length of its bone"), stretch.clip);
  longer.joint = stretch.joint;
  if (stretch.joint != kNone) longer.time_s = stretch.time_s;
}

}  // namespace sinew::pipeline
