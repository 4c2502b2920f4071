// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "sinew/core/error.h"
#include "sinew/deform/curves/beam_response.h"
#include "sinew/deform/deformer.h"
#include "sinew/lab/ode/ode.h"
#include "sinew/pipeline/inbetween_clip.h"

namespace sinew::lab {
namespace {

/// Times at which each method may meet a frame that was held out. Two poses do not tell when what lies between them
/// happens, so that every method is compared at its own best time.
constexpr int kTimes = 40;

double rms(std::span<const Vec3f> shape, const std::vector<Vec3>& truth) {
  double sum = 0;
  for (std::size_t v = 0; v < truth.size(); ++v) sum += (shape[v].cast<double>() - truth[v]).squaredNorm();
  return std::sqrt(sum / static_cast<double>(truth.size()));
}

/// Shapes of one method at a segment and a time in it.
using ShapeAt = std::function<void(Index segment, double t, std::span<Vec3f> shape)>;

ShapeAt straight(const std::vector<std::vector<Vec3>>& keys) {
  return [&keys](Index segment, double t, std::span<Vec3f> shape) {
    for (std::size_t v = 0; v < shape.size(); ++v)
      shape[v] = ((1 - t) * keys[segment][v] + t * keys[segment + 1][v]).cast<float>();
  };
}

ShapeAt along_curves(const deform::CurveMotion& motion) {
  return [&motion](Index segment, double t, std::span<Vec3f> shape) { motion.evaluate(segment + t, shape); };
}

/// Skinning alone, by the same joints.
class SkinnedKeys {
 public:
  SkinnedKeys(const pipeline::Inbetween& between, const std::vector<double>& times_s, const char* method)
      : joints_(between.joints),
        times_(times_s),
        rig_(pipeline::inbetween_rig(between)),
        deformer_(deform::bind(method, rig_)),
        state_(deformer_->make_state()) {}

  void at(Index segment, double t, std::span<Vec3f> shape) {
    const ModelPose pose{joints_.matrices(joints_.through(segment, t, times_)), {}, {}};
    deformer_->deform(*state_, {pose}, {shape, {}, nullptr});
  }

 private:
  const deform::JointPoses& joints_;
  const std::vector<double>& times_;
  Rig rig_;
  std::unique_ptr<deform::Deformer> deformer_;
  std::unique_ptr<deform::Deformer::State> state_;
};

/// Errors of all methods on one sequence.
struct HeldOut {
  std::map<std::string, double> rms;  // By method, relative to the size; over all frames that were held out.
  double own_time_straight = 0, own_time_flow = 0;
  std::size_t frames = 0;
  double confidence = 0;
};

class HeldOutStudy {
 public:
  explicit HeldOutStudy(const ShapeSequence& sequence) : sequence_(sequence) {
    for (const std::size_t key : sequence.keys) {
      poses_.shapes.push_back(sequence.frames[key]);
      poses_.names.push_back(fmt::format("{}", key));
      times_.push_back(static_cast<double>(times_.size()));
    }
    poses_.character = sequence.character;
    poses_.character.rig.mesh.positions = poses_.shapes[0];
    size_ = poses_.character.rig.mesh.size();
  }

  HeldOut run(const Progress& progress) {
    HeldOut found;
    const pipeline::Inbetween driven = pipeline::inbetween(poses_, times_, {}, progress);
    found.confidence = driven.confidence;
    found.rms["straight"] = best(straight(poses_.shapes), found.frames);
    found.rms["driven"] = best(along_curves(*driven.motion), found.frames);
    for (const char* method : {"lbs", "dqs"}) {
      if (driven.joints.empty()) continue;
      SkinnedKeys skinned(driven, times_, method);
      found.rms[method] =
          best([&](Index segment, double t, std::span<Vec3f> shape) { skinned.at(segment, t, shape); }, found.frames);
    }
    other_modes(driven, found);
    return found;
  }

 private:
  void other_modes(const pipeline::Inbetween& driven, HeldOut& found) {
    const auto with = [&](const deform::CurveMotionOptions& options) {
      return deform::CurveMotion(driven.character.rig, driven.curves, driven.joints,
                                 {poses_.shapes, times_, driven.metres}, options);
    };
    deform::CurveMotionOptions options;
    options.mode = deform::InbetweenMode::kDamped;
    found.rms["damped"] = best(along_curves(with(options)), found.frames);
    options.mode = deform::InbetweenMode::kPaper;
    found.rms["paper"] = best(along_curves(with(options)), found.frames);
    options = {};
    options.join = deform::KeyJoin::kRest;
    found.rms["rest"] = best(along_curves(with(options)), found.frames);
    options.join = deform::KeyJoin::kFlow;
    const deform::CurveMotion flow = with(options);
    found.own_time_flow = at_own_time(along_curves(flow));
    found.own_time_straight = at_own_time(straight(poses_.shapes));
  }

