// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The frames `deform` plays, and how far a written file is from them.

#include <vector>

#include "sinew/core/report.h"
#include "sinew/deform/deformer.h"
#include "sinew/io/gltf/write_morphs.h"
#include "sinew/jobs/deform_motion.h"
#include "sinew/motion/drivers.h"

namespace sinew::jobs {

/// All vertices at all frames.
struct PlayedFrames {
  std::vector<std::vector<Vec3f>> positions;
  std::vector<std::vector<Vec3f>> normals;  ///< Empty if not asked for.
  /// Per part, how far the file's own linear skinning is off at worst: what any engine shows.
  std::vector<double> engine_error;
};

/// Plays poses through a deformer. What it keeps of the rig must outlive it.
class FramePlayer {
 public:
  /// `player` is null for a pose.
  FramePlayer(const Rig& rig, const deform::Deformer& deformer, const motion::Player* player, const Pose& pose);

  /// The joints' places at a time, with drivers evaluated.
  Pose pose_at(double time_s) const;

  /// Plays frames in order; a deformer that needs history from the clip's start. What frames had to put up with is
  /// counted in `report`. \throws Error if positions come out that are not finite, Cancelled.
  PlayedFrames play(const FrameRange& frames, double fps, bool with_normals, bool against_engine, Report& report,
                    const Progress& progress) const;

  /// The vertices at one time, without history.
  std::vector<Vec3f> at(double time_s) const;

 private:
  void one(deform::Deformer::State& state, double time_s, double dt_s, std::span<Vec3f> positions,
           std::span<Vec3f> normals, deform::FrameReport* report) const;

  const Rig& rig_;
  const deform::Deformer& deformer_;
  const motion::Player* player_;
  const Pose& pose_;
  motion::Drivers drivers_;
};

/// The largest distance of a vertex between what an engine shows of the written character at `clip_time_s` and `truth`,
/// vertices of the character `rig` that it was made from.
double written_error(const io::WithMotion& written, double clip_time_s, const Rig& rig, std::span<const Vec3f> truth);

}  // namespace sinew::jobs
