// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <array>
#include <string>
#include <vector>

#include "sinew/shapes/bodies/body_plan.h"
#include "sinew/shapes/variation.h"

namespace sinew::shapes {

/// Joints of one hand: fingers from the index to the little finger, then the thumb, three each.
struct HandJoints {
  Index hand = kNone;
  std::array<std::array<Index, 3>, 5> fingers;
};

/// Sizes of a hand, in metres for a grown person.
struct HandShape {
  double length = 1;     ///< Of the palm, relative to the plain hand.
  double fingers = 1;    ///< Lengths of the fingers.
  double thickness = 1;  ///< Of palm and fingers.
  double width = 1;
};

HandShape varied_hand(const Variation& vary);

/// Adds the joints of a left hand at `wrist`: the palm lies along `along`, its back faces `back`, the thumb `thumb`.
/// `prefix` begins the names, `parent` may be kNone.
HandJoints add_hand(BodyPlan& plan, const std::string& prefix, Index parent, const Vec3& wrist, const Vec3& along,
                    const Vec3& back, const HandShape& shape);
HandJoints mirror_hand(BodyPlan& plan, const std::string& prefix, Index parent, const HandJoints& left);

/// The ring of ten vertices that arms and hands are made of: the palm's side is at 0°, the little finger's at 90°.
Profile arm_profile();

/// Grows palm and fingers out of a ring of the wrist and closes them.
void grow_hand(Cage& cage, const BodyPlan& plan, const HandJoints& joints, const Loop& wrist, const HandShape& shape,
               double side);

}  // namespace sinew::shapes
