// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sinew/deform/deformer.h"
#include "sinew/jobs/motion_source.h"
#include "sinew/jobs/render.h"
#include "sinew/motion/player.h"
#include "sinew/picture/picture.h"

namespace sinew::jobs {

/// Moments of a character for pictures: of a clip, in a pose, at rest, through a deformer.
class MomentMaker {
 public:
  /// Finds the clip or pose that the options name and binds the method. The asset must outlive this.
  /// \throws Error as `find_motion`, `read_pose` and `bind_deformer` do, and if clip, pose and time do not go together.
  MomentMaker(const io::Asset& asset, const RenderOptions& options, Report& report, const Progress& progress);

  /// The same clip or pose for another character, by the names of the joints, or for the same one with another method.
  /// \throws Error if the character has no joint of the clip, or not those of the pose.
  MomentMaker(const io::Asset& asset, const MomentMaker& same, const RenderOptions& options, Report& report,
              const Progress& progress);

  /// The clip that is shown, or null. A sheet without one shows the file's first.
  const Clip* clip() const { return player_ ? &player_->clip() : nullptr; }

  /// The clip at a time.
  picture::PictureFrame at(double time_s) const;
  /// The pose that was asked for, or else the rest pose.
  picture::PictureFrame still() const;

  /// The clip at `count` even times from its start, played once: what came before counts for methods with history.
  std::vector<picture::PictureFrame> film(double fps, int count) const;

  /// What the method shows of itself at a time of the clip, or without one in `still`'s pose.
  std::vector<Overlay> overlays(std::optional<double> time_s) const;

 private:
  picture::PictureFrame moment(const Pose& pose, double time_s, bool played) const;

  const Rig& rig_;
  std::optional<motion::Player> player_;
  Pose still_;
  std::unique_ptr<deform::Deformer> deformer_;  ///< Null: linear skinning in double.
};

/// The scene of a still picture of these moments; see `picture_scene`.
picture::PictureScene scene_of_moments(const io::Asset& asset, const RenderOptions& options, const MomentMaker& moments,
                                       Report& report, const Progress& progress);

/// The weights of one joint as a field.
Overlay weights_overlay(const Rig& rig, Index joint);

}  // namespace sinew::jobs
