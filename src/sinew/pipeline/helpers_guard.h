// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Finds how strongly helper joints may act without harm to the surface.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/rig.h"
#include "sinew/pipeline/helpers_compare.h"
#include "sinew/pipeline/helpers_measure.h"

namespace sinew::pipeline {

/// A helper, or all twist joints of one bone, before they are added.
struct HelperSubject {
  Index source = kNone;               ///< The joint whose rotation moves the helper.
  std::vector<Index> joints;          ///< The joints that share the skin whose weights change.
  Index partner = kNone;              ///< The same helper on the other side of the body, as an index of subjects.
  std::vector<Vec3> twist_axes;       ///< In the frame in which the source rotates.
  double most_twist_rad = 0;          ///< Twists are tried up to this angle.
  std::vector<Vec3> bend_axes;        ///< In the same frame. Bends are tried in both directions.
  double most_bend_rad = 0;           ///< Bends are tried up to this angle.
  bool grows = false;                 ///< Whether `HelperStrength::growth` has an effect.
  const TwistTrial* trial = nullptr;  ///< Sections of a bone with twist joints.
  std::vector<Index> rigid;           ///< Per vertex: the rigid shell that it belongs to, or kNone. May be empty.
};

/// The harm that a helper would do in one pose.
struct HelperHarm {
  std::string pose;            ///< "a bend by 90°"
  bool on_other_side = false;  ///< It is done by the helper on the other side of the body.
  SurfaceFigure figure = SurfaceFigure::kNone;
  SurfaceFigures before;
  SurfaceFigures after;
};

/// How strongly a helper acts.
struct HelperStrength {
  std::vector<float> vertices;     ///< Per vertex of the mesh, from 0 to 1. Empty: the helper is left out.
  double growth = 1;               ///< Share of the growth of a bend joint.
  double mean = 1;                 ///< Mean of `vertices` over those whose weights change.
  std::optional<HelperHarm> harm;  ///< Of the full strength; empty if there is none.
};

/// Builds a rig with helpers of given strengths. Its first joints are those of the rig without helpers, and the mesh is
/// the same.
using BuildHelpers = std::function<Rig(const std::vector<HelperStrength>& strengths)>;

/// Finds strengths at which no helper makes the surface worse (`worse_figure`) in any pose in which its source alone
/// twists or bends: twists by 45°, 90° and 180°, bends by 45°, 90° and 120°. A helper that does harm first loses its
/// growth. Then, round by round, its strength decreases where the surface is worse, and smoothly less around that. A
/// helper that still does harm after that, or of which little is left, is left out on both sides of the body. All
/// helpers are treated at once, because a helper changes the surface only where its source rotates.
///
/// `before` is the rig without helpers. The same bytes for any number of threads. The cost is that of skinning the mesh
/// and measuring the changed region for every pose, in at most 16 rounds. \throws Cancelled.
std::vector<HelperStrength> harmless_strengths(const Rig& before, const std::vector<HelperSubject>& subjects,
                                               const BuildHelpers& build, const Progress& progress);

}  // namespace sinew::pipeline
