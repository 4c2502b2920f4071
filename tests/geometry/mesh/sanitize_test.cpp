// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/geometry/mesh/sanitize.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "sinew/geometry/mesh/topology.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/io/asset.h"
#include "tests/geometry/named_meshes.h"

namespace sinew::geometry {
namespace {

using namespace sinew::test;

// What is wrong with the result, or nothing. Vertices count by their index, not their place.
std::string complaint(const Mesh& source, const Sanitized& s, double tolerance) {
  if (const Findings found = validate(s.mesh); !found.empty()) return found[0].text;
  Welding apart;
  apart.welded.resize(s.mesh.vertex_count());
  std::iota(apart.welded.begin(), apart.welded.end(), Index{0});
  apart.first = apart.welded;
  const TopologyCounts counts = topology(s.mesh, apart).total;
  if (!counts.manifold()) return "It is not manifold.";
  if (counts.inconsistent_edges > 0) return "It is not consistently oriented.";
  if (counts.triangles != counts.faces || counts.duplicate_faces > 0) return "It has bad faces.";
  if (counts.unreferenced_vertices > 0) return "It has vertices that no face uses.";
  if (s.source_face.size() != s.mesh.face_count() || s.component.size() != s.mesh.face_count() ||
      s.source_vertices.size() != s.mesh.vertex_count() || s.clean_vertex.size() != source.vertex_count())
    return "A map has the wrong length.";
  for (const Index f : s.source_face)
    if (f >= source.face_count()) return "A face comes from nowhere.";
  for (Index v = 0; v < s.mesh.vertex_count(); ++v) {
    if (s.source_vertices[v].empty()) return "A vertex comes from nowhere.";
    for (const Index from : s.source_vertices[v]) {
      if ((source.positions[from] - s.mesh.positions[v]).norm() > 2 * tolerance + 1e-300) return "A vertex has moved.";
      if (s.clean_vertex[from] == kNone || s.clean_vertex[from] > v) return "The maps do not agree.";
    }
  }
  for (Index from = 0; from < source.vertex_count(); ++from) {
    if (s.clean_vertex[from] == kNone) continue;
    const auto list = s.source_vertices[s.clean_vertex[from]];
    if (!std::binary_search(list.begin(), list.end(), from)) return "The way back leads elsewhere.";
  }
  std::vector<double> inside(s.closed.size(), 0.0);
  for (Index f = 0; f < s.mesh.face_count(); ++f) {
    const auto face = s.mesh.face(f);
    const auto& p = s.mesh.positions;
    const Vec3 o = p[s.mesh.face(0)[0]];
    inside[s.component[f]] += (p[face[0]] - o).dot((p[face[1]] - o).cross(p[face[2]] - o));
  }
  const double size = source.size();
  for (std::size_t k = 0; k < s.closed.size(); ++k)
    if (s.closed[k] && inside[k] < -1e-12 * size * size * size) return "A closed component faces inwards.";
  return "";
}

std::string clean_complaint(const Mesh& mesh, const SanitizeOptions& options = {}) {
  return complaint(mesh, sanitize(mesh, options), options.weld_tolerance_rel * mesh.size());
}

Mesh turned_over(Mesh mesh) {
  for (Index f = 0; f < mesh.face_count(); ++f)
    std::reverse(mesh.face_vertices.begin() + mesh.face_offsets[f],
                 mesh.face_vertices.begin() + mesh.face_offsets[f + 1]);
  return mesh;
}

TEST(Sanitize, LeavesAGoodMeshAsItIs) {
  const Mesh mesh = sphere();
  const Sanitized s = sanitize(mesh);
  EXPECT_EQ(s.mesh.positions, mesh.positions);
  EXPECT_EQ(s.mesh.face_vertices, mesh.face_vertices);
  SanitizeCounts none;
  none.components = none.closed_components = 1;
  EXPECT_EQ(s.counts, none);
  EXPECT_EQ(sanitize(Mesh{}).mesh.face_count(), 0u);
}

TEST(Sanitize, MendsADamagedSphere) {
  const Mesh good = sphere(20, 30);
  std::mt19937 random(4);
  std::uniform_real_distribution<double> noise(-1e-7, 1e-7);
  Mesh bad;
  const auto add = [&](std::vector<Index> face, bool over) {
    if (over) std::reverse(face.begin(), face.end());
    for (Index& v : face) {
      bad.positions.push_back(good.positions[v] + Vec3(noise(random), noise(random), noise(random)));
      v = bad.vertex_count() - 1;
    }
    bad.add_face(face);
  };
  for (Index f = 0; f < good.face_count(); ++f) {
    const std::vector<Index> face(good.face(f).begin(), good.face(f).end());
    add(face, random() % 3 == 0);
    if (f % 50 == 0) add(face, f % 100 == 0);                  // Twice.
    if (f % 70 == 0) add({face[0], face[0], face[1]}, false);  // Nothing.
  }
  bad.positions.push_back(Vec3(0.1, 0.2, 0.3));
  const Sanitized s = sanitize(bad);
  EXPECT_EQ(complaint(bad, s, 1e-6 * bad.size()), "");
  EXPECT_EQ(s.mesh.vertex_count(), good.vertex_count());
  EXPECT_EQ(s.mesh.face_count(), good.face_count());
  EXPECT_EQ(s.counts.closed_components, 1u);
  EXPECT_EQ(s.counts.duplicate_faces, (good.face_count() + 49) / 50);
  EXPECT_EQ(s.counts.collapsed_faces, (good.face_count() + 69) / 70);
  EXPECT_EQ(s.counts.dropped_vertices, 1u);
  EXPECT_GT(s.counts.flipped_faces, good.face_count() / 4);
  EXPECT_NEAR(volume(s.mesh).volume, volume(good).volume, 1e-5);
}

TEST(Sanitize, SolidsThatShareAnEdgeOrAVertexComeApart) {
  Mesh other = tetrahedron();
  for (Vec3& p : other.positions) p = Vec3(-p.x(), -p.y(), p.z());
  const Mesh edge = joined(tetrahedron(), other);
  Sanitized s = sanitize(edge);
  EXPECT_EQ(complaint(edge, s, 0), "");
  EXPECT_EQ(s.counts.nonmanifold_edges, 1u);
  EXPECT_EQ(s.counts.closed_components, 2u);
  EXPECT_EQ(s.counts.added_vertices, 2u);
  EXPECT_EQ(s.counts.flipped_faces, 0u);
  const Mesh vertex = joined(tetrahedron(), turned_over(tetrahedron(Vec3::Zero(), -1)));
  s = sanitize(vertex);
  EXPECT_EQ(complaint(vertex, s, 0), "");
  EXPECT_EQ(s.counts.closed_components, 2u);
  EXPECT_EQ(s.counts.added_vertices, 1u);
  EXPECT_EQ(s.source_vertices.items.size(), 8u) << "each copy stands for the source vertex of its own solid";
}

TEST(Sanitize, AFinIsCutOffASolid) {
  Mesh mesh = sphere(8, 12);
  mesh.positions.push_back(2 * mesh.positions[1]);
  mesh.positions.push_back(2 * mesh.positions[2]);
  const Index a = mesh.vertex_count() - 2;
  mesh.add_face(std::vector<Index>{1, 2, a + 1, a});
  const Sanitized s = sanitize(mesh);
  EXPECT_EQ(complaint(mesh, s, 0), "");
  EXPECT_EQ(s.counts.components, 2u);
  EXPECT_EQ(s.counts.closed_components, 1u);
  EXPECT_NEAR(volume(s.mesh).volume, volume(sphere(8, 12)).volume, 0.2) << "the fin adds a little";
}

TEST(Sanitize, ThinTrianglesGoWithoutOpeningASlit) {
  // The edge 4–5 of the top meets two edges of the front; a thin triangle lies between.
  const Mesh mesh = [] {
    Mesh m = cube();
    m.face_offsets = {0};
    m.face_vertices.clear();
    m.positions.push_back(Vec3(0.5, 0, 1));
    for (const std::vector<Index>& face : std::vector<std::vector<Index>>{
             {0, 2, 3, 1}, {0, 1, 5, 8, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}, {4, 5, 7}, {4, 7, 6}, {4, 8, 5}})
      m.add_face(face);
    return m;
  }();
  const Sanitized s = sanitize(mesh);
  EXPECT_EQ(complaint(mesh, s, 0), "");
  EXPECT_GE(s.counts.thin_faces, 1u);
  EXPECT_EQ(s.counts.closed_components, 1u);
  EXPECT_EQ(s.counts.components, 1u);
  EXPECT_NEAR(volume(s.mesh).volume, 1, 1e-12);
  EXPECT_NEAR(volume(s.mesh).area, 6, 1e-12);
}

TEST(Sanitize, MoebiusStripIsCutOnce) {
  const Mesh mesh = moebius_strip();
  const Sanitized s = sanitize(mesh);
  EXPECT_EQ(complaint(mesh, s, 0), "");
  EXPECT_EQ(s.counts.components, 1u);
  EXPECT_EQ(s.counts.added_vertices, 2u);
  EXPECT_EQ(s.mesh.face_count(), 24u);
}

TEST(Sanitize, OpenSurfacesAreTurnedOutwards) {
  for (const Mesh& mesh : {open_box(), turned_over(open_box())}) {
    const Sanitized s = sanitize(mesh);
    EXPECT_EQ(complaint(mesh, s, 0), "");
    EXPECT_EQ(s.counts.closed_components, 0u);
    for (Index f = 0; f < s.mesh.face_count(); ++f) {
      const auto face = s.mesh.face(f);
      const auto& p = s.mesh.positions;
      EXPECT_GT((p[face[1]] - p[face[0]]).cross(p[face[2]] - p[face[0]]).dot(p[face[0]] - Vec3(0.5, 0.5, 0.5)), 0);
    }
  }
}

TEST(Sanitize, AFlatPieceFacesAwayFromTheMiddle) {
  Mesh card = mesh_of({{2, 0, 0}, {2, 1, 0}, {2, 0, 1}}, {{0, 1, 2}});
  for (const Mesh& mesh : {joined(sphere(), card), joined(sphere(), turned_over(card))}) {
    const Sanitized s = sanitize(mesh);
    const auto face = s.mesh.face(s.mesh.face_count() - 1);
    const auto& p = s.mesh.positions;
    EXPECT_GT((p[face[1]] - p[face[0]]).cross(p[face[2]] - p[face[0]]).x(), 0);
  }
}

RC_GTEST_PROP(Sanitize, AnySoupBecomesManifold, (unsigned seed)) {
  std::mt19937 random(seed);
  Mesh mesh;
  mesh.positions.resize(3 + random() % 12);
  for (Vec3& p : mesh.positions)
    for (double& x : p) x = static_cast<double>(random() % 4);
  const auto faces = random() % 60;
  for (std::size_t f = 0; f < faces; ++f) {
    std::vector<Index> face(random() % 6);
    for (Index& v : face) v = static_cast<Index>(random() % mesh.positions.size());
    mesh.add_face(face);
  }
  RC_ASSERT(clean_complaint(mesh, {.weld_tolerance_rel = seed % 2 ? 0.0 : 1e-6}) == "");
}

TEST(Sanitize, SameForAnyNumberOfThreads) {
  const auto run = [](int threads) {
    const Threads scope(threads);
    Mesh mesh = sphere(60, 80);
    mesh.face_offsets.resize(mesh.face_offsets.size() - 100);
    mesh.face_vertices.resize(mesh.face_offsets.back());
    return sanitize(joined(mesh, moebius_strip()));
  };
  const Sanitized one = run(1), two = run(2);
  EXPECT_EQ(one.mesh.face_vertices, two.mesh.face_vertices);
  EXPECT_EQ(one.mesh.positions, two.mesh.positions);
  EXPECT_EQ(one.counts, two.counts);
}

TEST(Sanitize, RefusesSenselessTolerances) {
  EXPECT_THROW(sanitize(cube(), {.weld_tolerance_rel = -1}), Error);
  EXPECT_THROW(sanitize(cube(), {.weld_tolerance_rel = 2}), Error);
}

TEST(Sanitize, MendsRealFiles) {
  const char* folder = std::getenv("SINEW_DATA");
  if (!folder) GTEST_SKIP() << "SINEW_DATA is not set.";
  std::vector<std::filesystem::path> files;
  for (const char* name : {"rigged/HVGirl.glb", "unrigged/NASA_Gemini_Spacesuit.glb"})
    if (const auto file = std::filesystem::path(folder) / name; std::filesystem::exists(file)) files.push_back(file);
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(folder) / "pathological"))
    if (entry.path().extension() == ".off") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::size_t read = 0;
  for (const auto& file : files) {
    Mesh mesh;
    try {
      mesh = io::load(file.string()).character.rig.mesh;
    } catch (const Error& error) {
      continue;  // Some cannot be read at all; the readers' tests look at those.
    }
    ++read;
    for (const bool across_parts : {false, true}) {
      const SanitizeOptions options{.across_parts = across_parts};
      const Sanitized s = sanitize(mesh, options);
      EXPECT_EQ(complaint(mesh, s, options.weld_tolerance_rel * mesh.size()), "") << file;
    }
  }
  EXPECT_GT(read, files.size() / 2);
}

}  // namespace
}  // namespace sinew::geometry
