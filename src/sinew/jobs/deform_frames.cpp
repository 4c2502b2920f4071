// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/jobs/deform_frames.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/io/gltf/document.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"

namespace sinew::jobs {
namespace {

double farthest(const MeshPart& part, std::span<const Vec3> a, std::span<const Vec3f> b) {
  double worst = 0;
  for (std::size_t i = 0; i < part.vertex_count; ++i) worst = std::max(worst, (a[i] - b[i].cast<double>()).norm());
  return worst;
}

// What frames had to put up with, each kind once, with the largest number of vertices.
void note(const deform::FrameReport& frame, Report& report) {
  for (const Finding& finding : frame.findings) {
    const auto known = std::find_if(report.fallbacks.begin(), report.fallbacks.end(),
                                    [&](const Fallback& fallback) { return fallback.code == finding.code; });
    if (known == report.fallbacks.end())
      report.fallbacks.push_back({finding.code, finding.where, frame.fallback_vertices, finding.text});
    else known->count = std::max(known->count, frame.fallback_vertices);
  }
}

}  // namespace

FramePlayer::FramePlayer(const Rig& rig, const deform::Deformer& deformer, const motion::Player* player,
                         const Pose& pose)
    : rig_(rig), deformer_(deformer), player_(player), pose_(pose), drivers_(rig.skeleton) {}

Pose FramePlayer::pose_at(double time_s) const {
  Pose pose = player_ != nullptr ? player_->at(time_s) : pose_;
  drivers_.apply(pose);
  return pose;
}

void FramePlayer::one(deform::Deformer::State& state, double time_s, double dt_s, std::span<Vec3f> positions,
                      std::span<Vec3f> normals, deform::FrameReport* report) const {
  const Pose pose = player_ != nullptr ? player_->at(time_s) : pose_;
  const ModelPose model = motion::resolve(rig_.skeleton, pose, drivers_);
  deformer_.deform(state, {model, time_s, dt_s}, {positions, normals, report});
}

PlayedFrames FramePlayer::play(const FrameRange& frames, double fps, bool with_normals, bool against_engine,
                               Report& report, const Progress& progress) const {
  const std::size_t count = frames.times_s.size(), vertices = rig_.mesh.vertex_count();
  PlayedFrames played;
  played.engine_error.assign(rig_.mesh.parts.size(), 0.0);
  const std::unique_ptr<deform::Deformer::State> state = deformer_.make_state();
  std::vector<Vec3f> positions(vertices), normals(with_normals ? vertices : 0);
  if (deformer_.needs_history())
    for (Index f = 0; f < frames.first; ++f)
      one(*state, static_cast<double>(f) / fps, f == 0 ? 0 : 1 / fps, positions, {}, nullptr);
  for (std::size_t f = 0; f < count; ++f) {
    progress.step("playing", static_cast<double>(f) / static_cast<double>(count));
    const double time = frames.times_s[f];
    const double before = f > 0 ? frames.times_s[f - 1] : frames.first > 0 ? time - 1 / fps : time;
    deform::FrameReport frame;
    one(*state, time, time - before, positions, normals, &frame);
    note(frame, report);
    for (std::size_t v = 0; v < vertices; ++v)
      if (!positions[v].allFinite())
        throw Error(
            fmt::format("At frame {} vertex {} comes out as no number. Check the clip and the weights with "
                        "sinew info.",
                        frames.first + f, v));
    if (against_engine) {
      const ModelPose model = motion::resolve(rig_.skeleton, pose_at(time), drivers_);
      const std::vector<Vec3> linear = deform::linear_positions(rig_, model);
      for (std::size_t p = 0; p < rig_.mesh.parts.size(); ++p) {
        const MeshPart& part = rig_.mesh.parts[p];
        played.engine_error[p] =
            std::max(played.engine_error[p], farthest(part, std::span(linear).subspan(part.first_vertex),
                                                      std::span(positions).subspan(part.first_vertex)));
      }
    }
    played.positions.push_back(positions);
    if (with_normals) played.normals.push_back(normals);
  }
  return played;
}

std::vector<Vec3f> FramePlayer::at(double time_s) const {
  std::vector<Vec3f> positions(rig_.mesh.vertex_count());
  one(*deformer_.make_state(), time_s, 0, positions, {}, nullptr);
  return positions;
}

double written_error(const io::WithMotion& written, double clip_time_s, const Rig& rig, std::span<const Vec3f> truth) {
  const Character& character = written.asset.character;
  const auto& document = dynamic_cast<const io::gltf::GltfDocument&>(*written.asset.document);
  const Pose pose = written.clip == kNone ? rest_pose(character.rig)
                                          : motion::sample(character.rig, character.clips[written.clip], clip_time_s);
  // No engine evaluates drivers.
  const ModelPose model = {model_matrices(character.rig.skeleton, pose.local), {}, pose.morph_weights};
  const std::vector<Vec3> shown = deform::linear_positions(character.rig, model);
  double worst = 0;
  for (std::size_t p = 0; p < rig.mesh.parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    for (std::size_t q = 0; q < document.parts.size(); ++q) {
      if (document.parts[q].node != written.node_of_part[p]) continue;
      const MeshPart& other = character.rig.mesh.parts[q];
      if (other.vertex_count != part.vertex_count) throw Error("A written part has another number of vertices.");
      worst = std::max(worst,
                       farthest(part, std::span(shown).subspan(other.first_vertex), truth.subspan(part.first_vertex)));
    }
  }
  return worst;
}

}  // namespace sinew::jobs
