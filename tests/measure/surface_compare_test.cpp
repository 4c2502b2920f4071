// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/surface_compare.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/geometry/named_meshes.h"

namespace sinew::measure {
namespace {

std::vector<Vec3f> shape_of(const Mesh& mesh) {
  std::vector<Vec3f> positions;
  for (const Vec3& p : mesh.positions) positions.push_back(p.cast<float>());
  return positions;
}

// A flat sheet of squares in the plane z = 0, of side 1.
Mesh sheet(int cells) {
  Mesh mesh;
  for (int y = 0; y <= cells; ++y)
    for (int x = 0; x <= cells; ++x) mesh.positions.emplace_back(x, y, 0);
  const auto at = [&](int x, int y) { return static_cast<Index>(y * (cells + 1) + x); };
  for (int y = 0; y < cells; ++y)
    for (int x = 0; x < cells; ++x) {
      const std::array<Index, 4> face = {at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)};
      mesh.add_face(face);
    }
  return mesh;
}

TEST(SurfaceAtRest, FindsNothingInTheRestShapeOrARigidMotion) {
  const Mesh mesh = test::sphere();
  std::vector<Vec3f> moved;
  for (const Vec3& p : mesh.positions)
    moved.push_back((Eigen::AngleAxisd(2.2, Vec3(1, -1, 2).normalized()) * p + Vec3(4, 5, 6)).cast<float>());
  for (const std::vector<Vec3f>& shape : {shape_of(mesh), moved}) {
    const SurfaceFigures figures = SurfaceAtRest(mesh).figures(shape);
    EXPECT_NEAR(figures.stretch, 1, 1e-5);
    EXPECT_EQ(figures.folded, 0U);
    EXPECT_EQ(figures.flipped, 0U);
    EXPECT_EQ(figures.intersections, 0U);
  }
}

TEST(SurfaceAtRest, CountsTheFoldOfASheetAndItsLongestEdge) {
  const Mesh mesh = sheet(6);
  std::vector<Vec3f> folded = shape_of(mesh);
  // The right half is laid back over the left, a little above it.
  for (Vec3f& p : folded)
    if (p.x() > 3) p = {6 - p.x(), p.y(), 0.5F};
  const SurfaceFigures figures = SurfaceAtRest(mesh).figures(folded);
  EXPECT_GE(figures.folded, 6U);
  std::vector<Vec3f> pulled = shape_of(mesh);
  pulled[24] += Vec3f(0, 0, 2);
  EXPECT_NEAR(SurfaceAtRest(mesh).figures(pulled).stretch, std::sqrt(5.0), 0.8);
}

TEST(SurfaceAtRest, CountsFacesThatAreTurnedOver) {
  const Mesh mesh = sheet(6);
  std::vector<Vec3f> shape = shape_of(mesh);
  // One vertex is drawn across the faces behind it.
  shape[24].x() -= 1.8F;
  EXPECT_GT(SurfaceAtRest(mesh).figures(shape).flipped, 0U);
}

TEST(SurfaceAtRest, TrianglesTooThinToHaveASideFoldNothing) {
  // A vertex on an edge between two larger triangles, or a little above and then below it.
  const auto count = [](double height) {
    Mesh mesh;
    mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0.5, height, 0), Vec3(0.5, 1, 0), Vec3(0.5, -1, 0)};
    for (const std::array<Index, 3>& face : {std::array<Index, 3>{0, 1, 2}, std::array<Index, 3>{0, 2, 3},
                                             std::array<Index, 3>{2, 1, 3}, std::array<Index, 3>{4, 1, 0}})
      mesh.add_face(face);
    std::vector<Vec3f> shape = shape_of(mesh);
    shape[2].y() = static_cast<float>(-height);
    const SurfaceFigures figures = SurfaceAtRest(mesh).figures(shape);
    return figures.folded + figures.flipped;
  };
  EXPECT_GT(count(1e-3), 0U);
  EXPECT_EQ(count(1e-5), 0U);
}

TEST(SurfaceAtRest, CopiesOfAFaceInOnePlaceCountOnce) {
  const Mesh one = sheet(4);
  Mesh many = one;
  for (int copy = 0; copy < 5; ++copy)
    for (Index f = 0; f < one.face_count(); ++f) many.add_face(one.face(f));
  std::vector<Vec3f> turned = shape_of(one);
  std::swap(turned[6], turned[18]);
  const SurfaceFigures expected = SurfaceAtRest(one).figures(turned, false);
  const SurfaceFigures figures = SurfaceAtRest(many).figures(turned, false);
  EXPECT_GT(expected.flipped + expected.folded, 0U);
  EXPECT_EQ(figures.flipped, expected.flipped);
  EXPECT_EQ(figures.folded, expected.folded);
}

