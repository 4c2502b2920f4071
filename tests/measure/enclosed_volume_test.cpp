// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/enclosed_volume.h"

#include <gtest/gtest.h>

#include "sinew/core/parallel.h"
#include "sinew/geometry/mesh/volume.h"
#include "tests/geometry/named_meshes.h"
#include "tests/measure/limb_rigs.h"

namespace sinew::measure {
namespace {

EnclosedVolume enclosed(const Mesh& mesh) { return EnclosedVolume(mesh, geometry::weld(mesh)); }

TEST(EnclosedVolume, IsThatOfTheTetrahedra) {
  const Mesh mesh = test::sphere();
  const EnclosedVolume volume = enclosed(mesh);
  ASSERT_EQ(volume.parts().size(), 1U);
  EXPECT_TRUE(volume.parts()[0].measured);
  EXPECT_EQ(volume.parts()[0].capped_edges, 0U);
  EXPECT_NEAR(volume.total(mesh.positions), geometry::volume(mesh).volume, 1e-12);
}

TEST(EnclosedVolume, OfAQuadIsTheMeanOverBothDiagonals) {
  Mesh mesh = test::cube();
  mesh.positions[6] += Vec3(0.3, 0.2, 0.4);  // Three quads are no longer flat.
  mesh.positions[0] += Vec3(-0.1, 0.3, 0.2);
  double sum = 0;
  for (int way = 0; way < 2; ++way) {
    Mesh cut;
    cut.positions = mesh.positions;
    for (Index f = 0; f < mesh.face_count(); ++f) {
      const auto q = mesh.face(f);
      const auto s = static_cast<std::size_t>(way);
      const std::array<Index, 3> first = {q[s], q[s + 1], q[s + 2]}, second = {q[s], q[s + 2], q[(s + 3) % 4]};
      cut.add_face(first), cut.add_face(second);
    }
    sum += geometry::volume(cut).volume / 2;
  }
  EXPECT_NEAR(enclosed(mesh).total(mesh.positions), sum, 1e-14);
}

TEST(EnclosedVolume, CapsAnOpenBox) {
  const Mesh mesh = test::open_box();
  const EnclosedVolume volume = enclosed(mesh);
  EXPECT_TRUE(volume.parts()[0].measured);
  EXPECT_EQ(volume.parts()[0].capped_edges, 4U);
  EXPECT_NEAR(volume.parts()[0].cap_share, 0.2, 1e-12);
  EXPECT_NEAR(volume.total(mesh.positions), 1, 1e-12);
  std::vector<Vec3> moved = mesh.positions;
  for (Vec3& p : moved) p = Vec3(2 * p.x() + 10, p.y() - 7, 3 * p.z());
  EXPECT_NEAR(volume.total(moved), 6, 1e-12);
}

TEST(EnclosedVolume, TurnsAFaceThatLooksTheWrongWay) {
  const Mesh mesh = test::sphere();
  Mesh wrong = mesh;
  std::swap(wrong.face_vertices[wrong.face_offsets[40]], wrong.face_vertices[wrong.face_offsets[40] + 1]);
  EXPECT_NEAR(enclosed(wrong).total(mesh.positions), geometry::volume(mesh).volume, 1e-12);
}

TEST(EnclosedVolume, RefusesASheetAndStillMeasuresTheOtherPart) {
  const Mesh sheet = test::mesh_of({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2, 3}});
  const Mesh mesh = test::as_parts(sheet, test::cube());
  const EnclosedVolume volume = enclosed(mesh);
  ASSERT_EQ(volume.parts().size(), 2U);
  EXPECT_FALSE(volume.parts()[0].measured);
  EXPECT_TRUE(volume.parts()[1].measured);
  EXPECT_EQ(volume.volumes(mesh.positions)[0], 0);
  EXPECT_NEAR(volume.total(mesh.positions), 1, 1e-12);
}

TEST(EnclosedVolume, CountsWhatIsInsideOutNegatively) {
  const Mesh mesh = test::cube();
  std::vector<Vec3> mirrored = mesh.positions;
  for (Vec3& p : mirrored) p.x() = -p.x();
  EXPECT_NEAR(enclosed(mesh).total(mirrored), -1, 1e-12);
}

TEST(EnclosedVolume, IsTheSameForAnyNumberOfThreads) {
  const Rig rig = test::cylinder_rig(3, 200, 64);
  set_thread_count(1);
  const double one = enclosed(rig.mesh).total(rig.mesh.positions);
  set_thread_count(2);
  const double two = enclosed(rig.mesh).total(rig.mesh.positions);
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace sinew::measure
