// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/render_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.h"
#include "sinew/core/text.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/motion/clip_by_names.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/deformer.h"

namespace sinew::jobs {

using namespace pipeline;

namespace {

/// How a clip is played for one picture, where what came before counts.
constexpr double kPlayedFps = 60, kRemembered_s = 5;

std::unique_ptr<deform::Deformer> bound(const io::Asset& asset, const RenderOptions& options, Report& report,
                                        const Progress& progress) {
  DeformerOptions deformer = options.deformer;
  read_part_files(options.part_files, asset, deformer, report);
  return bind_deformer(asset.character.rig, deformer, report.warnings, progress);
}

}  // namespace

MomentMaker::MomentMaker(const io::Asset& asset, const RenderOptions& options, Report& report, const Progress& progress)
    : rig_(asset.character.rig), still_(rest_pose(asset.character.rig)) {
  if (!options.clip.empty() && !options.pose.empty())
    throw Error("The option 'clip' cannot be combined with the option 'pose'.");
  if (options.time && options.clip.empty()) throw Error("The option 'time' needs the option 'clip'.");
  if (!options.clip.empty())
    player_.emplace(rig_, *find_motion(asset, options.clip, report.inputs, report.warnings, progress).clip);
  else if (!options.pose.empty()) still_ = read_pose(asset, options.pose, report.inputs).pose;
  else if (options.sheet && !asset.character.clips.empty()) player_.emplace(rig_, asset.character.clips.front());
  if (!options.deformer.plain()) deformer_ = bound(asset, options, report, progress);
}

MomentMaker::MomentMaker(const io::Asset& asset, const MomentMaker& same, const RenderOptions& options, Report& report,
                         const Progress& progress)
    : rig_(asset.character.rig), still_(&rig_ == &same.rig_ ? same.still_ : rest_pose(rig_)) {
  const bool file = &rig_ != &same.rig_;
  if (same.player_) {
    motion::NamedClip named{same.player_->clip(), 1, {}};
    if (file) named = motion::clip_by_names(same.player_->clip(), same.rig_, rig_);
    if (named.joint_tracks == 0)
      throw Error(fmt::format("{} has no joint that the clip '{}' moves, so it cannot be compared in the same pose.",
                              asset.path.string(), same.player_->clip().name));
    if (!named.missing.empty())
      report.warn("render.missing_joints", asset.path.string(),
                  fmt::format("It lacks {} that the clip moves: {}.", count_of(named.missing.size(), "joint"),
                              join_some(named.missing)));
    player_.emplace(rig_, std::move(named.clip));
  } else if (file && !options.pose.empty()) {
    std::vector<ReportFile> read_before;
    still_ = read_pose(asset, options.pose, read_before).pose;
  }
  if (!options.deformer.plain()) deformer_ = bound(asset, options, report, progress);
}

picture::PictureFrame MomentMaker::moment(const Pose& pose, double time_s, bool played) const {
  const ModelPose model = motion::resolve(rig_.skeleton, pose);
  if (!deformer_) return {deform::linear_positions(rig_, model), model.joints};
  std::vector<Vec3f> positions(rig_.mesh.positions.size());
  const std::unique_ptr<deform::Deformer::State> state = deformer_->make_state();
  double before = time_s;
  if (played && deformer_->needs_history()) {
    // What came before counts: the clip is played up to this moment, at most its last seconds.
    const auto frames = static_cast<int>(std::min(time_s, kRemembered_s) * kPlayedFps);
    for (int f = frames; f > 0; --f) {
      const double now = time_s - f / kPlayedFps;
      const ModelPose earlier = motion::resolve(rig_.skeleton, player_->at(now));
      deformer_->deform(*state, {earlier, now, f == frames ? 0 : now - before}, {positions, {}, nullptr});
      before = now;
    }
  }
  deformer_->deform(*state, {model, time_s, time_s - before}, {positions, {}, nullptr});
  picture::PictureFrame frame{{}, model.joints};
  frame.positions.reserve(positions.size());
  for (const Vec3f& p : positions) frame.positions.push_back(p.cast<double>());
  return frame;
}

picture::PictureFrame MomentMaker::at(double time_s) const { return moment(player_->at(time_s), time_s, true); }

std::vector<picture::PictureFrame> MomentMaker::film(double fps, int count) const {
  std::vector<picture::PictureFrame> frames;
  const bool history = deformer_ && deformer_->needs_history();
  const int steps = history ? std::max(1, static_cast<int>(std::lround(kPlayedFps / fps))) : 1;
  const std::unique_ptr<deform::Deformer::State> state = deformer_ ? deformer_->make_state() : nullptr;
  std::vector<Vec3f> positions(rig_.mesh.positions.size());
  for (int k = 0; k < count; ++k) {
    if (!history) {
      frames.push_back(at(k / fps));
      continue;
    }
    ModelPose model;
    for (int s = k == 0 ? steps - 1 : 0; s < steps; ++s) {
      const double now = (k + (s + 1.0) / steps - 1) / fps;
      model = motion::resolve(rig_.skeleton, player_->at(now));
      deformer_->deform(*state, {model, now, k == 0 ? 0 : 1 / (fps * steps)}, {positions, {}, nullptr});
    }
    frames.push_back({{}, model.joints});
    for (const Vec3f& p : positions) frames.back().positions.push_back(p.cast<double>());
  }
  return frames;
}

picture::PictureFrame MomentMaker::still() const { return moment(still_, 0, false); }

std::vector<Overlay> MomentMaker::overlays(std::optional<double> time_s) const {
  if (!deformer_) return {};
  const ModelPose model = motion::resolve(rig_.skeleton, time_s ? player_->at(*time_s) : still_);
  const std::unique_ptr<deform::Deformer::State> state = deformer_->make_state();
  return deformer_->overlays(*state, {model, time_s.value_or(0), 0});
}

Overlay weights_overlay(const Rig& rig, Index joint) {
  Overlay overlay;
  overlay.name = rig.skeleton.joints[joint].name;
  Overlay::VertexField field{"weight of " + overlay.name, std::vector<float>(rig.mesh.positions.size(), 0.0F), 0, 1};
  const SkinWeights weights = rig.weights.normalized();
  for (const MeshPart& part : rig.mesh.parts)
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      if (part.skin == kNone) {
        field.values[v] = part.joint == joint ? 1.0F : 0.0F;
      } else if (v < weights.row_count()) {
        for (const Influence& influence : weights.row(v))
          if (influence.joint == joint) field.values[v] = influence.weight;
      }
    }
  overlay.fields.push_back(std::move(field));
  return overlay;
}

}  // namespace sinew::jobs
