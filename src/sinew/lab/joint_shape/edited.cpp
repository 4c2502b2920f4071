// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/joint_shape/edited.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/angles.h"
#include "sinew/deform/implicit/implicit_body.h"
#include "sinew/deform/implicit/joint_shape/refit.h"

namespace sinew::lab {
namespace {

using deform::ClosedPart;
using deform::JointFit;
using deform::JointShapeReport;

constexpr double kEditedBall = 0.95;  ///< Of the thinner part.
constexpr int kBallSamples = 60;      ///< Of the whole ball.
constexpr double kBallAhead = 0.15;   ///< Cosine from the bone's direction, from which on the ball is sampled.

/// The holes at a joint, of both parts: part, hole and bone.
struct SideOfJoint {
  Index part, hole, bone;
};

std::vector<SideOfJoint> sides_of(const pipeline::FitJointsResult& fitted, const JointShapeReport& report) {
  std::vector<SideOfJoint> sides;
  for (const auto& [own, other] : {std::pair(report.parent, report.part), std::pair(report.part, report.parent)}) {
    const ClosedPart& part = fitted.shapes.parts[own];
    SideOfJoint best{kNone, 0, 0};
    double longest = 0;
    for (Index h = 0; h < part.holes.size(); ++h)
      for (Index b = 0; b < part.holes[h].bones.size(); ++b)
        if (part.holes[h].bones[b].partner == other && part.holes[h].radius > longest)
          longest = part.holes[h].radius, best = {own, h, b};
    if (best.part != kNone) sides.push_back(best);
  }
  return sides;
}

}  // namespace

PartSamples edited_samples(const Rig& rig, const pipeline::FitJointsResult& fitted) {
  const deform::ImplicitBody body = deform::make_implicit_body(rig);
  PartSamples samples;
  for (const deform::ImplicitPart& part : body.parts) samples[rig.skeleton.joints[part.joint].name] = part.samples;
  PartSamples changed;
  for (const JointShapeReport& report : fitted.shapes.reports) {
    const auto sides = sides_of(fitted, report);
    if (report.fit != JointFit::kAdjusted || sides.size() != 2) continue;
    double radius = std::numeric_limits<double>::infinity();
    for (const SideOfJoint& side : sides)
      radius = std::min(radius, kEditedBall * fitted.shapes.parts[side.part].holes[side.hole].mean_radius);
    for (const SideOfJoint& side : sides) {
      const std::string& name = rig.skeleton.joints[fitted.shapes.joints[side.part]].name;
      const deform::HoleBone& bone = fitted.shapes.parts[side.part].holes[side.hole].bones[side.bone];
      std::vector<SurfaceSample>& own = changed.try_emplace(name, samples[name]).first->second;
      std::erase_if(own, [&](const SurfaceSample& s) {
        const Vec3 from = s.point - bone.joint;
        return from.dot(bone.outward()) > 0.5 * radius && s.normal.dot(bone.outward()) > 0.9;
      });
      for (int i = 0; i < kBallSamples; ++i) {
        const double z = 1 - (2 * i + 1.0) / kBallSamples, angle = i * kPi * (3 - std::sqrt(5.0));
        const double across = std::sqrt(1 - z * z);
        const Vec3 n(across * std::cos(angle), across * std::sin(angle), z), p = bone.joint + radius * n;
        const auto near = [&](const SurfaceSample& s) { return (s.point - p).norm() < 0.2 * radius; };
        if (n.dot(bone.outward()) > kBallAhead && std::none_of(own.begin(), own.end(), near)) own.push_back({p, n});
      }
    }
  }
  return changed;
}

Likeness likeness(const Rig& rig, const pipeline::FitJointsResult& fitted, const PartSamples& first,
                  const PartSamples& second, const PartSamples& reference) {
  std::map<std::string, std::array<deform::Hrbf, 3>> functions;
  for (const auto& [name, samples] : reference) {
    auto& of_part = functions[name];
    const std::array sets = {&first, &second, &reference};
    for (std::size_t k = 0; k < 3; ++k)
      if (const auto found = sets[k]->find(name); found != sets[k]->end())
        of_part[k] = deform::Hrbf::fit(found->second);
  }
  Likeness result;
  for (const JointShapeReport& report : fitted.shapes.reports) {
    if (report.fit != JointFit::kAdjusted) continue;
    std::array<double, 2> sum{}, largest{};
    double count = 0;
    for (const SideOfJoint& side : sides_of(fitted, report)) {
      const auto of_part = functions.find(rig.skeleton.joints[fitted.shapes.joints[side.part]].name);
      if (of_part == functions.end()) continue;
      const auto& f = of_part->second;
      if (!f[0].ok() || !f[1].ok() || !f[2].ok()) continue;
      for (const deform::ClosureVertex& vertex : fitted.shapes.parts[side.part].closure) {
        if (vertex.hole != side.hole || vertex.bone != side.bone || !vertex.beyond) continue;
        const double wanted = surface_distance(f[2], vertex);
        for (std::size_t k = 0; k < 2; ++k) {
          const double off = std::abs(surface_distance(f[k], vertex) - wanted) / report.radius;
          sum[k] += off, largest[k] = std::max(largest[k], off);
        }
        count += 1;
      }
    }
    if (!(count > 0)) continue;
    ++result.joints;
    if (sum[1] < sum[0]) ++result.closer;
    result.first_mean += sum[0] / count, result.second_mean += sum[1] / count;
    result.first_largest += largest[0], result.second_largest += largest[1];
  }
  const double joints = std::max(1.0, static_cast<double>(result.joints));
  for (double* value : {&result.first_mean, &result.second_mean, &result.first_largest, &result.second_largest})
    *value /= joints;
  return result;
}

}  // namespace sinew::lab
