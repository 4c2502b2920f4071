// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/skin_corrections.h"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/motion/drivers.h"
#include "sinew/motion/keys/correction_fit.h"
#include "sinew/motion/resolve.h"

namespace sinew::pipeline {
namespace {

// Blended matrices that keep less than this share of a volume are inverted with a regularisation of this size, and what
// they show of a correction is reduced. Regularising all of them would cost 4e-4 of every correction.
constexpr double kCollapsedVolume = 0.02, kCollapse = 0.02;
// Samples are added between two that a straight line does not connect within this share of the tolerance, in up to this
// many halvings of half a frame.
constexpr double kStraightShare = 0.3;
constexpr int kMostHalvings = 3;

/// The corrections of one moment, per vertex of the mesh.
struct Sample {
  std::vector<Vec3f> offsets, normals;
  std::vector<float> stretch;
};

// The regularised inverse of a blended matrix.
Mat3 pull_back(const Mat3& blend) {
  const double size = std::max(blend.squaredNorm() / 3, 0.05);
  const double volume = std::abs(blend.determinant()) / std::pow(size, 1.5);
  const double ease = kCollapse * kCollapse * size * std::max(0.0, 1 - volume / kCollapsedVolume);
  return (blend.transpose() * blend + ease * Mat3::Identity()).inverse() * blend.transpose();
}

// The linear parts of the blended matrices of `linear_positions`; the identity for vertices without weights.
std::vector<Mat3> linear_blends(const Rig& rig, const ModelPose& pose) {
  std::vector<Mat3> blends(rig.mesh.vertex_count(), Mat3::Identity());
  std::vector<Mat3> palette(pose.joints.size());
  for (Index p = 0; p < rig.mesh.parts.size() && !rig.weights.empty(); ++p) {
    const MeshPart& part = rig.mesh.parts[p];
    const std::vector<Mat4> inverse_bind = inverse_bind_of_part(rig, p);
    for (std::size_t j = 0; j < palette.size(); ++j)
      palette[j] = pose.joints[j].topLeftCorner<3, 3>() * inverse_bind[j].topLeftCorner<3, 3>();
    parallel_for(part.vertex_count, [&](std::size_t i) {
      const Index v = part.first_vertex + static_cast<Index>(i);
      Mat3 blend = Mat3::Zero();
      double sum = 0;
      for (const auto& [joint, weight] : rig.weights.row(v)) {
        if (!(weight > 0) || !std::isfinite(weight)) continue;
        blend += static_cast<double>(weight) * palette[joint];
        sum += static_cast<double>(weight);
      }
      if (sum > 0) blends[v] = blend / sum;
    });
  }
  return blends;
}

Sample sample_of(const Rig& rig, const ModelPose& pose, std::span<const Vec3f> positions,
                 std::span<const Vec3f> normals) {
  const std::vector<Vec3> linear = deform::linear_positions(rig, pose);
  const std::vector<Mat3> blends = linear_blends(rig, pose);
  const bool turn = !normals.empty() && rig.mesh.normals.corners.empty() && !rig.mesh.normals.empty();
  Sample sample;
  sample.offsets.resize(linear.size());
  sample.stretch.resize(linear.size());
  if (turn) sample.normals.resize(linear.size());
  parallel_for(linear.size(), [&](std::size_t v) {
    const Mat3 back = pull_back(blends[v]);
    sample.offsets[v] = (back * (positions[v].cast<double>() - linear[v])).cast<float>();
    // A mixture of rotations shrinks; other matrices may stretch.
    const double norm = blends[v].norm();
    sample.stretch[v] = static_cast<float>(norm <= std::sqrt(3.0) * 1.001 ? 1.0 : norm);
    if (!turn) return;
    const Vec3 bound = back * normals[v].cast<double>();
    const double length = bound.norm();
    const Vec3f& own = rig.mesh.normals.values[v];
    sample.normals[v] = length > 1e-9 ? Vec3f((bound / length).cast<float>() - own) : Vec3f(Vec3f::Zero());
  });
  return sample;
}

// The largest distance of a sample from the middle of two others, as it is shown.
double bend_of(const Sample& before, const Sample& middle, const Sample& after) {
  return parallel_reduce(
      middle.offsets.size(), 0.0,
      [&](std::size_t begin, std::size_t end) {
        double worst = 0;
        for (std::size_t v = begin; v < end; ++v) {
          const Vec3f off = middle.offsets[v] - 0.5F * (before.offsets[v] + after.offsets[v]);
          worst = std::max(worst, static_cast<double>(middle.stretch[v] * off.norm()));
        }
        return worst;
      },
      [](double a, double b) { return std::max(a, b); });
}

class PartFits {
 public:
  PartFits(const Rig& rig, const KeyShapeOptions& options)
      : rig_(rig), tolerance_(options.tolerance), most_(static_cast<std::size_t>(options.max_targets)) {
    fits_.assign(rig.mesh.parts.size(), motion::CorrectionFit(options.tolerance * rig.mesh.size(), most_));
  }

