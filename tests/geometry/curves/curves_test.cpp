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

TEST(Curves, NeighboursFollowTheirChainsAndVerticesHaveTheirPoints) {
  const Mesh mesh = cube_figure(2);
  CurveOptions levels;
  levels.source = CurveSource::kLevels;
  for (const CurveOptions& options : {CurveOptions{}, levels}) {
    const CurveSet set = find_curves(mesh, options);
    const auto expect_chain = [&](const std::vector<Index>& ids, Index chain) {
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const Curve& curve = set.curves[ids[i]];
        EXPECT_EQ(curve.chain, chain);
        EXPECT_EQ(curve.order, i);
        EXPECT_EQ(curve.before, i == 0 ? kNone : ids[i - 1]);
        EXPECT_EQ(curve.after, i + 1 == ids.size() ? kNone : ids[i + 1]);
      }
    };
    for (Index t = 0; t < set.limbs.size(); ++t) expect_chain(set.limbs[t].curves, t);
    for (Index t = 0; t < set.trunks.size(); ++t) expect_chain(set.trunks[t], t);
    for (Index c = 0; c < set.curves.size(); ++c) {
      if (set.curves[c].kind == Curve::Kind::kRest && set.curves[c].before != kNone) {
        EXPECT_LT(set.curves[c].before, c);
      }
    }
    ASSERT_EQ(set.point_of.size(), mesh.vertex_count());
    for (Index v = 0; v < mesh.vertex_count(); ++v) {
      ASSERT_NE(set.curve_of[v], kNone);
      const Curve& curve = set.curves[set.curve_of[v]];
      if (set.point_of[v] == kNone) {
        EXPECT_EQ(options.source, CurveSource::kLevels);
        continue;
      }
      EXPECT_EQ(set.points[set.point_of[v]].at(mesh.positions), mesh.positions[v]);
      EXPECT_GE(set.point_of[v], curve.first);
      EXPECT_LT(set.point_of[v], curve.first + curve.count);
    }
  }
}

/// The figure with the strip of quads across a leg cut into triangles around new vertices: rings beside it have more
/// edges on one side than vertices.
Mesh figure_with_cut_strip(int k, double low, double high) {
  const Mesh mesh = cube_figure(k);
  Mesh cut;
  cut.positions = mesh.positions;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    Vec3 middle = Vec3::Zero();
    for (const Index v : face) middle += mesh.positions[v] / 4;
    if (middle.z() < low || middle.z() > high || middle.x() > 1.2) {
      cut.add_face(face);
      continue;
    }
    const Index centre = cut.vertex_count();
    cut.positions.push_back(middle);
    for (std::size_t i = 0; i < 4; ++i) cut.add_face(std::array<Index, 3>{face[i], face[(i + 1) % 4], centre});
  }
  return cut;
}

TEST(Curves, RingsBeyondABreakBelongToTheirLimb) {
  const CurveSet whole = find_curves(cube_figure(3)), cut = find_curves(figure_with_cut_strip(3, -2.61, -2.5));
  EXPECT_EQ(cut.trunks.size(), 1U);
  ASSERT_EQ(cut.limbs.size(), 5U);
  std::size_t most = 0, least = 100, rings = 0;
  for (const CurveLimb& limb : cut.limbs) {
    EXPECT_FALSE(limb.level_sets);
    most = std::max(most, limb.curves.size());
    if (limb.curves.size() > 20) least = std::min(least, limb.curves.size());
    rings += limb.curves.size();
  }
  EXPECT_EQ(most, 39U);
  EXPECT_EQ(least, 37U);  // The two rings beside the strip are none.
  EXPECT_EQ(cut.closed_count() + 2, whole.closed_count());
  EXPECT_EQ(rings + cut.trunks.front().size(), cut.closed_count());
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
  // Open arcs, too, once no two distances are equal.
  std::uniform_real_distribution<double> unit(-1, 1);
  Mesh rough = mesh;
  for (Vec3& p : rough.positions) p += 1e-3 * Vec3(unit(random), unit(random), unit(random));
  for (Index v = 0; v < mesh.vertex_count(); ++v) other.positions[name[v]] = rough.positions[v];
  const auto arcs = [](const CurveSet& set, auto&& rename) {
    std::set<VertexSet> result;
    for (const Curve& curve : set.curves) {
      VertexSet arc;
      for (const CurvePoint& p : set.of(curve)) arc.push_back(rename(p.a));
      std::sort(arc.begin(), arc.end());
      result.insert(std::move(arc));
    }
    return result;
  };
  const auto expected = arcs(find_curves(rough), [&](Index v) { return name[v]; });
  const auto found = arcs(find_curves(other), [](Index v) { return v; });
  std::size_t same = 0;
  for (const VertexSet& arc : found) same += expected.count(arc);
  EXPECT_EQ(same, found.size());
  EXPECT_EQ(found.size(), expected.size());
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
  const Mesh mesh = cube_figure(2);
  CurveOptions levels;
  levels.source = CurveSource::kLevels;
  for (const CurveOptions& options : {CurveOptions{}, levels}) {
    std::optional<CurveSet> first;
    for (int run = 0; run < 20; ++run) {
      const test::Threads with(1 + run % 2);
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
  std::set<CubeAt> bar;
  for (int x = 0; x < 12; ++x) bar.insert({x, 0, 0});
  const Mesh whole_bar = cube_surface(bar, 2);
  Mesh tube;  // Open at both ends.
  tube.positions = whole_bar.positions;
  for (Index f = 0; f < whole_bar.face_count(); ++f) {
    double least = 12, most = 0;
    for (const Index v : whole_bar.face(f))
      least = std::min(least, whole_bar.positions[v].x()), most = std::max(most, whole_bar.positions[v].x());
    if (least > 0.5 && most < 11.5) tube.add_face(whole_bar.face(f));
  }
  EXPECT_GT(find_curves(tube).closed_count(), 20U);
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
