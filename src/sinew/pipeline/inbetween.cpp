// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/inbetween.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/pipeline/curves.h"
#include "sinew/pipeline/rig.h"

namespace sinew::pipeline {
namespace {

/// A skeleton that is this sure needs no other pose to be tried.
constexpr double kSureEnough = 0.7;
constexpr std::size_t kMostTried = 4;

// Poses to try: the first, then others spread over the set.
std::vector<std::size_t> poses_to_try(std::size_t count) {
  std::vector<std::size_t> order = {0};
  for (std::size_t i = 1; i < std::min(count, kMostTried); ++i) order.push_back(i * (count - 1) / (kMostTried - 1));
  order.erase(std::unique(order.begin(), order.end()), order.end());
  return order;
}

Character bare_pose(const Character& character, const std::vector<Vec3>& shape) {
  Character bare = character;
  bare.rig.mesh.positions = shape;
  for (MeshPart& part : bare.rig.mesh.parts) part.morphs.clear(), part.morph_weights.clear();
  bare.clips.clear();
  return bare;
}

void make_skeleton(const PoseSet& poses, Inbetween& result, const Progress& progress) {
  double best = -1;
  std::string failure;
  for (const std::size_t p : poses_to_try(poses.shapes.size())) {
    RigOptions options;
    for (std::size_t other = 0; other < poses.shapes.size() && other < 12; ++other)
      if (other != p) options.posed.push_back(poses.shapes[other]);
    try {
      RigResult made = rig(bare_pose(poses.character, poses.shapes[p]), options, progress);
      if (made.confidence <= best) continue;
      best = made.confidence;
      result.character = std::move(made.character);
      result.rest = static_cast<Index>(p);
    } catch (const Error& error) {
      failure = error.what();
    }
    if (best >= kSureEnough) break;
  }
  result.confidence = std::max(best, 0.0);
  if (best >= 0) return;
  result.character = bare_pose(poses.character, poses.shapes[0]);
  result.rest = 0;
  result.findings.push_back({"inbetween.no_skeleton", "",
                             "No skeleton could be made, so vertices go straight from pose to pose: " + failure});
}

void warn_of_large_turns(Inbetween& result) {
  if (result.joints.largest_turn_rad < 150 * kRadPerDegree) return;
  result.findings.push_back(
      {"inbetween.large_turn", "",
       fmt::format("A joint turns by {:.0f}° between two poses. Above 150° the direction of a turn is a guess; add a "
                   "pose between them.",
                   result.joints.largest_turn_rad / kRadPerDegree)});
}

void warn_of_unexplained_shapes(Inbetween& result) {
  const double off = result.motion->figures().residual_rms / result.character.rig.mesh.size();
  if (result.joints.empty() || !(off > 0.1)) return;
  result.findings.push_back(
      {"inbetween.unexplained", "",
       fmt::format("Joints explain little of the poses: the skin is {:.0f} % of the size away from "
                   "their motion. A pose may have another unit, or be of another body.",
                   100 * off)});
}

}  // namespace

Inbetween inbetween(PoseSet poses, const std::vector<double>& times_s, const InbetweenOptions& options,
                    const Progress& progress, const StageListener& on_stage) {
  Inbetween result;
  const auto stage = [&](const char* name) {
    if (on_stage) on_stage(name);
  };
  if (poses.shapes.size() < 2) throw Error("In-between shapes need at least two poses.");
  const bool rigged = !poses.character.rig.skeleton.empty() && !poses.character.rig.weights.empty();
  const bool wanted = options.skeleton != "none" && options.motion.mode != deform::InbetweenMode::kPaper;
  stage("skeleton");
  if (rigged) result.character = poses.character;
  else if (wanted) make_skeleton(poses, result, progress);
  else result.character = bare_pose(poses.character, poses.shapes[0]), result.rest = 0;
  const Rig& rig = result.character.rig;
  if (wanted && !rig.skeleton.empty()) result.joints = deform::fit_joint_poses(rig, poses.shapes, {!rigged});
  warn_of_large_turns(result);
  stage("curves");
  CurvesOptions curves;
  curves.curves = options.curves;
  result.curves = find_curves(result.character, curves, progress).curves;
  stage("prepare");
  result.metres = deform::metres_per_unit(rig.mesh, options.body_height);
  result.motion.emplace(rig, result.curves, result.joints, deform::ExamplePoses{poses.shapes, times_s, result.metres},
                        options.motion);
  warn_of_unexplained_shapes(result);
  return result;
}

}  // namespace sinew::pipeline
