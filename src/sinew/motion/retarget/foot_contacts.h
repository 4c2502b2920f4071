// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// When feet stand on the ground, and legs that keep them there.

#include <array>
#include <vector>

#include "sinew/motion/retarget/body_frame.h"

namespace sinew::motion {

/// Frames during which a foot stands, both included.
struct Contact {
  std::size_t first = 0, last = 0;
};

/// Frames in which a point rests: it is within 5 % of the leg's length of its usual lowest height, and its speed is
/// below 0.8 leg lengths per second. Interruptions shorter than 0.05 s do not count, and neither do contacts shorter
/// than 0.08 s.
std::vector<Contact> find_contacts(const std::vector<Vec3>& points, const std::vector<float>& times_s, const Vec3& up,
                                   double leg_length);

struct FootReport {
  std::array<std::vector<Contact>, 2> contacts;  ///< Of the left and the right foot.
  double most_slide = 0;                         ///< Of the ball of a foot during one contact, in leg lengths.
  double most_slide_before = 0;                  ///< The same without the correction.
  double most_height = 0;  ///< Of the ball above or below the ground during a contact, in leg lengths.
};

/// Puts the balls of the target's feet to rest during the contacts, at the mean of their places there and at the height
/// they have at rest above the ground. Between contacts the correction fades. `frames` are the local transforms of all
/// joints per frame. The hips sink smoothly where a leg cannot reach the ground.
FootReport plant_feet(const BodyFrame& body, Index hips, const std::array<std::vector<Contact>, 2>& contacts,
                      const std::vector<float>& times_s, double ground, std::vector<std::vector<Transform>>& frames);

/// Bends a leg so that its foot's joint comes to `goal` (model space); the foot keeps its rotation in model space. The
/// knee stays in the plane of the leg. A goal out of reach is approached as far as the leg is long.
void bend_leg(const BodyFrame& body, const LegJoints& leg, const Vec3& goal, std::vector<Transform>& local);

}  // namespace sinew::motion
