// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/geometry/voxels/tets.h"
#include "sinew/lab/pbd/cylinder.h"
#include "tests/deform/skin_rigs.h"
#include "tests/support/threads.h"

namespace sinew::deform {
namespace {

using namespace sinew::lab;

using namespace testing;

std::vector<Vec3f> solved(const PbdBody& body, const PbdSettings& settings, const Vec3& axis, double degrees) {
  const PbdSystem system(body, settings);
  PbdSystem::Scratch scratch;
  std::vector<Vec3f> positions = blended_cylinder(body, axis, radians(degrees));
  std::vector<Vec3f> corrections(positions.size());
  EXPECT_EQ(system.solve(scratch, positions, cylinder_motions(axis, radians(degrees)), corrections).islands_given_up,
            0U);
  for (std::size_t p = 0; p < positions.size(); ++p) positions[p] += corrections[p];
  return positions;
}

TEST(ColourConstraints, NoTwoOfAColourShareAParticleAndNoneIsLost) {
  geometry::Random dice(2);
  std::vector<std::array<std::uint32_t, 4>> constraints;
  for (int i = 0; i < 3000; ++i) {
    std::set<std::uint32_t> corners;
    while (corners.size() < 4) corners.insert(dice.below(i < 600 ? 12 : 400));
    std::array<std::uint32_t, 4> tet{};
    std::copy(corners.begin(), corners.end(), tet.begin());
    constraints.push_back(tet);
  }
  const std::vector<Index> colours = colour_constraints(constraints, 400);
  ASSERT_EQ(colours.size(), constraints.size());
  EXPECT_GT(*std::max_element(colours.begin(), colours.end()), 128U);  // Some particles are in very many.
  std::set<std::pair<Index, std::uint32_t>> seen;
  for (std::size_t c = 0; c < constraints.size(); ++c)
    for (const std::uint32_t p : constraints[c]) EXPECT_TRUE(seen.insert({colours[c], p}).second);
}

// The card's check run. Ours are coloured, and lie between its index order and its shuffled one.
TEST(PbdSystem, KeepsTheVolumeOfTheCylinderOfTheCheckRun) {
  const PbdBody body = pbd_cylinder();
  PbdSettings settings;
  settings.material = PbdMaterial::kSprings;
  EXPECT_EQ(PbdSystem(body, settings).tets(), 7680U);
  struct Case {
    Vec3 axis;
    double degrees, blended, blended_inverted, low, high, most_inverted;
  };
  for (const Case& c :
       {Case{Vec3::UnitX(), 120, 0.728, 4, 0.980, 0.987, 25}, Case{Vec3::UnitZ(), 90, 0.908, 39, 0.953, 0.976, 38},
        Case{Vec3::UnitZ(), 120, 0.862, 218, 0.958, 0.985, 74}}) {
    const CylinderState before = cylinder_state(body, blended_cylinder(body, c.axis, radians(c.degrees)));
    EXPECT_NEAR(before.volume, c.blended, 0.0006);
    EXPECT_EQ(before.inverted, c.blended_inverted);
    const CylinderState after = cylinder_state(body, solved(body, settings, c.axis, c.degrees));
    EXPECT_GT(after.volume, c.low - 0.015);
    EXPECT_LT(after.volume, c.high + 0.015);
    EXPECT_LE(after.inverted, c.most_inverted);
  }
}

TEST(PbdSystem, AStifferCorotatedMaterialKeepsMoreVolumeOfATwist) {
  const PbdBody body = pbd_cylinder();
  PbdSettings settings;
  settings.sweeps = 40;
  settings.stretch = settings.bind = 0;
  settings.volume = 0;
  double before = 0.728;
  for (const double k : {0.01, 0.1, 1.0, 10.0}) {
    settings.energy = k;
    const double volume = cylinder_state(body, solved(body, settings, Vec3::UnitX(), 120)).volume;
    EXPECT_GT(volume, before);
    before = volume;
  }
  EXPECT_GT(before, 0.84);
}

TEST(PbdSystem, HoldsTheRestPose) {
  const PbdBody body = pbd_cylinder();
  for (const PbdMaterial material : {PbdMaterial::kSprings, PbdMaterial::kCorotated}) {
    PbdSettings settings;
    settings.material = material;
    const std::vector<Vec3f> positions = solved(body, settings, Vec3::UnitX(), 0);
    for (std::size_t p = 0; p < positions.size(); ++p)
      EXPECT_LT((positions[p].cast<double>() - body.tets.positions[p]).norm(), 2e-6);
  }
}

TEST(PbdSystem, FewAndManySweepsOfASoftMaterialAgree) {
  const PbdBody body = pbd_cylinder();
  PbdSettings settings;
  settings.energy = 0.1;
  settings.stretch = settings.bind = 0;
  const auto volume = [&](int sweeps) {
    settings.sweeps = sweeps;
    return cylinder_state(body, solved(body, settings, Vec3::UnitX(), 30)).volume;
  };
  EXPECT_NEAR(volume(10), volume(40), 0.02);
}

TEST(PbdSystem, HeldParticlesStayAndThreadsDoNotMatter) {
  const PbdBody body = pbd_cylinder();
  const auto run = [&](int count) {
    const test::Threads threads(count);
    return solved(body, {}, Vec3(1, 0, 1).normalized(), 80);
  };
  const std::vector<Vec3f> one = run(1);
  EXPECT_EQ(one, run(2));
  const std::vector<Vec3f> blended = blended_cylinder(body, Vec3(1, 0, 1).normalized(), radians(80));
  for (std::size_t p = 0; p < one.size(); ++p)
    if (body.free[p] == 0) {
      EXPECT_EQ(one[p], blended[p]);
    }
}

/// One tetrahedron whose last corner may move.
PbdBody single_tet() {
  PbdBody body;
  body.tets.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  body.tets.tets = {{0, 1, 2, 3}};
  body.cell = 1;
  body.mass.assign(4, 1);
  body.free = {0, 0, 0, 1};
  body.owner.assign(4, 0);
  body.anchors.assign(4, {});
  body.bind = {Mat4::Identity()};
  return body;
}

TEST(PbdSystem, CountsTetrahedraThatAreInsideOut) {
  const PbdBody body = single_tet();
  PbdSettings settings;
  settings.sweeps = 0;  // Nothing moves, so that what comes out is what is predicted.
  const PbdSystem system(body, settings);
  const std::vector<Mat4> motions = {Mat4::Identity()};
  for (const auto& [height, inverted] : {std::pair(1.0F, 0U), std::pair(0.0F, 1U), std::pair(-0.5F, 1U)}) {
    const std::vector<Vec3f> predicted = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, height}};
    std::vector<Vec3f> corrections(4);
    PbdSystem::Scratch scratch;
    EXPECT_EQ(system.solve(scratch, predicted, motions, corrections).inverted, inverted) << height;
  }
}

