// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/hints.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/error.h"

namespace sinew::rigging {
namespace {

Vec3 mirror_image(const SkeletonPlan& plan, const Interior& interior, const Vec3& place) {
  const Vec3 p = interior.to_model(place);
  return interior.to_unit(p - 2 * plan.left.dot(p - plan.mirror_point) * plan.left);
}

}  // namespace

Index find_joint(const Template& skeleton_template, const std::string& name) {
  for (Index j = 0; j < skeleton_template.joints.size(); ++j)
    if (skeleton_template.joints[j].name == name || skeleton_template.joints[j].role == name) return j;
  return kNone;
}

void keep_templates_with(std::vector<Template>& templates, const StatedPlaces& hints, const StatedPlaces& given) {
  const auto lacking = [&](const Template& t) {
    std::string names;
    for (const auto* places : {&hints, &given})
      for (const auto& [name, place] : *places)
        if (find_joint(t, name) == kNone) names += (names.empty() ? "'" : ", '") + name + "'";
    return names;
  };
  std::string told;
  for (const Template& t : templates) told += fmt::format(" The template '{}' does not have {}.", t.name, lacking(t));
  std::erase_if(templates, [&](const Template& t) { return !lacking(t).empty(); });
  if (templates.empty()) throw Error("No template has all joints whose positions are specified." + told);
}

void check_hints_used(const SkeletonPlan& plan, const StatedPlaces& hints) {
  for (const auto& [name, place] : hints)
    if (std::none_of(plan.joints.begin(), plan.joints.end(),
                     [&](const PlannedJoint& joint) { return joint.name == name || joint.role == name; }))
      throw Error(
          fmt::format("The option 'hint' names a joint '{}' that the result does not have: it is a {} skeleton "
                      "of {} joints. Choose another template, or remove the hint.",
                      name, plan.template_name, plan.joints.size()));
}

Anchors anchors_of(const Template& skeleton_template, const StatedPlaces& places, const Interior& interior) {
  Anchors anchors;
  for (const auto& [name, place] : places)
    if (const Index j = find_joint(skeleton_template, name); j != kNone) anchors[j] = interior.to_unit(place);
  return anchors;
}

bool are_symmetric(const Anchors& anchors, const Template& skeleton_template, const SkeletonPlan& plan,
                   const Interior& interior, double tolerance) {
  return std::all_of(anchors.begin(), anchors.end(), [&](const auto& anchor) {
    const Index partner = skeleton_template.joints[anchor.first].partner;
    const auto other = anchors.find(partner == kNone ? anchor.first : partner);
    return other == anchors.end() || (mirror_image(plan, interior, other->second) - anchor.second).norm() < tolerance;
  });
}

void mirror_anchors(Anchors& anchors, const Template& skeleton_template, const SkeletonPlan& plan,
                    const Interior& interior) {
  for (const auto& [joint, place] : Anchors(anchors))
    if (const Index partner = skeleton_template.joints[joint].partner; partner != kNone)
      anchors.try_emplace(partner, mirror_image(plan, interior, place));
}

PlanAnatomy anatomy_of(const SkeletonPlan& plan, const Template& skeleton_template, const Interior& interior) {
  PlanAnatomy result;
  result.own.name = plan.template_name;
  for (const PlannedJoint& planned : plan.joints) {
    Template::Joint joint;
    joint.name = planned.name;
    joint.role = planned.role;
    joint.parent = planned.parent;
    joint.partner = planned.partner;
    joint.position = interior.to_unit(planned.position);
    result.anatomy.places.push_back(joint.position);
    result.anatomy.origins.push_back(planned.origin.empty() ? "derived" : planned.origin);
    result.own.joints.push_back(std::move(joint));
  }
  for (Template::Limb limb : skeleton_template.limbs) {
    for (Index& j : limb.joints) j = find_joint(result.own, skeleton_template.joints[j].name);
    if (std::find(limb.joints.begin(), limb.joints.end(), kNone) != limb.joints.end()) continue;
    FoundLimb found;
    found.limb = static_cast<Index>(result.own.limbs.size());
    result.own.limbs.push_back(std::move(limb));
    result.anatomy.limbs.push_back(std::move(found));
  }
  return result;
}

}  // namespace sinew::rigging
