// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/contact/flesh_field.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/deform/skin_rigs.h"

namespace sinew::deform::flesh_field_tests {
namespace {

using namespace deform::testing;

TEST(FleshField, TheCheapBoundHoldsWhereTheFleshIsInReach) {
  const Rig tube = two_joint_tube(24, 40);
  std::vector<Index> owner;
  for (Index v = 0; v < tube.mesh.positions.size(); ++v) {
    const auto row = tube.weights.row(v);
    owner.push_back(row.size() > 1 && row[1].weight > row[0].weight ? row[1].joint : row[0].joint);
  }
  const std::vector<FleshField> fields = make_flesh_fields(tube, owner, {});
  std::mt19937 random(7);
  Index in_reach = 0, passed_over = 0;
  for (const FleshField& field : fields) {
    ASSERT_FALSE(field.empty());
    const Vec3f size = field.upper() - field.lower();
    for (int i = 0; i < 20000; ++i) {
      Vec3f p = field.lower() - 0.3F * size;
      for (int k = 0; k < 3; ++k) p[k] += 1.6F * size[k] * static_cast<float>(random()) / 4294967296.0F;
      FleshField::Sample sample;
      const float most = field.most_share(p);
      passed_over += most == 0 ? 1 : 0;
      if (!field.look_up(p, sample) || !(sample.distance < FleshField::kReach * field.radius())) continue;
      ++in_reach;
      EXPECT_LE(sample.share, most + 1e-4F);
      const bool inside = (p.array() >= field.lower().array()).all() && (p.array() <= field.upper().array()).all();
      EXPECT_TRUE(inside || sample.share < 1e-4F);
    }
  }
  EXPECT_GT(in_reach, 1000U);
  EXPECT_GT(passed_over, 1000U);
}

}  // namespace
}  // namespace sinew::deform::flesh_field_tests