  void add(double time_s, const Sample& sample) {
    for (std::size_t p = 0; p < fits_.size(); ++p) {
      const MeshPart& part = rig_.mesh.parts[p];
      if (part.vertex_count == 0) continue;
      const auto run = [&](const auto& all) {
        return std::span(all).subspan(all.empty() ? 0 : part.first_vertex, all.empty() ? 0 : part.vertex_count);
      };
      if (!fits_[p].add(time_s, run(sample.offsets), run(sample.stretch), run(sample.normals)))
        throw Error(fmt::format(
            "'{}' needs more key shapes to stay within {} of the size; the option 'max_targets' allows {}. Write a "
            "vertex cache (.pc2 or .mdd) instead, allow more, or choose a larger value of the option 'tolerance' or "
            "fewer frames.",
            part.name, tolerance_, most_));
    }
  }

  const std::vector<motion::CorrectionFit>& fits() const { return fits_; }

 private:
  const Rig& rig_;
  double tolerance_;
  std::size_t most_;
  std::vector<motion::CorrectionFit> fits_;
};

io::CorrectionPart corrections_of(const Rig& rig, Index number, const motion::CorrectionShapes& shapes,
                                  const Playback& playback, const std::string& name) {
  io::CorrectionPart result;
  result.part = number;
  for (std::size_t s = 0; s < shapes.shapes.size(); ++s)
    result.shapes.push_back(
        {fmt::format("{} correction {}", name, s), shapes.shapes[s].offsets, shapes.shapes[s].normals});
  const std::size_t own = rig.mesh.parts[number].morphs.size(), width = shapes.shapes.size();
  for (std::size_t k = 0; k < shapes.times_s.size(); ++k) {
    result.key_times_s.push_back(static_cast<float>(shapes.times_s[k] - playback.frames().times_s.front()));
    const Pose pose = own > 0 ? playback.local_pose(shapes.times_s[k]) : Pose();
    for (std::size_t m = 0; m < own; ++m) {
      const bool known = number < pose.morph_weights.size() && m < pose.morph_weights[number].size();
      result.weights.push_back(known ? static_cast<float>(pose.morph_weights[number][m]) : 0.0F);
    }
    for (std::size_t s = 0; s < width; ++s) result.weights.push_back(shapes.weights[k * width + s]);
  }
  return result;
}

}  // namespace

std::vector<io::CorrectionPart> fit_corrections(const Rig& rig, Playback& playback, const std::string& name,
                                                const KeyShapeOptions& options, const Progress& progress) {
  const std::vector<double>& times = playback.frames().times_s;
  const bool between = !playback.deformer().needs_history();
  const motion::Drivers drivers(rig.skeleton);
  const double limit = kStraightShare * options.tolerance * rig.mesh.size();
  PartFits fits(rig, options);
  const auto sample_at = [&](double time_s) {
    const ModelPose pose = motion::resolve(rig.skeleton, playback.player()->at(time_s), drivers);
    return sample_of(rig, pose, playback.at(time_s), {});
  };
  // Adds what is between two samples, and as much more as it takes.
  const auto add_between = [&](const auto& self, double begin_s, const Sample& begin, double end_s, const Sample& end,
                               int halvings) -> void {
    progress.check();
    const double middle_s = 0.5 * (begin_s + end_s);
    const Sample middle = sample_at(middle_s);
    const bool divide = halvings > 0 && bend_of(begin, middle, end) > limit;
    if (divide) self(self, begin_s, begin, middle_s, middle, halvings - 1);
    fits.add(middle_s, middle);
    if (divide) self(self, middle_s, middle, end_s, end, halvings - 1);
  };
  progress.step("playing", 0.0);
  Sample last;
  while (playback.next()) {
    const std::size_t f = playback.index();
    progress.step("playing", static_cast<double>(f + 1) / static_cast<double>(times.size()));
    Sample sample = sample_of(rig, playback.pose(), playback.positions(), playback.normals());
    if (between && f > 0) add_between(add_between, times[f - 1], last, times[f], sample, kMostHalvings);
    fits.add(times[f], sample);
    last = std::move(sample);
  }
  std::vector<io::CorrectionPart> result;
  for (Index p = 0; p < rig.mesh.parts.size(); ++p) {
    const motion::CorrectionShapes shapes = fits.fits()[p].result(progress);
    if (!shapes.shapes.empty()) result.push_back(corrections_of(rig, p, shapes, playback, name));
  }
  return result;
}

}  // namespace sinew::pipeline
