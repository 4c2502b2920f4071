// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/progress.h"
#include "sinew/core/report.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/player.h"
#include "sinew/pipeline/deformer.h"

namespace sinew::pipeline {

/// Frames of a clip at a fixed rate. The last frame is the end of the clip.
struct FrameRange {
  Index first = 0;              ///< Number of the first frame.
  std::vector<double> times_s;  ///< In the clip.
  bool whole = true;            ///< All frames of the clip.

  /// Time of a frame since the first of the range.
  double from_start(std::size_t f) const { return times_s[f] - times_s.front(); }
};

/// The frames of a clip, or the first to the last of `only`. \throws Error if the rate is not positive, the clip has
/// more than a million frames, or `only` is not among them.
FrameRange frame_range(double duration_s, double fps, std::optional<std::pair<std::size_t, std::size_t>> only = {});

struct PlaybackOptions {
  double fps = 30;
  std::optional<std::pair<std::size_t, std::size_t>> frames;  ///< First and last; absent: all of the clip.
  bool normals = false;                                       ///< Compute normals as well.
};

/// A clip or a pose, played through a deformer. Only one frame is kept in memory:
///
///     Playback play(character, motion::builtin_clip(character.rig.skeleton, "walk"), deformer("pbd"));
///     while (play.next()) consume(play.time_s(), play.positions());
///
/// A deformer with history is played from the start of the clip. The character must outlive the playback.
class Playback {
 public:
  /// Binds the deformer, which can take seconds. \throws Error as `bind_deformer` and `frame_range` do, or if the clip
  /// does not fit; Cancelled.
  Playback(const Character& character, Clip clip, const DeformerOptions& deformer = {},
           const PlaybackOptions& options = {}, const Progress& progress = {});
  Playback(const Character& character, Pose pose, const DeformerOptions& deformer = {},
           const PlaybackOptions& options = {}, const Progress& progress = {});

  const FrameRange& frames() const { return frames_; }
  const deform::Deformer& deformer() const { return *deformer_; }
  /// The clip made ready for the rig; null for a pose.
  const motion::Player* player() const { return player_ ? &*player_ : nullptr; }

  /// Computes the next frame. Returns false after the last one. \throws Error if a position is not finite, or as the
  /// deformer does.
  bool next();

  // Of the frame computed last.
  std::size_t index() const { return next_ - 1; }             ///< In `frames()`.
  double time_s() const { return frames_.times_s[index()]; }  ///< In the clip.
  std::span<const Vec3f> positions() const { return positions_; }
  std::span<const Vec3f> normals() const { return normals_; }
  const ModelPose& pose() const { return pose_; }  ///< With drivers evaluated.

  /// Local transforms at a time, with drivers evaluated.
  Pose local_pose(double time_s) const;

  /// The vertices at any time, for deformers without history. Valid until the next call.
  std::span<const Vec3f> at(double time_s);

  /// Problems found when the deformer was bound.
  const Findings& findings() const { return findings_; }
  /// Problems in the frames so far: each kind once, with the largest number of vertices.
  const std::vector<Fallback>& fallbacks() const { return fallbacks_; }

 private:
  Playback(const Rig& rig, FrameRange frames, const DeformerOptions& deformer, const PlaybackOptions& options,
           const Progress& progress);
  void compute(double time_s, double dt_s, std::span<Vec3f> positions, std::span<Vec3f> normals,
               deform::FrameReport* report);

  const Rig& rig_;
  double fps_;
  std::optional<motion::Player> player_;
  Pose still_;
  motion::Drivers drivers_;
  FrameRange frames_;
  Findings findings_;
  std::vector<Fallback> fallbacks_;
  std::unique_ptr<deform::Deformer> deformer_;
  std::unique_ptr<deform::Deformer::State> state_;
  std::unique_ptr<deform::Deformer::State> any_time_;  ///< Of `at`.
  std::size_t next_ = 0;
  std::vector<Vec3f> positions_, normals_, at_;
  ModelPose pose_;
};

}  // namespace sinew::pipeline
