// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/rigging/build/plan.h"
#include "sinew/rigging/embed/interior.h"
#include "sinew/rigging/embed/sphere_graph.h"

namespace sinew::rigging {

struct GenericOptions {
  double least_length = 0.05;  ///< Of a limb.
  double least_ratio = 1.8;    ///< Its length over its mean width (radius).
  int most_limbs = 48;
};

/// A skeleton for a body of any kind, from its shape alone: for what no template fits.
///
/// The root lies where the body is thick and all of it is near: of the spheres nearly as large as the largest the one
/// with the shortest ways to all others; without spheres, the middle one of the deepest voxels. From there, distances
/// through the body are cut into `branches`; each is a limb to an extremity, "Limb1" the longest, with a joint per 1.2
/// diameters, one to six between two junctions. Limbs that share a trunk share its joints: where several leave it
/// within its width they leave at one joint. A body without limbs has one joint, whose end is its farthest place.
/// Template name "generic"; all joints inside; no roles but "root", no partners. The same for any number of threads.
/// \pre solid voxels.
SkeletonPlan generic_plan(const Interior& interior, const SphereGraph& graph, const GenericOptions& options = {});

}  // namespace sinew::rigging