TEST(SurfaceAtRest, MeasuresGapsBetweenShellsThatAreCloseAtRest) {
  Mesh mesh = sheet(4);
  const Mesh other = sheet(4);
  const Index count = mesh.vertex_count();
  for (const Vec3& p : other.positions) mesh.positions.push_back(p + Vec3(0, 0, 0.01));
  for (Index f = 0; f < other.face_count(); ++f) {
    std::vector<Index> face;
    for (const Index v : other.face(f)) face.push_back(v + count);
    mesh.add_face(face);
  }
  std::vector<Vec3f> apart = shape_of(mesh);
  for (Index v = count; v < mesh.vertex_count(); ++v) apart[v].z() += 1;
  const SurfaceAtRest rest(mesh);
  EXPECT_NEAR(rest.figures(apart).gap_rel, 1 / mesh.size(), 1e-3);
  EXPECT_NEAR(rest.figures(shape_of(mesh)).gap_rel, 0, 1e-6);
}

TEST(SurfaceAtRest, CountsIntersectionsThatAreNotThereAtRest) {
  const Mesh mesh = sheet(8);
  std::vector<Vec3f> shape = shape_of(mesh);
  // A strip is bent round and through the sheet.
  for (Vec3f& p : shape)
    if (p.x() > 5) p = {10 - p.x() + 0.3F, p.y(), 4.5F - 1.6F * (p.x() - 5)};
  EXPECT_GT(SurfaceAtRest(mesh).figures(shape).intersections, 0U);
}

TEST(WorseIn, NamesWhatIsWorseAndForgivesALittle) {
  SurfaceFigures base, other;
  base.stretch = 2, base.folded = 40;
  other = base;
  EXPECT_TRUE(worse_in(other, base).empty());
  other.stretch = 2.1, other.folded = 41;
  EXPECT_TRUE(worse_in(other, base).empty());
  other.stretch = 2.3, other.folded = 50, other.intersections = 3;
  EXPECT_EQ(worse_in(other, base).size(), 3U);
}

TEST(SurfaceCase, FindsHarmWhereACorrectionTearsAndNoneWithoutIt) {
  const Mesh mesh = sheet(10);
  const SurfaceAtRest rest(mesh);
  const std::vector<Vec3f> base = shape_of(mesh);
  std::vector<Vec3f> torn = base;
  torn[60] += Vec3f(0, 0, 3);
  const SurfaceCase surface(rest, base, torn);
  std::vector<Index> harmed;
  EXPECT_GT(surface.find_harm(std::vector<float>(base.size(), 1.0F), harmed), 0U);
  EXPECT_NE(std::find(harmed.begin(), harmed.end(), Index{60}), harmed.end());
  harmed.clear();
  EXPECT_EQ(surface.find_harm(std::vector<float>(base.size(), 0.0F), harmed), 0U);
  EXPECT_TRUE(harmed.empty());
  EXPECT_EQ(surface.moved().size(), 1U);
  double whole = 0, kept = 0;
  surface.add_correction(std::vector<float>(base.size(), 0.5F), whole, kept);
  EXPECT_NEAR(whole, 3, 1e-5);
  EXPECT_NEAR(kept, 1.5, 1e-5);
}

TEST(SurfaceCase, ForgivesACorrectionThatMakesTheSurfaceBetter) {
  const Mesh mesh = sheet(10);
  const SurfaceAtRest rest(mesh);
  std::vector<Vec3f> base = shape_of(mesh), mended = shape_of(mesh);
  base[60] += Vec3f(0, 0, 3);
  mended[60] += Vec3f(0, 0, 1);
  std::vector<Index> harmed;
  EXPECT_EQ(SurfaceCase(rest, base, mended).find_harm(std::vector<float>(base.size(), 1.0F), harmed), 0U);
}

TEST(SurfaceCase, FindsNewIntersectionsOnly) {
  const Mesh mesh = sheet(8);
  const SurfaceAtRest rest(mesh);
  std::vector<Vec3f> base = shape_of(mesh), through = shape_of(mesh);
  for (std::size_t v = 0; v < base.size(); ++v)
    if (base[v].x() > 5) {
      const Vec3f p = base[v];
      base[v] = {10 - p.x() + 0.3F, p.y(), 1.5F + 0.1F * p.x()};
      through[v] = {10 - p.x() + 0.3F, p.y(), 4.5F - 1.6F * (p.x() - 5)};
    }
  const SurfaceCase surface(rest, base, through);
  const auto known = surface.know_intersections(base, base);
  std::vector<Index> harmed;
  EXPECT_GT(surface.find_intersections(known, std::vector<float>(base.size(), 1.0F), harmed), 0U);
  EXPECT_FALSE(harmed.empty());
  harmed.clear();
  EXPECT_EQ(surface.find_intersections(known, std::vector<float>(base.size(), 0.0F), harmed), 0U);
}

}  // namespace
}  // namespace sinew::measure
