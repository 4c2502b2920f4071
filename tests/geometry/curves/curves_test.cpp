// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/curves/curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "sinew/core/error.h"
#include "tests/geometry/curves/cube_figure.h"
#include "tests/support/threads.h"

namespace sinew::geometry {
namespace {

using VertexSet = std::vector<Index>;

std::set<VertexSet> closed_rings(const CurveSet& set) {
  std::set<VertexSet> rings;
  for (const Curve& curve : set.curves) {
    if (!curve.closed) continue;
    VertexSet ring;
    for (const CurvePoint& p : set.of(curve)) ring.push_back(p.a);
    std::sort(ring.begin(), ring.end());
    rings.insert(std::move(ring));
  }
  return rings;
}

/// Numbers of closed curves, by how many vertices they have.
std::map<Index, int> ring_sizes(const CurveSet& set) {
  std::map<Index, int> sizes;
  for (const Curve& curve : set.curves)
    if (curve.closed) ++sizes[curve.count];
  return sizes;
}

/// What a figure must have, from its cubes alone.
std::map<Index, int> expected_sizes(const CubeCounts& c, int k) {
  const int cut = 1 << k;
  std::map<Index, int> sizes;
  sizes[static_cast<Index>(4 * cut)] += 2 * (c.arm * cut - 1) + 2 * (c.leg * cut - 1) + c.head * cut - 1;
  sizes[static_cast<Index>(2 * (c.width + 1) * cut)] += (c.trunk - 1) * cut - 1;
  return sizes;
}

void expect_every_vertex_on_one_curve(const CurveSet& set, Index vertices) {
  std::vector<int> times(vertices, 0);
  for (const CurvePoint& p : set.points) ++times[p.a];
  EXPECT_EQ(std::count(times.begin(), times.end(), 1), static_cast<std::ptrdiff_t>(vertices));
  EXPECT_EQ(set.uncovered, 0U);
}

TEST(Curves, FigureOfCubesHasExactlyTheRingsItsCubesGive) {
  for (int k = 1; k <= 4; ++k) {
    const Mesh mesh = cube_figure(k);
    const CurveSet set = find_curves(mesh);
    EXPECT_EQ(set.limbs.size(), 5U) << k;
    EXPECT_EQ(set.trunks.size(), 1U) << k;
    EXPECT_EQ(ring_sizes(set), expected_sizes({}, k)) << k;
    expect_every_vertex_on_one_curve(set, mesh.vertex_count());
    for (const CurveLimb& limb : set.limbs) {
      const auto loops = limb.curves.size();
      EXPECT_TRUE(loops == (5U << k) - 1 || loops == (2U << k) - 1) << k << ": " << loops;
    }
  }
}

TEST(Curves, RandomFiguresHaveTheRingsOfTheirCubes) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int wrong = 0;
  constexpr int kFigures = 200;
  for (int i = 0; i < kFigures; ++i) {
    CubeCounts counts;
    counts.arm = draw(3, 8), counts.leg = draw(3, 8), counts.trunk = draw(3, 6), counts.width = 3 + 2 * draw(0, 1);
    const CurveSet set = find_curves(cube_figure(1, counts));
    if (ring_sizes(set) == expected_sizes(counts, 1)) continue;
    ++wrong;
    std::string got;
    for (const auto& [size, count] : ring_sizes(set)) got += fmt::format(" {}×{}", count, size);
    ADD_FAILURE() << fmt::format("arm {} leg {} trunk {} width {}:{} limbs {}", counts.arm, counts.leg, counts.trunk,
                                 counts.width, got, set.limbs.size());
    if (wrong > 5) break;
  }
}

TEST(Curves, RingsDoNotDependOnTheOrderOfVerticesAndFaces) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const Mesh mesh = cube_figure(2);
  std::vector<Index> name(mesh.vertex_count()), faces(mesh.face_count());
  std::iota(name.begin(), name.end(), 0U);
  std::iota(faces.begin(), faces.end(), 0U);
  std::shuffle(name.begin(), name.end(), random);
  std::shuffle(faces.begin(), faces.end(), random);
  Mesh other;
  other.positions.resize(mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) other.positions[name[v]] = mesh.positions[v];
  for (const Index f : faces) {
    VertexSet corners;
    for (const Index v : mesh.face(f)) corners.push_back(name[v]);
    std::rotate(corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(random() % 4), corners.end());
    other.add_face(corners);
  }
  std::set<VertexSet> renamed;
  for (VertexSet ring : closed_rings(find_curves(mesh))) {
    for (Index& v : ring) v = name[v];
    std::sort(ring.begin(), ring.end());
    renamed.insert(std::move(ring));
  }
  EXPECT_EQ(renamed, closed_rings(find_curves(other)));
}

