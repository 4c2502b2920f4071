// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/joint_shape.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/core/angles.h"
#include "sinew/deform/implicit/implicit_body.h"
#include "sinew/deform/implicit/joint_shape/closure.h"
#include "sinew/shapes/kinds.h"
#include "tests/support/threads.h"

namespace sinew::deform {
namespace {

Rig made_human() {
  shapes::MakeOptions options;
  options.vertices = 3000;
  return shapes::make("human", options).made.character.rig;
}

/// Hinges at a few joints, as a stand-in for limits.
std::map<Index, JointRange> few_ranges(const Rig& rig) {
  std::map<Index, JointRange> ranges;
  for (const char* name : {"LeftForearm", "LeftShin", "RightShin"}) {
    EXPECT_NE(rig.skeleton.find(name), kNone) << name;
    ranges[rig.skeleton.find(name)] = {{{Vec3::UnitX(), 0, radians(120)}}, "test"};
  }
  return ranges;
}

TEST(JointShapes, HaveLessBulgeThanBeforeAndCloseNearlyAllHolesByParticles) {
  const Rig rig = made_human();
  const JointShapes shapes = fit_joint_shapes(rig, few_ranges(rig));
  std::size_t adjusted = 0, holes = 0, by_particles = 0;
  for (const JointShapeReport& report : shapes.reports) {
    if (report.fit != JointFit::kAdjusted) continue;
    ++adjusted;
    EXPECT_LE(report.held_out.refit, 0.15 * report.held_out.before) << rig.skeleton.joints[report.joint].name;
    EXPECT_LT(report.refit_error, 0.03);
  }
  EXPECT_GE(adjusted, 2u);
  for (const ClosedPart& part : shapes.parts) {
    EXPECT_EQ(closure_problem(part), "");
    for (const PartHole& hole : part.holes)
      if (hole.at_joint()) ++holes, by_particles += hole.fill == HoleFill::kPatch ? 0 : 1;
  }
  EXPECT_GE(static_cast<double>(by_particles), 0.9 * static_cast<double>(holes));
  EXPECT_FALSE(shapes.samples.empty());
  // The samples are those of a body that can be made.
  const ImplicitBody body = make_implicit_body(rig, {}, {}, shapes.samples);
  EXPECT_GT(body.parts.size(), 10u);
}

TEST(JointShapes, AreTheSameForAnyNumberOfThreads) {
  const Rig rig = made_human();
  const auto run = [&](int threads) {
    const test::Threads scope(threads);
    return fit_joint_shapes(rig, few_ranges(rig));
  };
  const JointShapes one = run(1), two = run(2);
  ASSERT_EQ(one.samples.size(), two.samples.size());
  for (const auto& [name, samples] : one.samples) {
    const auto& other = two.samples.at(name);
    ASSERT_EQ(samples.size(), other.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
      EXPECT_EQ(samples[i].point, other[i].point);
      EXPECT_EQ(samples[i].normal, other[i].normal);
    }
  }
}

TEST(JointShapes, PeelsAsManyRingsAsRequested) {
  const Rig rig = made_human();
  JointShapeOptions options;
  const Index knee = rig.skeleton.find("LeftShin");
  options.joints = {knee};
  const auto border = [&](const JointShapes& shapes) {
    for (const JointShapeReport& report : shapes.reports)
      if (report.joint == knee) return shapes.parts[report.part].fixed_vertices;
    return Index{0};
  };
  const Index whole = border(fit_joint_shapes(rig, few_ranges(rig), options));
  options.peel[knee] = 1;
  const JointShapes peeled = fit_joint_shapes(rig, few_ranges(rig), options);
  EXPECT_LT(border(peeled), whole);
  for (const JointShapeReport& report : peeled.reports)
    if (report.fit == JointFit::kAdjusted) {
      EXPECT_EQ(report.joint, knee);
    }
}

TEST(JointShapes, RotationsIncludeBothEndsAndThoseHeldOutLieBetween) {
  const JointRange range = {{{Vec3::UnitZ(), 0, 1}, {Vec3::UnitX(), -1, 1}}, ""};
  EXPECT_EQ(rotations_of(range, 20).size(), 40u);
  EXPECT_TRUE(rotations_of(range, 20).front().isIdentity(1e-12));
  EXPECT_TRUE(rotations_of(range, 20).back().isApprox(Mat3(Eigen::AngleAxisd(1, Vec3::UnitX())), 1e-12));
  EXPECT_TRUE(rotations_of(range, 3, true).front().isApprox(Mat3(Eigen::AngleAxisd(0.25, Vec3::UnitZ())), 1e-12));
}

}  // namespace
}  // namespace sinew::deform
