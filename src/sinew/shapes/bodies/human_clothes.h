// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <vector>

#include "sinew/shapes/bodies/human_plan.h"
#include "sinew/shapes/surface/drawing.h"

namespace sinew::shapes {

/// The net of a person's skin, with its rings.
struct HumanCage {
  Cage cage;
  std::vector<Loop> trunk;                ///< From the legs to the crown, 16 vertices each.
  Index head = 0;                         ///< The first ring of the head.
  std::array<std::vector<Loop>, 2> arms;  ///< From the trunk to the wrist.
  std::array<std::vector<Loop>, 2> legs;  ///< From the trunk to the toes.
};

/// A shirt and trousers (open surfaces a little off the skin), hair (open cards), eyes and buttons (closed), each a
/// shell of its own. They have the weights of the skin they lie on.
std::vector<Shell> human_clothes(const HumanPlan& plan, const HumanCage& body);

}  // namespace sinew::shapes