  // Calls for each frame between keys.
  template <class Visit>
  void for_held_out(Visit&& visit) {
    for (std::size_t k = 0; k + 1 < sequence_.keys.size(); ++k)
      for (std::size_t f = sequence_.keys[k] + 1; f < sequence_.keys[k + 1]; ++f)
        visit(static_cast<Index>(k), f,
              static_cast<double>(f - sequence_.keys[k]) /
                  static_cast<double>(sequence_.keys[k + 1] - sequence_.keys[k]));
  }

  double best(const ShapeAt& shape_at, std::size_t& frames) {
    std::vector<Vec3f> shape(poses_.shapes[0].size());
    std::map<std::size_t, double> least;
    std::map<Index, std::vector<std::size_t>> of_segment;
    for_held_out([&](Index segment, std::size_t frame, double) { of_segment[segment].push_back(frame); });
    for (const auto& [segment, list] : of_segment)
      for (int i = 0; i <= kTimes; ++i) {
        shape_at(segment, static_cast<double>(i) / kTimes, shape);
        for (const std::size_t frame : list) {
          const double error = rms(shape, sequence_.frames[frame]);
          const auto [entry, fresh] = least.try_emplace(frame, error);
          if (!fresh) entry->second = std::min(entry->second, error);
        }
      }
    double sum = 0;
    for (const auto& [frame, error] : least) sum += error * error;
    frames = least.size();
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, frames))) / size_;
  }

  double at_own_time(const ShapeAt& shape_at) {
    std::vector<Vec3f> shape(poses_.shapes[0].size());
    double sum = 0, count = 0;
    for_held_out([&](Index segment, std::size_t frame, double t) {
      shape_at(segment, t, shape);
      sum += std::pow(rms(shape, sequence_.frames[frame]), 2);
      ++count;
    });
    return std::sqrt(sum / std::max(1.0, count)) / size_;
  }

  const ShapeSequence& sequence_;
  pipeline::PoseSet poses_;
  std::vector<double> times_;
  double size_ = 1;
};

struct Tally {
  int sequences = 0, below_straight = 0, below_lbs = 0, below_dqs = 0;
};

}  // namespace

void ode_held_out(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  ResultTable table{
      "held_out",
      "Distance from frames that were held out, RMS in ‰ of the size",
      "Every fourth frame is given, without a skeleton. Each method meets each frame at its own best time; the "
      "last two columns are at the frame's own time. lbs and dqs have the same joints and weights. driven flows "
      "through its keys, as lbs and dqs do; rest stops at them.",
      {"sequence", "vertices", "frames", "straight", "lbs", "dqs", "paper", "damped", "rest", "driven",
       "straight, own time", "driven, own time"},
      {}};
  std::vector<ShapeSequence> sequences = made_sequences(options);
  for (ShapeSequence& real : real_sequences(options, progress)) sequences.push_back(std::move(real));
  Tally tally;
  for (const ShapeSequence& sequence : sequences) {
    progress.check();
    HeldOut found = HeldOutStudy(sequence).run(progress);
    const auto text = [](double value) { return fmt::format("{:.2f}", 1000 * value); };
    std::vector<std::string> row = {sequence.name, fmt::format("{}", sequence.character.rig.mesh.vertex_count()),
                                    fmt::format("{}", found.frames)};
    for (const char* method : {"straight", "lbs", "dqs", "paper", "damped", "rest", "driven"})
      row.push_back(found.rms.contains(method) ? text(found.rms[method]) : "–");
    row.push_back(text(found.own_time_straight));
    row.push_back(text(found.own_time_flow));
    table.rows.push_back(std::move(row));
    for (const auto& [method, error] : found.rms) result.metrics["held_out"][sequence.name][method] = error;
    result.metrics["held_out"][sequence.name]["skeleton_confidence"] = found.confidence;
    ++tally.sequences;
    tally.below_straight += found.rms["driven"] < found.rms["straight"] ? 1 : 0;
    tally.below_lbs += !found.rms.contains("lbs") || found.rms["driven"] < found.rms["lbs"] ? 1 : 0;
    tally.below_dqs += !found.rms.contains("dqs") || found.rms["driven"] < found.rms["dqs"] ? 1 : 0;
  }
  result.tables.push_back(std::move(table));
  result.metrics["below"] = {{"sequences", tally.sequences},
                             {"straight", tally.below_straight},
                             {"lbs", tally.below_lbs},
                             {"dqs", tally.below_dqs}};
  if (tally.below_straight < tally.sequences)
    result.misses.push_back({"ode.straight", "",
                             fmt::format("Driven curves are nearer than straight lines on {} of {} sequences.",
                                         tally.below_straight, tally.sequences)});
  if (4 * std::min(tally.below_lbs, tally.below_dqs) < 3 * tally.sequences)
    result.misses.push_back({"ode.skinning", "",
                             fmt::format("Driven curves are nearer than linear skinning on {} and than dual "
                                         "quaternions on {} of {} sequences.",
                                         tally.below_lbs, tally.below_dqs, tally.sequences)});
}

}  // namespace sinew::lab
