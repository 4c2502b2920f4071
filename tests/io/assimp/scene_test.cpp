// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// The worker's message, and what becomes of a scene, on scenes made by hand.

#include "sinew/io/assimp/scene.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "sinew/core/error.h"
#include "sinew/io/assimp/build.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io::assimp {
namespace {

Mat4 placed(const Vec3& translation, double scale = 1, const Quat& rotation = Quat::Identity()) {
  return Transform{translation, rotation, Vec3::Constant(scale)}.matrix();
}

// Two quads up the y axis, every corner a vertex of its own as Assimp gives them, on two bones, with a morph and a
// clip. `bone_scale` is that of the armature; in the armature's own space all is 1/bone_scale as large.
Scene make_strip(double bone_scale = 1) {
  Scene scene;
  scene.facts = {"by hand", "7400", 1.0, 1, 1, 2, 1, 0, 1, 1, 2};
  scene.nodes.push_back({"RootNode", kNone, Mat4::Identity(), {}});
  scene.nodes.push_back({"Armature", 0, placed({0, 5, 0}, bone_scale), {}});
  scene.nodes.push_back({"lower", 1, placed({0, 0, 0}), {}});
  scene.nodes.push_back({"upper", 2, placed({0, 100 / bone_scale, 0}), {}});
  scene.nodes.push_back({"upper_end", 3, placed({0, 100 / bone_scale, 0}), {}});
  scene.nodes.push_back({"skin", 0, placed({0, 5, 0}), {0}});
  SceneMesh mesh;
  mesh.name = "strip";
  for (int quad = 0; quad < 2; ++quad)
    for (const auto& [x, y] : {std::pair{0, 0}, {50, 0}, {50, 100}, {0, 100}}) {
      mesh.positions.emplace_back(static_cast<float>(x), static_cast<float>(y + 100 * quad), 0.0F);
      mesh.normals.emplace_back(0.0F, 0.0F, 1.0F);
      mesh.uvs.emplace_back(static_cast<float>(x) / 50, static_cast<float>(y) / 100);
    }
  mesh.face_offsets = {0, 4, 8};
  mesh.face_vertices = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto bone = [&](Index node, std::vector<Index> vertices, double height) {
    SceneBone result;
    result.node = node;
    result.offset = placed({0, 0, 0}, 1 / bone_scale) * placed({0, -height, 0});
    result.vertices = std::move(vertices);
    result.weights.assign(result.vertices.size(), 1.0F);
    return result;
  };
  mesh.bones = {bone(2, {0, 1, 2, 3, 4, 5}, 0), bone(3, {6, 7}, 100)};
  SceneMorph morph{"wide", 0.25F, mesh.positions};
  for (Vec3f& p : morph.positions) p.x() *= 2;
  mesh.morphs.push_back(morph);
  mesh.material = 0;
  scene.meshes.push_back(mesh);
  scene.materials.emplace_back().name = "cloth";
  SceneClip clip;
  clip.name = "bend";
  clip.ticks_per_second = 10;
  SceneChannel channel;
  channel.node = 3;
  channel.translation = {{0, 10},
                         {0, static_cast<float>(100 / bone_scale), 0, 0, static_cast<float>(120 / bone_scale), 0}};
  channel.rotation = {{0, 5, 10}, {0, 0, 0, 1, 0, 0, 0.6F, 0.8F, 0, 0, 0, 1}};
  clip.channels.push_back(channel);
  clip.morphs.push_back({"strip", {{0, 10}, {0, 1}}});
  scene.clips.push_back(clip);
  return scene;
}

Asset build(const Scene& scene, const char* name = "made.fbx") { return build_asset(scene, name, {}); }

std::vector<std::string> codes_of(const Asset& asset) {
  std::vector<std::string> codes;
  for (const Finding& finding : asset.warnings) codes.push_back(finding.code);
  return codes;
}

// Where a vertex is when the joints stand as in `model`, by linear blending.
Vec3 skinned(const Rig& rig, Index vertex, const std::vector<Mat4>& model) {
  Index part = 0;
  while (vertex >= rig.mesh.parts[part].first_vertex + rig.mesh.parts[part].vertex_count) ++part;
  const std::vector<Mat4> bind = inverse_bind_of_part(rig, part);
  Vec3 sum = Vec3::Zero();
  for (const Influence& influence : rig.weights.row(vertex))
    sum += static_cast<double>(influence.weight) *
           transform_point(model[influence.joint] * bind[influence.joint], rig.mesh.positions[vertex]);
  return sum;
}

TEST(SceneMessage, ComesBackAsItWasSent) {
  const Scene scene = make_strip();
  const Bytes bytes = encode(scene);
  EXPECT_EQ(encode(decode(bytes)), bytes);
}

TEST(SceneMessage, IsRefusedWhenCutOffAnywhere) {
  const Bytes bytes = encode(make_strip());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(decode(std::span(bytes.data(), size)), Error) << size;
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_THROW(decode(longer), Error);
}

TEST(SceneMessage, DamagedGivesACharacterThatCanBeCheckedOrASentence) {
  const Bytes good = encode(make_strip());
  int refused = 0, accepted = 0;
  for (unsigned i = 0; i < 4000; ++i) {
    std::mt19937 rng(i);
    Bytes bytes = good;
    for (unsigned edit = 0; edit <= rng() % 3; ++edit)
      bytes[rng() % bytes.size()] = static_cast<std::byte>(rng() % 4 == 0 ? 255 : rng());
    try {
      const Asset asset = build_asset(decode(bytes), "made.fbx", {});
      accepted += validate(asset.character).empty() ? 1 : 0;
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(accepted, 100);
}

TEST(SceneCheck, RefusesIndicesThatPointNowhere) {
  const auto broken = [](const std::function<void(Scene&)>& damage) {
    Scene scene = make_strip();
    damage(scene);
    EXPECT_THROW(decode(encode(scene)), Error);
  };
  broken([](Scene& s) { s.nodes[3].parent = 3; });
  broken([](Scene& s) { s.nodes[3].parent = kNone; });
  broken([](Scene& s) { s.nodes[0].meshes = {1}; });
  broken([](Scene& s) { s.nodes.clear(); });
  broken([](Scene& s) { s.meshes[0].face_vertices[2] = 8; });
  broken([](Scene& s) { s.meshes[0].face_offsets = {0, 9}; });
  broken([](Scene& s) { s.meshes[0].face_offsets = {0, 5, 4, 8}; });
  broken([](Scene& s) { s.meshes[0].normals.pop_back(); });
  broken([](Scene& s) { s.meshes[0].bones[0].node = 9; });
  broken([](Scene& s) { s.meshes[0].bones[0].vertices[0] = 8; });
  broken([](Scene& s) { s.meshes[0].bones[0].weights.pop_back(); });
  broken([](Scene& s) { s.meshes[0].morphs[0].positions.pop_back(); });
  broken([](Scene& s) { s.meshes[0].material = 1; });
  broken([](Scene& s) { s.materials[0].normal.embedded = 0; });
  broken([](Scene& s) { s.clips[0].channels[0].node = 6; });
  broken([](Scene& s) { s.clips[0].channels[0].rotation.values.pop_back(); });
  broken([](Scene& s) { s.nodes[2].local(0, 3) = std::numeric_limits<double>::infinity(); });
}

TEST(SceneBuild, JoinsCornersAndKeepsQuadsAndTheirTextureCoordinates) {
  const Asset asset = build(make_strip());
  const Mesh& mesh = asset.character.rig.mesh;
  ASSERT_TRUE(validate(asset.character).empty());
  EXPECT_EQ(mesh.vertex_count(), 6U);
  ASSERT_EQ(mesh.face_count(), 2U);
  EXPECT_EQ(mesh.face(1).size(), 4U);
  // The seam between the quads has v = 0 above and v = 1 below it, and v grows downwards here.
  EXPECT_EQ(mesh.face_vertices[3], mesh.face_vertices[4]);
  EXPECT_EQ(mesh.uvs.values[mesh.uvs.corners[3]], Vec2f(0, 0));
  EXPECT_EQ(mesh.uvs.values[mesh.uvs.corners[4]], Vec2f(0, 1));
  EXPECT_EQ(mesh.normals.values.size(), 1U);
  const auto codes = codes_of(asset);
  EXPECT_NE(std::find(codes.begin(), codes.end(), "vertex_order"), codes.end());
}

TEST(SceneBuild, KeepsCornersApartWhereWeightsOrMorphsDiffer) {
  Scene scene = make_strip();
  scene.meshes[0].bones[0].weights[4] = 0.5F;
  EXPECT_EQ(build(scene).character.rig.mesh.vertex_count(), 7U);
  scene.meshes[0].morphs[0].positions[5].z() = 1;
  const Asset asset = build(scene);
  EXPECT_EQ(asset.character.rig.mesh.vertex_count(), 8U);
  const auto codes = codes_of(asset);
  EXPECT_NE(std::find(codes.begin(), codes.end(), "assimp.split_vertices"), codes.end());
}

TEST(SceneBuild, JoinsTheMaterialsOfOneNodeIntoOnePart) {
  Scene scene = make_strip();
  SceneMesh upper = scene.meshes[0];
  scene.meshes[0].face_offsets = {0, 4};
  scene.meshes[0].face_vertices = {0, 1, 2, 3};
  upper.face_offsets = {0, 4};
  upper.face_vertices = {4, 5, 6, 7};
  upper.material = 1;
  scene.materials.emplace_back().name = "skin";
  scene.meshes.push_back(upper);
  scene.nodes[5].meshes = {0, 1};
  const Asset asset = build(scene);
  ASSERT_EQ(asset.character.rig.mesh.parts.size(), 1U);
  EXPECT_EQ(asset.character.rig.mesh.vertex_count(), 6U);
  EXPECT_EQ(asset.character.rig.mesh.face_materials, (std::vector<Index>{0, 1}));
  EXPECT_EQ(asset.character.rig.skins.size(), 1U);
}

TEST(SceneBuild, MakesMetresOfCentimetresWithoutScaledJoints) {
  for (const double bone_scale : {1.0, 100.0}) {
    const Asset asset = build(make_strip(bone_scale));
    const Rig& rig = asset.character.rig;
    EXPECT_NEAR(rig.mesh.bounds().extent().y(), 2, 1e-6);
    EXPECT_NEAR(rig.mesh.bounds().lower.y(), 0.05, 1e-6);
    ASSERT_EQ(rig.skeleton.size(), 4U);
    for (const Joint& joint : rig.skeleton.joints) EXPECT_EQ(joint.rest.scale, Vec3(1, 1, 1)) << joint.name;
    EXPECT_NEAR(rig.skeleton.joints[2].rest.translation.y(), 1, 1e-6);
    ASSERT_TRUE(rig.skeleton.joints[2].end_local);
    EXPECT_NEAR(rig.skeleton.joints[2].end_local->y(), 1, 1e-6);
    EXPECT_TRUE(asset.states_space);
    EXPECT_EQ(asset.contents["unit_in_metres"], 0.01);
  }
}

TEST(SceneBuild, TheRestPoseGivesTheMeshWhereItIsTheBindPose) {
  for (const auto& [right_sign, up, front, front_sign] :
       {std::array{1, 1, 2, 1}, {1, 2, 1, -1}, {-1, 1, 2, 1}, {-1, 2, 1, 1}}) {
    Scene scene = make_strip(100);
    scene.facts.right_sign = right_sign;
    scene.facts.up = up, scene.facts.front = front, scene.facts.front_sign = front_sign;
    const Asset asset = build(scene);
    const Rig& rig = asset.character.rig;
    ASSERT_TRUE(validate(asset.character).empty());
    const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
      EXPECT_LT((skinned(rig, v, rest) - rig.mesh.positions[v]).norm(), 1e-6);
    for (const Mat4& joint : rest) EXPECT_GT(joint.determinant(), 0);
  }
}

TEST(SceneBuild, AxesOfTheFileBecomeUpForwardAndLeft) {
  Scene scene = make_strip();
  scene.facts.up = 2, scene.facts.front = 1, scene.facts.front_sign = -1;  // As 3ds Max and Blender: z up, facing −y.
  const Asset asset = build(scene);
  // The strip ran along the file's y, which is backwards, and lay 5 cm along it.
  const Box box = asset.character.rig.mesh.bounds();
  EXPECT_NEAR(box.lower.z(), -2.05, 1e-6);
  EXPECT_NEAR(box.extent().x(), 0.5, 1e-6);
  EXPECT_NEAR(box.extent().y(), 0, 1e-6);
  EXPECT_EQ(asset.contents["up"], "+z");
  EXPECT_EQ(asset.contents["forward"], "-y");
}

TEST(SceneBuild, AMirroredFileKeepsItsFacesOutside) {
  Scene scene = make_strip();
  scene.facts.right_sign = -1;
  const Asset asset = build(scene);
  const Mesh& mesh = asset.character.rig.mesh;
  EXPECT_LT(mesh.bounds().lower.x(), -0.49);
  for (Index f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    const Vec3 normal =
        (mesh.positions[face[1]] - mesh.positions[face[0]]).cross(mesh.positions[face[2]] - mesh.positions[face[0]]);
    const Index corner = mesh.normals.corners[mesh.face_offsets[f]];
    EXPECT_GT(normal.dot(mesh.normals.values[corner].cast<double>()), 0);
  }
}

TEST(SceneBuild, ClipsMoveJointsAndMorphsInMetresAndSeconds) {
  for (const double bone_scale : {1.0, 100.0}) {
    const Asset asset = build(make_strip(bone_scale));
    ASSERT_EQ(asset.character.clips.size(), 1U);
    const Clip& clip = asset.character.clips[0];
    EXPECT_EQ(clip.name, "bend");
    EXPECT_DOUBLE_EQ(clip.duration_s(), 1);
    ASSERT_EQ(clip.tracks.size(), 3U);
    EXPECT_EQ(asset.character.rig.skeleton.joints[clip.tracks[0].target].name, "upper");
    EXPECT_NEAR(clip.tracks[0].values[4], 1.2, 1e-6);
    EXPECT_EQ(clip.tracks[1].times_s, (std::vector<float>{0, 0.5F, 1}));
    EXPECT_NEAR(clip.tracks[1].values[6], 0.6, 1e-6);
    EXPECT_EQ(clip.tracks[2].path, Track::Path::kMorphWeights);
    EXPECT_EQ(clip.tracks[2].values, (std::vector<float>{0, 1}));
  }
}

TEST(SceneBuild, AClipOfTheRootFollowsUnitAxesAndScale) {
  Scene scene = make_strip(50);
  scene.facts.up = 2, scene.facts.front = 1, scene.facts.front_sign = -1;
  // The clip holds every node where it stands at rest: so must the joints.
  SceneChannel hold;
  hold.node = 1;
  hold.translation = {{0}, {0, 5, 0}};
  hold.rotation = {{0}, {0, 0, 0, 1}};
  hold.scale = {{0}, {50, 50, 50}};
  scene.clips[0].channels = {hold};
  scene.clips[0].morphs.clear();
  for (const int right_sign : {1, -1}) {
    scene.facts.right_sign = right_sign;
    const Asset asset = build(scene);
    const Joint& root = asset.character.rig.skeleton.joints[0];
    Transform played;
    for (const Track& track : asset.character.clips[0].tracks) {
      const float* v = track.values.data();
      if (track.path == Track::Path::kTranslation) played.translation = Vec3f(v[0], v[1], v[2]).cast<double>();
      if (track.path == Track::Path::kScale) played.scale = Vec3f(v[0], v[1], v[2]).cast<double>();
      if (track.path == Track::Path::kRotation)
        played.rotation = Eigen::Quaternionf(v[3], v[0], v[1], v[2]).cast<double>();
    }
    EXPECT_LT((played.matrix() - root.rest.matrix()).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(SceneBuild, MorphsAreDisplacementsInMetres) {
  const Asset asset = build(make_strip(), "made.dae");
  const MeshPart& part = asset.character.rig.mesh.parts[0];
  ASSERT_EQ(part.morphs.size(), 1U);
  EXPECT_EQ(part.morphs[0].name, "wide");
  EXPECT_NEAR(part.morph_weights[0], 0.25, 1e-6);
  EXPECT_EQ(part.morphs[0].deltas[1], Vec3f(50, 0, 0));  // COLLADA: the unit is in the root node, which is 1 here.
  EXPECT_NEAR(build(make_strip()).character.rig.mesh.parts[0].morphs[0].deltas[1].x(), 0.5, 1e-6);
}

TEST(SceneBuild, AMeshUnderABoneHangsOnItRigidly) {
  Scene scene = make_strip(100);
  SceneMesh prop = scene.meshes[0];
  prop.bones.clear();
  prop.morphs.clear();
  scene.nodes.push_back({"sword", 3, placed({0, 0.5, 0}, 0.01), {1}});
  scene.meshes.push_back(prop);
  const Asset asset = build(scene);
  const Rig& rig = asset.character.rig;
  ASSERT_TRUE(validate(asset.character).empty());
  const MeshPart& part = rig.mesh.parts[1];
  EXPECT_EQ(part.skin, kNone);
  ASSERT_NE(part.joint, kNone);
  EXPECT_EQ(rig.skeleton.joints[part.joint].name, "sword");
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  EXPECT_TRUE(rest[part.joint].isApprox(part.to_model, 1e-9));
  // 5 cm + 1 m to the bone + 50 cm of its own space.
  EXPECT_NEAR(rig.mesh.positions[part.first_vertex].y(), 1.55, 1e-6);
  EXPECT_LT((skinned(rig, part.first_vertex, rest) - rig.mesh.positions[part.first_vertex]).norm(), 1e-9);
}

TEST(SceneBuild, FindsTexturesByNameAloneAndReportsThoseThatAreMissing) {
  const test::TemporaryFolder folder;
  const std::string png = "\x89PNG\r\n\x1a\n rest";
  test::write(folder / "cloth.png", as_bytes(png));
  Scene scene = make_strip();
  scene.materials[0].base_color.path = "C:\\Work\\Textures\\cloth.png";
  scene.materials[0].normal.path = "C:\\Work\\Textures\\bumps.png";
  scene.materials[0].diffuse = {0, 0, 0, 1};
  const Asset asset = build_asset(scene, folder / "made.fbx", {});
  const Material& material = asset.character.materials.at(0);
  ASSERT_EQ(material.base_color_image, 0U);
  EXPECT_EQ(asset.character.images[0].mime_type, "image/png");
  EXPECT_EQ(material.base_color, Vec4f(1, 1, 1, 1));
  EXPECT_EQ(material.normal_image, kNone);
  bool told = false;
  for (const Finding& finding : asset.warnings)
    told = told || (finding.code == "assimp.missing_texture" && finding.text.find("bumps.png") != std::string::npos);
  EXPECT_TRUE(told);
  EXPECT_EQ(asset.files.size(), 1U);
}

TEST(SceneBuild, TellsWhatItCannotKeep) {
  Scene scene = make_strip();
  scene.facts.unit_scale = 0;
  scene.facts.front = 1;
  scene.meshes[0].face_offsets = {0, 4, 8, 8, 10};
  scene.meshes[0].face_vertices = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1};
  scene.clips[0].channels[0].rotation.times = {0, 5, 5};
  scene.clips[0].ticks_per_second = 0;
  const auto codes = codes_of(build(scene));
  for (const char* code :
       {"fbx.unit", "fbx.axes", "fbx.morph_weights", "assimp.short_face", "assimp.keys", "assimp.clip_speed"})
    EXPECT_NE(std::find(codes.begin(), codes.end(), code), codes.end()) << code;
}

}  // namespace
}  // namespace sinew::io::assimp
