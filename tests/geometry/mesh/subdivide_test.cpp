// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/subdivide.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sinew/geometry/mesh/topology.h"
#include "sinew/geometry/mesh/volume.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;
using enum SubdivisionScheme;

// A flat n × n grid of quads over the unit square times n.
Mesh grid_of_quads(Index n) {
  Mesh mesh;
  for (Index y = 0; y <= n; ++y)
    for (Index x = 0; x <= n; ++x) mesh.positions.push_back(Vec3(x, y, 0));
  const Index row = n + 1;
  for (Index y = 0; y < n; ++y)
    for (Index x = 0; x < n; ++x) {
      const Index a = y * row + x;
      mesh.add_face(std::vector<Index>{a, a + 1, a + 1 + row, a + row});
    }
  return mesh;
}

void expect_rows_sum_to_one(const Stencils& stencils) {
  for (Index i = 0; i < stencils.size(); ++i) {
    double sum = 0;
    for (std::uint32_t k = stencils.offsets[i]; k < stencils.offsets[i + 1]; ++k) {
      sum += stencils.weights[k];
      if (k > stencils.offsets[i]) {
        ASSERT_LT(stencils.vertices[k - 1], stencils.vertices[k]);
      }
    }
    ASSERT_NEAR(sum, 1, 1e-12);
  }
}

TEST(Subdivide, CubeGivesTheKnownCatmullClarkPoints) {
  const Subdivided s = subdivide(cube(), kCatmullClark);
  ASSERT_EQ(s.mesh.vertex_count(), 8u + 12u + 6u);
  ASSERT_EQ(s.mesh.face_count(), 24u);
  // Of valence 3: (F + 2R)/3 with F = (1/3, 1/3, 1/3) and R = (1/6, 1/6, 1/6).
  EXPECT_TRUE(s.mesh.positions[0].isApprox(Vec3::Constant(2.0 / 9), 1e-14));
  // Edge 0–1 is the first: its ends' middle (1/2, 0, 0) and that of two face points (1/2, 1/4, 1/4).
  EXPECT_TRUE(s.mesh.positions[8].isApprox(Vec3(0.5, 0.125, 0.125), 1e-14));
  EXPECT_EQ(s.mesh.positions[8 + 12 + 5], Vec3(0.5, 0.5, 1));
  EXPECT_TRUE(topology(s.mesh, weld(s.mesh)).total.encloses());
  EXPECT_GT(volume(s.mesh).volume, 0);
}

TEST(Subdivide, CatmullClarkGivesQuadsOnlyFromAnyArity) {
  Mesh mesh = tetrahedron();
  mesh.positions.insert(mesh.positions.end(),
                        {Vec3(3, 0, 0), Vec3(4, 0, 0), Vec3(4.5, 1, 0), Vec3(3.5, 2, 0), Vec3(3, 1, 0)});
  mesh.add_face(std::vector<Index>{4, 5, 6, 7, 8});
  const Subdivided s = subdivide(mesh, kCatmullClark, 2);
  EXPECT_EQ(s.mesh.face_count(), 4u * (4 * 3 + 5));
  for (Index f = 0; f < s.mesh.face_count(); ++f) ASSERT_EQ(s.mesh.face(f).size(), 4u);
  EXPECT_TRUE(validate(s.mesh).empty());
  expect_rows_sum_to_one(s.stencils);
}

TEST(Subdivide, MidpointKeepsTheSurface) {
  const Mesh mesh = joined(sphere(), cube());
  const Subdivided s = subdivide(mesh, kMidpoint, 2);
  EXPECT_NEAR(volume(s.mesh).volume, volume(mesh).volume, 1e-12);
  EXPECT_NEAR(volume(s.mesh).area, volume(mesh).area, 1e-11);
  EXPECT_EQ(s.mesh.face_count(), 16 * mesh.face_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) EXPECT_EQ(s.mesh.positions[v], mesh.positions[v]);
  for (Index f = 0; f < s.mesh.face_count(); ++f)
    ASSERT_EQ(s.mesh.face(f).size(), mesh.face(s.parent_face[f]).size()) << "a triangle gives triangles, a quad quads";
  EXPECT_TRUE(topology(s.mesh, weld(s.mesh)).total.encloses());
}

TEST(Subdivide, BoundaryIsTheCubicBSplineOfTheBoundaryAlone) {
  Mesh bent = grid_of_quads(4), flat = bent;
  for (const Index v : {6u, 7u, 8u, 11u, 12u, 13u, 16u, 17u, 18u}) bent.positions[v].z() = 3;  // Inside.
  const Subdivided s = subdivide(bent, kCatmullClark);
  EXPECT_TRUE(s.mesh.positions[1].isApprox(Vec3(1, 0, 0), 1e-14));
  EXPECT_TRUE(s.mesh.positions[0].isApprox(Vec3(0.125, 0.125, 0), 1e-14));
  const Subdivided plane = subdivide(flat, kCatmullClark, 3);
  const Topology edges = topology(plane.mesh, weld(plane.mesh));
  const Subdivided curved = subdivide(bent, kCatmullClark, 3);
  for (const OpenEdge& e : edges.open_edges) EXPECT_EQ(plane.mesh.positions[e.from], curved.mesh.positions[e.from]);
  EXPECT_FALSE(edges.open_edges.empty());
}

