// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/range_of_motion.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/rotation.h"
#include "sinew/core/workable.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/measure/joint_sections.h"
#include "sinew/measure/joint_volume.h"
#include "sinew/motion/resolve.h"
#include "sinew/pipeline/never_worse.h"

namespace sinew::pipeline {
namespace {

// Torn: stretched by more than this, and by twice as much as by the base.
constexpr double kTear = 4, kTearRatio = 2;
constexpr double kShorterShare = 0.87, kLeastShare = 0.5;

void change_angles(std::vector<motion::RangePose>& poses, RangeAngles angles) {
  geometry::Random dice(1);
  for (motion::RangePose& pose : poses) {
    if (angles == RangeAngles::kShorter) pose.angle_rad *= kShorterShare;
    if (angles == RangeAngles::kRandom) pose.angle_rad *= kLeastShare + (1 - kLeastShare) * dice.uniform();
  }
}

}  // namespace

RangePoses::RangePoses(const Rig& rig, motion::RangeDetail detail, bool from_rest) : rig_(rig), drivers_(rig.skeleton) {
  driven_ = std::any_of(rig.skeleton.joints.begin(), rig.skeleton.joints.end(),
                        [](const Joint& joint) { return joint.driver.has_value(); });
  start_ = driven_ || from_rest ? motion::resolve(rig.skeleton, rest_pose(rig), drivers_) : bound_model_pose(rig);
  poses_ =
      motion::range_of_motion(rig.skeleton, motion::recognize(rig.skeleton), start_.joints, moving_joints(rig), detail);
}

ModelPose RangePoses::at(const motion::RangePose& range) const {
  if (!driven_) {
    ModelPose pose = start_;
    pose.joints = motion::turned_frames(rig_.skeleton, start_.joints, range);
    return pose;
  }
  Pose pose = rest_pose(rig_);
  const Mat3 frame = polar(start_.joints[range.joint].topLeftCorner<3, 3>()).rotation;
  Quat& rotation = pose.local[range.joint].rotation;
  rotation = rotation * rotation_exp(range.angle_rad * (frame.transpose() * range.axis));
  return motion::resolve(rig_.skeleton, pose, drivers_);
}

Index RangeMethod::tears() const {
  return static_cast<Index>(std::count_if(cases.begin(), cases.end(), [](const RangeCase& c) { return c.tear; }));
}

Index RangeMethod::worse() const {
  return static_cast<Index>(
      std::count_if(cases.begin(), cases.end(), [](const RangeCase& c) { return !c.worse.empty(); }));
}

double RangeMethod::largest_stretch() const {
  double most = 1;
  for (const RangeCase& c : cases) most = std::max(most, c.figures.stretch);
  return most;
}

double RangeMethod::largest_stretch_ratio(const RangeMethod& base) const {
  double most = 1;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (cases[i].figures.stretch > 1.1) most = std::max(most, cases[i].figures.stretch / base.cases[i].figures.stretch);
  return most;
}

double RangeMethod::median_volume_error() const {
  std::vector<double> errors;
  for (const RangeCase& c : cases)
    if (c.volume_error >= 0) errors.push_back(c.volume_error);
  if (errors.empty()) return 0;
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2), errors.end());
  return errors[errors.size() / 2];
}

std::string range_base(const std::string& id, const AnyOptions& options) {
  const deform::DeformerMethod& method = deform::deformers().find(id);
  const std::string own = method.corrects ? method.corrects(options) : "";
  return own.empty() ? "lbs" : own;
}

RangeResult measure_range(const Rig& rig, const std::vector<RangeSubject>& methods, bool intersections,
                          const Progress& progress, RangeAngles angles) {
  require_workable(rig);
  const RangePoses range(rig);
  if (range.poses().empty())
    throw Error("No joint of the character can be posed: none moves the skin between two bones.");
  RangeResult result;
  result.poses = range.poses();
  change_angles(result.poses, angles);
  const measure::SurfaceAtRest rest(rig.mesh);
  const measure::Shape bound = measure::bound_shape(rig);
  const measure::Limbs limbs = measure::limbs(rig, bound);
  Rig bound_rig = rig;
  bound_rig.mesh.positions = bound.positions;
  const measure::JointVolumes volumes(bound_rig, rest.welding(), limbs);
  const measure::JointSections sections(bound_rig, rest.welding(), bound, limbs);
  std::vector<Vec3f> positions(rig.mesh.vertex_count());
  std::vector<measure::JointVolumes::Region> regions;
  for (const motion::RangePose& pose : result.poses) {
    if (!regions.empty() && &pose != &result.poses.front()) {
      const motion::RangePose& before = *(&pose - 1);
      if (before.joint == pose.joint && before.twist == pose.twist) {
        regions.push_back(regions.back());
        continue;
      }
    }
    regions.push_back(volumes.region(pose.joint, pose.twist));
  }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    RangeMethod method{methods[m].name, 0, {}};
    for (std::size_t b = 0; b < m; ++b)
      if (methods[b].name == methods[m].base) method.base = b;
    const auto state = methods[m].deformer.make_state();
    for (std::size_t i = 0; i < range.poses().size(); ++i) {
      progress.step("measuring", static_cast<double>(m * range.poses().size() + i) /
                                     static_cast<double>(methods.size() * range.poses().size()));
      progress.check();
      const ModelPose pose = range.at(result.poses[i]);
      methods[m].deformer.deform(*state, {pose}, {positions, {}, nullptr});
      RangeCase figures;
      figures.pose = i;
      figures.figures = rest.figures(positions, intersections, progress);
      measure::Shape shape{{}, pose.joints};
      for (const Vec3f& p : positions) shape.positions.push_back(p.cast<double>());
      figures.volume_error = -1;
      if (regions[i].rest_volume > 0) {
        figures.volume_change = regions[i].volume(shape.positions) / regions[i].rest_volume - 1;
        figures.volume_error = std::abs(figures.volume_change);
      }
      figures.section = -1;
      for (const measure::JointSection& section : sections.measure(shape))
        if (section.joint == result.poses[i].joint && section.compared > 0) figures.section = section.thinnest;
      if (m > 0) {
        const measure::SurfaceFigures& base = result.methods[method.base].cases[i].figures;
        figures.worse = measure::worse_in(figures.figures, base);
        figures.tear = figures.figures.stretch > kTear && figures.figures.stretch > kTearRatio * base.stretch;
      }
      method.cases.push_back(std::move(figures));
    }
    result.methods.push_back(std::move(method));
  }
  return result;
}

}  // namespace sinew::pipeline
