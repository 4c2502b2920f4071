// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Inverse kinematics: turns the joints of a chain so that its last joint is at a target.

#include <span>
#include <vector>

#include "sinew/core/skeleton.h"

namespace sinew::motion {

/// The chain that ends in a joint, from its base outwards: two bones where the joints above are a limb (a hand, a
/// foot), else up to the next joint that has several deforming children, at most `longest` bones. At least one bone
/// unless the joint is a root.
std::vector<Index> ik_chain(const Skeleton& skeleton, Index end, std::size_t longest = 6);

/// Turns the joints of a chain. Two bones are solved in closed form, in the plane in which they are bent; longer chains
/// by FABRIK (Aristidou & Lasenby 2011), with at most 64 rounds. A target out of reach stretches the chain towards it.
/// The last joint keeps its rotation in model space. Rotation limits are not applied. Returns the distance that remains
/// between the last joint and the target. \pre one transform per joint; each joint of the chain is an ancestor of the
/// next.
double solve_ik(const Skeleton& skeleton, std::vector<Transform>& local, std::span<const Index> chain,
                const Vec3& target);

}  // namespace sinew::motion