TEST(Subdivide, RegularGridReproducesTheBiCubicBSplineMask) {
  const Subdivided s = subdivide(grid_of_quads(4), kCatmullClark);
  const Index middle = 12;
  ASSERT_EQ(s.stencils.offsets[middle + 1] - s.stencils.offsets[middle], 9u);
  for (std::uint32_t k = s.stencils.offsets[middle]; k < s.stencils.offsets[middle + 1]; ++k) {
    const Vec3 d = grid_of_quads(4).positions[s.stencils.vertices[k]] - Vec3(2, 2, 0);
    const auto mask = [](double x) { return x == 0 ? 6.0 / 8 : 1.0 / 8; };
    EXPECT_NEAR(s.stencils.weights[k], mask(d.x()) * mask(d.y()), 1e-15);
  }
}

TEST(Subdivide, NonManifoldEdgeIsACrease) {
  // Three quads like pages of a book about the edge 0–1.
  Mesh book = mesh_of({{0, 0, 0}, {0, 0, 1}}, {});
  for (int i = 0; i < 3; ++i) {
    const Vec3 out(std::cos(2.1 * i), std::sin(2.1 * i), 0);
    const Index n = book.vertex_count();
    book.positions.insert(book.positions.end(), {out, out + Vec3::UnitZ()});
    book.add_face(std::vector<Index>{0, n, n + 1, 1});
  }
  const Subdivided s = subdivide(book, kCatmullClark, 2);
  for (const Index v : {0u, 1u}) EXPECT_EQ(s.mesh.positions[v], book.positions[v]) << "four creases meet: it stays";
  EXPECT_EQ(s.mesh.positions[s.kept[0]], Vec3(0, 0, 0));
  expect_rows_sum_to_one(s.stencils);
}

TEST(Subdivide, LevelsTogetherEqualLevelsOneByOne) {
  const Mesh mesh = moebius_strip();
  const Subdivided both = subdivide(mesh, kCatmullClark, 2);
  const Subdivided first = subdivide(mesh, kCatmullClark), second = subdivide(first.mesh, kCatmullClark);
  ASSERT_EQ(both.mesh.face_vertices, second.mesh.face_vertices);
  for (Index v = 0; v < both.mesh.vertex_count(); ++v)
    ASSERT_TRUE(both.mesh.positions[v].isApprox(second.mesh.positions[v], 1e-13));
  for (Index f = 0; f < both.mesh.face_count(); ++f)
    ASSERT_EQ(both.parent_face[f], first.parent_face[second.parent_face[f]]);
}

TEST(Subdivide, StencilsGiveThePositionsAndWeightsThatSumToOne) {
  const Mesh mesh = sphere(8, 9);
  const Subdivided s = subdivide(mesh, kCatmullClark, 3);
  expect_rows_sum_to_one(s.stencils);
  std::vector<double> weights;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const double t = 0.5 + 0.5 * mesh.positions[v].y();
    weights.insert(weights.end(), {t, 1 - t});
  }
  const std::vector<double> fine = s.stencils.apply(weights, 2);
  const std::vector<Vec3> points = s.stencils.apply(mesh.positions);
  ASSERT_EQ(fine.size(), 2 * std::size_t{s.mesh.vertex_count()});
  for (Index v = 0; v < s.mesh.vertex_count(); ++v) {
    ASSERT_EQ(points[v], s.mesh.positions[v]);
    ASSERT_NEAR(fine[2 * v], 0.5 + 0.5 * points[v].y(), 1e-12);
    ASSERT_NEAR(fine[2 * v] + fine[2 * v + 1], 1, 1e-12);
  }
}

