// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/inbetween_clip.h"

#include <fmt/format.h>
#include <Eigen/LU>
#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/motion/keys/morph_fit.h"
#include "sinew/motion/sample.h"

namespace sinew::pipeline {
namespace {

/// Share of the tolerance for keys; the rest is for shapes that keys share and for rounding.
constexpr double kShareOfKeys = 0.7;
constexpr std::size_t kMostFrames = 100000;
/// How often the number of keys is doubled where the motion between them is not close enough.
constexpr int kMostRefinements = 3;

// The point that linear skinning moves to a given place. Where skinning is nearly singular, as in a twist by 180°, the
// nearest point that does not explode.
Vec3 before_skinning(const Mat4& blend, const Vec3& place) {
  const Mat3 linear = blend.topLeftCorner<3, 3>();
  const Vec3 moved = place - blend.topRightCorner<3, 1>();
  if (linear.determinant() > 0.2) return linear.inverse() * moved;
  const Eigen::JacobiSVD<Mat3> svd(linear, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vec3 stretch = svd.singularValues().cwiseMax(0.2).cwiseInverse();
  return svd.matrixV() * stretch.asDiagonal() * svd.matrixU().transpose() * moved;
}

std::vector<Vec3f> shape_before_skinning(const Rig& rig, const std::vector<Mat4>& motions,
                                         std::span<const Vec3f> shape) {
  std::vector<Vec3f> result(shape.begin(), shape.end());
  if (motions.empty()) return result;
  parallel_for(result.size(), [&](std::size_t v) {
    Mat4 blend = Mat4::Zero();
    double sum = 0;
    for (const Influence& influence : rig.weights.row(static_cast<Index>(v))) {
      blend += static_cast<double>(influence.weight) * motions[influence.joint];
      sum += influence.weight;
    }
    result[v] = before_skinning(blend / sum, shape[v].cast<double>()).cast<float>();
  });
  return result;
}

void add_joint_tracks(const Inbetween& between, std::span<const double> times_s,
                      const std::vector<std::vector<Transform>>& locals, Clip& clip) {
  for (Index j = 0; j < between.joints.size(); ++j) {
    Track turn, shift;
    turn.path = Track::Path::kRotation;
    shift.path = Track::Path::kTranslation;
    turn.target = shift.target = j;
    bool turns = false, shifts = false;
    Quat before = between.joints.rest[j].rotation;
    for (std::size_t f = 0; f < times_s.size(); ++f) {
      const Transform& local = locals[f][j];
      // Neighbouring keys on the same side of the sphere of quaternions.
      if (local.rotation.dot(before) < 0) before.coeffs() = -local.rotation.coeffs();
      else before = local.rotation;
      const auto time = static_cast<float>(times_s[f] - times_s.front());
      turn.times_s.push_back(time);
      shift.times_s.push_back(time);
      for (const double value : before.coeffs()) turn.values.push_back(static_cast<float>(value));
      for (const double value : local.translation) shift.values.push_back(static_cast<float>(value));
      turns = turns || local.rotation.angularDistance(between.joints.rest[j].rotation) > 1e-6;
      shifts = shifts || (local.translation - between.joints.rest[j].translation).norm() >
                             1e-7 * between.character.rig.mesh.size();
    }
    if (turns) clip.tracks.push_back(std::move(turn));
    if (shifts) clip.tracks.push_back(std::move(shift));
  }
}

// Key shapes of one part, and the track of their weights. A key that is the shape at rest has no shape of its own.
Index add_key_shapes(Mesh& mesh, Index number, std::span<const double> times_s,
                     const std::vector<std::vector<Vec3f>>& frames, const KeyShapeOptions& options, double tolerance,
                     Clip& clip, const Progress& progress) {
  MeshPart& part = mesh.parts[number];
  if (part.vertex_count == 0) return 0;
  const motion::VertexFrames motion_of_part{times_s, &frames, part.first_vertex, part.vertex_count};
  const motion::MorphKeys keys = motion::fit_keys(motion_of_part, kShareOfKeys * tolerance, progress);
  std::vector<Index> morph_of(keys.shape_frames.size(), kNone);
  for (std::size_t s = 0; s < keys.shape_frames.size(); ++s) {
    const std::vector<Vec3f>& frame = frames[keys.shape_frames[s]];
    Morph morph;
    float most = 0;
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      morph.deltas.push_back(frame[v] - mesh.positions[v].cast<float>());
      most = std::max(most, morph.deltas.back().norm());
    }
    if (most <= 1e-3 * tolerance) continue;
    morph.name = fmt::format("{:.3f} s", times_s[keys.shape_frames[s]] - times_s.front());
    morph_of[s] = static_cast<Index>(part.morphs.size());
    part.morphs.push_back(std::move(morph));
  }
  const std::size_t width = part.morphs.size();
  if (width == 0) return 0;
  if (width > static_cast<std::size_t>(options.max_targets))
    throw Error(fmt::format(
        "'{}' needs {} key shapes to stay within {} of the size; the option 'max_targets' allows {}. Write a vertex "
        "cache (.pc2) instead, or choose a larger value of the option 'tolerance'.",
        part.name, width, options.tolerance, options.max_targets));
  part.morph_weights.assign(width, 0.0);
  Track track;
  track.path = Track::Path::kMorphWeights;
  track.target = number;
  for (std::size_t k = 0; k < keys.frames.size(); ++k) {
    track.times_s.push_back(static_cast<float>(times_s[keys.frames[k]] - times_s.front()));
    for (Index m = 0; m < width; ++m) track.values.push_back(morph_of[keys.shapes[k]] == m ? 1.0F : 0.0F);
  }
  clip.tracks.push_back(std::move(track));
  return static_cast<Index>(width);
}

double largest_error(const Inbetween& between, const InbetweenClip& made, std::span<const double> times_s) {
  const Rig& rig = made.character.rig;
  std::vector<Vec3f> truth(rig.mesh.positions.size());
  double worst = 0;
  for (std::size_t f = 0; f < 2 * times_s.size() - 1; ++f) {
    const double time = f % 2 == 0 ? times_s[f / 2] : 0.5 * (times_s[f / 2] + times_s[f / 2 + 1]);
    between.motion->evaluate(time, truth);
    const Pose pose = motion::sample(rig, made.character.clips.back(), time - times_s.front());
    const std::vector<Vec3> shown =
        deform::linear_positions(rig, {model_matrices(rig.skeleton, pose.local), {}, pose.morph_weights});
    for (std::size_t v = 0; v < truth.size(); ++v) worst = std::max(worst, (shown[v] - truth[v].cast<double>()).norm());
  }
  return worst / rig.mesh.size();
}

InbetweenClip clip_at(const Inbetween& between, std::span<const double> times_s, const std::string& name,
                      const KeyShapeOptions& options, const Progress& progress) {
  InbetweenClip made;
  made.character.name = between.character.name;
  made.character.materials = between.character.materials;
  made.character.images = between.character.images;
  made.character.rig = inbetween_rig(between);
  Rig& rig = made.character.rig;
  std::vector<std::vector<Vec3f>> frames;
  std::vector<std::vector<Transform>> locals;
  std::vector<Vec3f> shape(rig.mesh.positions.size());
  for (std::size_t f = 0; f < times_s.size(); ++f) {
    progress.step("playing", static_cast<double>(f) / static_cast<double>(times_s.size()));
    between.motion->evaluate(times_s[f], shape);
    locals.push_back(between.motion->joints_at(times_s[f]));
    const std::vector<Mat4> motions =
        locals.back().empty() ? std::vector<Mat4>() : between.joints.motions(locals.back());
    frames.push_back(shape_before_skinning(rig, motions, shape));
  }
  Clip clip;
  clip.name = name;
  add_joint_tracks(between, times_s, locals, clip);
  const double tolerance = options.tolerance * rig.mesh.size();
  for (Index p = 0; p < rig.mesh.parts.size(); ++p)
    made.key_shapes += add_key_shapes(rig.mesh, p, times_s, frames, options, tolerance, clip, progress);
  made.character.clips.push_back(std::move(clip));
  made.error = largest_error(between, made, times_s);
  return made;
}

}  // namespace

Rig inbetween_rig(const Inbetween& between) {
  const Rig& old = between.character.rig;
  Rig rig;
  rig.mesh = old.mesh;
  for (MeshPart& part : rig.mesh.parts) {
    part.morphs.clear();
    part.morph_weights.clear();
    part.to_model = Mat4::Identity();
    part.skin = between.joints.empty() ? kNone : 0;
    part.joint = kNone;
  }
  if (between.joints.empty()) return rig;
  for (Index j = 0; j < old.skeleton.size(); ++j) {
    Joint joint;
    joint.name = old.skeleton.joints[j].name;
    joint.role = old.skeleton.joints[j].role;
    joint.parent = old.skeleton.joints[j].parent;
    joint.rest = between.joints.rest[j];
    joint.deforming = true;
    rig.skeleton.joints.push_back(std::move(joint));
  }
  const SkinWeights weights = old.weights.normalized();
  for (const MeshPart& part : old.mesh.parts)
    for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
      if (part.skin == kNone) rig.weights.add_row({{part.joint == kNone ? 0 : part.joint, 1.0F}});
      else if (v < weights.row_count() && !weights.row(v).empty()) rig.weights.add_row(weights.row(v));
      else rig.weights.add_row({{0, 1.0F}});
    }
  Skin& skin = rig.skins.emplace_back();
  skin.name = "skin";
  const std::vector<Mat4> frames = between.joints.matrices(between.joints.rest);
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    skin.joints.push_back(j);
    skin.inverse_bind.push_back(frames[j].inverse());
  }
  return rig;
}

