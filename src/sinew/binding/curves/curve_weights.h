// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include "sinew/binding/binder.h"
#include "sinew/core/curve_set.h"

namespace sinew::binding {

struct CurveWeightOptions {
  double blend = 1;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("blend", "How far weights blend to each side of a joint, in radii of the limb.").range(0.05, 5),
      self.blend);
  }
};

/// The binder `curves`: weights from where the curve of a vertex is along its limb, after "Automatic Generation of
/// Dynamic Skin Deformation for Animated Characters", Symmetry 2018, 10, 89. All vertices of a closed curve around a
/// limb have one row. The bone that is nearest to the centre of a curve owns it; around the joint between the bones of
/// neighbouring curves, weights pass smoothly over `blend` radii to each side. Vertices of the trunk, and those that no
/// closed curve covers, are bound by heat; near the last curve of a limb, rows pass from one to the other.
///
/// The same for any number of threads. Costs as much as the binder `heat`, plus the search for curves. \throws Error as
/// `bind_by_heat`; Cancelled.
BindResult bind_by_curves(const Subject& subject, const CurveWeightOptions& options = {},
                          const BindOptions& common = {}, const Progress& progress = {});

/// The same with curves that were found on the mesh of the subject.
BindResult bind_by_curves(const Subject& subject, const CurveSet& curves, const CurveWeightOptions& options = {},
                          const BindOptions& common = {}, const Progress& progress = {});

BinderMethod curve_method();

}  // namespace sinew::binding
