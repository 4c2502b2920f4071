// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Real files: those of Debian's package assimp-testmodels, and characters of SINEW_DATA when it is set.

#include "sinew/io/assimp/reader.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "sinew/core/parallel.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;

// A file of the package, or an empty path.
fs::path sample(const std::string& name) {
  const fs::path path = fs::path("/usr/share/assimp/models") / name;
  return fs::exists(path) ? path : fs::path();
}

#define SAMPLE_OR_SKIP(variable, name)    \
  const fs::path variable = sample(name); \
  if (variable.empty()) GTEST_SKIP() << "The package assimp-testmodels is not installed: " << (name)

std::string error_of(const fs::path& path, const Bytes& bytes) {
  try {
    load_bytes(path, bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Index deforming(const Skeleton& skeleton) {
  Index count = 0;
  for (const Joint& joint : skeleton.joints) count += joint.deforming ? 1 : 0;
  return count;
}

// Sets a whole number among the global settings of a binary FBX file.
void set_integer(Bytes& bytes, const std::string& name, std::int32_t value) {
  std::string key = "S....";
  const auto length = static_cast<std::uint32_t>(name.size());
  std::memcpy(key.data() + 1, &length, 4);
  key += name;
  const std::string_view text = as_text(bytes);
  const std::size_t found = text.find(key);
  ASSERT_NE(found, std::string_view::npos) << name;
  const std::size_t at = text.find(std::string_view("S\0\0\0\0I", 6), found);
  ASSERT_NE(at, std::string_view::npos) << name;
  std::memcpy(bytes.data() + at + 6, &value, 4);
}

TEST(AssimpReader, ReadsTheQuadHumanOfAZippedCollada) {
  SAMPLE_OR_SKIP(path, "Collada/human.zae");
  const Asset asset = load(path);
  const Mesh& mesh = asset.character.rig.mesh;
  ASSERT_EQ(mesh.parts.size(), 2U);
  EXPECT_EQ(mesh.parts[0].vertex_count, 13380U);
  EXPECT_EQ(mesh.parts[0].face_count, 13378U);
  for (Index f = 0; f < mesh.face_count(); ++f) ASSERT_EQ(mesh.face(f).size(), 4U);
  EXPECT_NEAR(mesh.bounds().extent().y(), 1.659, 0.001);
  ASSERT_EQ(asset.character.images.size(), 1U);
  EXPECT_EQ(asset.character.images[0].mime_type, "image/png");
  EXPECT_EQ(asset.contents["up"], "+y");
}

TEST(AssimpReader, ReadsASkinnedFbxWithItsClip) {
  SAMPLE_OR_SKIP(path, "FBX/animation_with_skeleton.fbx");
  const Asset asset = load(path);
  const Rig& rig = asset.character.rig;
  EXPECT_EQ(rig.mesh.vertex_count(), 1058U);
  EXPECT_EQ(rig.mesh.face_count(), 1056U);
  EXPECT_EQ(rig.mesh.face(0).size(), 4U);
  EXPECT_EQ(rig.skeleton.size(), 17U);  // 16 joints and the armature above them.
  EXPECT_EQ(deforming(rig.skeleton), 14U);
  EXPECT_EQ(rig.weights.max_influences(), 6U);
  ASSERT_EQ(asset.character.clips.size(), 1U);
  EXPECT_NEAR(asset.character.clips[0].duration_s(), 20.0 / 24, 1e-6);
  EXPECT_EQ(asset.contents["cameras"], 1U);
  EXPECT_EQ(asset.contents["lights"], 1U);
  // Blender's armature has scale 100 in a file of centimetres: together they are nothing.
  for (const Joint& joint : rig.skeleton.joints) EXPECT_LT((joint.rest.scale - Vec3(1, 1, 1)).norm(), 1e-4);
}

TEST(AssimpReader, UnitAndAxesOfAnFbxAreHonoured) {
  SAMPLE_OR_SKIP(path, "FBX/huesitos.fbx");
  Bytes bytes = read_file(path);
  const Asset plain = load_bytes(path, bytes);
  set_integer(bytes, "UpAxis", 2);
  set_integer(bytes, "FrontAxis", 1);
  set_integer(bytes, "FrontAxisSign", -1);
  const Asset turned = load_bytes(path, bytes);
  ASSERT_EQ(plain.character.rig.mesh.vertex_count(), 62U);
  const std::vector<Mat4> before = rest_matrices(plain.character.rig.skeleton);
  const std::vector<Mat4> after = rest_matrices(turned.character.rig.skeleton);
  const Mat4 turn = (Mat4() << 1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1).finished();
  for (std::size_t j = 0; j < before.size(); ++j)
    EXPECT_LT((turn * before[j] - after[j]).cwiseAbs().maxCoeff(), 1e-6 * plain.character.rig.mesh.size());
  for (Index v = 0; v < plain.character.rig.mesh.vertex_count(); ++v)
    EXPECT_LT(
        (transform_point(turn, plain.character.rig.mesh.positions[v]) - turned.character.rig.mesh.positions[v]).norm(),
        1e-6 * plain.character.rig.mesh.size());
}

TEST(AssimpReader, UnitAndAxesOfAColladaAreHonoured) {
  const auto document = [](const char* unit, const char* up) {
    return bytes_of(
        std::string(
            R"(<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter=")") +
        unit + R"(" name="u"/><up_axis>)" + up + R"(</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="12">0 0 0 1 0 0 1 0 2 0 0 2</float_array>
<technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>)");
  };
  const Asset upright = load_bytes("made.dae", document("0.01", "Z_UP"));
  EXPECT_NEAR(upright.character.rig.mesh.bounds().extent().y(), 0.02, 1e-7);
  EXPECT_EQ(upright.character.rig.mesh.face(0).size(), 4U);
  EXPECT_EQ(upright.contents["up"], "+z");
  EXPECT_EQ(upright.contents["unit_in_metres"], 0.01);
  EXPECT_TRUE(upright.states_space);
  const Asset flat = load_bytes("made.dae", document("1", "Y_UP"));
  EXPECT_NEAR(flat.character.rig.mesh.bounds().extent().z(), 2, 1e-6);
}

TEST(AssimpReader, ReadsColladaInUtf16AndWithSpaceBeforeNumbers) {
  const std::string text =
      "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
      "<asset><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh><source id=\"p\">"
      "<float_array id=\"a\" count=\"9\">  0 0 0 1 0 0\n 0 1 0 </float_array><technique_common>"
      "<accessor source=\"#a\" count=\"3\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" "
      "type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source><vertices id=\"v\">"
      "<input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles count=\"1\"><input semantic=\"VERTEX\" "
      "source=\"#v\" offset=\"0\"/><p> 0 1 2 </p></triangles></mesh></geometry></library_geometries>"
      "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\" name=\"\u00e9\"><rotate> 0 0 1 90</rotate>"
      "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes><scene>"
      "<instance_visual_scene url=\"#s\"/></scene></COLLADA>";
  const std::string latin = [&] {
    std::string plain = text;  // é in one byte, for UTF-16 below.
    if (const std::size_t at = plain.find("\u00e9"); at != std::string::npos) plain.replace(at, 2, "\xe9");
    return plain;
  }();
  for (const int order : {0, 1, 2}) {
    std::string bytes = order == 0 ? text : order == 1 ? "\xff\xfe" : "\xfe\xff";
    for (const char c : order == 0 ? std::string() : latin) {
      if (order == 2) bytes += '\0';
      bytes += c;
      if (order == 1) bytes += '\0';
    }
    const auto view = as_bytes(bytes);
    const Asset asset = load_bytes("a.dae", Bytes(view.begin(), view.end()));
    ASSERT_EQ(asset.character.rig.mesh.positions.size(), 3U) << order;
    EXPECT_LT((asset.character.rig.mesh.positions[1] - Vec3(0, 1, 0)).norm(), 1e-6) << order;
  }
}

TEST(AssimpReader, JoinsTheCornersOfAnStl) {
  const Asset asset = load_bytes(
      "tetra.stl",
      bytes_of("solid t\n"
               "facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n"
               "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"
               "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"
               "facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n"
               "endsolid t\n"));
  EXPECT_EQ(asset.character.rig.mesh.vertex_count(), 4U);
  EXPECT_EQ(asset.character.rig.mesh.face_count(), 4U);
  EXPECT_TRUE(asset.character.materials.empty());
  EXPECT_FALSE(asset.states_space);
}

TEST(AssimpReader, GivesTheSameCharacterForAnyThreadCount) {
  SAMPLE_OR_SKIP(path, "FBX/huesitos.fbx");
  const test::TemporaryFolder folder;
  std::vector<std::string> hashes;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    Report report;
    save(load(path), folder / "out.glb", {}, report);
    hashes.push_back(report.outputs.at(0).sha256);
  }
  set_thread_count(0);
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(AssimpReader, WhatItReadComesBackFromGltf) {
  SAMPLE_OR_SKIP(path, "FBX/animation_with_skeleton.fbx");
  const test::TemporaryFolder folder;
  const Asset first = load(path);
  Report report;
  save(first, folder / "out.glb", {}, report);
  const Asset second = load(folder / "out.glb");
  EXPECT_EQ(second.character.rig.mesh.face_count(), first.character.rig.mesh.face_count());
  EXPECT_EQ(second.character.clips.size(), 1U);
  EXPECT_EQ(deforming(second.character.rig.skeleton), 14U);
  EXPECT_LT((second.character.rig.mesh.bounds().extent() - first.character.rig.mesh.bounds().extent()).norm(),
            1e-5 * first.character.rig.mesh.size());
}

TEST(AssimpReader, RefusesWhatIsNoModelWithASentence) {
  for (const char* ending :
       {".fbx", ".dae", ".zae", ".stl", ".iqm", ".3ds", ".x", ".lwo", ".ms3d", ".b3d", ".md5mesh"}) {
    const std::string name = std::string("broken") + ending;
    EXPECT_GT(error_of(name, {}).size(), 15U) << ending;
    EXPECT_GT(error_of(name, Bytes(1)).size(), 15U) << ending;
    for (unsigned seed = 0; seed < 5; ++seed) {
      std::mt19937 rng(seed);
      Bytes noise(10 + 400 * seed);
      for (std::byte& byte : noise) byte = static_cast<std::byte>(rng());
      error_of(name, noise);
    }
  }
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "folder.fbx");
  EXPECT_THROW(load(folder / "folder.fbx"), Error);
  EXPECT_THROW(load(folder / "missing.dae"), Error);
}

TEST(AssimpReader, CutOffFilesGiveASentenceOrACharacter) {
  for (const char* name : {"FBX/phong_cube.fbx", "Collada/cube_tristrips.dae", "IQM/mrfixit.iqm"}) {
    SAMPLE_OR_SKIP(path, name);
    const Bytes whole = read_file(path);
    for (std::size_t part = 0; part < 24; ++part) {
      const Bytes bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * part / 24));
      try {
        EXPECT_TRUE(validate(load_bytes(path, bytes).character).empty());
      } catch (const Error& error) {
        EXPECT_GT(std::string(error.what()).size(), 15U);
      }
    }
  }
}

