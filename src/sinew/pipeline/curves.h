// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/curve_set.h"
#include "sinew/core/error.h"
#include "sinew/core/overlay.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/curves/curves.h"
#include "sinew/rigging/curves/curve_skeleton.h"

namespace sinew::pipeline {

struct CurvesOptions {
  geometry::CurveOptions curves;
  rigging::BendRule bends = rigging::BendRule::kWindow;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    geometry::CurveOptions::visit(self.curves, v);
    v(Field("bends",
            "Where limbs bend: window compares directions over a stretch of the limb; paper compares neighbouring "
            "segments, as published."),
      self.bends);
  }
};

struct CurvesResult {
  CurveSet curves;
  rigging::CurveSkeleton skeleton;
  std::vector<std::vector<rigging::CurveBend>> bends;  ///< Per limb of the skeleton.
  std::string template_name;  ///< The built-in template that fits the curves; empty without one.
  double template_cost = 0;
};

/// Finds the curves around limbs and trunk, their middle lines, the bends of these, and the template that fits them, in
/// the shape that the file stores. \throws Error if there is no mesh; Cancelled.
CurvesResult find_curves(const Character& character, const CurvesOptions& options = {}, const Progress& progress = {});

/// Curves and middle lines to draw, with a colour for each limb, in the pose of `positions`.
std::vector<Overlay> curve_overlays(const CurvesResult& result, std::span<const Vec3> positions);

/// Replaces the materials of a character by colours that show the curves: neighbouring curves are light and dark, each
/// limb has a colour, and what belongs to no closed curve is grey. Joints of the new skeleton are the centres of closed
/// curves, without weights. Clips are removed.
void paint_curves(Character& character, const CurvesResult& result);

}  // namespace sinew::pipeline
