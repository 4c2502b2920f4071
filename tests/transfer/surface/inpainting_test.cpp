// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/surface/inpainting.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "sinew/core/parallel.h"
#include "tests/geometry/surfaces.h"

namespace sinew::transfer {
namespace {

/// A flat strip of quads, `long_` × `wide` cells of 0.1, in the plane z = 0; vertex (i, j) is i·(wide + 1) + j.
Mesh strip(Index along, Index wide, double bend = 0) {
  Mesh mesh;
  for (Index i = 0; i <= along; ++i)
    for (Index j = 0; j <= wide; ++j) mesh.positions.emplace_back(0.1 * i, 0.1 * j, bend * std::sin(0.4 * i));
  for (Index i = 0; i < along; ++i)
    for (Index j = 0; j < wide; ++j) {
      const Index a = i * (wide + 1) + j, b = a + wide + 1;
      mesh.add_face(std::array<Index, 4>{a, b, b + 1, a + 1});
    }
  mesh.parts.resize(1);
  mesh.parts[0].vertex_count = mesh.vertex_count();
  mesh.parts[0].face_count = mesh.face_count();
  return mesh;
}

void cover(Mesh& mesh) {
  mesh.parts.resize(1);
  mesh.parts[0].vertex_count = mesh.vertex_count();
  mesh.parts[0].face_count = mesh.face_count();
}

double weight_of(const SkinWeights& weights, Index vertex, Index joint) {
  for (const Influence& influence : weights.row(vertex))
    if (influence.joint == joint) return static_cast<double>(influence.weight);
  return 0;
}

void expect_sound(const SkinWeights& weights) {
  for (Index v = 0; v < weights.row_count(); ++v) {
    double sum = 0;
    for (const Influence& influence : weights.row(v)) {
      EXPECT_GT(influence.weight, 0);
      sum += static_cast<double>(influence.weight);
    }
    EXPECT_NEAR(sum, 1, 1e-5) << v;
  }
}

SkinWeights ramp(const Mesh& mesh, double length) {
  SkinWeights rows;
  for (const Vec3& p : mesh.positions) {
    const auto t = static_cast<float>(p.x() / length);
    rows.add_row({{2, 1 - t}, {7, t}});
  }
  return rows;
}

TEST(Inpainting, ARampIsContinuedExactlyBetweenTwoEnds) {
  const Mesh mesh = strip(20, 4);
  const SkinWeights rows = ramp(mesh, 2);
  std::vector<char> known(mesh.vertex_count(), 0);
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    known[v] = mesh.positions[v].x() < 0.15 || mesh.positions[v].x() > 1.85;
  const InpaintResult result = inpaint(mesh, rows, known);
  EXPECT_TRUE(result.fallbacks.empty());
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    EXPECT_EQ(result.reached[v], known[v] != 0 ? 0 : 1);
    EXPECT_NEAR(weight_of(result.weights, v, 7), mesh.positions[v].x() / 2, 1e-6) << v;
  }
  expect_sound(result.weights);
}

TEST(Inpainting, ARampIsContinuedBeyondOneEnd) {
  // The term of second order: a Laplacian alone would keep the last value, 0.25. Nothing flows out of the far edge.
  const Mesh mesh = strip(20, 4);
  const SkinWeights rows = ramp(mesh, 4);
  std::vector<char> known(mesh.vertex_count(), 0);
  for (Index v = 0; v < mesh.vertex_count(); ++v) known[v] = mesh.positions[v].x() < 1.05;
  const InpaintResult result = inpaint(mesh, rows, known);
  const Index end = 20 * 5 + 2;
  EXPECT_GT(weight_of(result.weights, end, 7), 0.33);
  EXPECT_LT(weight_of(result.weights, end, 7), 0.51);
}

TEST(Inpainting, KnownRowsStayAsTheyAreAndOthersArePositiveWithSumOne) {
  const Mesh mesh = strip(30, 6, 0.2);
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(0, 1);
  SkinWeights rows;
  std::vector<char> known(mesh.vertex_count(), 0);
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    known[v] = uniform(random) < 0.2F;
    const float a = uniform(random);
    const Index first = static_cast<Index>(5 * uniform(random));
    rows.add_row({{first, a}, {first + 1, 1 - a}});
  }
  const InpaintResult result = inpaint(mesh, rows, known);
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    if (known[v] == 0) continue;
    const auto before = rows.row(v), after = result.weights.row(v);
    ASSERT_TRUE(std::equal(before.begin(), before.end(), after.begin(), after.end())) << v;
  }
  expect_sound(result.weights);
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    for (const Influence& influence : result.weights.row(v)) EXPECT_LE(influence.weight, 1.000001F);
}