TEST(AssimpReader, AWorkerThatTakesTooLongIsStopped) {
  SAMPLE_OR_SKIP(path, "Collada/human.zae");
  WorkerLimits limits;
  limits.wall_s = 0.01;
  try {
    read_assimp(path, read_file(path), limits, {});
    FAIL() << "A million bytes of XML were read in 10 ms.";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Assimp, which reads this format, did not finish"), std::string::npos);
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

// File, vertices, joints (with the nodes above them), clips, height in metres.
struct Known {
  const char* file;
  Index vertices, quads, joints, bones;
  std::size_t clips;
  double height;
};

void PrintTo(const Known& known, std::ostream* out) { *out << known.file; }

class KnownCharacter : public testing::TestWithParam<Known> {};

TEST_P(KnownCharacter, HasItsCountsAndItsSize) {
  const Known& known = GetParam();
  const char* folder = std::getenv("SINEW_DATA");
  if (folder == nullptr || !fs::exists(fs::path(folder) / known.file))
    GTEST_SKIP() << "SINEW_DATA has no " << known.file;
  const Asset asset = load(fs::path(folder) / known.file);
  const Rig& rig = asset.character.rig;
  EXPECT_EQ(rig.mesh.vertex_count(), known.vertices);
  Index quads = 0;
  for (Index f = 0; f < rig.mesh.face_count(); ++f) quads += rig.mesh.face(f).size() == 4 ? 1 : 0;
  EXPECT_EQ(quads, known.quads);
  EXPECT_EQ(rig.skeleton.size(), known.joints);
  EXPECT_EQ(deforming(rig.skeleton), known.bones);
  EXPECT_EQ(asset.character.clips.size(), known.clips);
  EXPECT_NEAR(rig.mesh.bounds().extent().y(), known.height, 0.002 * known.height);
}

INSTANTIATE_TEST_SUITE_P(Data, KnownCharacter,
                         testing::Values(Known{"rigged-fbx/Male_Adult_01.fbx", 4025, 0, 82, 80, 1, 1.824},
                                         Known{"rigged-fbx/Camel_OneHump_01.fbx", 1556, 1404, 40, 39, 0, 2.137},
                                         Known{"rigged-fbx/Dog_Beagle_01.fbx", 1453, 0, 36, 34, 0, 0.611},
                                         Known{"rigged-fbx/arnaud.fbx", 3337, 0, 54, 53, 0, 1.831},
                                         Known{"rigged-fbx/Smooth_Male_Shirt.fbx", 3994, 3980, 43, 31, 11, 4.839},
                                         Known{"rigged-fbx/Bone_Helpers.fbx", 754, 752, 8, 8, 1, 0.009039},
                                         Known{"rigged-fbx/Bone_All.fbx", 754, 752, 6, 6, 1, 0.009039},
                                         Known{"poses/male_10_poses/Male_Standing.fbx", 446, 378, 0, 0, 0, 3.832},
                                         Known{"makehuman/human.zae", 14444, 14398, 0, 0, 0, 1.659}),
                         [](const auto& info) { return fs::path(info.param.file).stem().string(); });

}  // namespace
}  // namespace sinew::io
