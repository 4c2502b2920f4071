// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/gltf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/deform/blend/linear.h"
#include "sinew/io/gltf/document.h"
#include "sinew/io/gltf/ngon.h"
#include "sinew/io/gltf/quantize.h"
#include "sinew/io/gltf/write_morphs.h"
#include "sinew/io/rig_json.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

using test::FixtureOptions;
using test::make_fixture;
using test::TemporaryFolder;

Asset read(const FixtureOptions& options = {}) { return load_bytes("fixture.glb", make_fixture(options)); }

std::vector<Vec3> posed(const Character& character, double time_s) {
  const Pose pose =
      character.clips.empty() ? rest_pose(character.rig) : motion::sample(character.rig, character.clips[0], time_s);
  return deform::linear_positions(character.rig, motion::resolve(character.rig.skeleton, pose));
}

double farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

std::string error_of(Bytes bytes) {
  try {
    load_bytes("bad.glb", std::move(bytes));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Bytes changed_json(const std::function<void(Json&)>& change) {
  const Bytes file = make_fixture();
  const gltf::Container container = gltf::parse_container(file);
  Json json = container.json;
  change(json);
  return gltf::make_glb(json, true, container.bin, {});
}

TEST(Gltf, ReadsNamesOfMorphsFromAPrimitiveIfTheMeshHasNone) {
  const auto name_with = [](const Json& extras) {
    const Bytes file = changed_json([&](Json& json) {
      json["meshes"][0].erase("extras");
      json["meshes"][0]["primitives"][0]["extras"] = extras;
    });
    const std::vector<MeshPart> parts = load_bytes("names.glb", file).character.rig.mesh.parts;
    return parts[parts[0].name == "tube" ? 0 : 1].morphs.at(0).name;
  };
  EXPECT_EQ(name_with({{"targetNames", {"blink"}}}), "blink");
  EXPECT_EQ(name_with({{"targetNames", "blink"}}), "morph_0");
  EXPECT_EQ(name_with("text"), "morph_0");
}

TEST(Gltf, ReadsMeshSkeletonWeightsMorphsAndClips) {
  const Character character = read().character;
  const Rig& rig = character.rig;
  ASSERT_EQ(rig.mesh.parts.size(), 2u);
  const Index tube = rig.mesh.parts[0].name == "tube" ? 0 : 1;
  EXPECT_EQ(rig.mesh.parts[tube].vertex_count, 30u);
  EXPECT_EQ(rig.mesh.parts[tube].morphs.at(0).name, "lean");
  EXPECT_EQ(rig.skeleton.find("knee"), 1u);
  EXPECT_TRUE(rig.skeleton.joints[1].deforming);
  EXPECT_EQ(rig.weights.row_count(), rig.mesh.vertex_count());
  ASSERT_EQ(character.clips.size(), 1u);
  EXPECT_EQ(character.clips[0].tracks.size(), 4u);
  EXPECT_DOUBLE_EQ(character.clips[0].duration_s(), 1.0);
  EXPECT_TRUE(validate(character).empty());
}

TEST(Gltf, RigidPartHangsOnItsJointWithWeightOne) {
  const Rig rig = read().character.rig;
  const MeshPart& box = rig.mesh.parts[rig.mesh.parts[0].name == "box" ? 0 : 1];
  EXPECT_EQ(box.skin, kNone);
  ASSERT_NE(box.joint, kNone);
  EXPECT_EQ(rig.skeleton.joints[rig.skeleton.joints[box.joint].parent].name, "knee");
  const auto row = rig.weights.row(box.first_vertex);
  ASSERT_EQ(row.size(), 1u);
  EXPECT_EQ(row[0].weight, 1.0F);
}

TEST(Gltf, EveryEncodingGivesTheSameCharacter) {
  const Character plain = read().character;
  for (const FixtureOptions& options :
       {FixtureOptions{.sparse = true}, FixtureOptions{.interleaved = true}, FixtureOptions{.meshopt = true},
        FixtureOptions{.sparse = true, .meshopt = true}}) {
    const Character other = read(options).character;
    EXPECT_EQ(farthest(posed(plain, 0.3), posed(other, 0.3)), 0);
    EXPECT_EQ(plain.rig.weights, other.rig.weights);
  }
  EXPECT_LT(farthest(posed(plain, 0.3), posed(read({.quantized = true}).character, 0.3)), 1e-4);
}

TEST(Gltf, DracoGivesTheSameShapeInItsOwnOrder) {
  const Rig plain = read().character.rig, packed = read({.draco = true}).character.rig;
  for (const Vec3& p : packed.mesh.positions) {
    double nearest = 1;
    for (const Vec3& q : plain.mesh.positions) nearest = std::min(nearest, (p - q).norm());
    EXPECT_LT(nearest, 1e-3);
  }
  EXPECT_EQ(packed.mesh.face_count(), plain.mesh.face_count());
}

TEST(Gltf, BindPoseGivesTheMesh) {
  const Rig rig = read().character.rig;
  ModelPose pose;
  pose.joints = bind_pose_matrices(rig, 0);
  EXPECT_LT(farthest(deform::linear_positions(rig, pose), rig.mesh.positions), 1e-12);
}

TEST(Gltf, UnchangedGlbIsWrittenAsTheSameBytes) {
  TemporaryFolder folder;
  const Bytes bytes = make_fixture();
  Report report;
  save(load_bytes("in.glb", bytes), folder / "out.glb", {}, report);
  EXPECT_EQ(read_file(folder / "out.glb"), bytes);
}

TEST(Gltf, ThroughTextAndBackNothingIsLost) {
  TemporaryFolder folder;
  for (const FixtureOptions& options :
       {FixtureOptions{}, FixtureOptions{.sparse = true, .meshopt = true}, FixtureOptions{.draco = true}}) {
    const Bytes bytes = make_fixture(options);
    Report report;
    save(load_bytes("in.glb", bytes), folder / "t.gltf", {}, report);
    save(load(folder / "t.gltf"), folder / "back.glb", {}, report);
    const Bytes back_bytes = read_file(folder / "back.glb");
    const Json before = gltf::parse_container(bytes).json, after = gltf::parse_container(back_bytes).json;
    EXPECT_EQ(before, after);
    EXPECT_TRUE(report.warnings.empty());
    EXPECT_EQ(
        farthest(posed(load_bytes("a.glb", bytes).character, 0.4), posed(load(folder / "back.glb").character, 0.4)), 0);
  }
}

TEST(Gltf, WritingWeightsChangesNothingElse) {
  TemporaryFolder folder;
  for (const char* type : {"float", "u16", "u8"}) {
    Asset asset = read({.sparse = true});
    SaveOptions options;
    options.changes.weights = true;
    options.weight_type = type;
    Report report;
    save(asset, folder / "w.glb", options, report);
    const Bytes written = read_file(folder / "w.glb");
    Json before = gltf::parse_container(make_fixture({.sparse = true})).json,
         after = gltf::parse_container(written).json;
    for (Json* json : {&before, &after})
      for (const char* key : {"accessors", "bufferViews", "buffers"}) json->erase(key);
    EXPECT_EQ(before, after) << type;
    EXPECT_LT(farthest(posed(asset.character, 0.3), posed(load(folder / "w.glb").character, 0.3)),
              std::string(type) == "u8" ? 5e-3 : 1e-4);
  }
}

TEST(Gltf, FloatRowsThatSumToOneAreWrittenToTheBit) {
  TemporaryFolder folder;
  Asset asset = read();
  Rig& rig = asset.character.rig;
  SkinWeights rows;
  std::vector<char> kept;
  const std::vector<Index> joints = rig.skins[0].joints;
  ASSERT_GE(joints.size(), 2U);
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    const bool skinned = std::any_of(rig.mesh.parts.begin(), rig.mesh.parts.end(), [&](const MeshPart& part) {
      return part.skin == 0 && v >= part.first_vertex && v < part.first_vertex + part.vertex_count;
    });
    // No multiples of 2⁻²⁴; every third row has the sum 0.9.
    const float small = 0.01F + 0.001F * static_cast<float>(v), rest = (v % 3 == 2 ? 0.9F : 1.0F) - small;
    kept.push_back(skinned && v % 3 != 2);
    if (skinned) rows.add_row({{joints[0], rest}, {joints[1], small}});
    else rows.add_row(rig.weights.row(v));
  }
  rig.weights = rows;
  SaveOptions options;
  options.changes.weights = true;
  Report report;
  save(asset, folder / "w.glb", options, report);
  const SkinWeights written = load(folder / "w.glb").character.rig.weights;
  ASSERT_GT(std::count(kept.begin(), kept.end(), 1), 1);
  for (Index v = 0; v < rows.row_count(); ++v) {
    double sum = 0;
    for (const Influence& influence : written.row(v)) sum += static_cast<double>(influence.weight);
    EXPECT_NEAR(sum, 1, 4e-7) << v;
    if (kept[v] != 0) {
      EXPECT_TRUE(std::equal(rows.row(v).begin(), rows.row(v).end(), written.row(v).begin(), written.row(v).end()))
          << v;
    }
  }
}

TEST(Gltf, WrittenWeightsOfTheSameLengthTakeThePlaceOfTheOld) {
  TemporaryFolder folder;
  SaveOptions options;
  options.changes.weights = true;
  Report report;
  save(read(), folder / "w.glb", options, report);
  // Floats replace floats in place; joints shrink from shorts to bytes and are put at the end.
  EXPECT_LT(read_file(folder / "w.glb").size(), make_fixture().size() + 300);
}

TEST(Gltf, WritingTheSkeletonKeepsPosesAndBindPose) {
  TemporaryFolder folder;
  Asset asset = read();
  SaveOptions options;
  options.changes.skeleton = true;
  Report report;
  save(asset, folder / "s.glb", options, report);
  EXPECT_LT(farthest(posed(asset.character, 0.7), posed(load(folder / "s.glb").character, 0.7)), 1e-6);
}

TEST(Gltf, NewJointsBecomeNodesAndNewDocumentsHoldEverything) {
  TemporaryFolder folder;
  Asset asset = read();
  asset.document = nullptr;
  Report report;
  save(asset, folder / "new.glb", {}, report);
  const Character back = load(folder / "new.glb").character;
  const auto of_part = [](const Character& character, const std::string& name) {
    const std::vector<Vec3> all = posed(character, 0.3);
    for (const MeshPart& part : character.rig.mesh.parts)
      if (part.name == name)
        return std::vector<Vec3>(all.begin() + part.first_vertex, all.begin() + part.first_vertex + part.vertex_count);
    return std::vector<Vec3>();
  };
  for (const char* name : {"tube", "box"})
    EXPECT_LT(farthest(of_part(asset.character, name), of_part(back, name)), 1e-6) << name;
  EXPECT_EQ(back.clips.size(), 1u);
  EXPECT_EQ(back.rig.mesh.parts[0].morphs.size() + back.rig.mesh.parts[1].morphs.size(), 1u);
}

TEST(Gltf, ANewDocumentGivesSeveralRootsOneAndEmptyPartsNoMesh) {
  TemporaryFolder folder;
  Asset asset = read();
  asset.document = nullptr;
  Joint lone;
  lone.name = "lone";
  asset.character.rig.skeleton.joints.push_back(lone);
  MeshPart empty;
  empty.name = "empty";
  empty.first_vertex = asset.character.rig.mesh.vertex_count();
  empty.first_face = asset.character.rig.mesh.face_count();
  asset.character.rig.mesh.parts.push_back(empty);
  Report report;
  save(asset, folder / "new.glb", {}, report);
  const Bytes bytes = read_file(folder / "new.glb");
  const Json json = gltf::parse_container(bytes).json;
  EXPECT_EQ(json["meshes"].size(), 2u);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0].code, "gltf.empty_part");
  const Skeleton skeleton = load(folder / "new.glb").character.rig.skeleton;
  EXPECT_EQ(skeleton.joints[skeleton.joints[skeleton.find("hip")].parent].name, "root");
}

