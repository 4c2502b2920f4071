// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/skeleton.h"
#include "sinew/core/tissue.h"
#include "sinew/deform/pbd/pbd_body.h"
#include "sinew/deform/pbd/soft_motion.h"

namespace sinew::deform {

/// The soft tissue of a body: one node per particle.
///
/// A node is held by the tissue between it and the nearest bone: the thicker it is, the slower it swings. A wave of
/// shear crosses skin at 3 m/s here, and stiffer tissue faster, with the root of its stiffness. So the rate is that
/// speed over the distance from the bone. Parts that swing as a whole, such as tails and ears, are *loose*: there the
/// distance is that from the joint at which the part begins. Edges and volumes of tetrahedra have the stiffness that
/// the same speed gives them.
///
/// `tissues` is per particle. `metres` is the length of a unit of the rig. `loose` names joints at which loose parts
/// begin, and how loose they are: 0 not at all, 1 as the material is.
SoftBody make_soft_body(const PbdBody& body, const Skeleton& skeleton, std::span<const Tissue> tissues, double metres,
                        double damping_factor, const std::map<Index, double>& loose);

/// Joints at which loose parts begin, by their names: tails, ears, hair and other parts without muscles of their own.
std::map<Index, double> loose_by_name(const Skeleton& skeleton);

/// Per joint a factor on the stiffness: above 1 where flesh is thin though the nearest bone may be far, by the names of
/// joints. Heads, hands, feet.
std::vector<double> bony_by_name(const Skeleton& skeleton);

}  // namespace sinew::deform
