// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/topology.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

TopologyCounts count(const Mesh& mesh) { return topology(mesh, weld(mesh)).total; }

TEST(Topology, TetrahedronIsClosed) {
  const TopologyCounts c = count(tetrahedron());
  EXPECT_EQ(c.vertices, 4u);
  EXPECT_EQ(c.edges, 6u);
  EXPECT_EQ(c.triangles, 4u);
  EXPECT_EQ(c.components, 1u);
  EXPECT_TRUE(c.manifold());
  EXPECT_TRUE(c.watertight());
  EXPECT_TRUE(c.encloses());
  EXPECT_TRUE(topology(tetrahedron(), weld(tetrahedron())).open_edges.empty());
}

TEST(Topology, EmptyMeshIsNotWatertight) {
  const TopologyCounts c = count(Mesh{});
  EXPECT_EQ(c, TopologyCounts{});
  EXPECT_FALSE(c.watertight());
}

TEST(Topology, TetrahedraSharingAnEdgeMakeItNonManifold) {
  Mesh mesh = tetrahedron();  // Shares the edge 0–3 with its image turned half round about z.
  Mesh other = mesh;
  for (Vec3& p : other.positions) p = Vec3(-p.x(), -p.y(), p.z());
  const TopologyCounts c = count(joined(mesh, other));
  EXPECT_EQ(c.vertices, 6u);
  EXPECT_EQ(c.edges, 11u);
  EXPECT_EQ(c.nonmanifold_edges, 1u);
  EXPECT_EQ(c.nonmanifold_vertices, 0u);
  EXPECT_EQ(c.inconsistent_edges, 2u);  // Each direction is run along twice.
  EXPECT_EQ(c.components, 1u);
  EXPECT_EQ(c.boundary_edges, 0u);
  EXPECT_FALSE(c.watertight());
}

TEST(Topology, TetrahedraSharingAVertexHaveTwoFansThere) {
  const TopologyCounts c = count(joined(tetrahedron(), tetrahedron(Vec3::Zero(), -1)));
  EXPECT_EQ(c.vertices, 7u);
  EXPECT_EQ(c.nonmanifold_edges, 0u);
  EXPECT_EQ(c.nonmanifold_vertices, 1u);
  EXPECT_EQ(c.components, 1u);
  EXPECT_TRUE(c.watertight());
  EXPECT_FALSE(c.manifold());
}

TEST(Topology, OpenBoxHasOneRim) {
  const Topology t = topology(open_box(), weld(open_box()));
  EXPECT_EQ(t.total.quads, 5u);
  EXPECT_EQ(t.total.edges, 12u);
  EXPECT_EQ(t.total.boundary_edges, 4u);
  EXPECT_EQ(t.total.boundary_loops, 1u);
  EXPECT_EQ(t.total.inconsistent_edges, 0u);
  EXPECT_FALSE(t.total.watertight());
  EXPECT_EQ(t.open_edges.size(), 4u);
}

TEST(Topology, BoxWithoutTwoOppositeFacesHasTwoRims) {
  const Mesh mesh = mesh_of(cube().positions, {{0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}});
  EXPECT_EQ(count(mesh).boundary_loops, 2u);
  EXPECT_EQ(count(mesh).boundary_edges, 8u);
}

TEST(Topology, MoebiusStripHasOneRimAndCannotBeOriented) {
  const TopologyCounts c = count(moebius_strip());
  EXPECT_EQ(c.boundary_loops, 1u);
  EXPECT_EQ(c.boundary_edges, 24u);
  EXPECT_EQ(c.inconsistent_edges, 1u);
  EXPECT_TRUE(c.manifold());
}

TEST(Topology, DuplicateFaceIsFoundWhateverItsFirstCornerOrDirection) {
  for (const std::vector<Index>& copy : {std::vector<Index>{1, 2, 3}, {3, 1, 2}, {3, 2, 1}}) {
    Mesh mesh = tetrahedron();
    mesh.add_face(copy);
    const TopologyCounts c = count(mesh);
    EXPECT_EQ(c.duplicate_faces, 1u);
    EXPECT_EQ(c.nonmanifold_edges, 3u);
  }
}