TEST(Gltf, ARigGoesBackOntoItsOwnFileWithoutNewNodes) {
  TemporaryFolder folder;
  Asset asset = read();
  const std::string rig = write_rig_json(asset.character);
  apply_rig(asset, read_rig_json(as_bytes(rig), "own.rig.json"));
  SaveOptions options;
  options.changes.skeleton = options.changes.weights = true;
  Report report;
  save(asset, folder / "own.glb", options, report);
  const Asset back = load(folder / "own.glb");
  EXPECT_EQ(back.contents["nodes"], read().contents["nodes"]);
  EXPECT_LT(farthest(posed(read().character, 0.3), posed(back.character, 0.3)), 1e-6);
}

TEST(Gltf, ARigGoesOntoABareMesh) {
  TemporaryFolder folder;
  const Character rigged = read().character;
  Asset bare =
      load_bytes("bare.glb", changed_json([](Json& j) {
                   for (const char* key : {"skins", "animations"}) j.erase(key);
                   j["nodes"] = {{{"name", "tube"}, {"mesh", 0}},
                                 {{"name", "box"}, {"mesh", 1}, {"translation", {0, 0.5, 0}}, {"scale", {-1, 1, 1}}}};
                   j["scenes"] = {{{"nodes", {0, 1}}}};
                 }));
  EXPECT_TRUE(bare.character.rig.skeleton.empty());
  const std::string rig = write_rig_json(rigged);
  apply_rig(bare, read_rig_json(as_bytes(rig), "other.rig.json"));
  SaveOptions options;
  options.changes.skeleton = options.changes.weights = true;
  Report report;
  save(bare, folder / "rigged.glb", options, report);
  const Character back = load(folder / "rigged.glb").character;
  // Both parts follow the knee.
  const auto bent = [](const Character& character) {
    Pose pose = rest_pose(character.rig);
    pose.local[character.rig.skeleton.find("knee")].rotation = rotation_from_euler(Vec3(0, 0, 0.8));
    std::vector<Vec3> all = deform::linear_positions(character.rig, motion::resolve(character.rig.skeleton, pose));
    std::sort(all.begin(), all.end(), [](const Vec3& a, const Vec3& b) {
      return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3,
                                          [](double x, double y) { return x < y - 1e-5; });
    });
    return all;
  };
  EXPECT_LT(farthest(bent(rigged), bent(back)), 1e-5);
}

