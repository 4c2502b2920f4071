// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/bent_joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/bind_frames.h"
#include "sinew/deform/implicit/implicit.h"
#include "sinew/geometry/spatial/penetration.h"
#include "sinew/geometry/spatial/self_intersection.h"
#include "sinew/measure/joint_contour.h"
#include "sinew/motion/range_of_motion.h"

namespace sinew::pipeline {
namespace {

constexpr std::array kBendShares = {0.4, 0.7, 0.95};  ///< Of the range.
constexpr double kFarthestBend = radians(140);
constexpr double kContourSlack = 0.003, kDepthSlack = 0.01;  ///< In radii.
constexpr double kContactReach = 3;                          ///< Radii from the joint, within which contacts count.
constexpr int kBentGridNodes = 8000;

/// The triangles near a point as a mesh of their own.
Mesh near_mesh(const Mesh& mesh, const std::vector<Vec3f>& positions, const Vec3& center, double reach) {
  std::vector<Index> number(positions.size(), kNone);
  Mesh near;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto corners = mesh.face(f);
    const bool close = std::any_of(corners.begin(), corners.end(),
                                   [&](Index v) { return (positions[v].cast<double>() - center).norm() < reach; });
    if (!close) continue;
    std::vector<Index> own;
    for (const Index v : corners) {
      if (number[v] == kNone) {
        number[v] = near.vertex_count();
        near.positions.push_back(positions[v].cast<double>());
      }
      own.push_back(number[v]);
    }
    near.add_face(own);
  }
  return near;
}

}  // namespace

BentJoints::BentJoints(const Rig& rig, const std::map<Index, deform::JointRange>& ranges, const Progress& progress)
    : rig_(rig), ranges_(ranges), progress_(progress), frames_(deform::bind_frames(rig)) {}

BentJoints::Figures BentJoints::measure(const deform::JointShapeReport& report, Index above,
                                        const deform::Deformer& deformer) const {
  Figures figures;
  const measure::JointContour contour(rig_, frames_, report.joint, above, report.radius);
  const auto state = deformer.make_state();
  std::vector<Vec3f> positions(rig_.mesh.positions.size());
  ModelPose pose;
  pose.twist_rad.assign(rig_.skeleton.size(), 0);
  for (const deform::RotationRange& axis : ranges_.at(report.joint).axes) {
    const double most = std::clamp(std::abs(axis.lower_rad) > axis.upper_rad ? axis.lower_rad : axis.upper_rad,
                                   -kFarthestBend, kFarthestBend);
    figures.contour.push_back(0);
    for (const double share : kBendShares) {
      progress_.check();
      pose.joints =
          motion::turned_frames(rig_.skeleton, frames_, {"", "", report.joint, false, share * most, axis.axis});
      deformer.deform(*state, {pose}, {positions, {}, nullptr});
      if (contour.usable())
        figures.contour.back() = std::max(figures.contour.back(), contour.measure(pose, positions).largest);
    }
    // Most joints have no contact at all, which triangles near them tell at once.
    double depth = 0;
    const Vec3 center = pose.joints[report.joint].topRightCorner<3, 1>();
    const double reach = kContactReach * report.radius;
    if (const auto found = geometry::self_intersections(near_mesh(rig_.mesh, positions, center, reach), {}, progress_);
        found.inside_parts + found.between_parts > 0) {
      Mesh bent = rig_.mesh;
      for (std::size_t v = 0; v < positions.size(); ++v) bent.positions[v] = positions[v].cast<double>();
      const geometry::Penetration inside = geometry::penetration(bent, {}, progress_);
      for (Index v = 0; v < inside.depth.size(); ++v)
        if ((bent.positions[v] - center).norm() < reach) depth = std::max(depth, inside.depth[v] / report.radius);
    }
    figures.depth.push_back(depth);
  }
  return figures;
}

std::vector<deform::JointVerdict> BentJoints::worse(const deform::JointShapes& shapes) {
  deform::ImplicitOptions options;
  options.grid_nodes = kBentGridNodes;
  if (!default_) default_ = deform::bind_implicit(rig_, {}, options, progress_);
  deform::MethodInputs inputs;
  inputs.samples = &shapes.samples;
  const auto adjusted = deform::bind_implicit(rig_, inputs, options, progress_);
  std::vector<const deform::JointShapeReport*> reports;
  for (const deform::JointShapeReport& report : shapes.reports)
    if (report.fit == deform::JointFit::kAdjusted) reports.push_back(&report);
  std::vector<Figures> before(reports.size()), after(reports.size());
  parallel_for(
      reports.size(),
      [&](std::size_t i) {
        const Index above = shapes.joints[reports[i]->parent];
        const auto known = before_.find(reports[i]->joint);
        before[i] = known != before_.end() ? known->second : measure(*reports[i], above, *default_);
        after[i] = measure(*reports[i], above, *adjusted);
      },
      1);
  std::vector<deform::JointVerdict> verdicts;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Index joint = reports[i]->joint;
    before_[joint] = before[i];
    for (std::size_t axis = 0; axis < before[i].depth.size(); ++axis) {
      const double was = before[i].contour[axis], is = after[i].contour[axis];
      const double old_depth = before[i].depth[axis], depth = after[i].depth[axis];
      if (is > was + kContourSlack)
        verdicts.push_back(
            {joint, fmt::format("the bent skin would stick out by {:.3f} radii instead of {:.3f}", is, was)});
      else if (depth > old_depth + kDepthSlack)
        verdicts.push_back({joint, fmt::format("contacts of the bent skin would be {:.3f} radii deep instead of {:.3f}",
                                               depth, old_depth)});
      else continue;
      break;
    }
  }
  return verdicts;
}

}  // namespace sinew::pipeline
