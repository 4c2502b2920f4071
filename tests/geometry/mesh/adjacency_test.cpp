// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/adjacency.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "sinew/geometry/mesh/topology.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

// Any polygons over few vertices: twice running, there and back, too short, all of it.
Mesh random_polygons(unsigned seed) {
  std::mt19937 random(seed);
  Mesh mesh;
  mesh.positions.resize(3 + random() % 8);
  for (Vec3& p : mesh.positions)
    for (double& x : p) x = static_cast<double>(random() % 9);
  const auto faces = random() % 12;
  for (std::size_t f = 0; f < faces; ++f) {
    std::vector<Index> face(random() % 6);
    for (Index& v : face) v = static_cast<Index>(random() % mesh.positions.size());
    mesh.add_face(face);
  }
  return mesh;
}

RC_GTEST_PROP(Adjacency, RingsAndFacesAgreeWithSets, (unsigned seed)) {
  const Mesh mesh = random_polygons(seed);
  std::vector<std::set<Index>> rings(mesh.vertex_count()), faces(mesh.vertex_count());
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    if (face.size() < 3) continue;
    for (std::size_t i = 0; i < face.size(); ++i) {
      const Index a = face[i], b = face[(i + 1) % face.size()];
      faces[a].insert(f);
      if (a != b) rings[a].insert(b), rings[b].insert(a);
    }
  }
  const Lists found_rings = one_rings(mesh), found_faces = vertex_faces(mesh);
  RC_ASSERT(found_rings.size() == mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    RC_ASSERT(std::equal(rings[v].begin(), rings[v].end(), found_rings[v].begin(), found_rings[v].end()));
    RC_ASSERT(std::equal(faces[v].begin(), faces[v].end(), found_faces[v].begin(), found_faces[v].end()));
  }
}

RC_GTEST_PROP(Adjacency, TwinsAreMutualAndLoopsCoverEveryOpenHalfEdgeOnce, (unsigned seed)) {
  const Mesh mesh = random_polygons(seed);
  const HalfEdges h = half_edges(mesh);
  std::size_t open = 0;
  for (Index i = 0; i < h.size(); ++i) {
    RC_ASSERT(h.prev[h.next[i]] == i);
    RC_ASSERT(h.face[h.next[i]] == h.face[i]);
    RC_ASSERT((h.twin[i] != kNone) == (h.kind[i] == EdgeKind::kInterior));
    open += h.twin[i] == kNone && h.kind[i] != EdgeKind::kNone;
    if (h.twin[i] == kNone) continue;
    RC_ASSERT(h.twin[h.twin[i]] == i);
    RC_ASSERT(h.vertex[h.twin[i]] == h.vertex[h.next[i]]);
    RC_ASSERT(h.vertex[h.next[h.twin[i]]] == h.vertex[i]);
  }
  const Lists loops = boundary_loops(h);
  RC_ASSERT(loops.items.size() == open);
  RC_ASSERT(std::set<Index>(loops.items.begin(), loops.items.end()).size() == open);
  for (Index k = 0; k < loops.size(); ++k)
    for (std::size_t i = 0; i < loops[k].size(); ++i) {
      const Index at = loops[k][i], next = loops[k][(i + 1) % loops[k].size()];
      RC_ASSERT(h.vertex[h.next[at]] == h.vertex[next]);
    }
}

TEST(Adjacency, KindsOfEdgesAreCountedAsTopologyCountsThem) {
  Mesh mesh = joined(open_box(), moebius_strip());
  mesh.add_face(std::vector<Index>{0, 1, 9});  // A third face on an edge of the box, and a vertex of the strip.
  const HalfEdges h = half_edges(mesh);
  const TopologyCounts counts = topology(mesh, weld(mesh)).total;
  EXPECT_EQ(h.count(EdgeKind::kBoundary), counts.boundary_edges);
  EXPECT_EQ(h.count(EdgeKind::kNonManifold), counts.nonmanifold_edges);
  EXPECT_EQ(h.count(EdgeKind::kInconsistent), 1u);
  EXPECT_EQ(h.count(EdgeKind::kInterior) + h.count(EdgeKind::kBoundary) + h.count(EdgeKind::kNonManifold) +
                h.count(EdgeKind::kInconsistent),
            counts.edges);
}

TEST(Adjacency, OpenBoxHasOneLoopAlongItsRim) {
  const Mesh mesh = open_box();
  const HalfEdges h = half_edges(mesh);
  const Lists loops = boundary_loops(h);
  ASSERT_EQ(loops.size(), 1u);
  ASSERT_EQ(loops[0].size(), 4u);
  for (const Index i : loops[0]) EXPECT_EQ(mesh.positions[h.vertex[i]].z(), 1);
  EXPECT_EQ(boundary_loops(half_edges(cube())).size(), 0u);
}

TEST(Adjacency, LoopsFollowTheSurfaceWhereTheyTouchInAVertex) {
  // Two triangles that share a vertex only: a border each.
  EXPECT_EQ(boundary_loops(half_edges(mesh_of(std::vector<Vec3>(5, Vec3::Zero()), {{0, 1, 2}, {0, 3, 4}}))).size(), 2u);
  // A 4 × 4 grid of quads without two inner ones that touch in a corner: the border of the hole runs through it twice.
  Mesh mesh;
  for (Index i = 0; i < 25; ++i) mesh.positions.push_back(Vec3(i % 5, i / 5, 0));
  for (Index i = 0; i < 16; ++i) {
    const Index a = i / 4 * 5 + i % 4;
    if (i != 5 && i != 10) mesh.add_face(std::vector<Index>{a, a + 1, a + 6, a + 5});
  }
  const HalfEdges h = half_edges(mesh);
  const Lists loops = boundary_loops(h);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].size(), 16u);
  EXPECT_EQ(loops[1].size(), 8u);
  EXPECT_EQ(std::count_if(loops[1].begin(), loops[1].end(), [&](Index i) { return h.vertex[i] == 12; }), 2);
}

TEST(Adjacency, WeldingClosesSeams) {
  Mesh mesh = cube();
  for (Index c = 0; c < mesh.face_vertices.size(); ++c) {
    mesh.positions.push_back(mesh.positions[mesh.face_vertices[c]]);
    mesh.face_vertices[c] = mesh.vertex_count() - 1;
  }
  const Welding welding = weld(mesh);
  EXPECT_EQ(half_edges(mesh).count(EdgeKind::kBoundary), 24u);
  EXPECT_EQ(half_edges(mesh, &welding).count(EdgeKind::kInterior), 12u);
  const Lists rings = one_rings(mesh, &welding);
  ASSERT_EQ(rings.size(), 8u);
  for (Index v = 0; v < 8; ++v) EXPECT_EQ(rings[v].size(), 3u);
}

TEST(Adjacency, SameForAnyNumberOfThreads) {
  const auto run = [](int threads) {
    const Threads scope(threads);
    return half_edges(sphere(90, 120));
  };
  const HalfEdges one = run(1), two = run(2);
  EXPECT_EQ(one.twin, two.twin);
  EXPECT_EQ(one.edges, two.edges);
}

}  // namespace
}  // namespace sinew::geometry
