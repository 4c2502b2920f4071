// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// The two claims of the paper as numbers: contacts are shallower and limbs stay thicker than with other methods, and
// joints are more like those that a person edited.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "sinew/core/angles.h"
#include "sinew/deform/bind_frames.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/implicit/implicit_body.h"
#include "sinew/geometry/spatial/penetration.h"
#include "sinew/lab/implicit/limb.h"
#include "sinew/lab/joint_shape/edited.h"
#include "sinew/lab/joint_shape/joint_shape.h"
#include "sinew/measure/joint_contour.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/motion/range_of_motion.h"
#include "sinew/pipeline/joint_ranges.h"
#include "sinew/pipeline/segment_rig.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

using deform::JointFit;
using deform::JointShapeReport;

constexpr std::array kClaimMethods = {"default", "adjusted", "edited", "lbs", "dqs", "pbd"};
constexpr int kClaimFrames = 8;     ///< Up to the bend, for the method that remembers.
constexpr double kClaimReach = 3;   ///< Radii from the joint within which contacts count.
constexpr double kMostBend = 2.45;  ///< 140°.

struct ClaimSums {
  double depth = 0, deepest = 0, thickness = 0, thinnest = 1, contour = 0;
};

/// The joints that stand for all: one side of the body.
bool stands_for_others(const motion::Recognition& body, Index joint) {
  using motion::BodyPart;
  const motion::JointRole& role = body.roles[joint];
  if (role.side == motion::Side::kRight) return false;
  constexpr std::array kParts = {BodyPart::kUpperArm, BodyPart::kForearm, BodyPart::kHand,
                                 BodyPart::kShin,     BodyPart::kIndex,   BodyPart::kMiddle};
  return role.empty() || std::find(kParts.begin(), kParts.end(), role.part) != kParts.end();
}

class ClaimTrial {
 public:
  ClaimTrial(const Character& character, const Progress& progress)
      : character_(character),
        rig_(character.rig),
        frames_(deform::bind_frames(rig_)),
        fitted_(pipeline::fit_joints(character, {}, {}, progress)),
        edited_(edited_samples(rig_, fitted_)),
        progress_(progress) {
    Findings warnings;
    const Segmentation segmentation = pipeline::segment_by_weights(rig_, warnings, progress);
    for (const char* name : kClaimMethods) {
      const std::string method = name;
      deform::MethodInputs inputs;
      if (method == "pbd") inputs.segmentation = &segmentation;
      if (method == "adjusted") inputs.samples = &fitted_.samples;
      if (method == "edited") inputs.samples = &edited_;
      const bool implicit = method == "default" || inputs.samples != nullptr;
      deformers_.push_back(deform::bind(implicit ? "implicit" : method, rig_, {}, progress, inputs));
    }
  }

  std::size_t measure(std::array<ClaimSums, kClaimMethods.size()>& sums) const {
    std::size_t joints = 0;
    const auto body = motion::recognize(rig_.skeleton);
    const auto ranges = pipeline::joint_ranges(character_);
    for (const JointShapeReport& report : fitted_.shapes.reports) {
      if (report.fit != JointFit::kAdjusted || !stands_for_others(body, report.joint)) continue;
      const measure::JointContour contour(rig_, frames_, report.joint, fitted_.shapes.joints[report.parent],
                                          report.radius);
      if (!contour.usable()) continue;
      ++joints;
      const deform::RotationRange& axis = ranges.at(report.joint).axes.front();
      const double most = std::abs(axis.lower_rad) > axis.upper_rad ? axis.lower_rad : axis.upper_rad;
      for (std::size_t m = 0; m < deformers_.size(); ++m)
        add(report, contour, axis.axis, std::clamp(most, -kMostBend, kMostBend), *deformers_[m], sums[m]);
    }
    return joints;
  }

  Likeness to_edited() const {
    PartSamples before;
    for (const deform::ImplicitPart& part : deform::make_implicit_body(rig_).parts)
      before[rig_.skeleton.joints[part.joint].name] = part.samples;
    return likeness(rig_, fitted_, before, fitted_.samples, edited_);
  }