TEST(Gltf, PlacementMovesTheWholeCharacterByANewRoot) {
  TemporaryFolder folder;
  PlacementOptions placement;
  placement.height = 3;
  placement.ground = true;
  const Asset asset = load_bytes("in.glb", make_fixture(), placement);
  EXPECT_NEAR(asset.character.rig.mesh.bounds().extent().y(), 3, 1e-9);
  EXPECT_NEAR(asset.character.rig.mesh.bounds().lower.y(), 0, 1e-9);
  Report report;
  save(asset, folder / "p.glb", {}, report);
  EXPECT_LT(farthest(posed(asset.character, 0.6), posed(load(folder / "p.glb").character, 0.6)), 1e-6);
}

TEST(Gltf, UpAndForwardTurnToModelSpace) {
  PlacementOptions placement;
  placement.up = "z";
  Asset asset = load_bytes("in.glb", make_fixture(), placement);
  // With z up a file faces −y: (x, y, z) becomes (x, z, −y).
  const Vec3 before = load_bytes("in.glb", make_fixture()).character.rig.mesh.positions[3];
  const Vec3 after = asset.character.rig.mesh.positions[3];
  EXPECT_NEAR((after - Vec3(before.x(), before.z(), -before.y())).norm(), 0, 1e-12);
  placement.forward = "z";
  EXPECT_THROW(load_bytes("in.glb", make_fixture(), placement), Error);
}

