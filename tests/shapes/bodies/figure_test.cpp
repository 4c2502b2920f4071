// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/figure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace sinew::shapes {
namespace {

MakeOptions with_vertices(int vertices) {
  MakeOptions options;
  options.vertices = vertices;
  return options;
}

TEST(Figure, HasTheCountsOfEveryStep) {
  for (int k = 1; k <= 4; ++k) {
    const auto expected = static_cast<Index>(504 * (1 << (2 * (k - 1))) + 2);
    EXPECT_EQ(figure(with_vertices(static_cast<int>(expected) + 20)).character.rig.mesh.vertex_count(), expected);
  }
  EXPECT_EQ(figure({}).character.rig.mesh.vertex_count(), 504U * 16 + 2);
}

TEST(Figure, LimbsAreStacksOfClosedLoops) {
  // Along an arm of 5 cubes in 2^k layers each, the loops of 4·2^k vertices lie in planes of one x.
  const Mesh mesh = figure(with_vertices(8066)).character.rig.mesh;
  std::map<long, int> rings;
  const double tip = mesh.bounds().upper.x();
  for (const Vec3& p : mesh.positions)
    if (p.x() > 0.5 * tip && p.x() < 0.85 * tip) ++rings[std::lround(1e6 * p.x())];
  EXPECT_GT(rings.size(), 12U);
  for (const auto& [x, count] : rings) EXPECT_EQ(count, 32) << x;
}

TEST(Figure, IsMirrored) {
  const Mesh mesh = figure({}).character.rig.mesh;
  const auto key = [](double x, const Vec3& p) {
    return std::array<long, 3>{std::lround(1e7 * x), std::lround(1e7 * p.y()), std::lround(1e7 * p.z())};
  };
  std::set<std::array<long, 3>> places;
  for (const Vec3& p : mesh.positions) places.insert(key(p.x(), p));
  for (const Vec3& p : mesh.positions) EXPECT_TRUE(places.count(key(-p.x(), p)));
}

TEST(Figure, VariesItsLimbsInWholeCubes) {
  std::set<Index> counts;
  for (int seed = 0; seed < 20; ++seed) {
    MakeOptions options = with_vertices(500);
    options.vary = 1;
    options.seed = seed;
    const Index vertices = figure(options).character.rig.mesh.vertex_count();
    // One step gives four vertices for every quad of the cage, and two.
    EXPECT_EQ((vertices - 2) % 4, 0U);
    counts.insert(vertices);
  }
  EXPECT_GT(counts.size(), 8U);
}

TEST(Figure, LimbsOwnWhatLiesBesideTheirBones) {
  const Made made = figure({});
  const Skeleton& skeleton = made.character.rig.skeleton;
  for (std::size_t i = 0; i < made.owners.owner.size(); ++i) {
    const std::string& name = skeleton.joints[made.owners.segments[made.owners.owner[i]].joint].name;
    if (!name.starts_with("Left") && !name.starts_with("Right")) continue;
    EXPECT_GE(made.owners.along[i], -1e-6F) << name;
    EXPECT_LE(made.owners.along[i], 1 + 1e-6F) << name;
    EXPECT_EQ(name.starts_with("Left"), made.character.rig.mesh.positions[i].x() > 0);
  }
}

TEST(Figure, LimbsMoveOnlyThemselves) {
  const Made made = figure({});
  const Rig& rig = made.character.rig;
  const Index forearm = rig.skeleton.find("LeftForearm");
  const Index head = rig.skeleton.find("Head");
  const Index shin = rig.skeleton.find("RightShin");
  for (Index i = 0; i < rig.mesh.vertex_count(); ++i) {
    const Vec3& p = rig.mesh.positions[i];
    for (const Influence& influence : rig.weights.row(i)) {
      if (influence.joint == forearm) {
        EXPECT_GT(p.x(), 0.3);
      }
      if (influence.joint == head) {
        EXPECT_GT(p.y(), 1.3);
      }
      if (influence.joint == shin) {
        EXPECT_TRUE(p.x() < 0 && p.y() < 0.6);
      }
    }
  }
}

}  // namespace
}  // namespace sinew::shapes
