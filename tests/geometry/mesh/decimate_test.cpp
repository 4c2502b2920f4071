// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/decimate.h"

#include <gtest/gtest.h>

#include "sinew/geometry/mesh/topology.h"
#include "sinew/geometry/mesh/volume.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

TEST(Decimate, ReachesTheTargetAndStaysClosed) {
  const Mesh mesh = sphere(60, 80, Vec3(100, 0, 0), 3);
  const Decimated d = decimate(mesh, {.target_triangles = 1000});
  EXPECT_TRUE(d.reached);
  EXPECT_LE(d.mesh.face_count(), 1000u);
  EXPECT_GT(d.mesh.face_count(), 900u);
  EXPECT_TRUE(topology(d.mesh, weld(d.mesh)).total.encloses());
  EXPECT_NEAR(volume(d.mesh).volume / volume(mesh).volume, 1, 0.03);
  EXPECT_GT(d.error_rel, 0);
  EXPECT_LT(d.error_rel, 0.02);
  ASSERT_EQ(d.source_vertex.size(), d.mesh.vertex_count());
  for (Index v = 0; v < d.mesh.vertex_count(); ++v) EXPECT_EQ(d.mesh.positions[v], mesh.positions[d.source_vertex[v]]);
}

TEST(Decimate, StopsAtTheError) {
  const Mesh mesh = sphere(60, 80);
  const Decimated fine = decimate(mesh, {.max_error_rel = 1e-3}), coarse = decimate(mesh, {.max_error_rel = 1e-2});
  EXPECT_LE(fine.error_rel, 1e-3);
  EXPECT_LE(coarse.error_rel, 1e-2);
  EXPECT_GT(fine.mesh.face_count(), coarse.mesh.face_count());
  EXPECT_LT(fine.mesh.face_count(), mesh.face_count());
  EXPECT_FALSE(decimate(mesh, {.target_triangles = 10, .max_error_rel = 1e-3}).reached);
  EXPECT_THROW(decimate(mesh, {.max_error_rel = -1}), Error);
}

TEST(Decimate, ErrorIsAFractionOfTheDiagonal) {
  const Decimated small = decimate(sphere(40, 50), {.target_triangles = 500});
  const Decimated large = decimate(sphere(40, 50, Vec3::Zero(), 1000), {.target_triangles = 500});
  EXPECT_NEAR(large.error_rel / small.error_rel, 1, 0.2) << "rounding orders equal collapses anew";
  // The furthest that the coarse faces lie inside the sphere, in diagonals: of the same order.
  double deepest = 0;
  for (Index f = 0; f < small.mesh.face_count(); ++f) {
    Vec3 middle = Vec3::Zero();
    for (const Index v : small.mesh.face(f)) middle += small.mesh.positions[v] / 3;
    deepest = std::max(deepest, 1 - middle.norm());
  }
  deepest /= sphere(40, 50).size();
  EXPECT_GT(small.error_rel, deepest / 5);
  EXPECT_LT(small.error_rel, deepest * 5);
}

TEST(Decimate, CarriesPartsAndValuesOfVertices) {
  Mesh mesh = as_parts(sphere(30, 40), sphere(20, 30, Vec3(5, 0, 0)));
  for (Index v = 0; v < mesh.vertex_count(); ++v) mesh.colors.push_back(Vec4f(static_cast<float>(v), 0, 0, 1));
  for (MeshPart& part : mesh.parts) {
    part.morphs.push_back({"grow", {}});
    part.morph_weights = {0};
    for (Index i = 0; i < part.vertex_count; ++i)
      part.morphs[0].deltas.push_back(mesh.positions[part.first_vertex + i].cast<float>());
  }
  const Decimated d = decimate(mesh, {.target_triangles = 800});
  EXPECT_TRUE(validate(d.mesh).empty());
  ASSERT_EQ(d.mesh.parts.size(), 2u);
  for (const MeshPart& part : d.mesh.parts) {
    EXPECT_GT(part.face_count, 100u);
    for (Index f = part.first_face; f < part.first_face + part.face_count; ++f)
      for (const Index v : d.mesh.face(f)) ASSERT_LT(v - part.first_vertex, part.vertex_count);
    for (Index i = 0; i < part.vertex_count; ++i)
      ASSERT_EQ(part.morphs[0].deltas[i], Vec3f(d.mesh.positions[part.first_vertex + i].cast<float>()));
  }
  for (Index v = 0; v < d.mesh.vertex_count(); ++v)
    ASSERT_EQ(d.mesh.colors[v].x(), static_cast<float>(d.source_vertex[v]));
}

TEST(Decimate, KeepsTheBorderWhenAsked) {
  Mesh mesh = sphere(30, 40);
  mesh.face_offsets.resize(mesh.face_offsets.size() - 120);
  mesh.face_vertices.resize(mesh.face_offsets.back());
  const auto border = [](const Mesh& m) { return topology(m, weld(m)).total.boundary_edges; };
  EXPECT_EQ(border(decimate(mesh, {.target_triangles = 200, .keep_border = true}).mesh), border(mesh));
  EXPECT_LT(border(decimate(mesh, {.target_triangles = 200}).mesh), border(mesh));
  EXPECT_EQ(decimate(Mesh{}, {.target_triangles = 10}).mesh.face_count(), 0u);
}

}  // namespace
}  // namespace sinew::geometry