TEST(Inpainting, EqualRowsGiveTheSameEverywhere) {
  const geometry::TriangleSurface sphere = test::icosphere(3);
  const Mesh mesh = test::as_mesh(sphere);
  SkinWeights rows;
  std::vector<char> known(mesh.vertex_count(), 0);
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    known[v] = v % 37 == 5;
    rows.add_row({{1, 0.5F}, {4, 0.3F}, {9, 0.2F}});
  }
  const InpaintResult result = inpaint(mesh, rows, known);
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    EXPECT_NEAR(weight_of(result.weights, v, 1), 0.5, 1e-5);
    EXPECT_NEAR(weight_of(result.weights, v, 9), 0.2, 1e-5);
  }
}

TEST(Inpainting, DoesNotDependOnTheUnitOfLength) {
  Mesh mesh = strip(20, 4, 0.1);
  const SkinWeights rows = ramp(mesh, 2);
  std::vector<char> known(mesh.vertex_count(), 0);
  for (Index v = 0; v < mesh.vertex_count(); ++v) known[v] = v % 29 == 3;
  const InpaintResult metres = inpaint(mesh, rows, known);
  for (Vec3& p : mesh.positions) p *= 100;
  const InpaintResult centimetres = inpaint(mesh, rows, known);
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    EXPECT_NEAR(weight_of(metres.weights, v, 7), weight_of(centimetres.weights, v, 7), 1e-5);
}

TEST(Inpainting, AShellWithoutKnownRowsTakesThoseOfTheNearestVertices) {
  Mesh mesh = strip(10, 2);
  const Index first = mesh.vertex_count();
  for (const Vec3& p : strip(3, 1).positions) mesh.positions.push_back(p + Vec3(0.7, 0, 0.05));
  mesh.add_face(std::array<Index, 4>{first, first + 2, first + 3, first + 1});
  mesh.add_face(std::array<Index, 4>{first + 2, first + 4, first + 5, first + 3});
  mesh.add_face(std::array<Index, 4>{first + 4, first + 6, first + 7, first + 5});
  mesh.positions.emplace_back(0.02, 0.01, 1.0);  // Of no face.
  cover(mesh);
  const SkinWeights rows = ramp(mesh, 1);
  std::vector<char> known(mesh.vertex_count(), 0);
  for (Index v = 0; v < first; ++v) known[v] = 1;
  const InpaintResult result = inpaint(mesh, rows, known);
  for (Index v = first; v < mesh.vertex_count(); ++v) EXPECT_EQ(result.reached[v], 2);
  for (Index v = first; v + 1 < mesh.vertex_count(); ++v)
    EXPECT_NEAR(weight_of(result.weights, v, 7), mesh.positions[v].x(), 1e-6);
  EXPECT_EQ(weight_of(result.weights, mesh.vertex_count() - 1, 2), 1);
  EXPECT_TRUE(result.fallbacks.empty());
}

