// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/generated.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/geometry/mesh/components.h"
#include "sinew/geometry/mesh/topology.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/geometry/spatial/self_intersection.h"
#include "sinew/geometry/voxels/marching_cubes.h"
#include "sinew/motion/resolve.h"
#include "sinew/shapes/kinds.h"
#include "sinew/shapes/surface/melted_field.h"

namespace sinew::shapes {
namespace {

MakeOptions coarse(int seed = 0) {
  MakeOptions options;
  options.generated = true;
  options.vertices = 8000;
  options.seed = seed;
  return options;
}

Mesh mesh_of(const geometry::TriangleSurface& surface) {
  Mesh mesh;
  mesh.positions = surface.positions;
  for (const auto& triangle : surface.triangles) mesh.add_face(triangle);
  MeshPart part;
  part.vertex_count = mesh.vertex_count();
  part.face_count = mesh.face_count();
  mesh.parts.push_back(part);
  return mesh;
}

DistanceField sampled(double cell, int samples, double (*value)(const Vec3&)) {
  DistanceField field;
  field.cell = cell;
  field.origin = Vec3::Constant(-0.5 * cell * (samples - 1));
  field.samples.fill(static_cast<Index>(samples));
  for (int z = 0; z < samples; ++z)
    for (int y = 0; y < samples; ++y)
      for (int x = 0; x < samples; ++x)
        field.values.push_back(static_cast<float>(value(field.origin + cell * Vec3(x, y, z))));
  return field;
}

TEST(MarchingCubes, GivesTheBallItsVolumeAndOneSheet) {
  const Mesh mesh = mesh_of(geometry::marching_cubes(sampled(0.1, 25, [](const Vec3& p) { return p.norm() - 1; })));
  const geometry::TopologyCounts counts = geometry::topology(mesh, geometry::weld(mesh)).total;
  EXPECT_TRUE(counts.encloses());
  EXPECT_TRUE(counts.manifold());
  EXPECT_EQ(counts.vertices - counts.edges + counts.faces, 2U);
  EXPECT_NEAR(geometry::volume(mesh).volume, 4.18879, 0.04);
}

TEST(MarchingCubes, IsClosedOnNoise) {
  // Random signs meet every case of a cell; the border is outside.
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    DistanceField field = sampled(1, 14, [](const Vec3&) { return 1.0; });
    for (Index z = 1; z < 13; ++z)
      for (Index y = 1; y < 13; ++y)
        for (Index x = 1; x < 13; ++x)
          field.values[(z * 14 + y) * 14 + x] =
              static_cast<float>(2 * geometry::Random(seed, (z * 14 + y) * 14 + x).uniform() - 1);
    const Mesh mesh = mesh_of(geometry::marching_cubes(field));
    std::set<std::pair<Index, Index>> edges;
    std::multiset<std::pair<Index, Index>> all;
    for (Index f = 0; f < mesh.face_count(); ++f)
      for (std::size_t i = 0; i < 3; ++i) all.emplace(mesh.face(f)[i], mesh.face(f)[(i + 1) % 3]);
    for (const auto& [a, b] : all) ASSERT_EQ(all.count({a, b}), all.count({b, a}));
    EXPECT_GT(geometry::volume(mesh).volume, 0);
  }
}

TEST(Generated, IsAClosedSurfaceOfTrianglesAboutAsFineAsAsked) {
  for (const char* kind : {"figure", "arm", "bar"}) {
    SCOPED_TRACE(kind);
    const Finished finished = make(kind, coarse(3));
    const Mesh& mesh = finished.made.character.rig.mesh;
    EXPECT_TRUE(validate(finished.made.character).empty());
    const geometry::TopologyCounts counts = geometry::topology(mesh, geometry::weld(mesh)).total;
    EXPECT_TRUE(counts.encloses());
    EXPECT_EQ(counts.quads, 0U);
    EXPECT_EQ(counts.render_vertices, counts.vertices);
    EXPECT_NEAR(mesh.vertex_count(), 8000, 1600);  // Specks are a tenth, at so few.
    EXPECT_GT(geometry::volume(mesh).volume, 0);
    EXPECT_LT(geometry::self_intersections(mesh).inside_parts, counts.faces / 200);
  }
}

TEST(Generated, FloatsSpecksAndMarksThem) {
  const Finished finished = make("figure", coarse(5));
  const Mesh& mesh = finished.made.character.rig.mesh;
  const geometry::Components pieces = geometry::components(mesh);
  EXPECT_GE(pieces.count, 4U);
  const auto largest =
      static_cast<Index>(std::max_element(pieces.faces.begin(), pieces.faces.end()) - pieces.faces.begin());
  const std::set<Index> marked(finished.specks.begin(), finished.specks.end());
  EXPECT_FALSE(marked.empty());
  for (Index i = 0; i < mesh.vertex_count(); ++i) EXPECT_EQ(marked.count(i) > 0, pieces.of_vertex[i] != largest) << i;
}

TEST(Generated, FacesAnywhereOneOrTwoHigh) {
  std::set<long> heights;
  std::set<long> widths;
  for (int seed = 0; seed < 8; ++seed) {
    MakeOptions options = coarse(seed);
    options.vertices = 1500;
    const Mesh mesh = make("figure", options).made.character.rig.mesh;
    EXPECT_LT(mesh.bounds().center().norm(), 1e-9);
    heights.insert(std::lround(1e6 * mesh.bounds().extent().y()));
    widths.insert(std::lround(1e3 * mesh.bounds().extent().x() / mesh.bounds().extent().y()));
  }
  EXPECT_EQ(heights, (std::set<long>{1000000, 2000000}));
  EXPECT_GT(widths.size(), 3U);
}

TEST(Generated, CarriesTheTruthAlong) {
  const Finished finished = make("figure", coarse(1));
  const Rig& rig = finished.made.character.rig;
  ASSERT_EQ(rig.weights.row_count(), rig.mesh.vertex_count());
  EXPECT_LE(rig.weights.max_influences(), 8U);
  const std::vector<Vec3> posed = deform::linear_positions(rig, motion::resolve(rig.skeleton, rest_pose(rig)));
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const double size = rig.mesh.size();
  std::set<Index> owners;
  for (Index i = 0; i < rig.mesh.vertex_count(); ++i) {
    EXPECT_LT((posed[i] - rig.mesh.positions[i]).norm(), 1e-6);
    double sum = 0;
    for (const Influence& influence : rig.weights.row(i)) sum += static_cast<double>(influence.weight);
    EXPECT_NEAR(sum, 1, 1e-6);
    owners.insert(finished.made.owners.owner[i]);
    // A vertex lies within a limb's length of the joint that owns it.
    const Segmentation::Segment& segment = finished.made.owners.segments[finished.made.owners.owner[i]];
    EXPECT_LT((Vec3(rest[segment.joint].topRightCorner<3, 1>()) - rig.mesh.positions[i]).norm(), 0.35 * size);
  }
  EXPECT_EQ(owners.size(), finished.made.owners.segments.size());
}

TEST(Generated, FillsNarrowGapsOnly) {
  // Two plates with a gap between them: filled if the ball does not fit, left open if it does.
  for (const double gap : {0.04, 0.2}) {
    Mesh mesh;
    for (const double side : {-1.0, 1.0}) {
      const Index first = mesh.vertex_count();
      for (int corner = 0; corner < 8; ++corner) {
        const double x = side * (gap / 2 + ((corner & 1) ? 0.3 : 0));
        mesh.positions.emplace_back(x, (corner & 2) ? 0.5 : -0.5, (corner & 4) ? 0.5 : -0.5);
      }
      const std::array<std::array<Index, 4>, 6> quads = {
          {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
      for (std::array<Index, 4> quad : quads) {
        for (Index& v : quad) v += first;
        if (side < 0) std::reverse(quad.begin(), quad.end());
        mesh.add_face(quad);
      }
    }
    MeshPart part;
    part.vertex_count = mesh.vertex_count();
    part.face_count = mesh.face_count();
    mesh.parts.push_back(part);
    const DistanceField field = melted_field(mesh, {0.02, 0.1, 0.05, 1});
    const Mesh melted = mesh_of(geometry::marching_cubes(field));
    EXPECT_EQ(geometry::components(melted).count, gap < 0.1 ? 1U : 2U) << gap;
    EXPECT_NEAR(geometry::volume(melted).volume, gap < 0.1 ? 0.6 + 0.9 * gap : 0.6, 0.03) << gap;
  }
}

TEST(Generated, IsTheSameForAnyNumberOfThreads) {
  MakeOptions options = coarse(2);
  options.vertices = 3000;
  set_thread_count(1);
  const Finished one = make("figure", options);
  set_thread_count(2);
  const Finished two = make("figure", options);
  set_thread_count(0);
  EXPECT_EQ(one.made.character.rig.mesh.positions, two.made.character.rig.mesh.positions);
  EXPECT_EQ(one.made.character.rig.mesh.face_vertices, two.made.character.rig.mesh.face_vertices);
  EXPECT_EQ(one.made.character.rig.weights, two.made.character.rig.weights);
  EXPECT_EQ(one.specks, two.specks);
}

TEST(Generated, HasAHundredThousandTrianglesUnlessAskedOtherwise) {
  MakeOptions options;
  options.generated = true;
  EXPECT_GE(make("figure", options).made.character.rig.mesh.face_count(), 100000U);
  // Inner shells are gone and do not count.
  options.clothes = true;
  options.vertices = 8000;
  EXPECT_NEAR(make("human", options).made.character.rig.mesh.vertex_count(), 8000, 1600);
}

}  // namespace
}  // namespace sinew::shapes
