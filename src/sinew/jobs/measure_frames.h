// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// The frames that `measure` looks at.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinew/deform/deformer.h"
#include "sinew/jobs/measure.h"
#include "sinew/jobs/motion_source.h"
#include "sinew/measure/shape.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/player.h"

namespace sinew::jobs {

/// One frame to be measured.
struct FrameRequest {
  std::string name;  ///< "rest", "bind", the pose's name, or the frame's number.
  Index frame = 0;
  double time_s = 0;
  bool bind = false;     ///< The mesh as it was bound; no pose at all.
  bool measured = true;  ///< False for frames that are only played because a method needs the past.
};

/// Poses of one character, deformed by one method.
class PosedCharacter {
 public:
  /// Takes the motion that the options name, if `with_motion`; else it stands at rest. What a clip of another file
  /// lacks goes to `warnings`. The asset must outlive it. \throws Error if the clip, the pose or the method is not
  /// there.
  PosedCharacter(const io::Asset& asset, const MeasureOptions& options, bool with_motion,
                 std::vector<ReportFile>& files, Findings& warnings, const Progress& progress);

  /// The frames that the options ask for. \throws Error if the clip does not have them.
  std::vector<FrameRequest> frames(const MeasureOptions& options) const;

  /// What its joints do in a frame, before drivers.
  Pose pose(const FrameRequest& frame) const;
  measure::Shape shape(const FrameRequest& frame);
  /// The same in a pose given from outside.
  measure::Shape shape(const FrameRequest& frame, const Pose& pose);

  const Rig& rig() const { return asset_.character.rig; }
  std::string name() const { return asset_.path.string(); }
  /// Of the clip or pose; empty for none.
  std::string motion_name() const { return motion_ ? motion_->name : std::string(); }

 private:
  const io::Asset& asset_;
  std::optional<ChosenMotion> motion_;
  std::optional<motion::Player> player_;
  motion::Drivers drivers_;
  std::unique_ptr<deform::Deformer> deformer_;
  std::unique_ptr<deform::Deformer::State> state_;
  double last_time_s_ = 0;
  std::vector<Vec3f> buffer_;
};

/// Takes a pose of one skeleton to another by the joints' names. What has no partner stays at rest; empty if no joint
/// has one.
std::optional<Pose> pose_by_names(const Pose& pose, const Rig& from, const Rig& to);

}  // namespace sinew::jobs
