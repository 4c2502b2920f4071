// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

/// Curves around the limbs and the trunk of a character, after "Automatic Generation of Dynamic Skin Deformation for
/// Animated Characters", Symmetry 2018, 10, 89, sections 3 to 5. See docs/methods/curve-rigging.md.

#include <array>
#include <string>
#include <vector>

#include "sinew/core/curve_set.h"
#include "sinew/core/mesh.h"
#include "sinew/core/options.h"
#include "sinew/core/progress.h"
#include "sinew/geometry/curves/curve_surface.h"
#include "sinew/geometry/curves/direction.h"
#include "sinew/geometry/curves/tips.h"

namespace sinew::geometry {

enum class CurveWalk { kStraight, kPaper };
constexpr auto option_words(CurveWalk) { return std::array{"straight", "paper"}; }

enum class CurveSource { kAuto, kEdges, kLevels };
constexpr auto option_words(CurveSource) { return std::array{"auto", "edges", "levels"}; }

enum class TipRule { kPersistence, kCurvature };
constexpr auto option_words(TipRule) { return std::array{"persistence", "curvature"}; }

struct CurveOptions {
  CurveSource source = CurveSource::kAuto;
  CurveWalk walk = CurveWalk::kStraight;
  TipRule tip_rule = TipRule::kPersistence;
  double least_tip = 0.10;
  std::vector<std::string> tips;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v(Field("source",
            "Where curves run: auto follows edges and takes level sets of a harmonic function for limbs on which edges "
            "form too few rings; edges and levels take one of them for all limbs."),
      self.source);
    v(Field("walk",
            "How a curve continues at a vertex: straight goes straight ahead; paper follows one fixed plane and finds "
            "all curves in one wave, as published."),
      self.walk);
    v(Field("tip_rule",
            "How the ends of limbs are found: persistence compares how far they are from everything else; curvature "
            "takes the most curved places, as published."),
      self.tip_rule);
    v(Field("least_tip",
            "The smallest limb that counts, relative to the largest; 0.045 keeps the ears and fingers of most bodies.")
          .range(0.005, 0.9),
      self.least_tip);
    v(Field("tips", "The vertices at the ends of limbs, instead of a search.").as("VERTEX,…"), self.tips);
  }
};

/// What the search for curves works on. Preparing it costs more than the search itself.
struct CurveInput {
  CurveSurface surface;
  SurfaceGraph graph;
  LimbTips tips;
  RayScene scene;  ///< Of surface.mesh.
};

/// Pairs triangles where most faces are triangles, and finds the tips. \throws Error as `curve_surface`, and for tips
/// that are not vertices of the mesh.
CurveInput prepare_curves(const Mesh& mesh, const CurveOptions& options = {});

/// Finds the curves of a prepared mesh. Rings of edges around each limb come first, then those around the trunk, then
/// open arcs cover what is left, so that every vertex of a large component is on exactly one curve. A limb with fewer
/// than three rings, or whose rings cover less than 40 % of it, is covered by level sets instead. The
/// result is the same for any number of threads. O(n), plus a sparse factorisation for each limb with level sets.
CurveSet find_curves(const CurveInput& input, const CurveOptions& options = {}, const Progress& progress = {});

/// Both steps.
CurveSet find_curves(const Mesh& mesh, const CurveOptions& options = {}, const Progress& progress = {});

}  // namespace sinew::geometry
