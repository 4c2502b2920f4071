// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <optional>

#include "sinew/rigging/embed/embedding.h"

namespace sinew::rigging {

/// Puts a template with two arms, two legs and a head into a body that stands upright and has two like sides, without
/// the search: feet are the lowest parts of the two sides, hands the ends of the longest ways from the chest on each
/// side, the head is on top. For figures whose proportions the search does not accept, and whose legs touch.
///
/// Of the ways a body can stand (+y or +z up, its sides along either horizontal axis) the one with the most similar
/// sides is used; feet, which point forward, decide between front and back. `found.match` has the nearest spheres, and
/// `found.penalty` is 0. Nothing for another template, or for a body without such sides or without arms. Linear in the
/// solid voxels, and two searches through the body.
std::optional<Fit> upright_fit(const Body& body, const BodyWays& ways, const Template& skeleton_template,
                               bool keep_orientation);

}  // namespace sinew::rigging
