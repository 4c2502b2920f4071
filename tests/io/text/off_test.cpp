// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/text/off.h"

#include <gtest/gtest.h>

namespace sinew::io {
namespace {

Asset parse_off(std::string_view text) {
  const auto bytes = as_bytes(text);
  return read_off("mesh.off", Bytes(bytes.begin(), bytes.end()), {});
}

std::string off_error(std::string_view text) {
  try {
    parse_off(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

constexpr std::string_view kBody = "0 0 0\n1 0 0 # comment\n\n1 1 0\n0 1 0\n# more\n4 0 1 2 3 255 0 0\n3 0 1 2\n";

TEST(Off, ReadsEveryWayToBegin) {
  for (const char* header :
       {"OFF\n4 2 0\n", "OFF 4 2 0\n", "# first\nOFF # here\n\n4 2 6\n", "off\r\n4 2\n", "4 2 0\n"}) {
    const Asset asset = parse_off(header + std::string(kBody));
    const Mesh& mesh = asset.character.rig.mesh;
    ASSERT_EQ(mesh.vertex_count(), 4U) << header;
    EXPECT_EQ(mesh.positions[2], Vec3(1, 1, 0));
    ASSERT_EQ(mesh.face_count(), 2U);
    EXPECT_EQ(mesh.face(0).size(), 4U);
    EXPECT_EQ(mesh.parts.at(0).name, "mesh");
    EXPECT_TRUE(validate(asset.character).empty());
  }
}

TEST(Off, ReadsNormalsColoursAndTextureCoordinatesOfVertices) {
  const Mesh bytes =
      parse_off("COFF\n3 1 0\n0 0 0 255 0 0 128\n1 0 0 0 255 0 255\n0 1 0 188 0 0 255\n3 0 1 2\n").character.rig.mesh;
  EXPECT_EQ(bytes.colors[0].head<3>(), Vec3f(1, 0, 0));
  EXPECT_NEAR(bytes.colors[0][3], 0.502F, 1e-3);
  EXPECT_NEAR(bytes.colors[2][0], 0.503F, 1e-3);
  const Mesh floats = parse_off("COFF\n1 0 0\n0 0 0 0.5 0.25 1\n").character.rig.mesh;
  EXPECT_EQ(floats.colors[0], Vec4f(0.5F, 0.25F, 1, 1));
  const Mesh all = parse_off("STCNOFF\n1 0 0\n1 2 3  0 0 4  0.5 0.5 0.5 1  0.25 0.75\n").character.rig.mesh;
  EXPECT_EQ(all.positions[0], Vec3(1, 2, 3));
  EXPECT_EQ(all.normals.values[0], Vec3f(0, 0, 1));
  EXPECT_EQ(all.colors[0], Vec4f(0.5F, 0.5F, 0.5F, 1));
  EXPECT_EQ(all.uvs.values[0], Vec2f(0.25F, 0.25F));
}

TEST(Off, LeavesOutFacesOfFewerThanThreeCornersAndSaysSo) {
  const Asset asset = parse_off("OFF\n3 3 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n3 0 1 2\n0\n");
  EXPECT_EQ(asset.character.rig.mesh.face_count(), 1U);
  ASSERT_EQ(asset.warnings.size(), 1U);
  EXPECT_EQ(asset.warnings[0].code, "off.short_face");
  EXPECT_EQ(asset.warnings[0].where, "line 6");
}

TEST(Off, CountsThatLieAreRefusedBeforeMemoryIsTaken) {
  EXPECT_NE(off_error("OFF\n353535235358 6 0\n0 0 0\n").find("declares 353535235358 vertices"), std::string::npos);
  EXPECT_NE(off_error("OFF\n1 99999999999 0\n0 0 0\n").find("99999999999 faces"), std::string::npos);
  EXPECT_NE(off_error("OFF\n1 1 0\n0 0 0\n999999999 0 0 0\n").find("line 4: a face cannot have 999999999 corners"),
            std::string::npos);
  EXPECT_NE(off_error("OFF\n99999999999999999999 1 0\n").find("line 2"), std::string::npos);
}

TEST(Off, ErrorsNameTheLine) {
  EXPECT_EQ(off_error("OFF\n1 1 0\n0 0 0\n3 0 0 1\n"),
            "mesh.off, line 4: the face uses vertex 1, but the file has only 1 (counted from 0).");
  EXPECT_EQ(off_error("OFF\n1 1 0\n0 nan 0\n3 0 0 0\n"), "mesh.off, line 3: 'nan' is not a finite number.");
  EXPECT_NE(off_error("OFF\n1 2 0\n0 0 0\n3 0 0 0\n").find("after 1 of 2 faces"), std::string::npos);
  EXPECT_NE(off_error("OFF\n-1 2 0\n").find("-1 is not a valid number of vertices"), std::string::npos);
  EXPECT_NE(off_error("OFF BINARY\n\1\2").find("binary OFF"), std::string::npos);
  EXPECT_NE(off_error("4OFF\n1 0 0\n").find("three-dimensional"), std::string::npos);
  EXPECT_NE(off_error("solid cube").find("does not begin with OFF"), std::string::npos);
  EXPECT_NE(off_error("OFF\n0 0 0\n").find("no vertices"), std::string::npos);
  EXPECT_NE(off_error("").find("empty"), std::string::npos);
}

}  // namespace
}  // namespace sinew::io
