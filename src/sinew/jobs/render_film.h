// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "sinew/jobs/render.h"
#include "sinew/picture/animation.h"

namespace sinew::jobs {

/// An animation to draw.
struct FilmPlan {
  /// One frame as it is shown: a cell of a scene, and for how long.
  struct Shown {
    std::size_t scene = 0, cell = 0;
    double seconds = 0;
  };
  std::vector<picture::PictureScene> scenes;
  std::vector<Shown> shown;  ///< In order; empty for a still picture.
};

/// \throws Error if the options do not fit the output: those of still pictures for an animation, or the reverse.
void check_film_options(const std::filesystem::path& output, const RenderOptions& options);

/// The frames of a clip, or without one of the character turning round once. With the option 'story' the mesh alone and
/// its skeleton come first. The asset must outlive the plan. \throws Error as `picture_scene`, and for too many frames.
FilmPlan plan_film(const io::Asset& asset, const RenderOptions& options, picture::AnimationFormat format,
                   Report& report, const Progress& progress = {});

/// The file of the drawn scenes.
io::Bytes film_file(const FilmPlan& plan, picture::AnimationFormat format, std::span<const picture::Picture> pictures);

}  // namespace sinew::jobs
