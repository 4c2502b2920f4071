// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/text/ply.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace sinew::io {
namespace {

Asset parse_ply(std::string_view text) {
  const auto bytes = as_bytes(text);
  return read_ply("mesh.ply", Bytes(bytes.begin(), bytes.end()), {});
}

std::string ply_error(std::string_view text) {
  try {
    parse_ply(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The bytes of numbers, in either order.
class Writer {
 public:
  explicit Writer(bool big) : big_(big) {}
  template <class T>
  Writer& put(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    if (big_) std::reverse(bytes, bytes + sizeof(T));
    text.append(bytes, sizeof(T));
    return *this;
  }
  std::string text;

 private:
  bool big_;
};

constexpr const char* kElements =
    "element vertex 4\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nproperty double y\nproperty "
    "float x\n"
    "property list uchar short extra\nproperty float z\nproperty float s\nproperty float t\n"
    "element junk 2\nproperty int a\nproperty list int float b\n"
    "element face 2\nproperty int flag\nproperty list uchar int vertex_indices\nend_header\n";

void expect_mesh(const Asset& asset) {
  const Mesh& mesh = asset.character.rig.mesh;
  ASSERT_EQ(mesh.vertex_count(), 4U);
  EXPECT_EQ(mesh.positions[2], Vec3(1, 2, 0.5));
  EXPECT_EQ(mesh.colors[1].head<3>(), Vec3f(1, 0, 0));
  EXPECT_EQ(mesh.uvs.values[1], Vec2f(0.5F, 0.75F));
  ASSERT_EQ(mesh.face_count(), 2U);
  EXPECT_EQ(mesh.face(0).size(), 4U);
  EXPECT_EQ(mesh.face(1)[2], 3U);
  ASSERT_EQ(asset.warnings.size(), 1U);
  EXPECT_EQ(asset.warnings[0].code, "ply.not_read");
  EXPECT_NE(asset.warnings[0].text.find("junk"), std::string::npos);
  EXPECT_TRUE(validate(asset.character).empty());
}

TEST(Ply, ReadsTextWithPropertiesInAnyOrderAndPassesOverWhatItDoesNotKnow) {
  expect_mesh(parse_ply("ply\r\nformat ascii 1.0\r\ncomment made by hand\nobj_info x\n" + std::string(kElements) +
                        "0 0 0 0 0 0 0 0 0\n255 0 0 0 1 2 7 nan 0 0.5 0.25\n0 0 0 2 1 0 0.5 0 0\n0 0 0 1 0 0 0 0 0\n"
                        "1 0\n2 3 1 2 3\n"
                        "7 4 0 1 2 3\n7 3 0 1 3\n"));
}

TEST(Ply, ReadsBinaryInBothByteOrders) {
  for (const bool big : {false, true}) {
    Writer data(big);
    const auto vertex = [&](int red, double x, double y, double z, float s, float t, int extra) {
      data.put<std::uint8_t>(static_cast<std::uint8_t>(red))
          .put<std::uint8_t>(0)
          .put<std::uint8_t>(0)
          .put(y)
          .put(static_cast<float>(x));
      data.put<std::uint8_t>(static_cast<std::uint8_t>(extra));
      for (int i = 0; i < extra; ++i) data.put<std::int16_t>(7);
      data.put(static_cast<float>(z)).put(s).put(t);
    };
    vertex(0, 0, 0, 0, 0, 0, 0);
    vertex(255, 1, 0, 0, 0.5F, 0.25F, 3);
    vertex(0, 1, 2, 0.5, 0, 0, 0);
    vertex(0, 0, 1, 0, 0, 0, 1);
    data.put<std::int32_t>(1).put<std::int32_t>(0).put<std::int32_t>(1).put<std::int32_t>(1).put(1.0F);
    data.put<std::int32_t>(7).put<std::uint8_t>(4);
    for (int i = 0; i < 4; ++i) data.put<std::int32_t>(i);
    data.put<std::int32_t>(7).put<std::uint8_t>(3);
    for (const int i : {0, 1, 3}) data.put<std::int32_t>(i);
    const std::string header =
        std::string("ply\nformat binary_") + (big ? "big" : "little") + "_endian 1.0\n" + kElements;
    expect_mesh(parse_ply(header + data.text));
    // Cut anywhere, it is a sentence.
    for (std::size_t cut = 0; cut < data.text.size(); ++cut)
      EXPECT_NE(ply_error(header + data.text.substr(0, cut)).find("cut short"), std::string::npos) << cut;
  }
}

constexpr const char* kXyz = "property float x\nproperty float y\nproperty float z\n";

TEST(Ply, FloatColoursAreLinearAndTextureCoordinatesMayStandAtCorners) {
  const Mesh mesh =
      parse_ply(std::string("ply\nformat ascii 1.0\nelement vertex 3\n") + kXyz +
                "property float r\nproperty float g\nproperty float b\nproperty float a\nproperty float "
                "nx\nproperty float ny\n"
                "property float nz\nelement face 2\nproperty list uchar float texcoord\nproperty list uchar "
                "uint vertex_index\n"
                "end_header\n0 0 0 0.5 0 0 0.25 0 0 9\n1 0 0 0 0 0 1 0 0 1\n0 1 0 0 0 0 1 0 0 0\n"
                "6 0 0 1 0 0 1 3 0 1 2\n0 3 2 1 0\n")
          .character.rig.mesh;
  EXPECT_EQ(mesh.colors[0], Vec4f(0.5F, 0, 0, 0.25F));
  EXPECT_EQ(mesh.normals.values[0], Vec3f(0, 0, 1));
  ASSERT_EQ(mesh.uvs.corners.size(), 6U);
  EXPECT_EQ(mesh.uvs.values[mesh.uvs.corners[2]], Vec2f(0, 0));
  EXPECT_EQ(mesh.uvs.corners[3], kNone);
}

TEST(Ply, StripsBecomeTrianglesThatFaceTheSameWay) {
  const Mesh mesh = parse_ply(std::string("ply\nformat ascii 1.0\nelement vertex 5\n") + kXyz +
                              "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
                              "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n10 0 1 2 3 4 -1 0 1 2 2\n")
                        .character.rig.mesh;
  ASSERT_EQ(mesh.face_count(), 4U);
  for (Index f = 0; f < 4; ++f) {
    const auto face = mesh.face(f);
    const Vec3 &a = mesh.positions[face[0]], &b = mesh.positions[face[1]], &c = mesh.positions[face[2]];
    EXPECT_GT((b - a).cross(c - a).z(), 0) << f;
  }
}

TEST(Ply, RefusesWhatCannotBeWithASentence) {
  const auto with = [](const std::string& rest) { return std::string("ply\nformat ascii 1.0\n") + rest; };
  const std::string vertex = std::string("element vertex 1\n") + kXyz;
  const std::string face = "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n";
  EXPECT_EQ(ply_error(with(vertex + face + "3 0 0 1\n")),
            "mesh.ply, line 11: the face uses vertex 1, but the file has only 1 (counted from 0).");
  EXPECT_NE(ply_error(with(vertex + face + "3 0 0 -1\n")).find("line 11"), std::string::npos);
  EXPECT_NE(ply_error(with(vertex + face + "3 0 0 0.5\n")).find("line 11"), std::string::npos);
  EXPECT_NE(ply_error(with(vertex + face + "250 0 0 0\n")).find("does not fit"), std::string::npos);
  EXPECT_NE(ply_error(with(vertex + "end_header\n0 inf 0\n")).find("line 8: 'inf' is not a finite"), std::string::npos);
  EXPECT_NE(
      ply_error(with(std::string("element vertex 99999999999\n") + kXyz + "end_header\n0 0 0\n")).find("99999999999"),
      std::string::npos);
  EXPECT_NE(ply_error(with("element vertex 9000000000000\nend_header\n")).find("no x, y and z"), std::string::npos);
  EXPECT_NE(ply_error(with("element junk 9000000000000\nend_header\n")).find("no vertices"), std::string::npos);
  EXPECT_NE(ply_error(with("property int x\n")).find("line 3"), std::string::npos);
  EXPECT_NE(ply_error(with("element vertex 1\nproperty list float int x\n")).find("whole number"), std::string::npos);
  EXPECT_NE(ply_error(with("element vertex 1\nproperty real x\n")).find("'real' is not a PLY type"), std::string::npos);
  EXPECT_NE(ply_error(with(vertex)).find("does not end with 'end_header'"), std::string::npos);
  EXPECT_NE(ply_error("ply\nelement vertex 0\nend_header\n").find("no format"), std::string::npos);
  EXPECT_NE(ply_error("plx\n").find("not a PLY file"), std::string::npos);
  EXPECT_NE(ply_error("").find("not a PLY file"), std::string::npos);
  Writer data(false);
  data.put(0.0F).put(std::numeric_limits<float>::quiet_NaN()).put(0.0F);
  EXPECT_NE(ply_error("ply\nformat binary_little_endian 1.0\n" + vertex + "end_header\n" + data.text)
                .find("vertex 0: nan is not"),
            std::string::npos);
}

TEST(Ply, LeavesOutFacesOfFewerThanThreeCornersAndSaysSo) {
  const Asset asset = parse_ply(
      std::string("ply\nformat ascii 1.0\nelement vertex 3\n") + kXyz +
      "element face 3\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n0\n3 0 1 2\n");
  EXPECT_EQ(asset.character.rig.mesh.face_count(), 1U);
  ASSERT_EQ(asset.warnings.size(), 1U);
  EXPECT_EQ(asset.warnings[0].code, "ply.short_face");
}

}  // namespace
}  // namespace sinew::io
