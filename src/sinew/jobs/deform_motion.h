// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// What `deform` plays: finding a clip or pose, and choosing its frames.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sinew/io/asset.h"
#include "sinew/motion/player.h"

namespace sinew::jobs {

/// A clip or pose to play, made ready for a rig.
struct ChosenMotion {
  std::string name;
  Index own_clip = kNone;    ///< Its number, if the file's own.
  std::optional<Clip> clip;  ///< Empty for a pose.
  Pose pose;                 ///< For a pose.
};

/// Finds a clip by the word a user gave: the file's own, by name or number; that of another file; a built-in one,
/// which "builtin:walk" names even where the file has a clip of that name.
/// Tracks of another file are matched by joint names. `files` gets what was read. \throws Error that says what there
/// is.
ChosenMotion find_motion(const io::Asset& asset, const std::string& word, std::vector<ReportFile>& files,
                         Findings& warnings, const Progress& progress);

/// "It has 'Walk', 'Run'; built in for it: …", for sentences.
std::string clips_there_are(const io::Asset& asset);

/// A pose from a JSON file.
ChosenMotion read_pose(const io::Asset& asset, const std::string& path, std::vector<ReportFile>& files);

/// The frames to play: numbers and times. The frame after the clip's last whole one lies at its very end.
struct FrameRange {
  Index first = 0;
  std::vector<double> times_s;
  bool whole = true;  ///< All frames of the clip.

  /// A frame's time, counted from the first.
  double from_start(std::size_t f) const { return times_s[f] - times_s.front(); }
};

/// `words` is empty, "A" or "A:B". \throws Error for anything else, and for frames the clip does not have.
FrameRange choose_frames(const std::string& words, double duration_s, double fps);

/// The poses of the frames as a clip of their own, straight between frames: what the clip moves, and all joints that
/// have drivers, which no other program evaluates.
Clip resampled(const Rig& rig, const motion::Player& player, const FrameRange& frames, const std::string& name);

}  // namespace sinew::jobs
