// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/key_shapes.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/deform/blend/linear.h"
#include "sinew/io/gltf/document.h"
#include "sinew/motion/keys/morph_fit.h"
#include "sinew/motion/sample.h"

namespace sinew::pipeline {
namespace {

// How the tolerance is divided: keys may be off by this share, shapes shared by two keys add a seventh of that,
// integers in place of floats the next; the rest is for rounding.
constexpr double kKeyShare = 0.7, kQuantumShare = 0.15;
// A part keeps its skin if linear skinning is as near as this.
constexpr double kSkinShare = 0.1;

double farthest(const MeshPart& part, std::span<const Vec3> a, std::span<const Vec3f> b) {
  double worst = 0;
  for (std::size_t i = 0; i < part.vertex_count; ++i) worst = std::max(worst, (a[i] - b[i].cast<double>()).norm());
  return worst;
}

void compare_with_linear(const Rig& rig, const Playback& playback, std::vector<double>& error) {
  const std::vector<Vec3> linear = deform::linear_positions(rig, playback.pose());
  for (std::size_t p = 0; p < rig.mesh.parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    error[p] = std::max(error[p], farthest(part, std::span(linear).subspan(part.first_vertex),
                                           playback.positions().subspan(part.first_vertex)));
  }
}

io::MorphPart morphs_of(const MeshPart& part, Index number, const FrameRange& frames, const PlayedFrames& played,
                        const motion::MorphKeys& keys, const std::string& name, bool is_clip) {
  io::MorphPart morphs;
  morphs.part = number;
  const auto run = [&](const std::vector<Vec3f>& all) {
    return std::vector<Vec3f>(all.begin() + part.first_vertex, all.begin() + part.first_vertex + part.vertex_count);
  };
  for (const Index f : keys.shape_frames) {
    io::KeyShape& shape = morphs.shapes.emplace_back();
    shape.name = is_clip ? fmt::format("{} {:.3f} s", name, frames.times_s[f]) : name;
    shape.positions = run(played.positions[f]);
    if (!played.normals.empty()) shape.normals = run(played.normals[f]);
  }
  for (std::size_t k = 0; k < keys.frames.size(); ++k) {
    morphs.key_times_s.push_back(static_cast<float>(frames.from_start(keys.frames[k])));
    morphs.key_shapes.push_back(keys.shapes[k]);
  }
  return morphs;
}

}  // namespace

PlayedFrames play_all(const Rig& rig, Playback& playback, bool compare_with_engines, const Progress& progress) {
  PlayedFrames played;
  played.engine_error.assign(rig.mesh.parts.size(), 0.0);
  const auto count = static_cast<double>(playback.frames().times_s.size());
  progress.step("playing", 0.0);
  while (playback.next()) {
    progress.step("playing", static_cast<double>(playback.index() + 1) / count);
    if (compare_with_engines) compare_with_linear(rig, playback, played.engine_error);
    played.positions.emplace_back(playback.positions().begin(), playback.positions().end());
    if (!playback.normals().empty()) played.normals.emplace_back(playback.normals().begin(), playback.normals().end());
  }
  return played;
}

KeyShapes fit_key_shapes(const Rig& rig, const FrameRange& frames, const PlayedFrames& played, const std::string& name,
                         bool is_clip, const KeyShapeOptions& options, const Progress& progress) {
  const double tolerance = options.tolerance * rig.mesh.size();
  KeyShapes result;
  result.quantum = kQuantumShare * tolerance;
  for (Index p = 0; p < rig.mesh.parts.size(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    if (part.vertex_count == 0 || played.engine_error[p] <= kSkinShare * tolerance) continue;
    progress.step("choosing key shapes", static_cast<double>(p) / static_cast<double>(rig.mesh.parts.size()));
    const motion::VertexFrames motion_of_part{frames.times_s, &played.positions, part.first_vertex, part.vertex_count};
    const motion::MorphKeys keys = motion::fit_keys(motion_of_part, kKeyShare * tolerance, progress);
    if (keys.shape_frames.size() > static_cast<std::size_t>(options.max_targets))
      throw Error(fmt::format(
          "'{}' needs {} key shapes to stay within {} of the size; the option 'max_targets' allows {}. Write a vertex "
          "cache (.pc2 or .mdd) instead, allow more, or choose a larger value of the option 'tolerance' or fewer "
          "frames.",
          part.name, keys.shape_frames.size(), options.tolerance, options.max_targets));
    result.parts.push_back(morphs_of(part, p, frames, played, keys, name, is_clip));
  }
  return result;
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

WrittenErrors written_errors(const io::WithMotion& written, const Rig& rig, Playback& playback,
                             const Progress& progress) {
  const FrameRange& frames = playback.frames();
  const bool history = playback.deformer().needs_history();
  const auto count = static_cast<double>(frames.times_s.size());
  WrittenErrors errors;
  for (std::size_t f = 0; f < frames.times_s.size(); ++f) {
    progress.step("measuring", static_cast<double>(f + 1) / count);
    if (history && !playback.next()) break;
    const std::span<const Vec3f> truth = history ? playback.positions() : playback.at(frames.times_s[f]);
    errors.frames = std::max(errors.frames, written_error(written, frames.from_start(f), rig, truth));
    if (history || f + 1 == frames.times_s.size()) continue;
    // Not where `fit_corrections` takes samples, which are at eighths of a frame.
    for (const double share : {0.1875, 0.4375, 0.8125}) {
      const double time = (1 - share) * frames.times_s[f] + share * frames.times_s[f + 1];
      errors.between =
          std::max(errors.between, written_error(written, time - frames.times_s.front(), rig, playback.at(time)));
    }
  }
  return errors;
}

}  // namespace sinew::pipeline
