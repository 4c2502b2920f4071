// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/measure_frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/retarget/joint_matching.h"
#include "sinew/pipeline/deformer.h"
#include "sinew/pipeline/play.h"

namespace sinew::jobs {

using namespace pipeline;

std::optional<Pose> pose_by_names(const Pose& pose, const Rig& from, const Rig& to) {
  Pose result = rest_pose(to);
  result.twist_rad.assign(pose.twist_rad.empty() ? 0 : to.skeleton.size(), 0);
  bool any = false;
  const std::vector<Index> partners = motion::partners_by_name(from.skeleton, to.skeleton);
  for (Index j = 0; j < from.skeleton.size(); ++j) {
    const Index partner = partners[j];
    if (partner == kNone) continue;
    any = true;
    result.local[partner] = pose.local[j];
    if (!pose.twist_rad.empty()) result.twist_rad[partner] = pose.twist_rad[j];
  }
  for (std::size_t p = 0; p < result.morph_weights.size() && p < pose.morph_weights.size(); ++p)
    if (result.morph_weights[p].size() == pose.morph_weights[p].size()) result.morph_weights[p] = pose.morph_weights[p];
  return any ? std::optional<Pose>(std::move(result)) : std::nullopt;
}

PosedCharacter::PosedCharacter(const io::Asset& asset, const MeasureOptions& options, bool with_motion,
                               std::vector<ReportFile>& files, Findings& warnings, const Progress& progress)
    : asset_(asset), drivers_(asset.character.rig.skeleton) {
  if (with_motion && (!options.clip.empty() || !options.pose.empty())) {
    if (rig().skeleton.empty())
      throw Error(fmt::format("{} has no skeleton, so it cannot be posed. Leave out --clip and --pose.", name()));
    motion_ = options.clip.empty() ? read_pose(asset, options.pose, files)
                                   : find_motion(asset, options.clip, files, warnings, progress);
    if (motion_->clip) player_.emplace(rig(), *motion_->clip);
  }
  deformer_ = bind_deformer(rig(), options.deformer, warnings, progress);
  state_ = deformer_->make_state();
  buffer_.resize(rig().mesh.positions.size());
}

std::vector<FrameRequest> PosedCharacter::frames(const MeasureOptions& options) const {
  if (!motion_) return {{"rest", 0, 0, false, true}, {"bind", 1, 0, true, true}};
  if (!player_) return {{motion_->name, 0, 0, false, true}};
  const FrameRange wanted = frame_range(player_->duration_s(), options.fps, parse_frames(options.frames));
  std::vector<FrameRequest> list;
  if (deformer_->needs_history() && wanted.first > 0) {
    const FrameRange past =
        frame_range(player_->duration_s(), options.fps, std::pair<std::size_t, std::size_t>(0, wanted.first - 1));
    for (std::size_t f = 0; f < past.times_s.size(); ++f)
      list.push_back({fmt::format("{}", f), static_cast<Index>(f), past.times_s[f], false, false});
  }
  for (std::size_t f = 0; f < wanted.times_s.size(); ++f)
    list.push_back(
        {fmt::format("{}", wanted.first + f), static_cast<Index>(wanted.first + f), wanted.times_s[f], false, true});
  return list;
}

Pose PosedCharacter::pose(const FrameRequest& frame) const {
  if (player_) return player_->at(frame.time_s);
  return motion_ ? motion_->pose : rest_pose(rig());
}

measure::Shape PosedCharacter::shape(const FrameRequest& frame) {
  if (frame.bind) return measure::bound_shape(rig());
  return shape(frame, pose(frame));
}

measure::Shape PosedCharacter::shape(const FrameRequest& frame, const Pose& pose) {
  const ModelPose model = motion::resolve(rig().skeleton, pose, drivers_);
  const double dt_s = std::max(0.0, frame.time_s - last_time_s_);
  last_time_s_ = frame.time_s;
  deformer_->deform(*state_, {model, frame.time_s, dt_s}, {buffer_, {}, nullptr});
  measure::Shape shape;
  shape.joints = model.joints;
  shape.positions.reserve(buffer_.size());
  for (const Vec3f& p : buffer_) shape.positions.push_back(p.cast<double>());
  return shape;
}

}  // namespace sinew::jobs
