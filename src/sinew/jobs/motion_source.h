// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Finds what a user names to be played: a clip of the file, of another file or built in, or a pose file.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinew/io/asset.h"

namespace sinew::jobs {

/// A clip or pose to play.
struct ChosenMotion {
  std::string name;
  Index own_clip = kNone;    ///< Its number if it is a clip of the file.
  std::optional<Clip> clip;  ///< Absent for a pose.
  Pose pose;                 ///< Of a pose.
};

/// Finds a clip by the word of the user: a clip of the file by name or number; one of another file, as FILE or
/// FILE#CLIP, whose tracks are matched by joint names, or retargeted if joints or rest poses differ; or a built-in one,
/// which "builtin:walk" names even where the file has a clip of that name. Files that were read are appended to
/// `files`. \throws Error that lists the clips.
ChosenMotion find_motion(const io::Asset& asset, const std::string& word, std::vector<ReportFile>& files,
                         Findings& warnings, const Progress& progress);

/// Clips to be put on a character, with the character that they were made for.
struct ClipSource {
  Character character;
  std::vector<Clip> clips;
  std::vector<ReportFile> files;
  Findings warnings;
};

/// Finds clips by the word of the user: all of another file, as FILE; one of them, as FILE#CLIP; or a built-in one for
/// the skeleton of `asset`, as builtin:NAME. \throws Error that lists the clips.
ClipSource find_clips(const io::Asset& asset, const std::string& word, const Progress& progress);

/// "It has 'Walk', 'Run'; built in: …", for sentences.
std::string available_clips(const io::Asset& asset);

/// A pose from a JSON file. \throws Error if it cannot be read.
ChosenMotion read_pose(const io::Asset& asset, const std::string& path, std::vector<ReportFile>& files);

/// First and last frame of "A" or "A:B"; nothing for an empty text. \throws Error for any other text.
std::optional<std::pair<std::size_t, std::size_t>> parse_frames(const std::string& text);

}  // namespace sinew::jobs
