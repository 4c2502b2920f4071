// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sinew/core/angles.h"
#include "tests/core/harm.h"

namespace sinew {
namespace {

Mesh polygon(const std::vector<Vec2>& corners, const Mat3& turn = Mat3::Identity()) {
  Mesh mesh;
  std::vector<Index> face;
  for (const Vec2& c : corners) {
    face.push_back(mesh.vertex_count());
    mesh.positions.push_back(turn * Vec3(c.x(), c.y(), 0));
  }
  mesh.add_face(face);
  return mesh;
}

double shoelace(const std::vector<Vec2>& corners) {
  double twice = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec2 &a = corners[i], &b = corners[(i + 1) % corners.size()];
    twice += a.x() * b.y() - a.y() * b.x();
  }
  return twice / 2;
}

// Every triangle faces as the polygon does, and together they have its area: so they cover it without overlap.
void expect_covers(const std::vector<Vec2>& corners) {
  const Mat3 turns[] = {Mat3::Identity(), Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix(),
                        Eigen::AngleAxisd(2.9, Vec3(-2, 1, 0.3).normalized()).toRotationMatrix()};
  for (const Mat3& turn : turns) {
    const Mesh mesh = polygon(corners, turn);
    const std::vector<Triangle> triangles = triangulate(mesh);
    ASSERT_EQ(triangles.size(), corners.size() - 2);
    double area = 0;
    for (const Triangle& t : triangles) {
      const Vec3 &a = mesh.positions[t.vertices[0]], &b = mesh.positions[t.vertices[1]],
                 &c = mesh.positions[t.vertices[2]];
      const double part = 0.5 * (turn.transpose() * (b - a).cross(c - a)).z();
      EXPECT_GT(part, -1e-12);
      area += part;
      for (int k = 0; k < 3; ++k)
        EXPECT_EQ(mesh.face_vertices[t.corners[static_cast<std::size_t>(k)]], t.vertices[static_cast<std::size_t>(k)]);
    }
    EXPECT_NEAR(area, shoelace(corners), 1e-12);
  }
}

TEST(Triangulate, CoversConvexAndConcavePolygons) {
  expect_covers({{0, 0}, {2, 0}, {2, 1}, {0, 1}});
  expect_covers({{0, 0}, {2, 0}, {0.4, 0.4}, {0, 2}});  // A dart: only one diagonal lies inside.
  expect_covers({{2, 0}, {0.4, 0.4}, {0, 2}, {0, 0}});  // The same, begun at another corner.
  expect_covers({{0, -9}, {1, 0}, {0, -1}, {-1, 0}});   // Its shorter diagonal lies outside.
  expect_covers({{1, 0}, {0, -1}, {-1, 0}, {0, -9}});
  expect_covers({{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}});          // An L.
  expect_covers({{0, 0}, {4, 0}, {4, 3}, {3, 1}, {2, 3}, {1, 1}, {0, 3}});  // A crown.
  expect_covers({{0, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 1}, {0, 1}});          // Corners on a straight line.
}

TEST(Triangulate, CoversAStarOfManyCorners) {
  std::vector<Vec2> star;
  for (int i = 0; i < 40; ++i) {
    const double angle = i * kPi / 20, radius = i % 2 ? 0.3 : 1.0;
    star.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  expect_covers(star);
}

TEST(Triangulate, CutsAFlatQuadAlongItsShorterDiagonal) {
  const Mesh mesh = polygon({{0, 0}, {3, 0}, {4, 1}, {1, 1}});
  const auto triangles = triangulate(mesh);
  ASSERT_EQ(triangles.size(), 2u);
  for (const Triangle& t : triangles) {
    int on_short = 0;
    for (const Index v : t.vertices) on_short += v == 1 || v == 3;
    EXPECT_EQ(on_short, 2);
  }
}

TEST(Triangulate, DegenerateFacesGiveWhatTheyCan) {
  Mesh mesh;
  mesh.positions.assign(6, Vec3::Zero());
  for (const std::vector<Index>& face : {std::vector<Index>{0}, {0, 1}, {0, 1, 2}, {0, 0, 0, 0, 0, 0}, {}})
    mesh.add_face(face);
  std::vector<int> per_face(5, 0);
  for (const Triangle& t : triangulate(mesh)) ++per_face[t.face];
  EXPECT_EQ(per_face, (std::vector<int>{0, 0, 1, 4, 0}));
  EXPECT_TRUE(triangulate(Mesh()).empty());
}

Mesh healthy_mesh() {
  Mesh mesh = polygon({{0, 0}, {1, 0}, {1, 1}, {0, 1}});
  mesh.face_materials = {kNone};
  mesh.colors.assign(4, Vec4f::Ones());
  mesh.normals.values.assign(4, Vec3f::UnitZ());
  mesh.uvs.values = {Vec2f(0, 0), Vec2f(1, 1)};
  mesh.uvs.corners = {0, 1, kNone, 1};
  MeshPart part;
  part.name = "body";
  part.vertex_count = 4, part.face_count = 1;
  part.morphs = {{"smile", std::vector<Vec3f>(4, Vec3f::Zero())}};
  part.morph_weights = {0};
  mesh.parts = {part};
  return mesh;
}

using MeshHarm = test::Harm<Mesh>;

class MeshValidate : public testing::TestWithParam<MeshHarm> {};

TEST_P(MeshValidate, FindsWhatIsWrong) {
  Mesh mesh = healthy_mesh();
  ASSERT_TRUE(validate(mesh).empty());
  GetParam().damage(mesh);
  const Findings found = validate(mesh);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().code, GetParam().code);
  EXPECT_EQ(found.front().text.back(), '.');
}

INSTANTIATE_TEST_SUITE_P(
    Each, MeshValidate,
    testing::Values(MeshHarm{"mesh.face_offsets", [](Mesh& m) { m.face_offsets.clear(); }},
                    MeshHarm{"mesh.face_offsets",
                             [](Mesh& m) {
                               m.face_offsets = {0, 3};
                             }},
                    MeshHarm{"mesh.face_offsets",
                             [](Mesh& m) {
                               m.face_offsets = {0, 5, 4};
                             }},
                    MeshHarm{"mesh.position",
                             [](Mesh& m) { m.positions[2].y() = std::numeric_limits<double>::quiet_NaN(); }},
                    MeshHarm{"mesh.face_index", [](Mesh& m) { m.face_vertices[1] = 4; }},
                    MeshHarm{"mesh.layer_length", [](Mesh& m) { m.face_materials.push_back(0); }},
                    MeshHarm{"mesh.layer_length", [](Mesh& m) { m.colors.pop_back(); }},
                    MeshHarm{"mesh.layer_length", [](Mesh& m) { m.normals.values.pop_back(); }},
                    MeshHarm{"mesh.layer_length", [](Mesh& m) { m.uvs.corners.pop_back(); }},
                    MeshHarm{"mesh.layer_index", [](Mesh& m) { m.uvs.corners[0] = 2; }},
                    MeshHarm{"mesh.part_range", [](Mesh& m) { m.parts[0].first_vertex = 1; }},
                    MeshHarm{"mesh.part_range", [](Mesh& m) { m.parts[0].face_count = 0; }},
                    MeshHarm{"mesh.part_range",
                             [](Mesh& m) {  // Two parts whose sum wraps round to the right number.
                               MeshPart wrapped;
                               wrapped.first_vertex = 4, wrapped.vertex_count = kNone, wrapped.first_face = 1;
                               m.parts.push_back(wrapped);
                               wrapped.first_vertex = 3, wrapped.vertex_count = 1;
                               m.parts.push_back(wrapped);
                             }},
                    MeshHarm{"mesh.morph_length", [](Mesh& m) { m.parts[0].morphs[0].deltas.pop_back(); }},
                    MeshHarm{"mesh.morph_weights", [](Mesh& m) { m.parts[0].morph_weights.clear(); }},
                    MeshHarm{"mesh.part_transform",
                             [](Mesh& m) { m.parts[0].to_model(0, 0) = std::numeric_limits<double>::infinity(); }}),
    test::HarmName());

TEST(Mesh, SizeIsTheDiagonalOfItsBox) {
  const Mesh mesh = polygon({{0, 0}, {3, 0}, {3, 4}});
  EXPECT_DOUBLE_EQ(mesh.size(), 5);
  EXPECT_TRUE(Mesh().bounds().empty());
  EXPECT_EQ(Mesh().size(), 0);
  EXPECT_EQ(Mesh().face_count(), 0u);
}

}  // namespace
}  // namespace sinew
