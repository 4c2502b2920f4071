// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/voxels/tets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/random.h"
#include "tests/support/threads.h"

namespace sinew::geometry {
namespace {

double ball_field(const Vec3& p) { return p.norm() - 1; }
double torus_field(const Vec3& p) { return std::hypot(std::hypot(p.x(), p.y()) - 0.8, p.z()) - 0.3; }
double capsule_field(const Vec3& p) {
  const Vec3 turned = Eigen::AngleAxisd(0.4, Vec3(1, 2, 3).normalized()) * p;
  return (turned - Vec3(std::clamp(turned.x(), -0.9, 0.9), 0, 0)).norm() - 0.3;
}

Box room() {
  Box box;
  box.extend(Vec3::Constant(-1.3));
  box.extend(Vec3::Constant(1.3));
  return box;
}

double filled_volume(const TetMesh& tets) {
  double sum = 0;
  for (Index t = 0; t < tets.tets.size(); ++t) sum += tet_volume(tets, t);
  return sum;
}

struct StuffShape {
  const char* name;
  double (*field)(const Vec3&);
  double volume, thinnest_radius;
};

void PrintTo(const StuffShape& shape, std::ostream* out) { *out << shape.name; }

class StuffedShape : public ::testing::TestWithParam<StuffShape> {};

TEST_P(StuffedShape, HasGoodAnglesAndTheVolumeOfTheShape) {
  const auto& [name, field, expected, radius] = GetParam();
  for (const double cell : {0.23, 0.17, 0.09}) {
    const TetMesh tets = stuff(field, room(), cell);
    ASSERT_FALSE(tets.tets.empty()) << name;
    EXPECT_TRUE(validate(tets).empty());
    const DihedralAngles angles = dihedral_angles(tets);
    EXPECT_GT(angles.smallest_rad, radians(10.7));
    EXPECT_LT(angles.largest_rad, radians(164.8));
    // What chords cut off a circle grows with the square of the cell.
    EXPECT_LT(filled_volume(tets), expected);
    EXPECT_GT(filled_volume(tets), expected * (1 - 0.35 * std::pow(cell / radius, 2)));
  }
}

// Every face inside is that of two tetrahedra on its two sides; the others make a closed surface on the zero of the
// field.
TEST_P(StuffedShape, FitsTogetherWithoutGaps) {
  const std::function<double(const Vec3&)> field = GetParam().field;
  const TetMesh tets = stuff(field, room(), 0.15);
  std::map<std::array<Index, 3>, int> uses;
  for (const auto& tet : tets.tets)
    for (std::size_t skip = 0; skip < 4; ++skip) {
      std::array<Index, 3> face;
      std::size_t k = 0;
      for (std::size_t i = 0; i < 4; ++i)
        if (i != skip) face[k++] = tet[i];
      std::sort(face.begin(), face.end());
      ++uses[face];
    }
  std::size_t single = 0;
  for (const auto& [face, count] : uses) {
    EXPECT_LE(count, 2);
    single += count == 1;
  }
  const auto surface = tet_surface(tets);
  EXPECT_EQ(surface.size(), single);
  std::map<std::pair<Index, Index>, int> edges;
  double enclosed = 0;
  for (const auto& t : surface) {
    for (std::size_t i = 0; i < 3; ++i) ++edges[{t[i], t[(i + 1) % 3]}];
    for (const Index v : t) EXPECT_LT(std::abs(field(tets.positions[v])), 0.012);
    enclosed += tets.positions[t[0]].cross(tets.positions[t[1]]).dot(tets.positions[t[2]]) / 6;
  }
  for (const auto& [edge, count] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    EXPECT_TRUE(back != edges.end() && back->second == count);
  }
  EXPECT_NEAR(enclosed, filled_volume(tets), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Shapes, StuffedShape,
                         ::testing::Values(StuffShape{"ball", ball_field, 4.18879, 1},
                                           StuffShape{"torus", torus_field, 1.42122, 0.3},
                                           StuffShape{"capsule", capsule_field, 0.62204, 0.3}),
                         [](const auto& info) { return std::string(info.param.name); });

// Where the lattice falls decides how edges are cut: many slabs and balls, anyhow placed, of more than two cells.
TEST(Stuff, KeepsItsAnglesWhereverTheSurfaceCutsTheLattice) {
  Random dice(6);
  DihedralAngles all{kPi, 0};
  for (int round = 0; round < 120; ++round) {
    const Vec3 normal = Vec3(dice.uniform() - 0.5, dice.uniform() - 0.5, dice.uniform() - 0.5).normalized();
    const Vec3 at(dice.uniform(), dice.uniform(), dice.uniform());
    const auto field = [&](const Vec3& p) {
      return round % 2 == 0 ? std::abs(normal.dot(p) - 0.4 * at.x()) - 0.6 : (p - 0.3 * at).norm() - 0.6 - 0.3 * at.y();
    };
    const DihedralAngles angles = dihedral_angles(stuff(field, room(), 0.26));
    all.smallest_rad = std::min(all.smallest_rad, angles.smallest_rad);
    all.largest_rad = std::max(all.largest_rad, angles.largest_rad);
  }
  EXPECT_GT(all.smallest_rad, radians(10.7));
  EXPECT_LT(all.largest_rad, radians(164.8));
}

TEST(Stuff, GivesTheSameBytesForAnyNumberOfThreads) {
  const auto run = [](int count) {
    const test::Threads threads(count);
    return stuff(torus_field, room(), 0.1);
  };
  const TetMesh one = run(1), two = run(2);
  EXPECT_EQ(one.tets, two.tets);
  EXPECT_EQ(one.positions, two.positions);
}

TEST(Stuff, WhereNothingIsInsideThereIsNothing) {
  EXPECT_TRUE(stuff([](const Vec3&) { return 1.0; }, room(), 0.3).tets.empty());
  EXPECT_TRUE(stuff(ball_field, Box(), 0.3).tets.empty());
  EXPECT_THROW(stuff(ball_field, room(), 1e-4), Error);
}

TEST(TetComponents, TellsPiecesApartAndKeepsOne) {
  const auto two = [](const Vec3& p) {
    return std::min((p - Vec3(0.7, 0, 0)).norm() - 0.5, (p + Vec3(0.8, 0, 0)).norm() - 0.3);
  };
  const TetMesh tets = stuff(two, room(), 0.12);
  const TetComponents pieces = tet_components(tets);
  ASSERT_EQ(pieces.count, 2U);
  const Index larger = pieces.volume[0] > pieces.volume[1] ? 0 : 1;
  EXPECT_NEAR(pieces.volume[larger], 4.18879 * 0.125, 0.03);
  std::vector<char> keep;
  for (const Index c : pieces.of_tet) keep.push_back(c == larger ? 1 : 0);
  const TetMesh kept = kept_tets(tets, keep);
  EXPECT_TRUE(validate(kept).empty());
  EXPECT_NEAR(filled_volume(kept), pieces.volume[larger], 1e-12);
  for (const Vec3& p : kept.positions) EXPECT_GT(p.x(), 0);
}

TEST(CutTets, APlaneCutsABallInTwoAndKeepsEverythingElse) {
  const TetMesh ball = stuff(ball_field, room(), 0.15);
  const auto right = [&](Index t) {
    double x = 0;
    for (const Index v : ball.tets[t]) x += ball.positions[v].x();
    return x > 0;
  };
  const CutTets cut = cut_tets(ball, [&](Index a, Index b) { return right(a) == right(b); });
  EXPECT_EQ(tet_components(ball).count, 1U);
  EXPECT_EQ(tet_components(cut.tets).count, 2U);
  EXPECT_TRUE(validate(cut.tets).empty());
  EXPECT_EQ(filled_volume(cut.tets), filled_volume(ball));
  ASSERT_GT(cut.tets.positions.size(), ball.positions.size());
  for (Index v = 0; v < cut.copy_of.size(); ++v) {
    EXPECT_EQ(cut.tets.positions[v], ball.positions[cut.copy_of[v]]);
    if (v >= ball.positions.size()) {
      EXPECT_NE(cut.at_cut[v], 0);
      EXPECT_LT(std::abs(cut.tets.positions[v].x()), 0.15);
    }
  }
  const CutTets whole = cut_tets(ball, [](Index, Index) { return true; });
  EXPECT_EQ(whole.tets.positions, ball.positions);
  EXPECT_EQ(whole.tets.tets, ball.tets);
}

TEST(CutTets, ACutThatEndsInsideIsASlit) {
  const TetMesh ball = stuff(ball_field, room(), 0.15);
  const auto middle = [&](Index t) {
    Vec3 sum = Vec3::Zero();
    for (const Index v : ball.tets[t]) sum += 0.25 * ball.positions[v];
    return sum;
  };
  const CutTets cut = cut_tets(ball, [&](Index a, Index b) {
    return (middle(a).x() > 0) == (middle(b).x() > 0) || middle(a).y() + middle(b).y() > 0;
  });
  EXPECT_EQ(tet_components(cut.tets).count, 1U);
  ASSERT_GT(cut.tets.positions.size(), ball.positions.size());
  for (std::size_t v = ball.positions.size(); v < cut.tets.positions.size(); ++v)
    EXPECT_LT(cut.tets.positions[v].y(), 0.15);
}

}  // namespace
}  // namespace sinew::geometry