std::vector<double> inbetween_frames(const std::vector<double>& key_times_s, double fps) {
  const double duration = key_times_s.back() - key_times_s.front();
  if (!(fps > 0) || !(duration * fps < kMostFrames))
    throw Error(fmt::format("{} s at {} frames per second are more than {} frames.", duration, fps, kMostFrames));
  std::vector<double> times = key_times_s;
  for (std::size_t f = 0; static_cast<double>(f) / fps < duration; ++f)
    times.push_back(key_times_s.front() + static_cast<double>(f) / fps);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end(), [](double a, double b) { return b - a < 1e-6; }), times.end());
  return times;
}

InbetweenClip inbetween_clip(const Inbetween& between, std::span<const double> times_s, const std::string& name,
                             const KeyShapeOptions& options, const Progress& progress) {
  std::vector<double> times(times_s.begin(), times_s.end());
  InbetweenClip made = clip_at(between, times, name, options, progress);
  // Joints turn between keys at even speed, and what they move goes straight: fast motion needs more keys.
  for (int round = 0; round < kMostRefinements && made.error > options.tolerance; ++round) {
    std::vector<double> finer;
    for (std::size_t f = 0; f < times.size(); ++f) {
      if (f > 0) finer.push_back(0.5 * (times[f - 1] + times[f]));
      finer.push_back(times[f]);
    }
    times = std::move(finer);
    made = clip_at(between, times, name, options, progress);
  }
  return made;
}

}  // namespace sinew::pipeline
