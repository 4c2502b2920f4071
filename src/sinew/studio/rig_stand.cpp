// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/rig_stand.h"

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace sinew::studio {
namespace {

// From this confidence on, a body is turned: a body that lies is plainly wrong in its file, one that faces another way
// may be meant so.
constexpr double kSureLying = 0.5, kSureFacing = 0.7;

/// "+z" for the axis that a direction has; empty if it is between the axes.
std::string axis_word(const Vec3& direction) {
  Eigen::Index axis = 0;
  if (direction.cwiseAbs().maxCoeff(&axis) < 0.98) return {};
  return std::string(direction[axis] < 0 ? "-" : "+") + "xyz"[axis];
}

bool has_legs(const rigging::SkeletonPlan& plan) {
  return plan.find_role("left_foot") != kNone || plan.find_role("left_toes") != kNone;
}

/// The share of a person's height that the head takes, from its joint upwards; 1 if it is unknown.
double head_share(const rigging::SkeletonPlan& plan, const Box& box, double height) {
  const Index head = plan.find_role("head");
  if (head == kNone || !(height > 0)) return 1;
  const double top = std::max(plan.up.dot(box.lower), plan.up.dot(box.upper));
  return (top - plan.up.dot(plan.joints[head].position)) / height;
}

/// The unit that gives a person of this height in metres a likely one; empty if none does.
std::string likely_unit(double height) {
  struct Unit {
    const char* name;
    double metres;
  };
  // The more usual ones first.
  for (const Unit& unit : {Unit{"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"dm", 0.1}, {"ft", 0.3048}})
    if (const double there = height * unit.metres; there > 0.5 && there < 2.6) return unit.name;
  return {};
}

}  // namespace

bool turns_to_stand(const rigging::PlanResult& found, const std::string& stand, const io::PlacementOptions& placement,
                    Report& report) {
  const rigging::SkeletonPlan& plan = found.plan;
  const std::string up = axis_word(plan.up), forward = axis_word(plan.forward);
  report.metrics["up"] = up;
  report.metrics["forward"] = forward;
  if (!found.fits || up.empty() || forward.empty() || (up == "+y" && forward == "+z")) return false;
  if (stand == "on") return true;
  if (stand == "off" || !has_legs(plan)) return false;
  const bool lies = up != "+y", stated = !placement.up.empty() || !placement.forward.empty();
  if (!stated && found.confidence >= (lies ? kSureLying : kSureFacing)) return true;
  report.warn("rig.orientation", "",
              fmt::format("The body {}: its up is {} and its forward is {}. Turn it with the option 'stand' on, or set "
                          "the options 'up' and 'forward'.",
                          lies ? "seems to lie" : "seems to face another way than +z", up, forward));
  return false;
}

Mat4 stand_up(io::Asset& asset, pipeline::RigPlan& plan, Report& report) {
  const std::string up = axis_word(plan.found.plan.up), forward = axis_word(plan.found.plan.forward);
  const Mat4 before = asset.placement;
  io::place(asset, {"", up, forward, 0, false});
  const Mat4 turn = asset.placement * before.inverse();
  if (!asset.document) asset.placement = Mat4::Identity();  // The positions of a new document are turned already.
  pipeline::turn_rig_plan(plan, asset.character, turn);
  report.warn(
      "rig.turned", "",
      fmt::format("The body's up was {} and its forward {}. It is turned to stand along +y and face +z. Set the "
                  "option 'stand' to off to keep it as it was.",
                  up, forward));
  return turn;
}

void check_size(const rigging::SkeletonPlan& plan, const Mesh& mesh, Report& report) {
  const Box box = mesh.bounds();
  const bool person = plan.template_name == "human";
  const double height = person ? plan.up.cwiseAbs().dot(box.extent()) : box.extent().maxCoeff();
  report.metrics["height"] = height;
  // Toys and chibis have big heads, and may have any size.
  const bool adult = person && head_share(plan, box, height) < 0.22;
  const double lowest = adult ? 0.3 : 0.05, highest = adult ? 3 : 50;
  if (height >= lowest && height <= highest) return;
  const std::string unit = adult ? likely_unit(height) : "";
  report.warn(
      "rig.size", "",
      fmt::format("The character is {:.3g} m {}. {}", height, person ? "tall" : "long",
                  !unit.empty() ? fmt::format("The file's unit is probably {0}: set the option 'unit' to {0}.", unit)
                                : "If this is unintended, set the option 'unit' or the option 'height'."));
}

}  // namespace sinew::studio
