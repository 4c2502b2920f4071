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
#include "sinew/motion/range_of_motion.h"

namespace sinew::pipeline {
namespace {

constexpr std::array kBendShares = {0.4, 0.7, 0.95};  ///< Of the range.
constexpr double kFarthestBend = radians(140);
constexpr double kContourSlack = 0.003, kDepthSlack = 0.01;  ///< In radii.
constexpr double kContactReach = 3;                          ///< Radii from the joint, within which contacts count.
constexpr int kBentGridNodes = 8000;
constexpr std::size_t kMostAxes = 3;

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

double farther_end(const deform::RotationRange& axis) {
  return std::clamp(std::abs(axis.lower_rad) > axis.upper_rad ? axis.lower_rad : axis.upper_rad, -kFarthestBend,
                    kFarthestBend);
}

bool same_samples(const PartSamples& a, const PartSamples& b, const std::string& name) {
  const auto in_a = a.find(name), in_b = b.find(name);
  if (in_a == a.end() || in_b == b.end()) return (in_a == a.end()) == (in_b == b.end());
  return std::equal(
      in_a->second.begin(), in_a->second.end(), in_b->second.begin(), in_b->second.end(),
      [](const SurfaceSample& p, const SurfaceSample& q) { return p.point == q.point && p.normal == q.normal; });
}

}  // namespace

BentJoints::BentJoints(const Rig& rig, const std::map<Index, deform::JointRange>& ranges, const Progress& progress)
    : rig_(rig), ranges_(ranges), progress_(progress), frames_(deform::bind_frames(rig)) {}

void BentJoints::find_subjects(const deform::JointShapes& shapes) {
  std::map<Index, Index> above;  // The part above each part.
  for (const deform::JointShapeReport& report : shapes.reports) above[report.part] = report.parent;
  const auto is_below = [&](Index part, Index other) {
    for (auto at = above.find(part); at != above.end(); at = above.find(at->second))
      if (at->second == other) return true;
    return false;
  };
  // Whether two joints are on different limbs, whose first parts are not joined to each other.
  const auto apart = [&](const Subject& a, const Subject& b) {
    return a.parent != b.parent && !is_below(a.part, b.part) && !is_below(b.part, a.part);
  };
  for (const deform::JointShapeReport& report : shapes.reports) {
    if (report.fit != deform::JointFit::kAdjusted) continue;
    Subject subject{report.joint,
                    report.part,
                    report.parent,
                    report.radius,
                    {rig_, frames_, report.joint, shapes.joints[report.parent], report.radius},
                    {},
                    {}};
    const auto taken = [&](int group) {
      return std::any_of(subjects_.begin(), subjects_.end(),
                         [&](const Subject& other) { return other.group == group && !apart(subject, other); });
    };
    while (taken(subject.group)) ++subject.group;
    groups_ = std::max(groups_, subject.group + 1);
    subjects_.push_back(std::move(subject));
  }
}

void BentJoints::find_changes(const deform::JointShapes& shapes) {
  for (Subject& subject : subjects_) {
    const auto report =
        std::find_if(shapes.reports.begin(), shapes.reports.end(),
                     [&](const deform::JointShapeReport& known) { return known.joint == subject.joint; });
    subject.adjusted = report != shapes.reports.end() && report->fit == deform::JointFit::kAdjusted;
    subject.changed = false;
    for (const Index part : {subject.part, subject.parent})
      if (!same_samples(samples_, shapes.samples, rig_.skeleton.joints[shapes.joints[part]].name))
        subject.changed = true;
  }
}

ModelPose BentJoints::pose_of(const std::vector<Subject*>& bent, std::size_t axis, double share) const {
  ModelPose pose;
  pose.twist_rad.assign(rig_.skeleton.size(), 0);
  pose.joints = frames_;
  for (const Subject* subject : bent) {
    const deform::RotationRange& range = ranges_.at(subject->joint).axes[axis];
    pose.joints = motion::turned_frames(rig_.skeleton, pose.joints,
                                        {"", "", subject->joint, false, share * farther_end(range), range.axis});
  }
  return pose;
}

void BentJoints::bend_group(int group, std::size_t axis, const deform::Deformer& deformer, Figures Subject::*result) {
  std::vector<Subject*> bent;
  for (Subject& subject : subjects_)
    if (subject.group == group && axis < ranges_.at(subject.joint).axes.size()) bent.push_back(&subject);
  if (std::none_of(bent.begin(), bent.end(), [](const Subject* s) { return s->adjusted && s->changed; })) return;
  const auto state = deformer.make_state();
  std::vector<Vec3f> positions(rig_.mesh.positions.size());
  for (Subject* subject : bent) (subject->*result).contour[axis] = 0;
  ModelPose pose;
  for (const double share : kBendShares) {
    progress_.check();
    pose = pose_of(bent, axis, share);
    deformer.deform(*state, {pose}, {positions, {}, nullptr});
    for (Subject* subject : bent)
      if (double& most = (subject->*result).contour[axis]; subject->contour.usable())
        most = std::max(most, subject->contour.measure(pose, positions).largest);
  }
  // Most joints have no contact at all, which triangles near them tell at once. Others bend alone.
  std::vector<Vec3f> alone(positions.size());
  for (Subject* subject : bent) {
    (subject->*result).depth[axis] = 0;
    const Vec3 center = pose.joints[subject->joint].topRightCorner<3, 1>();
    const double reach = kContactReach * subject->radius;
    const auto found = geometry::self_intersections(near_mesh(rig_.mesh, positions, center, reach), {}, progress_);
    if (found.inside_parts + found.between_parts == 0) continue;
    const ModelPose single = pose_of({subject}, axis, kBendShares.back());
    deformer.deform(*state, {single}, {alone, {}, nullptr});
    (subject->*result).depth[axis] = depth_near(alone, single.joints[subject->joint].topRightCorner<3, 1>(), *subject);
  }
}

double BentJoints::depth_near(const std::vector<Vec3f>& positions, const Vec3& center, const Subject& subject) const {
  Mesh mesh = rig_.mesh;
  for (std::size_t v = 0; v < positions.size(); ++v) mesh.positions[v] = positions[v].cast<double>();
  const geometry::Penetration inside = geometry::penetration(mesh, {}, progress_);
  double depth = 0;
  for (Index v = 0; v < inside.depth.size(); ++v)
    if ((mesh.positions[v] - center).norm() < kContactReach * subject.radius)
      depth = std::max(depth, inside.depth[v] / subject.radius);
  return depth;
}

void BentJoints::bend(const deform::Deformer& deformer, Figures Subject::*result) {
  for (Subject& subject : subjects_) {
    const std::size_t axes = ranges_.at(subject.joint).axes.size();
    (subject.*result).contour.resize(axes, 0), (subject.*result).depth.resize(axes, 0);
  }
  parallel_for(
      static_cast<std::size_t>(groups_) * kMostAxes,
      [&](std::size_t i) { bend_group(static_cast<int>(i / kMostAxes), i % kMostAxes, deformer, result); }, 1);
}

std::vector<deform::JointVerdict> BentJoints::worse(const deform::JointShapes& shapes) {
  const auto bound = [&](const PartSamples& samples, const deform::PartFunctions& functions) {
    deform::ImplicitBodyOptions options;
    options.grid_nodes = kBentGridNodes;
    return deform::bind_implicit(rig_, deform::make_implicit_body(rig_, options, {}, samples, progress_, functions), {},
                                 progress_);
  };
  if (subjects_.empty()) {
    find_subjects(shapes);
    if (subjects_.empty()) return {};
    bend(*bound({}, {}), &Subject::before);
  } else {
    find_changes(shapes);
  }
  bend(*bound(shapes.samples, shapes.functions), &Subject::after);
  samples_ = shapes.samples;
  std::vector<deform::JointVerdict> verdicts;
  for (const Subject& subject : subjects_) {
    if (!subject.adjusted) continue;
    for (std::size_t axis = 0; axis < subject.before.depth.size(); ++axis) {
      const double was = subject.before.contour[axis], is = subject.after.contour[axis];
      const double old_depth = subject.before.depth[axis], depth = subject.after.depth[axis];
      if (is > was + kContourSlack)
        verdicts.push_back(
            {subject.joint, fmt::format("the bent skin would stick out by {:.3f} radii instead of {:.3f}", is, was)});
      else if (depth > old_depth + kDepthSlack)
        verdicts.push_back(
            {subject.joint,
             fmt::format("contacts of the bent skin would be {:.3f} radii deep instead of {:.3f}", depth, old_depth)});
      else continue;
      break;
    }
  }
  return verdicts;
}

}  // namespace sinew::pipeline
