// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Whether weights bleed, judged without anything that binders use.

#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/core/weights.h"

namespace sinew::test {

struct ReachOptions {
  int resolution = 150;        ///< Cells along the longest side.
  double factor = 2;           ///< How much longer than straight the way inside the body may be,
  double slack_cells = 2;      ///< and by how many cells.
  double least_weight = 0.01;  ///< Smaller weights are not looked at.
};

/// A weight on a joint to which there is no short way inside the body.
struct Bleed {
  Index vertex = kNone;
  Index joint = kNone;
  double weight = 0;
  double straight = 0;  ///< To the nearest point of the joint's bones.
  double inside = 0;    ///< Along the shortest way inside; infinite if there is none.
};

struct ReachReport {
  std::vector<Bleed> bleeds;
  Index judged = 0;    ///< Vertices of the body.
  Index unjudged = 0;  ///< Vertices of the body near which no cell lies inside, and whose bone is not in plain sight.
};

/// The body is the shell of the largest area; all others are left out. Cells whose centre has a winding number above
/// one half are inside; steps lead to the 26 around, unless the surface lies between; ways are those of Dijkstra from
/// the joint's bones. A vertex that sees the bone through the body has the straight way. Where the body overlaps
/// itself, the surface parts what is one: poses must not do that.
ReachReport bleeding(const binding::Subject& subject, const SkinWeights& weights, const ReachOptions& options = {});

}  // namespace sinew::test
