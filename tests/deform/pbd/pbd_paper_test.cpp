// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_paper.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "sinew/lab/pbd/cylinder.h"

namespace sinew::deform {
namespace {

using namespace sinew::lab;

// All constraints hard, in the paper's order.
TEST(PbdPaper, KeepsTheVolumeOfTheCylinderAsTheCheckRun) {
  const PbdBody body = pbd_cylinder();
  const PbdPaper paper(body);
  struct Case {
    Vec3 axis;
    double degrees, volume, inverted;
  };
  for (const Case& c : {Case{Vec3::UnitX(), 120, 0.964, 7}, Case{Vec3::UnitZ(), 90, 0.949, 333}}) {
    const double angle = radians(c.degrees);
    std::vector<Vec3f> positions = blended_cylinder(body, c.axis, angle);
    const std::vector<Vec3f> moves = paper.corrections(positions, cylinder_motions(c.axis, angle), 10, 1, true);
    for (std::size_t p = 0; p < positions.size(); ++p) positions[p] += moves[p];
    const CylinderState state = cylinder_state(body, positions);
    EXPECT_NEAR(state.volume, c.volume, 0.015);
    EXPECT_LE(state.inverted, 2 * c.inverted + 20);
  }
}

TEST(PbdPaper, DoesNotDependOnStiffness) {
  const PbdBody body = pbd_cylinder();
  const PbdPaper paper(body);
  const std::vector<Vec3f> positions = blended_cylinder(body, Vec3::UnitX(), 2);
  const std::vector<Mat4> motions = cylinder_motions(Vec3::UnitX(), 2);
  const std::vector<Vec3f> soft = paper.corrections(positions, motions, 1, 1, true),
                           stiff = paper.corrections(positions, motions, 1, 128, true);
  for (std::size_t p = 0; p < soft.size(); ++p) EXPECT_LT((soft[p] - stiff[p]).norm(), 1e-6);
}

}  // namespace
}  // namespace sinew::deform
