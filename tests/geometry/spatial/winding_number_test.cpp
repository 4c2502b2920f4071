// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/spatial/winding_number.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sinew/core/angles.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

std::vector<double> winding(const Mesh& mesh, const std::vector<Vec3>& points) {
  const Welding welding = weld(mesh);
  return winding_numbers(mesh, welding, topology(mesh, welding), points);
}

// The definition: the sum of the solid angles of all triangles.
double reference(const Mesh& mesh, const Vec3& p) {
  double sum = 0;
  for (const Triangle& t : triangulate(mesh)) {
    const Vec3 a = mesh.positions[t.vertices[0]] - p, b = mesh.positions[t.vertices[1]] - p,
               c = mesh.positions[t.vertices[2]] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (4 * kPi);
}

TEST(WindingNumber, IsOneInsideAndZeroOutsideAClosedBody) {
  const std::vector<double> w =
      winding(cube(), {{0.5, 0.5, 0.5}, {0.25, 0.75, 0.5}, {1.5, 0.5, 0.5}, {-0.5, 0.5, 0.5}, {0.5, 3, 0.5}});
  EXPECT_EQ(w, (std::vector<double>{1, 1, 0, 0, 0}));
}

TEST(WindingNumber, RayThroughVerticesAndEdgesCountsOnce) {
  // From the centre the ray meets the corner that eight faces share, from elsewhere an edge.
  Mesh mesh = sphere(12, 16);
  for (Vec3& p : mesh.positions) p = Vec3(p.y(), p.x(), -p.z());  // The pole points along the ray.
  EXPECT_EQ(winding(mesh, {{0, 0, 0}, {0.3, 0, 0}, {-0.9, 0, 0}, {-2, 0, 0}}), (std::vector<double>{1, 1, 1, 0}));
}

TEST(WindingNumber, NestedBodiesAddUpAndInwardFacingOnesTakeAway) {
  const Mesh mesh = joined(sphere(), sphere(12, 16, Vec3::Zero(), 0.5));
  EXPECT_EQ(winding(mesh, {{0.05, 0.02, 0.01}, {0.7, 0.02, 0.01}}), (std::vector<double>{2, 1}));
}

TEST(WindingNumber, IsTheSumOfSolidAnglesOnOpenMeshes) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> coordinate(-1.5, 1.5);
  for (const Mesh& mesh : {open_box(), moebius_strip(), moved(open_box()), tetrahedron()})
    for (int i = 0; i < 50; ++i) {
      const Vec3 p(coordinate(random), coordinate(random), coordinate(random));
      EXPECT_NEAR(winding(mesh, {p})[0], reference(mesh, p), 1e-12) << p.transpose();
    }
}

RC_GTEST_PROP(WindingNumber, IsTheSumOfSolidAnglesOnSoups, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  std::uniform_real_distribution<double> coordinate(-1, 1);
  Mesh mesh;
  for (int i = 0; i < 30; ++i) mesh.positions.push_back({coordinate(random), coordinate(random), coordinate(random)});
  for (int i = 0; i < 60; ++i)
    mesh.add_face(std::vector<Index>{Index(random() % 30), Index(random() % 30), Index(random() % 30)});
  std::vector<Vec3> points;
  for (int i = 0; i < 10; ++i) points.push_back({coordinate(random), coordinate(random), coordinate(random)});
  const std::vector<double> w = winding(mesh, points);
  for (std::size_t i = 0; i < points.size(); ++i) RC_ASSERT(std::abs(w[i] - reference(mesh, points[i])) < 1e-9);
}

}  // namespace
}  // namespace sinew::geometry