TEST(Gltf, SharesSumToTheTotalExactly) {
  for (const std::uint32_t total : {255U, 65535U, gltf::kFloatUnits})
    for (int n = 1; n <= 8; ++n)
      for (int trial = 0; trial < 200; ++trial) {
        std::vector<float> weights;
        for (int i = 0; i < n; ++i)
          weights.push_back(static_cast<float>(0.01 + std::abs(std::sin(trial * 12.9898 + i * 78.233))));
        const auto shares = gltf::share_out(weights, total);
        EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), 0U), total);
        float sum = 0;
        for (const std::uint32_t share : shares) sum += static_cast<float>(share) / static_cast<float>(total);
        if (total == gltf::kFloatUnits) {
          EXPECT_EQ(sum, 1.0F);
        }
        const float whole = std::accumulate(weights.begin(), weights.end(), 0.0F);
        for (int i = 0; i < n; ++i)
          EXPECT_LE(std::abs(static_cast<double>(shares[static_cast<std::size_t>(i)]) -
                             static_cast<double>(weights[static_cast<std::size_t>(i)] / whole) * total),
                    1.0 + 1e-6 * total);
      }
}

TEST(Gltf, PolygonsSurviveTheirEncoding) {
  Mesh mesh;
  for (int i = 0; i < 12; ++i) mesh.positions.emplace_back(std::cos(i), std::sin(i), 0);
  // A strip of quads that begin with the same vertex, a pentagon and triangles.
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {-1, 1, 0}, {-1, 0, 0}, {2, 0, 0}, {2, 1, 0}};
  const std::vector<std::vector<Index>> faces = {{0, 1, 2, 3}, {0, 3, 4, 5}, {1, 6, 7, 2},
                                                 {0, 1, 2},    {0, 2, 3},    {1, 6, 7, 2, 0}};
  std::vector<std::uint32_t> indices;
  std::size_t broken = 0;
  for (const auto& face : faces) {
    std::vector<Vec3> points;
    for (const Index v : face) points.push_back(mesh.positions[v]);
    gltf::encode_ngon(face, points, indices, broken);
  }
  gltf::decode_ngons(indices, mesh);
  ASSERT_EQ(mesh.face_count(), faces.size());
  EXPECT_EQ(broken, 0u);
  for (Index f = 0; f < faces.size(); ++f) {
    auto want = faces[f];
    const std::vector<Index> have(mesh.face(f).begin(), mesh.face(f).end());
    bool same = false;
    for (std::size_t turn = 0; turn < want.size(); ++turn) {
      same = same || want == have;
      std::rotate(want.begin(), want.begin() + 1, want.end());
    }
    EXPECT_TRUE(same) << "face " << f;
  }
}

