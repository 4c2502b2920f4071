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

Index find_planned(const SkeletonPlan& plan, const Template::Joint& joint) {
  for (Index j = 0; j < plan.joints.size(); ++j)
    if (plan.joints[j].name == joint.name || (!joint.role.empty() && plan.joints[j].role == joint.role)) return j;
  return kNone;
}

/// Adds a joint of a template to a plan that lacks it, with the joints of its limb before and after it.
class LimbAdder {
 public:
  LimbAdder(SkeletonPlan& plan, const Template& t) : plan_(plan), t_(t), scale_(scale()) {}

  void add(Index joint, const Vec3& place) {
    add_parents(joint, place);
    append(joint, place, "hint");
    Vec3 at = place;
    Index before = joint;
    for (const Index next : after(joint)) {
      if (find_planned(plan_, t_.joints[next]) != kNone) break;
      const Vec3 offset = scale_ * (t_.joints[next].position - t_.joints[before].position);
      at += offset.x() * plan_.left + offset.y() * plan_.up + offset.z() * plan_.forward;
      append(next, at, "derived");
      before = next;
    }
  }

 private:
  double scale() const {
    double wanted = 0, found = 0;
    for (const Template::Joint& joint : t_.joints) {
      if (joint.parent == kNone) continue;
      const Index a = find_planned(plan_, joint), b = find_planned(plan_, t_.joints[joint.parent]);
      if (a == kNone || b == kNone) continue;
      wanted += (joint.position - t_.joints[joint.parent].position).norm();
      found += (plan_.joints[a].position - plan_.joints[b].position).norm();
    }
    return wanted > 0 ? found / wanted : 1;
  }

  /// Joints between the nearest that is planned and this one, spread as in the template.
  void add_parents(Index joint, const Vec3& place) {
    std::vector<Index> missing;
    Index j = t_.joints[joint].parent;
    for (; j != kNone && find_planned(plan_, t_.joints[j]) == kNone; j = t_.joints[j].parent) missing.push_back(j);
    if (j == kNone) return;
    const Vec3 from = plan_.joints[find_planned(plan_, t_.joints[j])].position;
    std::vector<double> along = {0};
    Index last = j;
    for (auto k = missing.rbegin(); k != missing.rend(); last = *k++)
      along.push_back(along.back() + (t_.joints[*k].position - t_.joints[last].position).norm());
    const double whole = along.back() + (t_.joints[joint].position - t_.joints[last].position).norm();
    for (std::size_t k = 0; k < missing.size(); ++k)
      append(missing[missing.size() - 1 - k], from + (whole > 0 ? along[k + 1] / whole : 0.5) * (place - from),
             "derived");
  }

  void append(Index joint, const Vec3& place, const char* origin) {
    const Template::Joint& from = t_.joints[joint];
    PlannedJoint planned;
    planned.name = from.name;
    planned.role = from.role;
    for (Index up = from.parent; up != kNone && planned.parent == kNone; up = t_.joints[up].parent)
      planned.parent = find_planned(plan_, t_.joints[up]);
    planned.position = place;
    planned.limits = from.limits;
    planned.origin = origin;
    if (from.partner != kNone) planned.partner = find_planned(plan_, t_.joints[from.partner]);
    const Index at = static_cast<Index>(plan_.joints.size());
    if (planned.partner != kNone) plan_.joints[planned.partner].partner = at;
    plan_.joints.push_back(std::move(planned));
  }

  std::vector<Index> after(Index joint) const {
    for (const Template::Limb& limb : t_.limbs)
      if (const auto at = std::find(limb.joints.begin(), limb.joints.end(), joint); at != limb.joints.end())
        return {at + 1, limb.joints.end()};
    return {};
  }

  SkeletonPlan& plan_;
  const Template& t_;
  double scale_;
};

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
                     [&stated = name](const PlannedJoint& j) { return j.name == stated || j.role == stated; }))
      throw Error(
          fmt::format("The option 'hint' names a joint '{}' that the result does not have: it is a {} skeleton "
                      "of {} joints. Choose another template, or remove the hint.",
                      name, plan.template_name, plan.joints.size()));
}

void settle_hints(SkeletonPlan& plan, const Template& skeleton_template, const StatedPlaces& hints, bool mirror) {
  std::map<Index, Vec3> wanted;
  for (const auto& [name, place] : hints)
    if (const Index j = find_joint(skeleton_template, name); j != kNone) wanted[j] = place;
  if (mirror)
    for (const auto& [joint, place] : std::map<Index, Vec3>(wanted))
      if (const Index partner = skeleton_template.joints[joint].partner; partner != kNone)
        wanted.try_emplace(partner, place - 2 * plan.left.dot(place - plan.mirror_point) * plan.left);
  for (const auto& [joint, place] : wanted) {
    const Index found = find_planned(plan, skeleton_template.joints[joint]);
    if (found == kNone) {
      LimbAdder(plan, skeleton_template).add(joint, place);
    } else if (plan.joints[found].origin == "extra") {
      plan.joints[found].position = place;
      plan.joints[found].origin = "hint";
    }
  }
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
