// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/plans/plan_reading.h"

#include <algorithm>

#include "sinew/rigging/plans/biped_reading.h"
#include "sinew/rigging/plans/crawler_reading.h"
#include "sinew/rigging/plans/limbless_reading.h"
#include "sinew/rigging/plans/quadruped_reading.h"

namespace sinew::rigging {
namespace {

std::optional<PlanReading> read_legs(const BodyWays& ways, const BodyAxes& frame, bool facing_known) {
  for (const auto read : {read_quadruped, read_crawler, read_biped})
    if (std::optional<PlanReading> reading = read(ways, frame, facing_known)) return reading;
  return {};
}

}  // namespace

void JointPlaces::set_pair(const std::string& part, const Vec3& left, const Vec3& right) {
  joints["left_" + part] = left;
  joints["right_" + part] = right;
}

void JointPlaces::end_pair(const std::string& part, const Vec3& left, const Vec3& right) {
  ends["left_" + part] = left;
  ends["right_" + part] = right;
}

std::optional<PlanReading> read_body_plan(const Interior& interior, bool keep_orientation) {
  const BodyWays ways(interior);
  std::optional<PlanReading> best;
  // Files are drawn with y or z upwards.
  constexpr double kUnusual = 0.04;
  for (const Vec3& up : {Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
    if (keep_orientation && up.y() < 0.5) continue;
    BodyAxes frame = find_mirror_axes(ways, up);
    if (keep_orientation && frame.turn.row(2).z() < 0) frame = frame.reversed();
    std::optional<PlanReading> reading = read_legs(ways, frame, keep_orientation);
    if (!reading) continue;
    if (up.z() > 0.5) reading->cost += kUnusual;
    if (!best || reading->cost < best->cost) best = std::move(reading);
  }
  if (best) return best;
  BodyAxes frame = find_mirror_axes(ways, Vec3::UnitY());
  if (keep_orientation && frame.turn.row(2).z() < 0) frame = frame.reversed();
  best = read_fish(ways, frame, keep_orientation);
  return best ? best : read_snake(ways, frame);
}

std::optional<PlanReading> read_turned(const Interior& interior, const PlanReading& reading) {
  const BodyWays ways(interior);
  const BodyAxes frame = reading.frame.reversed();
  if (std::optional<PlanReading> legs = read_legs(ways, frame, true)) return legs;
  if (reading.template_name == "fish") return read_fish(ways, frame, true);
  return {};
}

double confidence_of(const PlanReading& reading) {
  const double base = reading.template_name == "quadruped" ? 1 : 0.8;
  const double doubts = std::max(0.0, 1 - 0.25 * static_cast<double>(reading.doubts.size()));
  return base * doubts * std::clamp(0.5 + 0.5 * reading.facing, 0.0, 1.0);
}

Template with_joint(const Template& skeleton_template, const InsertedJoint& inserted) {
  const auto find = [&](const std::string& role) {
    for (Index j = 0; j < skeleton_template.joints.size(); ++j)
      if (skeleton_template.joints[j].role == role) return j;
    return kNone;
  };
  const Index above = find(inserted.above), below = find(inserted.below);
  if (above == kNone) return skeleton_template;
  Template result = skeleton_template;
  const auto moved = [&](Index j) { return j == kNone || j <= above ? j : j + 1; };
  for (Template::Joint& joint : result.joints) joint.parent = moved(joint.parent), joint.partner = moved(joint.partner);
  for (Template::Limb& limb : result.limbs)
    for (Index& j : limb.joints) j = moved(j);
  Template::Joint joint;
  joint.name = inserted.name;
  joint.role = inserted.role;
  joint.parent = above;
  joint.placement = Template::Placement::kDerived;
  joint.position =
      below == kNone
          ? skeleton_template.joints[above].position
          : Vec3(0.5 * (skeleton_template.joints[above].position + skeleton_template.joints[below].position));
  if (below != kNone) result.joints[below].parent = above + 1;
  result.joints.insert(result.joints.begin() + above + 1, std::move(joint));
  return result;
}

SkeletonPlan skeleton_of(const PlanReading& reading, const Template& base, const Interior& interior) {
  Template skeleton_template = base;
  for (const InsertedJoint& inserted : reading.inserted) skeleton_template = with_joint(skeleton_template, inserted);
  SkeletonPlan plan;
  plan.template_name = skeleton_template.name;
  plan.left = reading.frame.turn.row(0).transpose();
  plan.up = reading.frame.turn.row(1).transpose();
  plan.forward = reading.frame.turn.row(2).transpose();
  const auto to_model = [&](const Vec3& p) { return interior.to_model(reading.frame.from_body(p)); };
  std::vector<Index> planned(skeleton_template.joints.size(), kNone);
  for (Index j = 0; j < skeleton_template.joints.size(); ++j) {
    const Template::Joint& joint = skeleton_template.joints[j];
    const auto place = reading.places.joints.find(joint.role);
    if (place == reading.places.joints.end()) continue;
    PlannedJoint p;
    p.name = joint.name;
    p.role = joint.role;
    Index parent = joint.parent;
    while (parent != kNone && planned[parent] == kNone) parent = skeleton_template.joints[parent].parent;
    p.parent = parent == kNone ? kNone : planned[parent];
    p.position = to_model(place->second);
    p.limits = joint.limits;
    p.origin = "section";
    if (const auto end = reading.places.ends.find(joint.role); end != reading.places.ends.end())
      p.end = to_model(end->second);
    planned[j] = static_cast<Index>(plan.joints.size());
    plan.joints.push_back(std::move(p));
  }
  for (Index j = 0; j < planned.size(); ++j)
    if (const Index k = skeleton_template.joints[j].partner; planned[j] != kNone && k != kNone)
      plan.joints[planned[j]].partner = planned[k];
  return plan;
}

void raise_tail_root(const PlanReading& reading, const Interior& interior, SkeletonPlan& plan) {
  const Index first = plan.find_role("tail_1");
  if (!reading.tail_root || first == kNone || plan.joints[first].origin != "extra") return;
  PlannedJoint& tail = plan.joints[first];
  const Vec3 root = interior.to_model(reading.frame.from_body(*reading.tail_root));
  const Vec3 way = root - tail.position;
  // Only upwards: what is held up or backwards begins where it leaves the body.
  constexpr double kUpwards = 0.7;
  if (way.dot(plan.up) > kUpwards * way.norm()) tail.position = root;
}

}  // namespace sinew::rigging