TEST(Gltf, APolygonThatNoFanFillsIsTriangulatedAndCounted) {
  // A U: no corner sees all others.
  const std::vector<Vec3> points = {{0, 0, 0}, {3, 0, 0}, {3, 3, 0}, {2, 3, 0},
                                    {2, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
  const std::vector<std::uint32_t> corners = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<std::uint32_t> indices;
  std::size_t broken = 0;
  gltf::encode_ngon(corners, points, indices, broken);
  EXPECT_EQ(broken, 1u);
  EXPECT_EQ(indices.size(), 18u);
  double area = 0;
  for (std::size_t t = 0; t < indices.size(); t += 3)
    area += 0.5 * (points[indices[t + 1]] - points[indices[t]]).cross(points[indices[t + 2]] - points[indices[t]]).z();
  EXPECT_NEAR(area, 7, 1e-9);
}

TEST(Gltf, DamagedFilesAreRefusedWithASentence) {
  EXPECT_NE(error_of({}).find("empty"), std::string::npos);
  const Bytes good = make_fixture();
  EXPECT_NE(error_of(Bytes(good.begin(), good.begin() + 100)).find("cut short"), std::string::npos);
  EXPECT_NE(error_of(changed_json([](Json& j) { j["nodes"][3]["children"] = Json::array({1}); })).find("child of node"),
            std::string::npos);
  EXPECT_NE(error_of(changed_json([](Json& j) { j["accessors"][0]["count"] = 1000000; })).find("accessor 0"),
            std::string::npos);
  EXPECT_NE(error_of(changed_json([](Json& j) { j["meshes"][0]["primitives"][0]["indices"] = 99; })).find("99"),
            std::string::npos);
  EXPECT_NE(error_of(changed_json([](Json& j) { j["asset"]["version"] = "1.0"; })).find("1.0"), std::string::npos);
  EXPECT_NE(error_of(changed_json([](Json& j) { j["extensionsRequired"] = {"FOO_geometry"}; })).find("FOO_geometry"),
            std::string::npos);
  EXPECT_NE(error_of(changed_json([](Json& j) {
              j["skins"][0]["joints"] = {0, 77};
            })).find("skin 0"),
            std::string::npos);
  EXPECT_NE(error_of(changed_json([](Json& j) {
              j["nodes"][0]["rotation"] = {1, 2};
            })).find("rotation"),
            std::string::npos);
  EXPECT_NE(error_of(changed_json([](Json& j) {
              j["accessors"].push_back({{"componentType", 5126}, {"count", 400000000}, {"type", "VEC3"}});
              j["meshes"][1]["primitives"][0]["attributes"]["POSITION"] = j["accessors"].size() - 1;
            })).find("memory"),
            std::string::npos);
  EXPECT_NE(error_of(changed_json([](Json& j) { j["buffers"][0]["uri"] = "../../etc/passwd"; })).find("outside"),
            std::string::npos);
}

TEST(Gltf, DeeplyNestedJsonIsRefused) {
  std::string text =
      R"({"asset":{"version":"2.0"},"extras":)" + std::string(100000, '[') + std::string(100000, ']') + "}";
  try {
    const auto bytes = as_bytes(text);
    load_bytes("deep.gltf", Bytes(bytes.begin(), bytes.end()));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("nested"), std::string::npos);
  }
}

TEST(Gltf, WeightsThatAreNotNumbersAreKeptForRepair) {
  const Bytes file = make_fixture();
  const gltf::Container container = gltf::parse_container(file);
  const Json& accessors = container.json["accessors"];
  const Json& weights =
      accessors[container.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"].get<std::size_t>()];
  Bytes bin(container.bin.begin(), container.bin.end());
  const float nan = std::nanf("");
  std::memcpy(
      bin.data() +
          container.json["bufferViews"][weights["bufferView"].get<std::size_t>()]["byteOffset"].get<std::size_t>(),
      &nan, 4);
  const Asset asset = load_bytes("nan.glb", gltf::make_glb(container.json, true, bin, {}));
  bool found = false;
  for (Index v = 0; v < asset.character.rig.weights.row_count(); ++v)
    for (const Influence& influence : asset.character.rig.weights.row(v)) found = found || std::isnan(influence.weight);
  EXPECT_TRUE(found);
  for (const Vec3& p : posed(asset.character, 0.5)) EXPECT_TRUE(p.allFinite());
}

TEST(Gltf, VerticesOfANewDocumentNameThoseThatTheyWereMadeFrom) {
  // Two squares side by side, which share an edge but no texture coordinates, and a triangle of another part.
  Asset asset;
  asset.path = "squares.obj";
  asset.format = "obj";
  Mesh& mesh = asset.character.rig.mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0), Vec3(2, 0, 0),
                    Vec3(2, 1, 0), Vec3(5, 0, 0), Vec3(6, 0, 0), Vec3(5, 1, 0)};
  mesh.add_face(std::array<Index, 4>{0, 1, 2, 3});
  mesh.add_face(std::array<Index, 4>{1, 4, 5, 2});
  mesh.add_face(std::array<Index, 3>{6, 7, 8});
  for (Index c = 0; c < mesh.face_vertices.size(); ++c) {
    mesh.uvs.values.emplace_back(0.05F * static_cast<float>(c), 0.5F);
    mesh.uvs.corners.push_back(c);
  }
  mesh.parts.resize(2);
  mesh.parts[0].name = "squares", mesh.parts[1].name = "triangle";
  mesh.parts[0].vertex_count = mesh.parts[1].first_vertex = 6, mesh.parts[1].vertex_count = 3;
  mesh.parts[0].face_count = mesh.parts[1].first_face = 2, mesh.parts[1].face_count = 1;
  Report report;
  std::vector<Index> vertices;
  const Asset fresh = as_gltf(asset, report, &vertices);
  ASSERT_EQ(fresh.character.rig.mesh.vertex_count(), 11);
  ASSERT_EQ(vertices.size(), 11);
  for (Index v = 0; v < vertices.size(); ++v)
    EXPECT_EQ(fresh.character.rig.mesh.positions[v], mesh.positions[vertices[v]]) << v;
  as_gltf(fresh, report, &vertices);
  EXPECT_TRUE(vertices.empty());
}

}  // namespace
}  // namespace sinew::io
