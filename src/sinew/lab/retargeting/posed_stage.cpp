// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/binding/distance/distance.h"
#include "sinew/binding/heat/heat.h"
#include "sinew/core/rotation.h"
#include "sinew/deform/deformer.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/lab/retargeting/family.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/segment_rig.h"
#include "sinew/transfer/biharmonic/biharmonic.h"

namespace sinew::lab {
namespace {

constexpr int kStagePoses = 8;
constexpr double kStageTurn_rad = 0.6;

/// Rows of the target by one way.
struct StageRows {
  const char* name;
  SkinWeights rows;
};

std::vector<StageRows> stage_rows(const RetargetPair& pair, const Progress& progress) {
  const binding::Subject subject = binding::rest_subject(pair.to.rig.mesh, pair.to.rig.skeleton);
  binding::DistanceOptions printed;
  printed.mode = binding::DistanceRules::kPaper;
  const auto& all = transfer::methods();
  transfer::BiharmonicOptions paper;
  paper.mode = transfer::MatchRules::kPaper;
  const auto moved = [&](const MethodChoice& method) {
    return transfer::transfer(method, pair.input(), {}, progress).weights;
  };
  return {{"computed, Eq. 2", binding::bind_by_distance(subject, printed, {}, progress).weights},
          {"computed, heat", binding::bind_by_heat(subject, {}, {}, progress).weights},
          {"retargeted, closest point", moved({all, "closest"})},
          {"retargeted, published", moved({all, "biharmonic", paper})},
          {"retargeted, biharmonic", moved({all, "biharmonic"})}};
}

std::vector<ModelPose> stage_poses(const Rig& rig) {
  std::vector<ModelPose> poses;
  for (int i = 0; i < kStagePoses; ++i) {
    geometry::Random dice(static_cast<std::uint64_t>(i + 1));
    Pose pose = rest_pose(rig);
    for (Index j = 0; j < rig.skeleton.size(); ++j) {
      const Vec3 draw(dice.uniform(), dice.uniform(), dice.uniform());
      if (rig.skeleton.joints[j].deforming && rig.skeleton.joints[j].parent != kNone)
        pose.local[j].rotation =
            pose.local[j].rotation * rotation_exp(2 * kStageTurn_rad * (draw - Vec3::Constant(0.5)));
    }
    poses.push_back(motion::resolve(rig.skeleton, pose));
  }
  return poses;
}

/// Positions over all poses, linear and with the volume stage.
struct StagePositions {
  std::vector<std::vector<Vec3f>> linear, corrected;
};

StagePositions staged(const Character& target, const SkinWeights& rows, const std::vector<ModelPose>& poses,
                      const Progress& progress) {
  Rig rig = target.rig;
  rig.weights = rows;
  Findings findings;
  const Segmentation segmentation = pipeline::segment_by_weights(rig, findings, progress);
  StagePositions result;
  for (const bool volume : {false, true}) {
    const auto deformer = volume ? deform::bind("pbd", rig, {}, progress, {.segmentation = &segmentation})
                                 : deform::bind("lbs", rig, {}, progress);
    const auto state = deformer->make_state();
    for (const ModelPose& pose : poses) {
      progress.check();
      std::vector<Vec3f> positions(rig.mesh.positions.size());
      deformer->deform(*state, {pose}, {positions, {}, nullptr});
      (volume ? result.corrected : result.linear).push_back(std::move(positions));
    }
  }
  return result;
}

struct StageDifference {
  double mean_square = 0, most = 0;  // In thousandths of the size; the first is its root.
};

StageDifference difference_of(const std::vector<std::vector<Vec3f>>& a, const std::vector<std::vector<Vec3f>>& b,
                              double size) {
  StageDifference difference;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t v = 0; v < a[i].size(); ++v, count += 1) {
      const auto d = static_cast<double>((a[i][v] - b[i][v]).norm());
      sum += d * d, difference.most = std::max(difference.most, d);
    }
  difference.mean_square = 1000 * std::sqrt(sum / count) / size;
  difference.most *= 1000 / size;
  return difference;
}

// Per vertex below the knee: half the sum of differences of its row, sorted.
std::vector<double> lower_leg_errors(const SkinWeights& rows, const SkinWeights& truth, const Skeleton& skeleton) {
  const auto below_knee = [&](Index joint) {
    const std::string& name = skeleton.joints[joint].name;
    return name.find("LowerLeg") != std::string::npos || name.find("Shin") != std::string::npos || name == "LeftLeg" ||
           name == "RightLeg";
  };
  std::vector<double> errors;
  for (Index v = 0; v < truth.row_count(); ++v) {
    if (truth.row(v).empty() || !below_knee(truth.row(v)[0].joint)) continue;
    SkinWeights a, b;
    a.add_row(rows.row(v)), b.add_row(truth.row(v));
    errors.push_back(mean_difference_of(a, b));
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

}  // namespace

void retarget_posed(int vertices, const Progress& progress, Reproduction& result) {
  const Character reference = family_member(0, "a", 0, vertices);
  const RetargetPair pair(reference, family_member(1, "t", 0.5, vertices), reference.rig.weights.normalized());
  const double size = pair.to.rig.mesh.size();
  const std::vector<ModelPose> poses = stage_poses(pair.to.rig);
  const StagePositions true_positions = staged(pair.to, pair.truth, poses, progress);
  ResultTable table{.id = "posed",
                    .title = "Figs. 13, 14, 18, 19: computed, edited and retargeted weights, posed",
                    .note =
                        "A made human in T-pose, whose own weights stand for those that an artist edited. Errors of "
                        "rows below the knees, mean and 95th percentile; then distances from the positions by the "
                        "edited weights over eight random poses, root mean square and largest, in thousandths of the "
                        "size, by linear blending and with the volume stage (pbd).",
                    .header = {"weights", "shin mean", "shin 95 %", "linear", "largest", "with volume", "largest"},
                    .rows = {}};
  double published = 0, revised = 0;
  for (const StageRows& way : stage_rows(pair, progress)) {
    const StagePositions positions = staged(pair.to, way.rows, poses, progress);
    const StageDifference linear = difference_of(positions.linear, true_positions.linear, size);
    const StageDifference volume = difference_of(positions.corrected, true_positions.corrected, size);
    const std::vector<double> shin = lower_leg_errors(way.rows, pair.truth, pair.to.rig.skeleton);
    double mean = 0;
    for (const double e : shin) mean += e / static_cast<double>(shin.size());
    const double high = shin.empty() ? 0 : shin[shin.size() * 95 / 100];
    table.rows.push_back({way.name, fmt::format("{:.4f}", mean), fmt::format("{:.4f}", high),
                          fmt::format("{:.2f}", linear.mean_square), fmt::format("{:.1f}", linear.most),
                          fmt::format("{:.2f}", volume.mean_square), fmt::format("{:.1f}", volume.most)});
    published = revised, revised = volume.mean_square;
  }
  result.tables.push_back(std::move(table));
  // The last two rows.
  if (!(revised < published) || !(revised < 5))
    result.misses.push_back({"reproduce.retargeting", "posed",
                             "Positions by retargeted weights with the volume stage differ by more than 0.5 % of the "
                             "size, or by more than those of the published rules."});
}

}  // namespace sinew::lab
