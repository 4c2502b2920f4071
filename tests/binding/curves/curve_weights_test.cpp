// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/curves/curve_weights.h"

#include <gtest/gtest.h>

#include "sinew/geometry/curves/curves.h"
#include "sinew/shapes/kinds.h"

namespace sinew::binding {
namespace {

shapes::Made made_figure() {
  shapes::MakeOptions make;
  make.vertices = 2018;
  return shapes::make("figure", make).made;
}

TEST(CurveWeights, VerticesOfARingHaveOneRow) {
  const shapes::Made made = made_figure();
  const Rig& rig = made.character.rig;
  const Subject subject = rest_subject(rig.mesh, rig.skeleton);
  const CurveSet curves = geometry::find_curves(rig.mesh);
  const BindResult bound = bind_by_curves(subject, curves);
  int rings = 0;
  for (const CurveLimb& limb : curves.limbs)
    // Towards the body rows pass to heat.
    for (std::size_t i = 0; i + 8 < limb.curves.size(); ++i, ++rings) {
      const auto points = curves.of(curves.curves[limb.curves[i]]);
      for (const CurvePoint& p : points) EXPECT_EQ(bound.weights.row(p.a), bound.weights.row(points.front().a));
    }
  EXPECT_GT(rings, 30);
}

TEST(CurveWeights, AgreeWithTheTruthOfAFigure) {
  const shapes::Made made = made_figure();
  const Rig& rig = made.character.rig;
  const BindResult bound = bind_by_curves(rest_subject(rig.mesh, rig.skeleton));
  ASSERT_EQ(bound.weights.size(), rig.mesh.vertex_count());
  double off = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    double sum = 0;
    for (const Influence& a : bound.weights.row(v)) {
      sum += a.weight;
      double truth = 0;
      for (const Influence& b : rig.weights.row(v))
        if (b.joint == a.joint) truth = b.weight;
      off += std::max(0.0, a.weight - truth);
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  EXPECT_LT(off / rig.mesh.vertex_count(), 0.15);
}

TEST(CurveWeights, MeshWithoutLimbsIsBoundByHeat) {
  shapes::MakeOptions make;
  const shapes::Made made = shapes::make("bar", make).made;
  const Rig& rig = made.character.rig;
  const BindResult bound = bind_by_curves(rest_subject(rig.mesh, rig.skeleton));
  EXPECT_EQ(bound.weights.size(), rig.mesh.vertex_count());
}

}  // namespace
}  // namespace sinew::binding