 private:
  void add(const JointShapeReport& report, const measure::JointContour& contour, const Vec3& axis, double angle,
           const deform::Deformer& deformer, ClaimSums& sums) const {
    progress_.check();
    const auto state = deformer.make_state();
    std::vector<Vec3f> positions(rig_.mesh.positions.size());
    ModelPose pose;
    pose.twist_rad.assign(rig_.skeleton.size(), 0);
    for (int frame = deformer.needs_history() ? 0 : kClaimFrames; frame <= kClaimFrames; ++frame) {
      pose.joints = motion::turned_frames(rig_.skeleton, frames_,
                                          {"", "", report.joint, false, angle * frame / kClaimFrames, axis});
      const double step = 1.0 / 30;
      deformer.deform(*state, {pose, frame * step, frame == 0 ? 0 : step}, {positions, {}, nullptr});
    }
    const Vec3 center = pose.joints[report.joint].topRightCorner<3, 1>();
    const geometry::Penetration inside = geometry::penetration(with_positions(rig_.mesh, positions), {}, progress_);
    double depth = 0;
    for (Index v = 0; v < inside.depth.size(); ++v)
      if ((positions[v].cast<double>() - center).norm() < kClaimReach * report.radius)
        depth = std::max(depth, inside.depth[v] / report.radius);
    const double thickness = contour.thickness(pose, positions);
    sums.depth += depth, sums.deepest = std::max(sums.deepest, depth);
    sums.thickness += thickness, sums.thinnest = std::min(sums.thinnest, thickness);
    sums.contour += contour.measure(pose, positions).largest;
  }

  const Character& character_;
  const Rig& rig_;
  std::vector<Mat4> frames_;
  pipeline::FitJointsResult fitted_;
  PartSamples edited_;
  const Progress& progress_;
  std::vector<std::unique_ptr<deform::Deformer>> deformers_;
};

}  // namespace

void joint_shape_claims(const ReproduceOptions& options, const Progress& progress, Reproduction& result) {
  ResultTable contact{
      "claims",
      "Contact depth and thickness of made limbs at full bends",
      "Depth: of the deepest skin that is inside other skin near the joint, in radii. Thickness: mean distance of the "
      "skin between two parts from their bones, relative to rest. Contour: the largest protrusion, in radii.",
      {"character", "method", "joints", "depth", "deepest", "thickness", "thinnest", "contour"},
      {}};
  ResultTable like{"likeness",
                   "Distance from joints that were edited, in radii",
                   "The edited joints stand in for those of an artist: both parts end in a ball that is 5 % smaller "
                   "than the thinner one. Distances are along rays from the bones, averaged over joints.",
                   {"character", "joints", "default", "adjusted", "largest default", "largest adjusted", "closer"},
                   {}};
  std::vector<std::pair<std::string, Character>> subjects;
  subjects.emplace_back("elbow", Character{});
  subjects.back().second.rig = tapered_limb();
  RotationLimits& hinge = subjects.back().second.rig.skeleton.joints[1].limits.emplace();
  hinge.lower_rad = Vec3::Zero(), hinge.upper_rad = Vec3(0, 0, radians(140));
  for (const char* kind : {"hand", "human"})
    if (options.only.empty() || std::count(options.only.begin(), options.only.end(), kind) > 0)
      subjects.emplace_back(kind, shapes::make(kind, {}).made.character);
  for (const auto& [name, character] : subjects) {
    const ClaimTrial trial(character, progress);
    std::array<ClaimSums, kClaimMethods.size()> sums;
    const std::size_t joints = trial.measure(sums);
    if (joints == 0) continue;
    const auto mean = [&](double sum) { return fmt::format("{:.3f}", sum / static_cast<double>(joints)); };
    for (std::size_t m = 0; m < sums.size(); ++m)
      contact.rows.push_back({name, kClaimMethods[m], std::to_string(joints), mean(sums[m].depth),
                              fmt::format("{:.3f}", sums[m].deepest), mean(sums[m].thickness),
                              fmt::format("{:.3f}", sums[m].thinnest), mean(sums[m].contour)});
    const Likeness found = trial.to_edited();
    const auto number = [](double value) { return fmt::format("{:.3f}", value); };
    like.rows.push_back({name, std::to_string(found.joints), number(found.first_mean), number(found.second_mean),
                         number(found.first_largest), number(found.second_largest), std::to_string(found.closer)});
    if (2 * found.closer <= found.joints)
      result.misses.push_back(
          {"reproduce.out_of_bounds", name,
           fmt::format("Only {} of {} joints are more like edited ones than before.", found.closer, found.joints)});
  }
  result.tables.push_back(std::move(contact));
  result.tables.push_back(std::move(like));
}

}  // namespace sinew::lab
