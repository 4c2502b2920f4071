// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/fbx/fbx.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cstdlib>

#include "sinew/core/angles.h"
#include "sinew/motion/sample.h"
#include "tests/support/fbx_writer.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

using test::fbx_object;
using test::fbx_property;
using test::FbxFile;
using test::FbxRecord;
using test::make_fbx_strip;

Asset read_made(const FbxFile& file, std::uint32_t version = 7400) {
  return load_bytes("made.fbx", file.bytes(version));
}

std::string refusal_of(const Bytes& bytes) {
  try {
    load_bytes("made.fbx", bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Where the joints are at a time of the first clip.
std::vector<Mat4> joints_at(const Asset& asset, double time_s) {
  const Pose pose = motion::sample(asset.character.rig, asset.character.clips.at(0), time_s);
  return model_matrices(asset.character.rig.skeleton, pose.local);
}

const Track* track_of(const Asset& asset, const char* joint, Track::Path path) {
  for (const Track& track : asset.character.clips.at(0).tracks)
    if (track.path == path && track.target == asset.character.rig.skeleton.find(joint)) return &track;
  return nullptr;
}

TEST(FbxReader, KeepsVerticesPolygonsAndLayersAsInTheFile) {
  for (const std::uint32_t version : {7100U, 7400U, 7500U, 7700U})
    for (const bool deflated : {false, true}) {
      const Asset asset = read_made(make_fbx_strip(deflated), version);
      const Mesh& mesh = asset.character.rig.mesh;
      ASSERT_EQ(mesh.vertex_count(), 8U) << version;
      EXPECT_LT((mesh.positions[3] - Vec3(0.5, 1.05, 0)).norm(), 1e-6);
      EXPECT_LT((mesh.positions[7] - Vec3(0.07, 0.12, 0.07)).norm(), 1e-6);  // No face uses it.
      ASSERT_EQ(mesh.face_count(), 3U);
      EXPECT_EQ(std::vector<Index>(mesh.face(1).begin(), mesh.face(1).end()), (std::vector<Index>{2, 3, 5, 4}));
      EXPECT_EQ(mesh.face(2).size(), 3U);
      EXPECT_EQ(mesh.uvs.values[mesh.uvs.corners[10]], Vec2f(0.5F, 0.75F));
      EXPECT_EQ(mesh.normals.values[mesh.normals.corners[4]], Vec3f(0, 0, 1));
      ASSERT_EQ(mesh.face_materials, (std::vector<Index>{0, 1, 0}));
      EXPECT_EQ(asset.character.materials[1].name, "leather");
      EXPECT_EQ(asset.character.materials[1].base_color.head<3>(), Vec3f(0.5F, 0.25F, 1.0F));
      EXPECT_TRUE(asset.warnings.empty()) << asset.warnings.front().text;
    }
}

TEST(FbxReader, TheBindPoseGivesTheMeshAndTheClipBendsIt) {
  const Asset asset = read_made(make_fbx_strip());
  const Rig& rig = asset.character.rig;
  ASSERT_EQ(rig.skins.size(), 1U);
  ASSERT_EQ(rig.weights.row(6).size(), 1U);
  EXPECT_EQ(rig.weights.row(6)[0].joint, rig.skeleton.find("upper"));
  EXPECT_TRUE(rig.weights.row(7).empty());
  const std::vector<Mat4> bind = inverse_bind_of_part(rig, 0);
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const Index upper = rig.skeleton.find("upper");
  EXPECT_LT((rest[upper] * bind[upper] - Mat4::Identity()).cwiseAbs().maxCoeff(), 1e-6);
  ASSERT_EQ(asset.character.clips.size(), 1U);
  EXPECT_EQ(asset.character.clips[0].name, "bend");
  EXPECT_NEAR(asset.character.clips[0].duration_s(), 1, 1e-6);
  // A quarter turn about the joint at 1.05 m: the top right corner goes from (0.5, 2.05) to (−1, 1.55).
  const Vec3 end = transform_point(joints_at(asset, 1)[upper] * bind[upper], rig.mesh.positions[5]);
  EXPECT_LT((end - Vec3(-1, 1.55, 0)).norm(), 1e-5);
  // Between the keys the file's angle grows evenly.
  const Mat3 half = joints_at(asset, 0.25)[upper].topLeftCorner<3, 3>();
  EXPECT_NEAR(std::atan2(half(1, 0), half(0, 0)), radians(22.5), 1e-4);
}

TEST(FbxReader, UnitAndAxesAreThoseOfTheFile) {
  FbxFile file = make_fbx_strip();
  file.settings = {fbx_property("UnitScaleFactor", {100}),          test::fbx_integer_property("UpAxis", 2),
                   test::fbx_integer_property("UpAxisSign", 1),     test::fbx_integer_property("FrontAxis", 1),
                   test::fbx_integer_property("FrontAxisSign", -1), test::fbx_integer_property("CoordAxis", 0),
                   test::fbx_integer_property("CoordAxisSign", 1)};
  const Asset asset = read_made(file);
  // The file's y is away from the viewer: model space's −z.
  EXPECT_LT((asset.character.rig.mesh.positions[3] - Vec3(50, 0, -105)).norm(), 1e-4);
  EXPECT_EQ(asset.contents["unit_in_metres"], 1.0);
  EXPECT_TRUE(asset.states_space);
}

TEST(FbxReader, BlendShapesHaveTheirRestWeights) {
  const Asset asset = read_made(make_fbx_strip());
  const MeshPart& part = asset.character.rig.mesh.parts[0];
  ASSERT_EQ(part.morphs.size(), 1U);
  EXPECT_EQ(part.morphs[0].name, "wide");
  EXPECT_NEAR(part.morph_weights[0], 0.25, 1e-7);
  EXPECT_EQ(part.morphs[0].deltas[3], Vec3f(0.5F, 0, 0));
  EXPECT_EQ(part.morphs[0].deltas[2], Vec3f(0, 0, 0));
}

TEST(FbxReader, AnimatedBlendShapesBecomeMorphTracks) {
  FbxFile file = make_fbx_strip();
  file.objects.add(fbx_object("AnimationCurveNode", 200, "percent", "", {fbx_property("d|DeformPercent", {0})}));
  file.objects.add(test::fbx_curve(201, {0, 0.5}, {0, 80}, 4));
  file.connect(200, test::kStripLayer);
  file.connect(200, test::kStripChannel, "DeformPercent");
  file.connect(201, 200, "d|DeformPercent");
  const Asset asset = read_made(file);
  const Track* found = nullptr;
  for (const Track& track : asset.character.clips[0].tracks)
    if (track.path == Track::Path::kMorphWeights) found = &track;
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->times_s, (std::vector<float>{0.0F, 0.5F}));
  EXPECT_NEAR(found->values[1], 0.8F, 1e-6F);
}

TEST(FbxReader, ALayerIsAddedToTheBase) {
  FbxFile file = make_fbx_strip();
  file.objects.add(fbx_object("AnimationLayer", 200, "more", "", {fbx_property("Weight", {50})}));
  file.objects.add(fbx_object("AnimationCurveNode", 201, "R", ""));
  file.objects.add(test::fbx_curve(202, {0, 1}, {20, 20}, 4));
  file.connect(200, test::kStripStack);
  file.connect(201, 200);
  file.connect(201, test::kStripUpper, "Lcl Rotation");
  file.connect(202, 201, "d|Z");
  const Asset asset = read_made(file);
  const Mat3 end = joints_at(asset, 1)[asset.character.rig.skeleton.find("upper")].topLeftCorner<3, 3>();
  EXPECT_NEAR(std::atan2(end(1, 0), end(0, 0)), radians(100), 1e-4);
}

TEST(FbxReader, KeysOutsideTheStackAreNotPlayed) {
  FbxFile file = make_fbx_strip();
  file.objects.remove("AnimationStack");
  file.objects.add(
      fbx_object("AnimationStack", test::kStripStack, "bend", "",
                 {test::fbx_time_property("LocalStart", 0.25), test::fbx_time_property("LocalStop", 0.75)}));
  const Asset asset = read_made(file);
  EXPECT_NEAR(asset.character.clips[0].duration_s(), 0.5, 1e-6);
  const Mat3 start = joints_at(asset, 0)[asset.character.rig.skeleton.find("upper")].topLeftCorner<3, 3>();
  EXPECT_NEAR(std::atan2(start(1, 0), start(0, 0)), radians(22.5), 1e-4);
}

TEST(FbxReader, ARotationAboutAPivotMovesTheJoint) {
  FbxFile file = make_fbx_strip();
  file.objects.add(
      fbx_object("Model", 200, "lid", "LimbNode",
                 {fbx_property("Lcl Translation", {0, 10, 0}), fbx_property("RotationPivot", {20, 0, 0})}));
  file.connect(200, test::kStripLower);
  file.connect(test::kStripRotationNode, 200, "Lcl Rotation");
  const Asset asset = read_made(file);
  ASSERT_NE(track_of(asset, "lid", Track::Path::kTranslation), nullptr);
  const std::vector<Mat4> end = joints_at(asset, 1);
  const Mat4 lid = end[asset.character.rig.skeleton.find("lid")];
  // 10 cm above the lower joint; the pivot, 20 cm to the side, stays while the joint turns about it by a quarter.
  EXPECT_LT((lid.topRightCorner<3, 1>() - Vec3(0.2, 0.05 + 0.1 - 0.2, 0)).norm(), 1e-5);
}

TEST(FbxReader, GeometricTransformsMoveTheMeshAndNothingElse) {
  FbxFile file;
  file.objects.add(
      fbx_object("Model", 1, "block", "Mesh",
                 {fbx_property("GeometricTranslation", {100, 0, 0}), fbx_property("GeometricScaling", {2, 2, 2})}));
  file.objects.add(fbx_object("Model", 3, "child", "Mesh"));
  FbxRecord geometry = fbx_object("Geometry", 2, "", "Mesh");
  geometry.add(std::move(FbxRecord("Vertices").reals({0, 0, 0, 50, 0, 0, 0, 50, 0})));
  geometry.add(std::move(FbxRecord("PolygonVertexIndex").integers({0, 1, ~2})));
  file.objects.add(std::move(geometry));
  file.connect(1, 0);
  file.connect(3, 1);
  file.connect(2, 1);
  file.connect(2, 3);  // An instance, which has no such transform.
  const Asset asset = read_made(file);
  ASSERT_EQ(asset.character.rig.mesh.vertex_count(), 6U);
  EXPECT_LT((asset.character.rig.mesh.positions[1] - Vec3(2, 0, 0)).norm(), 1e-6);
  EXPECT_LT((asset.character.rig.mesh.positions[4] - Vec3(0.5, 0, 0)).norm(), 1e-6);
}

TEST(FbxReader, PropertiesAreNoPlacesInTheTree) {
  FbxFile file = make_fbx_strip();
  // A target that a bone looks at is not below it. It has no other connection, so it stands in the scene.
  file.objects.add(fbx_object("Model", 200, "target", "Null", {fbx_property("Lcl Translation", {0, 0, 300})}));
  file.connect(200, test::kStripUpper, "LookAtProperty");
  file.connect(test::kStripRotationNode, 200, "Lcl Rotation");  // What a clip moves is a joint.
  const Asset asset = read_made(file);
  const Skeleton& skeleton = asset.character.rig.skeleton;
  ASSERT_NE(skeleton.find("target"), kNone);
  EXPECT_EQ(skeleton.joints[skeleton.find("target")].parent, kNone);
}

TEST(FbxReader, LayersFollowEveryMapping) {
  const auto colors_of = [](const char* mapping, const char* reference, const std::vector<double>& values,
                            const std::vector<std::int32_t>& indices) {
    FbxFile file = make_fbx_strip();
    FbxRecord layer("LayerElementColor");
    layer.integer(0);
    layer.add(std::move(FbxRecord("MappingInformationType").text(mapping)));
    layer.add(std::move(FbxRecord("ReferenceInformationType").text(reference)));
    layer.add(std::move(FbxRecord("Colors").reals(values)));
    if (!indices.empty()) layer.add(std::move(FbxRecord("ColorIndex").integers(indices)));
    file.objects.find("Geometry")->add(std::move(layer));
    return read_made(file).character.rig.mesh.colors;
  };
  const std::vector<double> two = {1, 0, 0, 1, 0, 0, 1, 0.5};
  const Vec4f red(1, 0, 0, 1), blue(0, 0, 1, 0.5F);
  EXPECT_EQ(colors_of("AllSame", "Direct", two, {}).at(6), red);
  EXPECT_EQ(colors_of("ByPolygon", "IndexToDirect", two, {0, 1, 1}).at(6), blue);
  EXPECT_EQ(colors_of("ByVertice", "IndexToDirect", two, {0, 0, 0, 0, 1, 0, 0, 0}).at(4), blue);
  EXPECT_EQ(colors_of("ByPolygonVertex", "IndexToDirect", two, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}).at(6), blue);
  // What no mapping explains is left out.
  EXPECT_TRUE(colors_of("ByEdge", "Direct", two, {}).empty());
}

TEST(FbxReader, WrongReferencesGiveSentences) {
  FbxFile file = make_fbx_strip();
  file.objects.find("Geometry")->remove("PolygonVertexIndex");
  file.objects.find("Geometry")->add(std::move(FbxRecord("PolygonVertexIndex").integers({0, 1, ~99})));
  EXPECT_NE(refusal_of(file.bytes()).find("uses vertex 99 but has only 8"), std::string::npos);
  file = make_fbx_strip();
  FbxRecord odd = fbx_object("Deformer", 300, "", "Cluster");
  odd.add(std::move(FbxRecord("Indexes").integers({0, 1})));
  odd.add(std::move(FbxRecord("Weights").reals({1})));
  file.objects.add(std::move(odd));
  file.connect(300, test::kStripSkin);
  file.connect(test::kStripLower, 300);
  EXPECT_NE(refusal_of(file.bytes()).find("lists 2 vertices and 1 weights"), std::string::npos);
}

TEST(FbxReader, DeepOrInflatedFilesAreRefused) {
  FbxFile file = make_fbx_strip();
  FbxRecord deep("Deep");
  for (int level = 0; level < 100; ++level) deep = FbxRecord("Deep").add(deep);
  file.objects.add(deep);
  EXPECT_NE(refusal_of(file.bytes()).find("nested too deeply"), std::string::npos);
  // An array that claims to be larger than its bytes can be.
  Bytes bytes = make_fbx_strip(true).bytes();
  const std::size_t at = as_text(bytes).find("Vertices");
  ASSERT_NE(at, std::string_view::npos);
  const std::uint32_t count = 1'000'000;
  std::memcpy(bytes.data() + at + 9, &count, sizeof count);
  EXPECT_NE(refusal_of(bytes).find("damaged"), std::string::npos);
}

TEST(FbxReader, AFileCutOffAnywhereIsRefusedOrValid) {
  const Bytes whole = make_fbx_strip().bytes();
  for (std::size_t size = 27; size < whole.size(); size += 7) {
    try {
      const Asset asset =
          load_bytes("made.fbx", Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
      EXPECT_TRUE(validate(asset.character).empty());
    } catch (const Error& error) {
      EXPECT_GT(std::string(error.what()).size(), 15U);
    }
  }
}

// Pose sets of one mesh: what tells a program that they belong together is that only positions differ.
TEST(FbxReader, PosesOfOneMeshHaveTheSameVerticesAndPolygons) {
  const char* data = std::getenv("SINEW_DATA");
  const std::filesystem::path folder = std::filesystem::path(data == nullptr ? "" : data) / "poses/male_10_poses";
  if (data == nullptr || !std::filesystem::exists(folder)) GTEST_SKIP() << "SINEW_DATA has no pose set.";
  std::vector<Index> faces;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".fbx") continue;
    const Mesh mesh = load(entry.path()).character.rig.mesh;
    if (files++ == 0) faces = mesh.face_vertices;
    EXPECT_EQ(mesh.face_vertices, faces) << entry.path();
    EXPECT_EQ(mesh.vertex_count(), 446U);
  }
  EXPECT_EQ(files, 10U);
}

}  // namespace
}  // namespace sinew::io