TEST(Subdivide, CarriesPartsMaterialsCoordinatesAndMorphs) {
  Mesh mesh = as_parts(cube(), tetrahedron(Vec3(4, 0, 0)));
  for (Index f = 0; f < mesh.face_count(); ++f) mesh.face_materials.push_back(f);
  for (Index c = 0; c < mesh.face_vertices.size(); ++c) {
    const Vec3& p = mesh.positions[mesh.face_vertices[c]];
    mesh.uvs.values.push_back(Vec2f(static_cast<float>(p.x()), static_cast<float>(p.y())));
    mesh.uvs.corners.push_back(c);
  }
  for (Vec3& p : mesh.positions) mesh.colors.push_back(Vec4f(static_cast<float>(p.x()), 0, 0, 1));
  for (MeshPart& part : mesh.parts) {
    part.morphs.push_back({"grow", {}});
    part.morph_weights = {0};
    for (Index i = 0; i < part.vertex_count; ++i)
      part.morphs[0].deltas.push_back(mesh.positions[part.first_vertex + i].cast<float>());
  }
  for (const SubdivisionScheme scheme : {kCatmullClark, kMidpoint}) {
    const Subdivided s = subdivide(mesh, scheme, 2);
    EXPECT_TRUE(validate(s.mesh).empty());
    ASSERT_EQ(s.mesh.parts.size(), 2u);
    for (Index f = 0; f < s.mesh.face_count(); ++f) {
      ASSERT_EQ(s.mesh.face_materials[f], s.parent_face[f]);
      const MeshPart& part = s.mesh.parts[f < s.mesh.parts[0].face_count ? 0 : 1];
      ASSERT_EQ(s.parent_face[f] < 6, &part == &s.mesh.parts[0]);
      for (const Index v : s.mesh.face(f)) ASSERT_LT(v - part.first_vertex, part.vertex_count);
    }
    for (const MeshPart& part : s.mesh.parts)
      for (Index i = 0; i < part.vertex_count; ++i)
        ASSERT_LT((part.morphs[0].deltas[i].cast<double>() - s.mesh.positions[part.first_vertex + i]).norm(), 1e-6);
    ASSERT_EQ(s.mesh.uvs.corners.size(), s.mesh.face_vertices.size());
    if (scheme == kCatmullClark) continue;
    for (std::size_t c = 0; c < s.mesh.uvs.corners.size(); ++c) {
      const Vec3& p = s.mesh.positions[s.mesh.face_vertices[c]];
      ASSERT_LT((s.mesh.uvs.values[s.mesh.uvs.corners[c]].cast<double>() - p.head<2>()).norm(), 1e-6);
      ASSERT_NEAR(s.mesh.colors[s.mesh.face_vertices[c]].x(), p.x(), 1e-6);
    }
    for (Index v = 0; v < mesh.vertex_count(); ++v) ASSERT_EQ(s.mesh.positions[s.kept[v]], mesh.positions[v]);
  }
}

TEST(Subdivide, CornersWithoutCoordinatesGiveNone) {
  Mesh mesh = cube();
  mesh.uvs.values = {Vec2f(0, 0), Vec2f(1, 0), Vec2f(1, 1), Vec2f(0, 1)};
  mesh.uvs.corners.assign(24, kNone);
  for (Index c = 0; c < 4; ++c) mesh.uvs.corners[c] = c;
  const Subdivided s = subdivide(mesh, kCatmullClark);
  EXPECT_EQ(s.mesh.uvs.values.size(), 4u + 4u + 1u);
  for (Index c = 0; c < s.mesh.uvs.corners.size(); ++c) EXPECT_EQ(s.mesh.uvs.corners[c] == kNone, c >= 16);
  EXPECT_TRUE(validate(s.mesh).empty());
}

TEST(Subdivide, OddFacesDoNoHarm) {
  Mesh mesh = cube();
  mesh.add_face(std::vector<Index>{0, 1});
  mesh.add_face(std::vector<Index>{});
  mesh.add_face(std::vector<Index>{0, 0, 7});
  mesh.add_face(std::vector<Index>{3, 3, 3});
  for (const SubdivisionScheme scheme : {kCatmullClark, kMidpoint}) {
    const Subdivided s = subdivide(mesh, scheme, 2);
    EXPECT_TRUE(validate(s.mesh).empty());
    expect_rows_sum_to_one(s.stencils);
  }
  EXPECT_EQ(subdivide(Mesh{}, kCatmullClark, 3).mesh.face_count(), 0u);
  EXPECT_EQ(subdivide(mesh, kCatmullClark, 0).mesh.face_vertices, mesh.face_vertices);
  EXPECT_EQ(subdivide(mesh, kCatmullClark, 0).stencils.apply(mesh.positions), mesh.positions);
  EXPECT_THROW(subdivide(mesh, kMidpoint, -1), Error);
}

RC_GTEST_PROP(Subdivide, CommutesWithRenumberingAndMotion, (unsigned seed)) {
  const Mesh mesh = moebius_strip(7), other = shuffled(moved(mesh), seed);
  const Mesh a = moved(subdivide(mesh, kCatmullClark, 2).mesh), b = subdivide(other, kCatmullClark, 2).mesh;
  const auto sorted = [](const Mesh& m) {
    std::vector<double> sums;
    for (const Vec3& p : m.positions) sums.push_back(p.dot(Vec3(1, std::sqrt(2.0), std::sqrt(3.0))));
    std::sort(sums.begin(), sums.end());
    return sums;
  };
  const std::vector<double> x = sorted(a), y = sorted(b);
  RC_ASSERT(x.size() == y.size());
  for (std::size_t i = 0; i < x.size(); ++i) RC_ASSERT(std::abs(x[i] - y[i]) < 1e-12);
}

TEST(Subdivide, SameForAnyNumberOfThreads) {
  const auto run = [](int threads) {
    const Threads scope(threads);
    return subdivide(sphere(40, 50), kCatmullClark, 2);
  };
  const Subdivided one = run(1), two = run(2);
  EXPECT_EQ(one.mesh.positions, two.mesh.positions);
  EXPECT_EQ(one.mesh.face_vertices, two.mesh.face_vertices);
  EXPECT_EQ(one.stencils.weights, two.stencils.weights);
}

}  // namespace
}  // namespace sinew::geometry
