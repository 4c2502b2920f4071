// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/published.h"

#include "sinew/rigging/embed/reduction.h"

namespace sinew::rigging {

Anatomy published_places(const Body& body, const Template& skeleton_template, const Fit& fit) {
  const Template searched = search_template(skeleton_template);
  const double scale = template_scale(searched);
  const RefinementObjective objective(searched, body.interior, body.samples, fit.turn, scale);
  Anatomy result;
  result.places = refine(objective, fit.places).places;
  result.origins.assign(skeleton_template.joints.size(), {});
  for (Index j = 0; j < skeleton_template.joints.size(); ++j) {
    const Template::Joint& joint = skeleton_template.joints[j];
    if (takes_part(joint)) {
      result.origins[j] = joint.placement == Template::Placement::kSearched ? "searched" : "fraction";
    } else if (!joint.optional && joint.parent != kNone) {
      const Vec3 bone = scale * (joint.position - skeleton_template.joints[joint.parent].position);
      result.places[j] = result.places[joint.parent] + fit.turn.transpose() * bone;
      result.origins[j] = "derived";
    }
  }
  return result;
}

}  // namespace sinew::rigging