TEST(Inpainting, OfEquallyNearRowsTheFirstIsTaken) {
  Mesh mesh;
  mesh.positions = {{-1, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  cover(mesh);
  SkinWeights rows;
  rows.add_row({{3, 1.0F}});
  rows.add_row({{4, 1.0F}});
  rows.add_row(std::span<const Influence>());
  const InpaintResult result = inpaint(mesh, rows, {1, 1, 0});
  EXPECT_EQ(weight_of(result.weights, 2, 3), 1);
}

TEST(Inpainting, OneVertexAlone) {
  Mesh mesh;
  mesh.positions = {{1, 2, 3}};
  cover(mesh);
  SkinWeights rows;
  rows.add_row({{3, 1.0F}});
  const InpaintResult result = inpaint(mesh, rows, {1});
  EXPECT_EQ(result.weights, rows);
  EXPECT_EQ(result.reached, std::vector<char>{0});
}

TEST(Inpainting, SeamsAreNoBorders) {
  // The same strip with every face's corners split: copies at one place are one vertex.
  const Mesh whole = strip(12, 3);
  Mesh split;
  std::vector<Index> original;
  for (Index f = 0; f < whole.face_count(); ++f) {
    std::array<Index, 4> corners{};
    for (std::size_t k = 0; k < 4; ++k) {
      corners[k] = split.vertex_count();
      split.positions.push_back(whole.positions[whole.face(f)[k]]);
      original.push_back(whole.face(f)[k]);
    }
    split.add_face(corners);
  }
  cover(split);
  std::vector<char> known_whole(whole.vertex_count(), 0), known_split;
  for (Index v = 0; v < whole.vertex_count(); ++v) known_whole[v] = v < 4 || v % 17 == 0;
  for (const Index v : original) known_split.push_back(known_whole[v]);
  const InpaintResult a = inpaint(whole, ramp(whole, 1.2), known_whole);
  const InpaintResult b = inpaint(split, ramp(split, 1.2), known_split);
  for (Index v = 0; v < split.vertex_count(); ++v)
    EXPECT_NEAR(weight_of(a.weights, original[v], 7), weight_of(b.weights, v, 7), 1e-5);
}

TEST(Inpainting, FacesWithoutAreaAndEdgesOfManyFacesDoNoHarm) {
  Mesh mesh = strip(12, 3);
  const Index n = mesh.vertex_count();
  mesh.add_face(std::array<Index, 3>{5, 5, 9});
  mesh.add_face(std::array<Index, 3>{4, 8, 12});  // In a line.
  mesh.positions.emplace_back(0.35, 0.1, 0.3);    // A fin on an inner edge.
  mesh.positions.emplace_back(0.6, 0.2, 0.0);     // Hangs on by a face that uses a vertex twice.
  mesh.add_face(std::array<Index, 3>{13, 17, n});
  mesh.add_face(std::array<Index, 3>{20, 20, n + 1});
  mesh.add_face(std::array<Index, 3>{20, n + 1, n + 1});
  cover(mesh);
  const SkinWeights rows = ramp(mesh, 1.2);
  std::vector<char> known(mesh.vertex_count(), 0);
  for (Index v = 0; v < n; ++v) known[v] = mesh.positions[v].x() < 0.15 || mesh.positions[v].x() > 1.05;
  const InpaintResult result = inpaint(mesh, rows, known);
  expect_sound(result.weights);
  for (Index v = 0; v < n; ++v) EXPECT_NEAR(weight_of(result.weights, v, 7), mesh.positions[v].x() / 1.2, 0.04) << v;
  ASSERT_EQ(result.fallbacks.size(), 1U);
  EXPECT_EQ(result.fallbacks[0].method, "edges");
  EXPECT_EQ(result.fallbacks[0].count, 1U);
  EXPECT_EQ(weight_of(result.weights, n + 1, 7), weight_of(result.weights, 20, 7));
}

TEST(Inpainting, VertexAndUnknownOrderDoNotMatter) {
  const Mesh mesh = strip(15, 4, 0.1);
  std::vector<Index> order(mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) order[v] = v;
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  Mesh shuffled = mesh;
  std::vector<Index> place(order.size());
  for (Index v = 0; v < order.size(); ++v) shuffled.positions[v] = mesh.positions[order[v]], place[order[v]] = v;
  for (Index& corner : shuffled.face_vertices) corner = place[corner];
  std::vector<char> known(mesh.vertex_count(), 0), known_shuffled(mesh.vertex_count(), 0);
  for (Index v = 0; v < mesh.vertex_count(); ++v) known[v] = v % 11 == 0;
  for (Index v = 0; v < mesh.vertex_count(); ++v) known_shuffled[v] = known[order[v]];
  const InpaintResult a = inpaint(mesh, ramp(mesh, 1.5), known);
  const InpaintResult b = inpaint(shuffled, ramp(shuffled, 1.5), known_shuffled);
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    EXPECT_NEAR(weight_of(a.weights, order[v], 7), weight_of(b.weights, v, 7), 1e-5);
}

TEST(Inpainting, TheSameBytesForAnyNumberOfThreads) {
  const Mesh mesh = test::as_mesh(test::icosphere(4));
  SkinWeights rows;
  std::vector<char> known;
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    known.push_back(v % 13 == 2);
    rows.add_row({{v % 23, 0.75F}, {23 + v % 5, 0.25F}});
  }
  set_thread_count(1);
  const InpaintResult one = inpaint(mesh, rows, known);
  set_thread_count(2);
  const InpaintResult two = inpaint(mesh, rows, known);
  set_thread_count(0);
  EXPECT_EQ(one.weights, two.weights);
  EXPECT_EQ(one.reached, two.reached);
  expect_sound(one.weights);
}

TEST(Inpainting, StopsWhenAsked) {
  const Mesh mesh = strip(10, 2);
  Progress progress;
  progress.cancel();
  std::vector<char> known(mesh.vertex_count(), 0);
  known[0] = 1;
  EXPECT_THROW(inpaint(mesh, ramp(mesh, 1), known, progress), Cancelled);
}

}  // namespace
}  // namespace sinew::transfer
