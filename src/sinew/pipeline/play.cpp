// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/play.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/motion/resolve.h"

namespace sinew::pipeline {
namespace {

void note(const deform::FrameReport& frame, std::vector<Fallback>& fallbacks) {
  for (const Finding& finding : frame.findings) {
    const auto known = std::find_if(fallbacks.begin(), fallbacks.end(),
                                    [&](const Fallback& fallback) { return fallback.code == finding.code; });
    if (known == fallbacks.end())
      fallbacks.push_back({finding.code, finding.where, frame.fallback_vertices, finding.text});
    else known->count = std::max(known->count, frame.fallback_vertices);
  }
}

}  // namespace

FrameRange frame_range(double duration_s, double fps, std::optional<std::pair<std::size_t, std::size_t>> only) {
  constexpr double kMostFrames = 1e6;
  if (!(fps > 0) || !std::isfinite(fps)) throw Error("The option 'fps' must be above zero.");
  const double last_exact = std::ceil(duration_s * fps - 1e-6);
  if (!(last_exact < kMostFrames))
    throw Error("The clip has more than a million frames. Choose a smaller value for the option 'fps'.");
  const auto last = static_cast<std::size_t>(std::max(0.0, last_exact));
  const auto [begin, end] = only.value_or(std::pair<std::size_t, std::size_t>(0, last));
  if (begin > end)
    throw Error(fmt::format("The option 'frames' has an empty range, {}:{}: it ends before it starts.", begin, end));
  if (end > last)
    throw Error(
        fmt::format("The option 'frames' ends at frame {}, but the clip has frames 0 to {} at {} frames per second.",
                    end, last, fps));
  FrameRange range;
  range.first = static_cast<Index>(begin);
  range.whole = begin == 0 && end == last;
  for (std::size_t f = begin; f <= end; ++f)
    range.times_s.push_back(std::min(static_cast<double>(f) / fps, duration_s));
  return range;
}

Playback::Playback(const Rig& rig, FrameRange frames, const DeformerOptions& deformer, const PlaybackOptions& options,
                   const Progress& progress)
    : rig_(rig), fps_(options.fps), drivers_(rig.skeleton), frames_(std::move(frames)) {
  deformer_ = bind_deformer(rig, deformer, findings_, progress);
  state_ = deformer_->make_state();
  positions_.resize(rig.mesh.vertex_count());
  if (options.normals) normals_.resize(rig.mesh.vertex_count());
}

Playback::Playback(const Character& character, Clip clip, const DeformerOptions& deformer,
                   const PlaybackOptions& options, const Progress& progress)
    : Playback(character.rig, frame_range(clip.duration_s(), options.fps, options.frames), deformer, options,
               progress) {
  player_.emplace(rig_, std::move(clip));
}

Playback::Playback(const Character& character, Pose pose, const DeformerOptions& deformer,
                   const PlaybackOptions& options, const Progress& progress)
    : Playback(character.rig, FrameRange{.times_s = {0.0}}, deformer, options, progress) {
  still_ = std::move(pose);
}

Pose Playback::local_pose(double time_s) const {
  Pose pose = player_ ? player_->at(time_s) : still_;
  drivers_.apply(pose);
  return pose;
}

void Playback::compute(double time_s, double dt_s, std::span<Vec3f> positions, std::span<Vec3f> normals,
                       deform::FrameReport* report) {
  pose_ = motion::resolve(rig_.skeleton, player_ ? player_->at(time_s) : still_, drivers_);
  deformer_->deform(*state_, {pose_, time_s, dt_s}, {positions, normals, report});
}

bool Playback::next() {
  if (next_ == frames_.times_s.size()) return false;
  if (next_ == 0 && deformer_->needs_history())
    for (Index f = 0; f < frames_.first; ++f)
      compute(static_cast<double>(f) / fps_, f == 0 ? 0 : 1 / fps_, positions_, {}, nullptr);
  const double time = frames_.times_s[next_];
  const double before = next_ > 0 ? frames_.times_s[next_ - 1] : frames_.first > 0 ? time - 1 / fps_ : time;
  deform::FrameReport report;
  compute(time, time - before, positions_, normals_, &report);
  note(report, fallbacks_);
  const auto bad = std::find_if(positions_.begin(), positions_.end(), [](const Vec3f& p) { return !p.allFinite(); });
  if (bad != positions_.end())
    throw Error(fmt::format("Frame {}: vertex {} is not finite. Check the clip and the weights with `sinew info`.",
                            frames_.first + next_, bad - positions_.begin()));
  ++next_;
  return true;
}

std::span<const Vec3f> Playback::at(double time_s) {
  if (!any_time_) any_time_ = deformer_->make_state();
  at_.resize(rig_.mesh.vertex_count());
  const ModelPose pose = motion::resolve(rig_.skeleton, player_ ? player_->at(time_s) : still_, drivers_);
  deformer_->deform(*any_time_, {pose, time_s, 0}, {at_, {}, nullptr});
  return at_;
}

}  // namespace sinew::pipeline
