// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sinew/shapes/bodies/body_plan.h"
#include "sinew/shapes/made.h"
#include "sinew/shapes/surface/cage.h"
#include "sinew/shapes/variation.h"

namespace sinew::shapes {

/// A shell of a character before it is subdivided.
struct Shell {
  std::string name;
  Cage cage;
  Material material;
};

/// What a kind has drawn: joints in the wanted pose, and cages around them.
struct Drawing {
  BodyPlan plan;
  std::vector<Shell> shells;
  /// Template part → joint, in the template's order.
  std::vector<std::pair<std::string, Index>> template_joints;
};

/// Subdivides the cages (Catmull–Clark, every quad of a cage into m×m, m chosen so that the vertices come near to
/// `vertices`), scales the whole to `height` and puts it on the ground. Weights go through the same stencils as
/// positions and keep their 8 largest. Each vertex is owned by the joint it weighs most on; among that joint's bones,
/// the nearest. Linear in the vertices.
Made finished(const Drawing& drawing, const std::string& name, int vertices, double height);

/// One of several tries at something random: each rolls the dice anew, and more calmly.
struct Trial {
  std::uint64_t number = 0;
  double calm = 1;  ///< Scales what is random; 0 in the last trial.
};

/// What makes this member of the family differ from the plain one, in this trial.
Variation body_variation(const MakeOptions& options, const Trial& trial);

/// What its random pose is drawn from: other numbers than its body, and new ones in every trial.
Variation pose_dice(const MakeOptions& options, const Trial& trial);

/// Makes every joint a part of the template, by its own name: for kinds whose template is their skeleton.
void name_all_joints(Drawing& drawing);

/// Finishes what `draw` gives, and while the surface cuts itself draws again. So every seed gives a surface free of
/// self-intersection where the plain shape is.
Made finished_untangled(const std::function<Drawing(const Trial&)>& draw, const std::string& name, int vertices,
                        double height);

/// A plain material.
Material matte(const std::string& name, float r, float g, float b);

}  // namespace sinew::shapes
