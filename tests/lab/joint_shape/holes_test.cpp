// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Holes of a whole character with fifty joints, closed but not adjusted.

#include <gtest/gtest.h>

#include <set>

#include "sinew/pipeline/fit_joints.h"
#include "sinew/pipeline/joint_ranges.h"
#include "sinew/shapes/kinds.h"

namespace sinew::lab {
namespace {

struct HoleCount {
  std::size_t joints = 0, holes = 0, by_particles = 0, without_reason = 0;
  std::set<std::string> stages;
};

HoleCount close_all(const Character& character, int particles) {
  deform::JointShapeOptions options;
  options.least_bulge = 1e9;  // Nothing is adjusted.
  options.particles.target = particles;
  HoleCount count;
  const auto shapes = deform::fit_joint_shapes(character.rig, pipeline::joint_ranges(character), options, {}, {},
                                               [&](const std::string& stage) { count.stages.insert(stage); });
  count.joints = shapes.reports.size();
  for (const deform::JointShapeReport& report : shapes.reports)
    if (report.fit == deform::JointFit::kSkipped && report.reason.empty()) ++count.without_reason;
  for (const deform::ClosedPart& part : shapes.parts)
    for (const deform::PartHole& hole : part.holes) {
      if (!hole.at_joint()) continue;
      ++count.holes;
      if (pipeline::closed_by_particles(hole)) ++count.by_particles;
      else if (hole.reason.empty()) ++count.without_reason;
    }
  return count;
}

TEST(JointHoles, OfFiftyJointsAreNearlyAllClosedByParticlesAndWithFewParticlesTheyAreNot) {
  const HoleCount usual = close_all(shapes::make("human", {}).made.character, 200);
  EXPECT_GE(usual.joints, 50u);
  EXPECT_GE(usual.holes, 2 * usual.joints - 10);
  EXPECT_GE(10 * usual.by_particles, 9 * usual.holes);
  EXPECT_EQ(usual.without_reason, 0u);
  EXPECT_TRUE(usual.stages.contains("particles") && usual.stages.contains("sliding") && usual.stages.contains("refit"));
  // A few particles on a whole sphere do not stay in most holes; the last fallback closes them, and says why.
  const HoleCount few = close_all(shapes::make("hand", {}).made.character, 4);
  EXPECT_GE(few.holes, 20u);
  EXPECT_LT(10 * few.by_particles, 9 * few.holes);
  EXPECT_EQ(few.without_reason, 0u);
}

}  // namespace
}  // namespace sinew::lab