TEST(Topology, FlippedFaceDisagreesOnThreeEdges) {
  Mesh mesh = tetrahedron();
  std::swap(mesh.face_vertices[0], mesh.face_vertices[1]);
  const TopologyCounts c = count(mesh);
  EXPECT_EQ(c.inconsistent_edges, 3u);
  EXPECT_TRUE(c.watertight());
  EXPECT_FALSE(c.encloses());
}

TEST(Topology, BowTieHasTwoFansAndOneRim) {
  const Mesh mesh = mesh_of({{0, 0, 0}, {1, 1, 0}, {1, -1, 0}, {-1, 1, 0}, {-1, -1, 0}}, {{0, 2, 1}, {0, 3, 4}});
  const TopologyCounts c = count(mesh);
  EXPECT_EQ(c.nonmanifold_vertices, 1u);
  EXPECT_EQ(c.boundary_loops, 1u);
  EXPECT_EQ(c.components, 1u);
}

TEST(Topology, SeamsAreWeldedInsideAPartOnly) {
  const Mesh a = tetrahedron();
  EXPECT_EQ(count(joined(a, a)).vertices, 4u);
  EXPECT_EQ(count(joined(a, a)).duplicate_faces, 4u);
  const Topology t = topology(as_parts(a, a), weld(as_parts(a, a)));
  EXPECT_EQ(t.total.vertices, 8u);
  EXPECT_EQ(t.total.components, 2u);
  EXPECT_EQ(t.total.duplicate_faces, 0u);
  ASSERT_EQ(t.parts.size(), 2u);
  EXPECT_EQ(t.parts[0], count(a));
  EXPECT_EQ(t.parts[1], count(a));
}

TEST(Topology, FacesWithoutAreaAreCounted) {
  Mesh mesh = mesh_of({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0.1, 0.1, 0.1}, {0.2, 0.2, 0.2}, {0.3, 0.3, 0.3}},
                      {{0, 1, 2}, {0, 1, 1}, {0, 1, 3}, {4, 5, 6}, {3, 3, 3}});
  EXPECT_EQ(count(mesh).zero_area_faces, 4u);
  EXPECT_EQ(count(moved(mesh)).zero_area_faces, 4u);
}

TEST(Topology, UnreferencedVerticesAreCountedAndMakeNoComponent) {
  Mesh mesh = tetrahedron();
  mesh.positions.push_back({5, 5, 5});
  const TopologyCounts c = count(mesh);
  EXPECT_EQ(c.unreferenced_vertices, 1u);
  EXPECT_EQ(c.components, 1u);
  EXPECT_EQ(c.vertices, 5u);
}

// The definitions, word for word and slowly.
TopologyCounts reference(const Mesh& mesh) {
  const Welding welding = weld(mesh);
  TopologyCounts c;
  std::map<std::pair<Index, Index>, Index> directed, undirected;
  std::set<std::vector<Index>> seen;
  std::vector<std::vector<Index>> faces;
  for (Index f = 0; f < mesh.face_count(); ++f) {
    std::vector<Index> face;
    for (const Index v : mesh.face(f)) face.push_back(welding.welded[v]);
    faces.push_back(face);
    for (std::size_t i = 0; i < face.size(); ++i) {
      const Index a = face[i], b = face[(i + 1) % face.size()];
      if (a == b) continue;
      ++directed[{a, b}];
      ++undirected[std::minmax(a, b)];
    }
    std::sort(face.begin(), face.end());
    c.duplicate_faces += !seen.insert(face).second;
  }
  c.edges = undirected.size();
  for (const auto& [edge, n] : undirected) c.boundary_edges += n == 1, c.nonmanifold_edges += n > 2;
  for (const auto& [edge, n] : directed) c.inconsistent_edges += n > 1;
  // Fans: faces around a vertex, joined until nothing changes whenever they share an edge at it.
  for (Index v = 0; v < welding.count(); ++v) {
    std::vector<std::set<Index>> fans;
    for (const auto& face : faces) {
      if (std::set<Index>(face.begin(), face.end()).size() < face.size()) continue;
      for (std::size_t i = 0; i < face.size(); ++i)
        if (face[i] == v) fans.push_back({face[(i + 1) % face.size()], face[(i + face.size() - 1) % face.size()]});
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < fans.size() && !changed; ++i)
        for (std::size_t j = i + 1; j < fans.size() && !changed; ++j)
          if (std::any_of(fans[i].begin(), fans[i].end(), [&](Index u) { return fans[j].contains(u); })) {
            fans[i].insert(fans[j].begin(), fans[j].end());
            fans.erase(fans.begin() + static_cast<std::ptrdiff_t>(j));
            changed = true;
          }
    }
    c.nonmanifold_vertices += fans.size() > 1;
  }
  return c;
}

