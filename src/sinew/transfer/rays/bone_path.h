// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/geometry/spatial/ray_scene.h"

namespace sinew::transfer {

/// Where rays of a bone start: on the bone, or inside the skin beside it where the bone lies outside.
///
/// A place of the bone counts as outside if less than half of the directions around it, across the bone, lead out
/// through the skin. Bones inside a limb with a hole, or inside hollow armour, are inside by this; winding numbers
/// would call the latter outside. From there the nearest skin across the bone is entered, and half of the way through
/// is the new start. Between the places looked at (33 along a bone) shifts run straight, so that starts make no jumps.
class BonePath {
 public:
  struct Start {
    Vec3 point = Vec3::Zero();
    bool moved = false;
  };

  BonePath() = default;
  /// A bone from a to b, which may be one point. `axis`, of unit length or zero, is the direction of a point's section:
  /// without one all directions around it count.
  BonePath(const geometry::RayScene& scene, const Vec3& a, const Vec3& b, const Vec3& axis);

  /// The start at that share of the way.
  Start at(double along) const;
  bool leaves_the_skin() const { return !shifts_.empty(); }

 private:
  Vec3 a_ = Vec3::Zero(), b_ = Vec3::Zero();
  std::vector<Vec3> shifts_;  // Empty where the bone is inside all along.
};

}  // namespace sinew::transfer
