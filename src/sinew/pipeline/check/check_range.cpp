// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/text.h"
#include "sinew/core/workable.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/measure/surface_change.h"
#include "sinew/pipeline/check/check_gaps.h"
#include "sinew/pipeline/check/check_parts.h"
#include "sinew/pipeline/deformer.h"
#include "sinew/pipeline/range_of_motion.h"

namespace sinew::pipeline {
namespace {

constexpr double kRightAngle = kPi / 2 + 1e-6;

std::string pose_text(const motion::RangePose& pose, const Skeleton& skeleton) {
  return fmt::format("{} {} {:.0f}° ({})", pose.group, pose.move, degrees(pose.angle_rad),
                     skeleton.joints[pose.joint].name);
}

// The pose in which a figure is largest.
struct Worst {
  double value = 0;
  std::size_t pose = 0;

  void take(double other, std::size_t at) {
    if (other > value) value = other, pose = at;
  }
};

struct WorstFigures {
  Worst stretch{1, 0}, volume, section, flips, intersections, gaps, noise;
};

class RangeRows {
 public:
  RangeRows(const CheckInput& input, const RangeResult& result, const RangePoses& range)
      : input_(input), rig_(input.character.rig), result_(result), range_(range) {}

  /// Adds a row with its pose.
  CheckRow& add(CheckRows& rows, const char* id, const Worst& worst, const char* text) const {
    const motion::RangePose& pose = result_.poses[worst.pose];
    CheckRow& row = rows.add(id, worst.value, fmt::format("{}, in the pose {}.", text, pose_text(pose, rig_.skeleton)),
                             input_.joint_name(pose.joint));
    row.joint = pose.joint;
    row.pose = pose;
    return row;
  }

  /// Vertices of edges that are stretched by at least half of what the worst one is, and by half their length.
  std::vector<Index> stretched(const Worst& worst) const {
    const std::vector<Vec3> posed = deform::linear_positions(rig_, range_.at(worst.pose));
    std::vector<char> marked(posed.size(), 0);
    const double limit = std::max(1.5, worst.value / 2);
    for (Index f = 0; f < rig_.mesh.face_count(); ++f) {
      const auto face = rig_.mesh.face(f);
      for (std::size_t k = 0; k < face.size(); ++k) {
        const Index a = face[k], b = face[(k + 1) % face.size()];
        const double rest = (rig_.mesh.positions[a] - rig_.mesh.positions[b]).norm();
        if (rest > 0 && (posed[a] - posed[b]).norm() > limit * rest) marked[a] = marked[b] = 1;
      }
    }
    std::vector<Index> vertices;
    for (Index v = 0; v < marked.size(); ++v)
      if (marked[v]) vertices.push_back(v);
    return vertices;
  }

 private:
  const CheckInput& input_;
  const Rig& rig_;
  const RangeResult& result_;
  const RangePoses& range_;
};

WorstFigures worst_figures(const CheckInput& input, const RangeResult& result, const RangePoses& range,
                           const Progress& progress) {
  const Rig& rig = input.character.rig;
  const ShellGaps gaps(input);
  WorstFigures worst;
  const geometry::Welding welding = geometry::weld(rig.mesh);
  const measure::SurfaceChange change(rig.mesh, welding);
  const double faces = std::max<double>(1, rig.mesh.face_count());
  for (const RangeCase& c : result.methods.front().cases) {
    progress.check();
    const motion::RangePose& pose = result.poses[c.pose];
    if (std::abs(pose.angle_rad) > (pose.twist ? kRightAngle : kPi)) continue;  // No skin survives half a turn.
    worst.stretch.take(c.figures.stretch, c.pose);
    worst.flips.take(c.figures.flipped / faces, c.pose);
    const std::vector<Vec3> posed = deform::linear_positions(rig, range.at(c.pose));
    worst.gaps.take(gaps.widest_rel(posed), c.pose);
    if (pose.twist || std::abs(pose.angle_rad) > kRightAngle) continue;
    worst.noise.take(change.roughness(posed), c.pose);
    worst.intersections.take(static_cast<double>(c.figures.intersections) / faces, c.pose);
    if (c.volume_error >= 0) worst.volume.take(c.volume_error, c.pose);
    // At shoulders and hips sections cut through the trunk.
    if (c.section >= 0 && (pose.group == "elbow" || pose.group == "knee")) worst.section.take(1 - c.section, c.pose);
  }
  return worst;
}

}  // namespace

void check_range(const CheckInput& input, CheckRows& rows, const Progress& progress) {
  const Rig& rig = input.character.rig;
  if (unworkable(rig)) return;
  const RangePoses range(rig);
  if (range.poses().empty()) return;
  Findings findings;
  const auto deformer = bind_deformer(rig, pipeline::deformer("lbs"), findings, progress);
  const RangeResult result = measure_range(rig, {{"lbs", *deformer, ""}}, true, progress);
  const WorstFigures worst = worst_figures(input, result, range, progress);
  const RangeRows adder(input, result, range);
  adder.add(rows, "range.stretch", worst.stretch, "An edge is stretched most").vertices =
      adder.stretched(worst.stretch);
  adder.add(rows, "range.volume", worst.volume, "The volume changes most");
  adder.add(rows, "range.section", worst.section, "The limb is thinnest");
  adder.add(rows, "range.flips", worst.flips, "Faces turn over");
  adder.add(rows, "range.intersections", worst.intersections, "Faces pass through each other");
  adder.add(rows, "range.gaps", worst.gaps, "Shells that touch come apart");
  adder.add(rows, "range.noise", worst.noise, "The surface is roughest");
}

PosedFault posed_fault(const Rig& rig, const CheckRow& row) {
  const RangePoses range(rig);
  if (row.pose)
    for (std::size_t i = 0; i < range.poses().size(); ++i) {
      const motion::RangePose& pose = range.poses()[i];
      if (pose.joint != row.pose->joint || pose.move != row.pose->move || pose.angle_rad != row.pose->angle_rad)
        continue;
      const ModelPose posed = range.at(i);
      return {deform::linear_positions(rig, posed), posed.joints};
    }
  return {rig.mesh.positions, range.start().joints};
}

}  // namespace sinew::pipeline