// Every second one of triangles alone.
Mesh random_faces(unsigned seed, Index vertices, Index faces) {
  std::mt19937 random(seed);
  Mesh mesh;
  for (Index v = 0; v < vertices; ++v)
    mesh.positions.push_back({double(random() % 3), double(random() % 3), double(random() % 3)});
  for (Index f = 0; f < faces; ++f) {
    std::vector<Index> face(seed % 2 == 0 ? 3 : 3 + random() % 3);
    for (Index& v : face) v = static_cast<Index>(random() % vertices);
    mesh.add_face(face);
  }
  return mesh;
}

RC_GTEST_PROP(Topology, AgreesWithTheDefinitionsOnSoups, ()) {
  const auto seed = *rc::gen::arbitrary<unsigned>();
  const Mesh mesh = random_faces(seed, 3 + seed % 20, seed % 40);
  const TopologyCounts fast = count(mesh), slow = reference(mesh);
  RC_ASSERT(fast.edges == slow.edges);
  RC_ASSERT(fast.boundary_edges == slow.boundary_edges);
  RC_ASSERT(fast.nonmanifold_edges == slow.nonmanifold_edges);
  RC_ASSERT(fast.nonmanifold_vertices == slow.nonmanifold_vertices);
  RC_ASSERT(fast.inconsistent_edges == slow.inconsistent_edges);
  RC_ASSERT(fast.duplicate_faces == slow.duplicate_faces);
}

RC_GTEST_PROP(Topology, OrderOfVerticesAndFacesDoesNotMatter, ()) {
  const auto seed = *rc::gen::arbitrary<unsigned>();
  const Mesh mesh = random_faces(seed, 3 + seed % 20, seed % 40);
  RC_ASSERT(count(mesh) == count(shuffled(mesh, seed + 1)));
}

TEST(Topology, AgreesWithTheDefinitionsOnMostlyPlainSurfaces) {
  // A sphere with a few faces taken away, turned round or put in twice: both ways through the code.
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    const Mesh whole = sphere(6, 8);
    Mesh mesh;
    mesh.positions = whole.positions;
    for (Index f = 0; f < whole.face_count(); ++f) {
      std::vector<Index> face(whole.face(f).begin(), whole.face(f).end());
      const auto what = random() % 20;
      if (what == 0) continue;
      if (what == 1) std::swap(face[0], face[1]);
      mesh.add_face(face);
      if (what == 2) mesh.add_face(face);
      if (what == 3) mesh.add_face(std::vector<Index>{face[2], face[1], face[0]});
    }
    const TopologyCounts fast = count(mesh), slow = reference(mesh);
    EXPECT_EQ(fast.edges, slow.edges);
    EXPECT_EQ(fast.boundary_edges, slow.boundary_edges);
    EXPECT_EQ(fast.nonmanifold_edges, slow.nonmanifold_edges);
    EXPECT_EQ(fast.nonmanifold_vertices, slow.nonmanifold_vertices);
    EXPECT_EQ(fast.inconsistent_edges, slow.inconsistent_edges);
    EXPECT_EQ(fast.duplicate_faces, slow.duplicate_faces);
  }
}

TEST(Topology, RigidMotionDoesNotMatter) {
  for (const Mesh& mesh : {tetrahedron(), open_box(), moebius_strip(), sphere()})
    EXPECT_EQ(count(mesh), count(moved(mesh)));
}

TEST(Topology, SameForAnyNumberOfThreads) {
  const Mesh mesh = joined(sphere(150, 150), random_faces(7, 3000, 9000));
  const Welding welding = weld(mesh);
  Topology one, two;
  {
    const Threads threads(1);
    one = topology(mesh, welding);
  }
  {
    const Threads threads(2);
    two = topology(mesh, welding);
  }
  EXPECT_EQ(one.total, two.total);
  EXPECT_EQ(one.open_edges, two.open_edges);
}

}  // namespace
}  // namespace sinew::geometry
