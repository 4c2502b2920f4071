// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/binding/binder.h"
#include "sinew/binding/heat/visibility.h"

namespace sinew::binding {

/// Options of the method heat.
struct HeatOptions {
  double heat = 1;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("heat", "How strongly bones heat the skin. Larger values follow the nearest bone more closely.")
          .range(1e-3, 1e3),
      self.heat);
  }
};

/// Weights of the welded vertices by heat.
struct HeatRows {
  SkinWeights weights;           ///< Row per welded vertex: never empty, sum 1.
  NearestJoints nearest;         ///< As the heat's sources had it.
  std::vector<char> by_nearest;  ///< Per welded vertex: not solved for, but given to its nearest joints.
  std::vector<double> area;      ///< Per welded vertex.
  bool regularized = false;      ///< Rounding made the equation singular, and its diagonal was made heavier.
  bool failed = false;           ///< Nothing helped: all vertices are `by_nearest`.
};

/// `max_influences` as `cap_row` takes it. Shares below 1e-5 are dropped. \throws Cancelled.
HeatRows heat_rows(const BoundSurface& skin, const BoneTree& tree, const HeatOptions& options = {},
                   int max_influences = 0, const Progress& progress = {});

/// The binder `heat`: I. Baran, J. Popović, "Automatic rigging and animation of 3D characters", 2007, section 4. A
/// joint's weight is the temperature of the skin when its bones are hot and all others cold: (L + A·H)·w = A·H·p, with
/// the cotangent Laplacian L of the intrinsic Delaunay triangulation, areas A, H = c·m/d² where a bone is visible at
/// distance d and 0 elsewhere, and p = 1/m for the m joints that are nearest (`nearest_joints`). Smooth, and follows
/// the surface: a hand at the thigh stays a hand.
///
/// c is three times the option `heat`: 3 is what its authors' program has, 1 what the paper prints. On 13 real
/// characters 3 comes nearer to the artists' weights than 1 and than 8. Changed against the paper: sight fades between
/// 65° and 85° from the inward normal instead of ending at 60°, and shares fade as well, so that no small change of the
/// mesh makes a large one here; joints share a vertex and not bones, so that a joint with many children does not count
/// more; shells of which less than 2 % sees a bone take the nearest one unasked, so that no part of the system is
/// singular; vertices without a triangle take the nearest.
///
/// Every row is valid on any mesh. An equation that is singular within rounding is solved with a heavier diagonal, and
/// where it has no answer at all the nearest joints take over; all is counted. About n^1.5 to factor, then n log n for
/// each eight joints, where their heat reaches; see docs/methods/heat.md. \throws Error if no joint is bound or
/// positions are not finite; Cancelled.
BindResult bind_by_heat(const Subject& subject, const HeatOptions& options = {}, const BindOptions& common = {},
                        const Progress& progress = {});

BinderMethod heat_method();

}  // namespace sinew::binding
