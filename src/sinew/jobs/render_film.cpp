// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/render_film.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/jobs/render_frames.h"

namespace sinew::jobs {
namespace {

constexpr double kUsualFps = 20;
constexpr double kMostFrames = 600;
constexpr double kRound_s = 3.2;  // One turn of a character without a clip.
constexpr double kStoryPart_s = 1.2;
constexpr const char* kUsualSize = "480x480";
// Beyond this many points the frames of a story are framed by their outermost ones.
constexpr std::size_t kMostPoints = 4'000'000;

/// The character, turned about the vertical through its middle.
picture::PictureFrame turned(const picture::PictureFrame& frame, double angle_rad) {
  Box box;
  for (const Vec3& p : frame.positions) box.extend(p);
  const Vec3 middle = box.empty() ? Vec3(Vec3::Zero()) : box.center();
  Mat4 turn = Mat4::Identity();
  turn.topLeftCorner<3, 3>() = Eigen::AngleAxisd(angle_rad, Vec3::UnitY()).toRotationMatrix();
  turn.topRightCorner<3, 1>() = middle - turn.topLeftCorner<3, 3>() * middle;
  picture::PictureFrame result = frame;
  for (Vec3& p : result.positions) p = transform_point(turn, p);
  for (Mat4& joint : result.joints) joint = turn * joint;
  return result;
}

void refuse(bool set, const char* option) {
  if (set) throw Error(fmt::format("An animation cannot be combined with the option '{}'.", option));
}

/// The number of frames of an animation.
int frame_count(double seconds, double fps) {
  const double count = std::max(1.0, std::round(seconds * fps));
  if (count > kMostFrames)
    throw Error(fmt::format("The animation would have {:.0f} frames; at most {:.0f} are drawn. Lower the option 'fps'.",
                            count, kMostFrames));
  return static_cast<int>(count);
}

/// Adds what all frames of other scenes need, so that the camera is the same.
void fit_all(picture::PictureScene& scene, const std::vector<picture::PictureFrame>& frames) {
  const bool exact = !frames.empty() && frames.size() * frames.front().positions.size() <= kMostPoints;
  for (const picture::PictureFrame& frame : frames) {
    const std::vector<Vec3> points = exact ? frame.positions : picture::outermost(frame.positions);
    scene.also_fit.insert(scene.also_fit.end(), points.begin(), points.end());
  }
}

}  // namespace

void check_film_options(const std::filesystem::path& output, const RenderOptions& options) {
  const auto format = picture::animation_format(output);
  if (!format) {
    for (const auto& [set, name] : {std::pair(options.fps.has_value(), "fps"), std::pair(options.story, "story")})
      if (set)
        throw Error(fmt::format("The option '{}' is for animations. Name the output .webp, .gif or .apng.", name));
    return;
  }
  refuse(options.sheet, "sheet");
  refuse(options.grid, "grid");
  refuse(!options.focus.empty(), "focus");
  refuse(!options.compare.empty(), "compare");
  refuse(options.time.has_value(), "time");
  if (options.quick && *format == picture::AnimationFormat::kWebp)
    throw Error("Quick pictures cannot be written as .webp. Name the output .gif or .apng.");
  if (options.quick && options.story)
    throw Error("A quick picture draws no skeleton. Omit the option 'story' or the option 'quick'.");
}

FilmPlan plan_film(const io::Asset& asset, const RenderOptions& options, picture::AnimationFormat format,
                   Report& report, const Progress& progress) {
  RenderOptions chosen = options;
  if (chosen.size.empty()) chosen.size = kUsualSize;
  const double fps = options.fps.value_or(kUsualFps);
  // The formats count in hundredths or thousandths of a second, with 16 bits.
  if (fps < 0.1 || fps > 100) throw Error("The option 'fps' of an animation must be between 0.1 and 100.");
  const MomentMaker moments(asset, chosen, report, progress);
  const Clip* const clip = moments.clip();
  const int count = frame_count(clip != nullptr ? clip->duration_s() : kRound_s, fps);
  FilmPlan plan;
  plan.scenes.push_back(scene_of_moments(asset, chosen, moments, report, progress));
  picture::PictureScene& scene = plan.scenes.front();
  const picture::PictureView view = scene.cells.front().view;
  if (std::any_of(scene.overlays.begin(), scene.overlays.end(), [](const Overlay& overlay) {
        return !overlay.points.empty() || !overlay.lines.empty() || !overlay.triangles.empty();
      }))
    throw Error("An animation cannot show points and lines of one pose. Choose other words for the option 'show'.");
  scene.animated = true;
  scene.webp = format == picture::AnimationFormat::kWebp;
  const picture::PictureFrame still = moments.still();
  scene.frames.clear();
  if (clip != nullptr) scene.frames = moments.film(fps, count);
  else
    for (int k = 0; k < count; ++k) scene.frames.push_back(turned(still, 2 * kPi * k / count));
  scene.cells.clear();
  for (int k = 0; k < count; ++k) {
    scene.cells.push_back({view, static_cast<Index>(k), ""});
    plan.shown.push_back({0, static_cast<std::size_t>(k), 1 / fps});
  }
  if (!options.story) return plan;
  if (asset.character.rig.skeleton.empty())
    throw Error("There is no skeleton to show. Rig the character first, or omit the option 'story'.");
  scene.frames.push_back(still);
  scene.cells.push_back({view, static_cast<Index>(count), ""});
  picture::PictureScene bones(asset.character);
  bones.width = scene.width, bones.height = scene.height;
  bones.samples = scene.samples;
  bones.background = scene.background;
  bones.skeleton = bones.animated = true;
  bones.webp = scene.webp;
  bones.also_fit = scene.also_fit;
  fit_all(bones, scene.frames);
  bones.frames = {still};
  bones.cells = {{view, 0, ""}};
  plan.shown.insert(plan.shown.begin(), {{0, static_cast<std::size_t>(count), kStoryPart_s}, {1, 0, kStoryPart_s}});
  plan.scenes.push_back(std::move(bones));
  return plan;
}

io::Bytes film_file(const FilmPlan& plan, picture::AnimationFormat format, std::span<const picture::Picture> pictures) {
  std::vector<picture::AnimationFrame> frames;
  for (const FilmPlan::Shown& shown : plan.shown)
    frames.push_back({pictures[shown.scene].frames[shown.cell], shown.seconds});
  return picture::make_animation(format, frames);
}

}  // namespace sinew::jobs
