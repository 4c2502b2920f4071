// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "sinew/io/reach.h"
#include "sinew/io/text/obj_document.h"
#include "sinew/io/text/obj_files.h"
#include "sinew/io/text/obj_reader.h"
#include "sinew/io/text/obj_writer.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;

// A folder that goes away with the test.
class ObjFiles : public testing::Test {
 protected:
  ObjFiles() {
    std::string name = (fs::temp_directory_path() / "sinew_obj_XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~ObjFiles() override { fs::remove_all(folder); }

  void put(const fs::path& name, std::string_view text) const {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << text;
  }
  std::string get(const fs::path& name) const { return std::string(as_text(read_file(folder / name))); }
  Asset load(const fs::path& name) const { return read_obj(folder / name, read_file(folder / name), {}); }
  Report save(const Asset& asset, const fs::path& name, bool positions = false) const {
    Report report;
    AtomicFiles files;
    SaveOptions options;
    options.changes.positions = positions;
    write_obj(asset, folder / name, options, files, report);
    files.commit();
    return report;
  }

  fs::path folder;
};

Asset parse_obj(std::string_view text) {
  const auto bytes = as_bytes(text);
  return read_obj("mesh.obj", Bytes(bytes.begin(), bytes.end()), {});
}

std::string obj_error(std::string_view text) {
  try {
    parse_obj(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool has(const Findings& findings, std::string_view code, std::string_view mentions = "") {
  for (const Finding& finding : findings)
    if (finding.code == code && (finding.text + finding.where).find(mentions) != std::string::npos) return true;
  return false;
}

constexpr std::string_view kPng = "\x89PNG\r\n\x1a\npicture";

constexpr std::string_view kMessy =
    "# a comment\r\n"
    "mtllib none.mtl\r\n"
    "v 0 0 0\r\n"
    "v\t1 0\\\r\n 0 1.0\r\n"
    "v 1 1 0 0.5 0.5 0.5 # grey\r\n"
    "v 0 1e0 0\r\n"
    "v 9 9 9\r\n"
    "vt 0 0.25\r\nvt 1 1 0\r\n"
    "vn 0 0 2\r\n"
    "g one two\r\n"
    "s 1\r\n"
    "f 1/1/1 2/2/1 \\\r\n  3/1/1 4/2/1\r\n"
    "g three\r\n"
    "f -5 -4 -3\r\n"
    "f 1//1 2//1 3//1 4//1 5//1\r\n";

TEST(Obj, KeepsEveryVertexWithItsNumberAndEveryPolygonWithItsCorners) {
  const Asset asset = parse_obj(kMessy);
  const Mesh& mesh = asset.character.rig.mesh;
  ASSERT_EQ(mesh.vertex_count(), 5U);
  EXPECT_EQ(mesh.positions[1], Vec3(1, 0, 0));
  EXPECT_EQ(mesh.positions[4], Vec3(9, 9, 9));
  ASSERT_EQ(mesh.face_count(), 3U);
  EXPECT_EQ(mesh.face(0).size(), 4U);
  EXPECT_EQ(std::vector<Index>(mesh.face(1).begin(), mesh.face(1).end()), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(mesh.face(2).size(), 5U);
  EXPECT_TRUE(validate(asset.character).empty());
  EXPECT_EQ(asset.contents["groups"], Json({"one", "two", "three"}));
}

TEST(Obj, ReadsTextureCoordinatesDownwardsNormalsInUnitLengthAndColoursAsSrgb) {
  const Mesh mesh = parse_obj(kMessy).character.rig.mesh;
  EXPECT_EQ(mesh.uvs.values[0], Vec2f(0, 0.75F));
  EXPECT_EQ(mesh.uvs.corners[4], kNone);
  EXPECT_EQ(mesh.normals.values[0], Vec3f(0, 0, 1));
  EXPECT_EQ(mesh.normals.corners.back(), 0U);
  EXPECT_NEAR(mesh.colors[2][0], 0.2140F, 1e-4);
  EXPECT_EQ(mesh.colors[0], Vec4f::Ones());
}

TEST(Obj, IsOnePartUnlessObjectsUseVerticesOfTheirOwn) {
  const auto parts = [](std::string_view text) { return parse_obj(text).character.rig.mesh.parts; };
  const auto apart =
      parts("o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no b\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 7 7 7\nf 4 5 6\n");
  ASSERT_EQ(apart.size(), 2U);
  EXPECT_EQ(apart[1].name, "b");
  EXPECT_EQ(apart[1].first_vertex, 3U);
  EXPECT_EQ(apart[1].vertex_count, 4U);
  EXPECT_EQ(apart[1].first_face, 1U);
  const auto listed_first =
      parts("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\no a\nf 1 2 3\no b\nf 5 6 7\n");
  ASSERT_EQ(listed_first.size(), 2U);
  EXPECT_EQ(listed_first[0].vertex_count, 4U);
  const auto shared = parts("o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no b\nv 0 0 1\nf 1 2 4\n");
  ASSERT_EQ(shared.size(), 1U);
  EXPECT_EQ(shared[0].name, "mesh");
}

TEST(Obj, ErrorsNameTheLine) {
  EXPECT_EQ(obj_error("v 0 0 0\nv 0 nan 0\n"), "mesh.obj, line 2: 'nan' is not a finite number.");
  EXPECT_EQ(obj_error("v 0 0 inf\n"), "mesh.obj, line 1: 'inf' is not a finite number.");
  EXPECT_EQ(obj_error("v 0 0 1e999\n"), "mesh.obj, line 1: '1e999' is not a finite number.");
  EXPECT_EQ(obj_error("v 0 0\n"), "mesh.obj, line 1: a number is missing.");
  EXPECT_EQ(obj_error("v 0 0 1,5\n"), "mesh.obj, line 1: '1,5' is not a number.");
  EXPECT_EQ(obj_error("v 0 0 0\n\nf 1 1 2\n"), "mesh.obj, line 3: the face uses vertex 2, but the file has only 1.");
  EXPECT_EQ(obj_error("v 0 0 0\nf 0 1 1\n"), "mesh.obj, line 2: the face uses vertex 0, which does not exist.");
  EXPECT_EQ(obj_error("v 0 0 0\nf -2 1 1\n"), "mesh.obj, line 2: the face uses vertex -2, which does not exist.");
  EXPECT_EQ(obj_error("v 0 0 0\nf 1/1 1/1 1/1\n"),
            "mesh.obj, line 2: the face uses texture coordinate 1, but the file has only 0.");
  EXPECT_NE(obj_error("v 0 0 0\nf 1 x 1\n").find("line 2: 'x' is not a corner"), std::string::npos);
  EXPECT_NE(obj_error("# nothing\n").find("contains no vertices"), std::string::npos);
  EXPECT_NE(obj_error(std::string_view("\xFF\xFEv\0", 4)).find("UTF-16"), std::string::npos);
}

TEST(Obj, NumbersTooSmallForDoubleAreZeroAndFacesMayComeFirst) {
  const Mesh mesh = parse_obj("f 1 2 3\nv 1e-999 +1 -0.5\nv 0 0 0\nv 0 0 1\n").character.rig.mesh;
  EXPECT_EQ(mesh.positions[0], Vec3(0, 1, -0.5));
  EXPECT_EQ(mesh.face_count(), 1U);
}

TEST(Obj, TellsWhatItDoesNotRead) {
  const Asset asset = parse_obj(
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2\np 1\ncurv 0 1 1 2\nf 1 2\nf 1 2 3\nusemtl Skin #1\nf 3 2 1\nbogus 7\n");
  EXPECT_EQ(asset.character.rig.mesh.face_count(), 2U);
  EXPECT_TRUE(has(asset.warnings, "obj.short_face", "line 7"));
  EXPECT_TRUE(has(asset.warnings, "obj.not_read", "1 line, 1 point and 1 curve"));
  EXPECT_TRUE(has(asset.warnings, "obj.unknown_statement", "line 11"));
  EXPECT_TRUE(has(asset.warnings, "obj.missing_material", "Skin #1"));
  EXPECT_EQ(asset.character.rig.mesh.face_materials, (std::vector<Index>{kNone, 0}));
}

TEST(Obj, NamesAreUtf8WhateverTheFileHolds) {
  const Asset asset = parse_obj("o K\xF6rper\nv 0 0 0\nusemtl \xFF\nf 1 1 1\ng \xC0\n");
  EXPECT_EQ(asset.character.rig.mesh.parts[0].name, "Körper");
  EXPECT_NO_THROW(Json(asset.character.materials[0].name).dump());
  EXPECT_NO_THROW(asset.contents.dump());
}

TEST_F(ObjFiles, ReadsMaterialsAndTexturesBesideTheFileAndNamesMissingOnes) {
  put("a/my lib.mtl",
      "newmtl skin\nKd 1 0.5 0\nmap_Kd -s 1 1 1 tex/skin map.png\nmap_Bump -bm 0.3 C:\\work\\bump.png\n"
      "newmtl hair\nd 0.5\nmap_Kd gone.png\nmap_Ke /elsewhere/glow.png\n");
  put("a/tex/skin map.png", kPng);
  put("a/bump.png", std::string(kPng) + "2");
  put("a/m.obj", "mtllib my lib.mtl\nv 0 0 0\nusemtl hair\nf 1 1 1\nusemtl skin\nf 1 1 1\n");
  const Asset asset = load("a/m.obj");
  const Character& character = asset.character;
  ASSERT_EQ(character.materials.size(), 2U);
  EXPECT_EQ(character.materials[0].name, "hair");
  EXPECT_EQ(character.materials[0].alpha, Material::Alpha::kBlend);
  EXPECT_EQ(character.materials[0].base_color_image, kNone);
  ASSERT_EQ(character.images.size(), 2U);
  const Image& skin = character.images[character.materials[1].base_color_image];
  EXPECT_EQ(skin.mime_type, "image/png");
  EXPECT_EQ(skin.uri, "tex/skin map.png");
  EXPECT_EQ(as_text(character.images[character.materials[1].normal_image].bytes), std::string(kPng) + "2");
  EXPECT_TRUE(has(asset.warnings, "obj.missing_texture", "gone.png"));
  EXPECT_TRUE(has(asset.warnings, "obj.missing_texture", "glow.png"));
  EXPECT_EQ(asset.files.size(), 3U);

  put("b/m.obj", "mtllib a.mtl missing.mtl\nv 0 0 0\n");
  put("b/a.mtl", "newmtl x\n");
  EXPECT_TRUE(has(load("b/m.obj").warnings, "obj.missing_material_file", "'missing.mtl'"));
}

TEST_F(ObjFiles, UnchangedItIsWrittenByteForByte) {
  put("m.obj", kMessy);
  save(load("m.obj"), "copy.obj");
  EXPECT_EQ(get("copy.obj"), kMessy);
  save(load("m.obj"), "copy.obj", true);
  EXPECT_EQ(get("copy.obj"), kMessy);
}

TEST_F(ObjFiles, MovedOnlyTheNumbersThatChangedAreOthers) {
  put("m.obj", kMessy);
  Asset asset = load("m.obj");
  asset.character.rig.mesh.positions[1] = {0.1, -2, 1.0 / 3};
  asset.character.rig.mesh.positions[2].x() = 3;
  asset.character.rig.mesh.normals.values[0] = {0, 1, 0};
  save(asset, "moved.obj", true);
  std::string expected(kMessy);
  const auto replace = [&](std::string_view from, std::string_view to) {
    expected.replace(expected.find(from), from.size(), to);
  };
  replace("v\t1 0\\\r\n 0 1.0", "v\t0.1 -2\\\r\n 0.3333333333333333 1.0");
  replace("v 1 1 0 0.5", "v 3 1 0 0.5");
  replace("vn 0 0 2", "vn 0 1 0");
  EXPECT_EQ(get("moved.obj"), expected);
  EXPECT_EQ(load("moved.obj").character.rig.mesh.positions, asset.character.rig.mesh.positions);
}

TEST_F(ObjFiles, InAnotherFolderLibrariesAndTexturesAreCopied) {
  put("from/m.obj", "mtllib m.mtl\nv 0 0 0\nusemtl a\nf 1 1 1\n");
  put("from/m.mtl", "newmtl a\nmap_Kd tex/a.png\nmap_Ks ../outside.png\n");
  put("from/tex/a.png", kPng);
  put("outside.png", std::string(kPng) + "outside");
  fs::create_directories(folder / "to");
  save(load("from/m.obj"), "to/n.obj");
  EXPECT_EQ(get("to/n.obj"), get("from/m.obj"));
  EXPECT_EQ(get("to/tex/a.png"), kPng);
  EXPECT_FALSE(fs::exists(folder / "to/outside.png"));
  allow_outside_files(true);
  fs::create_directories(folder / "all");
  save(load("from/m.obj"), "all/n.obj");
  allow_outside_files(false);
  EXPECT_EQ(get("all/m.mtl"), "newmtl a\nmap_Kd tex/a.png\nmap_Ks outside.png\n");
  EXPECT_EQ(get("all/outside.png"), std::string(kPng) + "outside");
}

TEST_F(ObjFiles, NeverReplacesAnotherFilesLibraryOrTexture) {
  put("from/m.obj", "mtllib m.mtl\nv 0 0 0\nusemtl a\nf 1 1 1\n");
  put("from/m.mtl", "newmtl a\nmap_Kd a.png\n");
  put("from/a.png", kPng);
  put("to/m.mtl", "another's");
  put("to/a.png", "another's");
  save(load("from/m.obj"), "to/m.obj");
  EXPECT_EQ(get("to/m.mtl"), "another's");
  EXPECT_EQ(get("to/a.png"), "another's");
  EXPECT_EQ(get("to/m.obj"), "mtllib m_2.mtl\nv 0 0 0\nusemtl a\nf 1 1 1\n");
  EXPECT_EQ(get("to/m_2.mtl"), "newmtl a\nmap_Kd a_2.png\n");
  EXPECT_EQ(get("to/a_2.png"), kPng);
}

Asset made_asset() {
  Asset asset;
  asset.path = "made.glb";
  Character& character = asset.character;
  Mesh& mesh = character.rig.mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1.0 / 3, 0}, {0, 1, 0}, {0, 0, 5}, {1, 0, 5}, {0, 1, 5}};
  mesh.add_face(std::vector<Index>{0, 1, 2, 3});
  mesh.add_face(std::vector<Index>{4, 5, 6});
  mesh.add_face(std::vector<Index>{4, 6, 5});
  mesh.face_materials = {1, 0, kNone};
  mesh.uvs.values = {{0, 0.1F}, {1, 0.7F}, {1, 1e-9F}, {0, -3.3F}, {0, 0.1F}, {1, 0.7F}, {0.5F, 0.5F}};
  mesh.normals.values = {{0, 0, 1}, {0, 1, 0}};
  mesh.normals.corners = {0, 0, 0, 0, 1, 1, 1, kNone, 1, 1};
  MeshPart a, b;
  a.name = "body";
  a.vertex_count = 4;
  a.face_count = 1;
  b.name = "hat\nwith line";
  b.first_vertex = 4;
  b.vertex_count = 3;
  b.first_face = 1;
  b.face_count = 2;
  mesh.parts = {a, b};
  Material skin, hair;
  skin.name = hair.name = "same";
  skin.base_color_image = 0;
  hair.base_color = {0.25F, 0.5F, 1, 0.5F};
  hair.alpha = Material::Alpha::kBlend;
  hair.roughness = 0.3F;
  hair.metallic = 0.7F;
  character.materials = {skin, hair};
  Image image;
  image.name = "skin color";
  image.mime_type = "image/png";
  image.bytes.assign(as_bytes(kPng).begin(), as_bytes(kPng).end());
  character.images = {image};
  return asset;
}

TEST_F(ObjFiles, WhatIsWrittenAnewReadsAsTheSameMesh) {
  const Asset asset = made_asset();
  save(asset, "made.obj");
  const Asset again = load("made.obj");
  const Mesh &mesh = asset.character.rig.mesh, &read = again.character.rig.mesh;
  EXPECT_EQ(read.positions, mesh.positions);
  EXPECT_EQ(read.face_vertices, mesh.face_vertices);
  EXPECT_EQ(read.face_offsets, mesh.face_offsets);
  ASSERT_EQ(read.parts.size(), 2U);
  EXPECT_EQ(read.parts[0].name, "body");
  EXPECT_EQ(read.parts[1].name, "hat with line");
  EXPECT_EQ(read.uvs.values.size(), 5U);  // Equal ones are written once.
  for (Index c = 0; c < mesh.face_vertices.size(); ++c)
    EXPECT_EQ(read.uvs.values[read.uvs.corners[c]], mesh.uvs.values[mesh.face_vertices[c]]) << c;
  EXPECT_EQ(read.normals.corners[4], 1U);
  EXPECT_EQ(read.normals.corners[7], kNone);  // A face has normals at all corners or at none.
  EXPECT_EQ(again.character.materials[0].name, "same_2");
  EXPECT_EQ(again.character.materials[0].base_color, asset.character.materials[1].base_color);
  EXPECT_EQ(again.character.materials[0].roughness, 0.3F);
  EXPECT_EQ(again.character.materials[0].metallic, 0.7F);
  ASSERT_EQ(again.character.images.size(), 1U);
  EXPECT_EQ(get("made_skin_color.png"), kPng);
  EXPECT_TRUE(again.warnings.empty());
}

TEST_F(ObjFiles, WrittenAgainItReplacesItsOwnLibraryAndNoOther) {
  put("made_skin_color.png", "another's");
  Asset asset = made_asset();
  save(asset, "made.obj");
  EXPECT_EQ(get("made_skin_color.png"), "another's");
  EXPECT_EQ(get("made_skin_color_2.png"), kPng);
  asset.character.materials[0].roughness = 0.25F;
  save(asset, "made.obj");
  // The library of the old file stays until the new file is in its place, so the new one has another name.
  EXPECT_FALSE(fs::exists(folder / "made.mtl"));
  EXPECT_NE(get("made_2.mtl").find("Pr 0.25"), std::string::npos);
  EXPECT_NE(get("made.obj").find("mtllib made_2.mtl"), std::string::npos);
  EXPECT_EQ(get("made_skin_color_2.png"), kPng);
  put("made.mtl", "another's");
  asset.character.materials[0].roughness = 0.75F;
  save(asset, "made.obj");
  EXPECT_EQ(get("made.mtl"), "another's");
  EXPECT_EQ(get("made_skin_color.png"), "another's");
  EXPECT_NE(get("made_3.mtl").find("Pr 0.75"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "made_2.mtl"));
}

TEST_F(ObjFiles, TheReportTellsWhatObjCannotHold) {
  Asset asset = made_asset();
  asset.character.rig.skeleton.joints.resize(3);
  asset.character.clips.resize(2);
  const Report report = save(asset, "made.obj");
  EXPECT_TRUE(has(report.warnings, "obj.dropped", "the skeleton (3 joints), 2 clip(s)"));
  EXPECT_TRUE(save(made_asset(), "made.obj").warnings.empty());
}

TEST_F(ObjFiles, NothingIsReadThatIsNotAnOrdinaryFile) {
  fs::create_directories(folder / "sub");
  put("sub/a.png", kPng);
  EXPECT_FALSE(find_beside(folder, "sub"));
  EXPECT_FALSE(find_beside(folder, "/dev/zero"));
  EXPECT_FALSE(find_beside(folder, std::string_view("a\0b", 3)));
  EXPECT_TRUE(find_beside(folder, "sub\\a.png"));
  EXPECT_TRUE(find_beside(folder / "sub", "/some/where/a.png"));
  EXPECT_EQ(name_inside("../../a.png"), "a.png");
  EXPECT_EQ(name_inside("D:\\x\\a.png"), "a.png");
  EXPECT_EQ(name_inside("x\\a.png"), "x/a.png");
}

}  // namespace
}  // namespace sinew::io
