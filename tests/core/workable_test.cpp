// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/workable.h"

#include <gtest/gtest.h>

#include <array>

namespace sinew {
namespace {

Rig tetrahedron_with_joint() {
  Rig rig;
  rig.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const auto& face : {std::array<Index, 3>{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}) rig.mesh.add_face(face);
  MeshPart part;
  part.vertex_count = 4;
  part.face_count = 4;
  rig.mesh.parts = {part};
  rig.skeleton.joints.resize(1);
  rig.skeleton.joints[0].name = "root";
  return rig;
}

std::string code_of(const Rig& rig) {
  const auto found = unworkable(rig);
  return found ? found->code : "";
}

void scale(Rig& rig, double factor) {
  for (Vec3& p : rig.mesh.positions) p *= factor;
}

TEST(Workable, RigsOfAnyUsualSizeAre) {
  for (const double factor : {1e-9, 1e-3, 1.0, 1e3, 1e9}) {
    Rig rig = tetrahedron_with_joint();
    scale(rig, factor);
    EXPECT_EQ(code_of(rig), "") << factor;
    EXPECT_NO_THROW(require_workable(rig));
  }
  EXPECT_EQ(code_of(Rig()), "");
}

TEST(Workable, ExtremeSizesAreNot) {
  for (const double factor : {1e13, 1e38, 1e300}) {
    Rig rig = tetrahedron_with_joint();
    scale(rig, factor);
    EXPECT_EQ(code_of(rig), "mesh.too_large") << factor;
  }
  for (const double factor : {1e-13, 1e-30, 0.0}) {
    Rig rig = tetrahedron_with_joint();
    scale(rig, factor);
    EXPECT_EQ(code_of(rig), "mesh.too_small") << factor;
    EXPECT_THROW(require_workable(rig), Error);
  }
}

TEST(Workable, JointsFarAwayAreNamed) {
  Rig rig = tetrahedron_with_joint();
  rig.skeleton.joints[0].rest.translation = {100, 0, 0};
  EXPECT_EQ(code_of(rig), "");
  rig.skeleton.joints[0].rest.translation = {1e6, 0, 0};
  EXPECT_EQ(code_of(rig), "skeleton.too_far");
  EXPECT_EQ(unworkable(rig)->where, "root");
}

TEST(Workable, BindMatricesFarAwayAreNamed) {
  Rig rig = tetrahedron_with_joint();
  Skin skin;
  skin.joints = {0};
  skin.inverse_bind = {Mat4::Identity()};
  rig.skins = {skin};
  rig.mesh.parts[0].skin = 0;
  EXPECT_EQ(code_of(rig), "");
  rig.skins[0].inverse_bind[0](0, 3) = 1e20;
  EXPECT_EQ(code_of(rig), "skeleton.too_far");
}

TEST(Workable, SkinsOfMissingJointsAreNamed) {
  Rig rig = tetrahedron_with_joint();
  Skin skin;
  skin.joints = {7};
  skin.inverse_bind = {Mat4::Identity()};
  rig.skins = {skin};
  EXPECT_EQ(code_of(rig), "rig.skin_joint");
}

TEST(Workable, FacesWithoutAreaAreNot) {
  Rig rig = tetrahedron_with_joint();
  for (Index& v : rig.mesh.face_vertices) v = 0;
  EXPECT_EQ(code_of(rig), "mesh.no_area");
  rig = tetrahedron_with_joint();
  for (Vec3& p : rig.mesh.positions) p = {p.x() + 2 * p.y() + 3 * p.z(), 0, 0};  // On one line.
  EXPECT_EQ(code_of(rig), "mesh.no_area");
}

}  // namespace
}  // namespace sinew
