// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/helpers_compare.h"

#include <gtest/gtest.h>

namespace sinew::pipeline {
namespace {

// A strip of quads along +X, each cut into two triangles.
Mesh strip(Index quads) {
  Mesh mesh;
  for (Index i = 0; i <= quads; ++i)
    for (const double z : {0.0, 1.0}) mesh.positions.emplace_back(static_cast<double>(i), 0, z);
  for (Index i = 0; i < quads; ++i) {
    const Index a = 2 * i;
    mesh.add_face(std::array<Index, 3>{a, a + 1, a + 2});
    mesh.add_face(std::array<Index, 3>{a + 1, a + 3, a + 2});
  }
  MeshPart part;
  part.vertex_count = mesh.vertex_count(), part.face_count = mesh.face_count();
  mesh.parts.push_back(part);
  return mesh;
}

SurfaceRegion region_of(const Mesh& mesh) {
  return {mesh, geometry::weld(mesh), mesh.positions, std::vector<char>(mesh.positions.size(), 1)};
}

TEST(WorseFigure, EachFigureCountsBeyondItsTolerance) {
  SurfaceFigures before;
  before.thinnest = 0.5, before.stretch = 1.2, before.folded = 3, before.cuts = 10;
  EXPECT_EQ(worse_figure(before, before, 0), SurfaceFigure::kNone);
  SurfaceFigures after = before;
  after.thinnest = 0.496;
  EXPECT_EQ(worse_figure(before, after, 0), SurfaceFigure::kNone);
  after.thinnest = 0.494;
  EXPECT_EQ(worse_figure(before, after, 0), SurfaceFigure::kThinnest);
  after = before, after.stretch = 1.22;
  EXPECT_EQ(worse_figure(before, after, 0), SurfaceFigure::kNone);
  after.stretch = 1.23;
  EXPECT_EQ(worse_figure(before, after, 0), SurfaceFigure::kStretch);
  after = before, after.folded = 6;
  EXPECT_EQ(worse_figure(before, after, 0), SurfaceFigure::kFolded);
  after = before, after.cuts = 13;
  EXPECT_EQ(worse_figure(before, after, 0), SurfaceFigure::kCuts);
}

TEST(WorseFigure, AGainPaysForStretchUpToThirtyPercentAndNeverForAThinnerSection) {
  SurfaceFigures before, after;
  before.stretch = 1.2, after.stretch = 1.5;
  EXPECT_EQ(worse_figure(before, after, 0.05), SurfaceFigure::kStretch);
  EXPECT_EQ(worse_figure(before, after, 0.2), SurfaceFigure::kNone);
  after.stretch = 1.6;
  EXPECT_EQ(worse_figure(before, after, 0.9), SurfaceFigure::kStretch);
  after = before, after.thinnest = 0.9;
  EXPECT_EQ(worse_figure(before, after, 0.9), SurfaceFigure::kThinnest);
}

TEST(SurfaceRegion, FindsStretchFoldsAndCutsAndTheirVertices) {
  const Mesh mesh = strip(8);
  const SurfaceRegion region = region_of(mesh);
  SurfaceState before = region.measure(mesh.positions);
  region.add_cuts(mesh.positions, before);
  EXPECT_EQ(before.figures.stretch, 1);
  EXPECT_EQ(before.figures.folded, 0U);
  EXPECT_EQ(before.figures.cuts, 0U);
  // The strip is folded back between the fifth and the sixth column, and pierces itself further on.
  std::vector<Vec3> posed = mesh.positions;
  for (Index v = 10; v < mesh.vertex_count(); ++v)
    posed[v] = Vec3(4 - 0.9 * (mesh.positions[v].x() - 4), v < 14 ? 0.05 : -0.05, mesh.positions[v].z());
  SurfaceState after = region.measure(posed);
  region.add_cuts(posed, after);
  EXPECT_GT(after.figures.folded, 0U);
  EXPECT_GT(after.figures.cuts, 0U);
  std::vector<char> marked(region.vertices().size(), 0);
  SurfaceAllowance none(before.figures, 0);
  none.folded = none.cuts = 0;
  region.mark_worse(before, after, none, posed, marked);
  for (std::size_t v = 0; v < marked.size(); ++v) {
    const double x = mesh.positions[region.vertices()[v]].x();
    if (x == 0 || x == 4) {
      EXPECT_EQ(marked[v], x == 4 ? 1 : 0) << v;
    }
  }
  posed = mesh.positions;
  posed[17].x() += 1;
  after = region.measure(posed);
  EXPECT_NEAR(after.figures.stretch, 2, 1e-12);
}

TEST(SurfaceRegion, OnlyTrianglesAtTheVerticesBelongToIt) {
  const Mesh mesh = strip(8);
  std::vector<char> vertices(mesh.positions.size(), 0);
  vertices[0] = 1;
  const SurfaceRegion region(mesh, geometry::weld(mesh), mesh.positions, vertices);
  EXPECT_EQ(region.vertices().size(), 3U);
  EXPECT_TRUE(SurfaceRegion(mesh, geometry::weld(mesh), mesh.positions, std::vector<char>(vertices.size(), 0)).empty());
}

TEST(SurfaceRegion, EasingIsLeastAtMarkedVerticesAndRisesToOne) {
  const Mesh mesh = strip(8);
  const SurfaceRegion region = region_of(mesh);
  std::vector<char> marked(region.vertices().size(), 0);
  for (std::size_t v = 0; v < marked.size(); ++v) marked[v] = mesh.positions[region.vertices()[v]].x() == 0 ? 1 : 0;
  const std::vector<float> factors = region.easing(marked, 0.5, 4);
  double last = 0;
  for (double x = 0; x <= 8; ++x)
    for (std::size_t v = 0; v < factors.size(); ++v) {
      const Vec3& p = mesh.positions[region.vertices()[v]];
      if (p.x() != x || p.z() != 0) continue;
      EXPECT_GE(factors[v], last);
      last = static_cast<double>(factors[v]);
      if (x == 0 || x >= 4) {
        EXPECT_EQ(factors[v], x == 0 ? 0.5F : 1.0F);
      }
    }
}

}  // namespace
}  // namespace sinew::pipeline