TEST(Curves, RingsDoNotDependOnPlaceTurnAndScale) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  const Mesh mesh = cube_figure(2);
  const std::set<VertexSet> rings = closed_rings(find_curves(mesh));
  for (const double scale : {1e-3, 0.37, 1e3}) {
    Mesh moved = mesh;
    const Quat turn = Quat(unit(random), unit(random), unit(random), unit(random)).normalized();
    const Vec3 shift = scale * 5 * Vec3(unit(random), unit(random), unit(random));
    for (Vec3& p : moved.positions) p = scale * (turn * p) + shift;
    EXPECT_EQ(closed_rings(find_curves(moved)), rings) << scale;
  }
}

TEST(Curves, AreTheSameForAnyNumberOfThreads) {
  const Mesh mesh = cube_figure(3);
  CurveOptions levels;
  levels.source = CurveSource::kLevels;
  for (const CurveOptions& options : {CurveOptions{}, levels}) {
    std::optional<CurveSet> first;
    for (const int threads : {1, 2, 1, 2}) {
      const test::Threads with(threads);
      CurveSet set = find_curves(mesh, options);
      if (first) {
        ASSERT_EQ(set.points.size(), first->points.size());
        EXPECT_EQ(set.curve_of, first->curve_of);
        for (std::size_t i = 0; i < set.points.size(); ++i) {
          EXPECT_EQ(set.points[i].a, first->points[i].a);
          EXPECT_EQ(set.points[i].t, first->points[i].t);
        }
      } else {
        first = std::move(set);
      }
    }
  }
}

TEST(Curves, TipsByHandReplaceTheSearch) {
  const Mesh mesh = cube_figure(2);
  const CurveSet found = find_curves(mesh);
  CurveOptions options;
  for (const CurveLimb& limb : found.limbs) options.tips.push_back(std::to_string(limb.tip));
  EXPECT_EQ(closed_rings(find_curves(mesh, options)), closed_rings(found));
  options.tips = {"999999"};
  EXPECT_THROW(find_curves(mesh, options), Error);
  options.tips = {"head"};
  EXPECT_THROW(find_curves(mesh, options), Error);
}

TEST(Curves, OneWaveFindsFewerRingsThanLimbsFirst) {
  const Mesh mesh = cube_figure(3);
  CurveOptions paper;
  paper.walk = CurveWalk::kPaper;
  const CurveSet wave = find_curves(mesh, paper);
  EXPECT_LT(wave.closed_count(), find_curves(mesh).closed_count());
  EXPECT_GT(wave.closed_count(), 20U);
  expect_every_vertex_on_one_curve(wave, mesh.vertex_count());
}

Mesh lattice_ball(int side) {
  std::set<CubeAt> cubes;
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side; ++z) cubes.insert({x, y, z});
  Mesh mesh = cube_surface(cubes, 1);
  for (Vec3& p : mesh.positions) p = (p - Vec3::Constant(0.5 * side)).normalized();
  return mesh;
}

TEST(Curves, OddMeshesHaveADefinedResult) {
  const CurveSet ball = find_curves(lattice_ball(6));
  EXPECT_TRUE(ball.limbs.empty());
  EXPECT_EQ(ball.uncovered, 0U);
  std::set<CubeAt> ring;
  for (int x = 0; x < 5; ++x)
    for (int y = 0; y < 5; ++y)
      if (x == 0 || y == 0 || x == 4 || y == 4) ring.insert({x, y, 0});
  EXPECT_EQ(find_curves(cube_surface(ring, 2)).uncovered, 0U);
  Mesh flipped = cube_figure(2);
  std::reverse(flipped.face_vertices.begin() + 40, flipped.face_vertices.begin() + 44);
  EXPECT_FALSE(find_curves(flipped).findings.empty());
  Mesh fin = cube_figure(2);
  fin.positions.push_back(fin.positions[0] + Vec3(0, 0, 3));
  fin.add_face(std::array<Index, 3>{fin.face(0)[0], fin.face(0)[1], fin.vertex_count() - 1});
  EXPECT_FALSE(find_curves(fin).findings.empty());
  Mesh open = cube_figure(2);
  open.face_offsets.resize(open.face_offsets.size() - 30);
  open.face_vertices.resize(open.face_offsets.back());
  EXPECT_GT(find_curves(open).closed_count(), 40U);
  Mesh two = cube_figure(2);
  const Mesh one = two;
  for (const Vec3& p : one.positions) two.positions.push_back(p + Vec3(40, 0, 0));
  for (Index f = 0; f < one.face_count(); ++f) {
    VertexSet corners;
    for (const Index v : one.face(f)) corners.push_back(v + one.vertex_count());
    two.add_face(corners);
  }
  const CurveSet pair = find_curves(two);
  EXPECT_EQ(pair.limbs.size(), 10U);
  EXPECT_EQ(pair.closed_count(), 2 * find_curves(one).closed_count());
  Mesh bad = one;
  bad.positions[3].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(find_curves(bad), Error);
  EXPECT_THROW(find_curves(Mesh{}), Error);
}

}  // namespace
}  // namespace sinew::geometry
