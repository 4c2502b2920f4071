// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/joint_shape/trial.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/deform/bind_frames.h"
#include "sinew/deform/implicit/implicit.h"
#include "sinew/geometry/spatial/penetration.h"
#include "sinew/lab/implicit/limb.h"
#include "sinew/lab/joint_shape/joint_shape.h"
#include "sinew/measure/joint_contour.h"
#include "sinew/motion/range_of_motion.h"
#include "sinew/pipeline/joint_ranges.h"
#include "sinew/pipeline/segment_rig.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

using deform::JointFit;
using deform::JointShapeReport;

constexpr int kTrialFrames = 8;    ///< Up to the bend, for the method that remembers.
constexpr double kTrialReach = 3;  ///< Radii from the joint within which contacts count.
constexpr double kSkinReach = 2;   ///< The same for distances from another shape.
constexpr double kMostBend_deg = 140;

/// Without samples beyond the ends of bones.
PartSamples raw_samples(const deform::ImplicitBody& body, const Skeleton& skeleton) {
  PartSamples samples;
  for (const deform::ImplicitPart& part : body.parts) {
    auto& own = samples[skeleton.joints[part.joint].name];
    own.assign(part.samples.begin(), part.samples.end() - static_cast<std::ptrdiff_t>(part.end_samples));
  }
  return samples;
}

}  // namespace

JointTrial::JointTrial(std::shared_ptr<const Character> character, const std::vector<std::string>& joints,
                       const Progress& progress)
    : character_(std::move(character)),
      frames_(deform::bind_frames(rig())),
      progress_(progress),
      ranges_(pipeline::joint_ranges(*character_)) {
  pipeline::FitJointsOptions options;
  options.joints = joints;
  options.check_bends = false;
  fitted_ = pipeline::fit_joints(*character_, options, {}, progress);
  edited_ = edited_samples(rig(), fitted_);
  const deform::ImplicitBody usual = deform::make_implicit_body(rig(), {}, {}, {}, progress);
  raw_ = raw_samples(usual, rig().skeleton);
  for (const deform::ImplicitPart& part : usual.parts) default_[rig().skeleton.joints[part.joint].name] = part.samples;
  Findings warnings;
  const Segmentation segmentation = pipeline::segment_by_weights(rig(), warnings, progress);
  const auto implicit = [&](const PartSamples& samples, const deform::PartFunctions& functions) {
    return deform::bind_implicit(rig(), deform::make_implicit_body(rig(), {}, {}, samples, progress, functions), {},
                                 progress);
  };
  for (const std::string method : kTrialMethods) {
    if (method == "raw") deformers_.push_back(implicit(raw_, {}));
    else if (method == "default") deformers_.push_back(deform::bind_implicit(rig(), usual, {}, progress));
    else if (method == "adjusted") deformers_.push_back(implicit(fitted_.samples, fitted_.shapes.functions));
    else if (method == "edited") deformers_.push_back(implicit(edited_, {}));
    else {
      deform::MethodInputs inputs;
      if (method == "pbd") inputs.segmentation = &segmentation;
      deformers_.push_back(deform::bind(method, rig(), {}, progress, inputs));
    }
  }
}

std::vector<const JointShapeReport*> JointTrial::joints() const {
  std::vector<const JointShapeReport*> usable;
  for (const JointShapeReport& report : fitted_.shapes.reports)
    if (report.fit == JointFit::kAdjusted &&
        measure::JointContour(rig(), frames_, report.joint, fitted_.shapes.joints[report.parent], report.radius)
            .usable())
      usable.push_back(&report);
  return usable;
}

BentSkin JointTrial::bend(const JointShapeReport& report, std::size_t method, std::optional<double> degrees) const {
  progress_.check();
  const deform::RotationRange& axis = ranges_.at(report.joint).axes.front();
  const double farthest = std::abs(axis.lower_rad) > axis.upper_rad ? axis.lower_rad : axis.upper_rad;
  const double most =
      degrees ? std::copysign(*degrees, farthest) : std::clamp(sinew::degrees(farthest), -kMostBend_deg, kMostBend_deg);
  BentSkin skin;
  skin.degrees = std::abs(most);
  skin.positions.resize(rig().mesh.positions.size());
  skin.pose.twist_rad.assign(rig().skeleton.size(), 0);
  const deform::Deformer& deformer = *deformers_[method];
  const auto state = deformer.make_state();
  for (int frame = deformer.needs_history() ? 0 : kTrialFrames; frame <= kTrialFrames; ++frame) {
    skin.pose.joints = motion::turned_frames(
        rig().skeleton, frames_, {"", "", report.joint, false, radians(most) * frame / kTrialFrames, axis.axis});
    const double step = 1.0 / 30;
    deformer.deform(*state, {skin.pose, frame * step, frame == 0 ? 0 : step}, {skin.positions, {}, nullptr});
  }
  const measure::JointContour contour(rig(), frames_, report.joint, fitted_.shapes.joints[report.parent],
                                      report.radius);
  const Vec3 center = skin.pose.joints[report.joint].topRightCorner<3, 1>();
  const auto inside = geometry::penetration(with_positions(rig().mesh, skin.positions), {}, progress_);
  for (Index v = 0; v < inside.depth.size(); ++v)
    if ((skin.positions[v].cast<double>() - center).norm() < kTrialReach * report.radius)
      skin.depth = std::max(skin.depth, inside.depth[v] / report.radius);
  skin.outlined = contour.usable();
  if (!skin.outlined) return skin;
  skin.thickness = contour.thickness(skin.pose, skin.positions);
  skin.contour = contour.measure(skin.pose, skin.positions).largest;
  return skin;
}

Likeness JointTrial::to_edited() const { return likeness(rig(), fitted_, default_, fitted_.samples, edited_); }

Character elbow_character() {
  Character character;
  character.rig = tapered_limb();
  RotationLimits& hinge = character.rig.skeleton.joints[1].limits.emplace();
  hinge.lower_rad = Vec3::Zero(), hinge.upper_rad = Vec3(0, 0, radians(140));
  return character;
}

const JointTrial& JointTrials::of(const std::string& name) {
  auto& trial = trials_[name];
  if (!trial)
    trial = std::make_unique<JointTrial>(
        std::make_shared<const Character>(name == "elbow" ? elbow_character() : shapes::make(name, {}).made.character),
        std::vector<std::string>{}, progress_);
  return *trial;
}

SkinDistance skin_distance(const BentSkin& skin, const BentSkin& reference, Index joint, double radius) {
  const Vec3 center = reference.pose.joints[joint].topRightCorner<3, 1>();
  SkinDistance result;
  double count = 0;
  for (std::size_t v = 0; v < skin.positions.size(); ++v) {
    if (!((reference.positions[v].cast<double>() - center).norm() < kSkinReach * radius)) continue;
    const double distance = static_cast<double>((skin.positions[v] - reference.positions[v]).norm()) / radius;
    result.mean += distance, result.largest = std::max(result.largest, distance), count += 1;
  }
  if (count > 0) result.mean /= count;
  return result;
}

}  // namespace sinew::lab
