// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/harmonic/harmonic.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/parallel.h"
#include "tests/binding/heat_bodies.h"

namespace sinew::binding {
namespace {

using test::Body;

// Around two bones in line the blend is at the joint between them, and falls all the way to both ends.
TEST(Harmonic, BlendsAcrossAJointWithoutExtremaElsewhere) {
  const Body body = test::two_bone_cylinder();
  const Subject subject = body.subject();
  const BindResult bound = bind_by_harmonics(subject);
  test::expect_valid(bound, subject);
  std::vector<double> sum(41, 0), count(41, 0);
  for (Index v = 0; v < body.mesh.vertex_count(); ++v) {
    const auto layer = static_cast<std::size_t>(std::lround(20 * body.mesh.positions[v].z()));
    sum[layer] += test::weight_of(bound.weights, v, 1);
    count[layer] += 1;
  }
  EXPECT_LT(sum[2] / count[2], 0.02);
  EXPECT_NEAR(sum[20] / count[20], 0.5, 0.1);
  EXPECT_GT(sum[38] / count[38], 0.98);
  for (std::size_t layer = 2; layer < 39; ++layer)
    EXPECT_GE(sum[layer + 1] / count[layer + 1], sum[layer] / count[layer] - 1e-3) << layer;
}

TEST(Harmonic, PinnedRowsComeOutUnchangedAndSpread) {
  const Body body = test::two_bone_cylinder();
  const Subject subject = body.subject();
  Index pinned = 0;
  for (Index v = 0; v < body.mesh.vertex_count(); ++v)
    if (std::abs(body.mesh.positions[v].z() - 0.5) < std::abs(body.mesh.positions[pinned].z() - 0.5)) pinned = v;
  const std::vector<PinnedRow> pins = {{pinned, {{1, 1.0F}}}};
  const BindResult before = bind_by_harmonics(subject), after = bind_quasi_harmonic(subject, {}, pins);
  test::expect_valid(after, subject);
  EXPECT_LT(test::weight_of(before.weights, pinned, 1), 0.2);
  EXPECT_EQ(test::weight_of(after.weights, pinned, 1), 1);
  double near = 0, far = 0;
  for (Index v = 0; v < body.mesh.vertex_count(); ++v) {
    const double rise = test::weight_of(after.weights, v, 1) - test::weight_of(before.weights, v, 1);
    const double distance = (body.mesh.positions[v] - body.mesh.positions[pinned]).norm();
    if (v != pinned && distance < 0.08) near = std::max(near, rise);
    if (distance > 0.6) far = std::max(far, std::abs(rise));
  }
  EXPECT_GT(near, 0.1);
  EXPECT_LT(far, 0.02);
}

// A hand at the thigh is near through the air only.
TEST(Harmonic, GivesValidRowsToAWholePerson) {
  const Body body = test::made_body("human", 1500);
  const Subject subject = body.subject();
  const BindResult bound = bind_by_harmonics(subject);
  test::expect_valid(bound, subject);
  EXPECT_TRUE(bound.fallbacks.empty());
}

}  // namespace
}  // namespace sinew::binding