TEST(PbdSystem, CountsInvertedTetrahedraAsTheBarDoes) {
  const PbdBody body = pbd_cylinder();
  PbdSettings settings;
  settings.material = PbdMaterial::kSprings;
  const PbdSystem system(body, settings);
  PbdSystem::Scratch scratch;
  std::vector<Vec3f> positions = blended_cylinder(body, Vec3::UnitZ(), radians(120)), corrections(positions.size());
  const PbdSystem::Outcome outcome =
      system.solve(scratch, positions, cylinder_motions(Vec3::UnitZ(), radians(120)), corrections);
  for (std::size_t p = 0; p < positions.size(); ++p) positions[p] += corrections[p];
  EXPECT_GT(outcome.inverted, 5U);
  EXPECT_NEAR(outcome.inverted, cylinder_state(body, positions).inverted, 2);
}

TEST(PbdSystem, WhatIsNotFiniteIsGivenUpAndStaysAsPredicted) {
  const PbdBody body = pbd_cylinder();
  const PbdSystem system(body, {});
  PbdSystem::Scratch scratch;
  std::vector<Vec3f> positions = blended_cylinder(body, Vec3::UnitX(), 0);
  std::vector<Mat4> motions = cylinder_motions(Vec3::UnitX(), 0);
  for (std::size_t p = 0; p < positions.size(); ++p)
    if (body.free[p] != 0) positions[p].x() *= 1e30F;
  std::vector<Vec3f> corrections(positions.size());
  EXPECT_EQ(system.solve(scratch, positions, motions, corrections).islands_given_up, 1U);
  for (const Vec3f& c : corrections) EXPECT_EQ(c, Vec3f(Vec3f::Zero()));
}

}  // namespace
}  // namespace sinew::deform
