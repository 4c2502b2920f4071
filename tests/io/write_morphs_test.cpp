// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/io/gltf/write_morphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/error.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/io/gltf/document.h"
#include "sinew/io/gltf/morph_targets.h"
#include "sinew/motion/sample.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::io {
namespace {

Index skinned_part(const Rig& rig) {
  for (Index p = 0; p < rig.mesh.parts.size(); ++p)
    if (rig.mesh.parts[p].skin != kNone) return p;
  return kNone;
}

// A shape no skinning makes: the part grown, turned a little and moved.
KeyShape odd_shape(const Rig& rig, Index part, float amount) {
  KeyShape shape;
  shape.name = "odd";
  const MeshPart& run = rig.mesh.parts[part];
  for (Index i = 0; i < run.vertex_count; ++i) {
    const Vec3f p = rig.mesh.positions[run.first_vertex + i].cast<float>();
    shape.positions.push_back((1 + amount) * p + amount * Vec3f(p.y(), -p.x(), 0.3F));
    if (!rig.mesh.normals.empty()) shape.normals.push_back(rig.mesh.normals.values[run.first_vertex + i]);
  }
  return shape;
}

Motion two_keys(const Asset& asset, double quantum) {
  Motion motion;
  motion.name = "grow";
  motion.quantum = quantum;
  MorphPart& part = motion.parts.emplace_back();
  part.part = skinned_part(asset.character.rig);
  part.shapes = {odd_shape(asset.character.rig, part.part, 0.1F), odd_shape(asset.character.rig, part.part, 0.4F)};
  part.key_times_s = {0, 1, 2};
  part.key_shapes = {0, 1, 0};
  return motion;
}

Asset load_fixture(const test::FixtureOptions& options = {}) {
  return load_bytes("strip.glb", test::make_fixture(options));
}

// The largest distance of the part, as an engine shows it, from a mixture of the two shapes.
double error_at(const WithMotion& written, const Motion& motion, double time, float second) {
  const Rig& rig = written.asset.character.rig;
  const auto& document = dynamic_cast<const gltf::GltfDocument&>(*written.asset.document);
  const Pose pose = motion::sample(rig, written.asset.character.clips[written.clip], time);
  const std::vector<Vec3> shown =
      deform::linear_positions(rig, {model_matrices(rig.skeleton, pose.local), {}, pose.morph_weights});
  double worst = std::numeric_limits<double>::infinity();
  for (std::size_t q = 0; q < document.parts.size(); ++q) {
    if (document.parts[q].node != written.node_of_part[motion.parts[0].part]) continue;
    worst = 0;
    for (Index i = 0; i < rig.mesh.parts[q].vertex_count; ++i) {
      const Vec3f wanted =
          (1 - second) * motion.parts[0].shapes[0].positions[i] + second * motion.parts[0].shapes[1].positions[i];
      worst = std::max(worst, (shown[rig.mesh.parts[q].first_vertex + i] - wanted.cast<double>()).norm());
    }
  }
  return worst;
}

TEST(WriteMorphs, ShowsTheShapesAtTheirKeysAndGoesStraightBetween) {
  for (const bool quantized : {false, true})
    for (const bool sparse : {false, true})
      for (const bool packed : {false, true}) {
        test::FixtureOptions options;
        options.quantized = quantized, options.sparse = sparse, options.meshopt = packed;
        const Asset asset = load_fixture(options);
        for (const double quantum : {0.0, 1e-3, 0.05}) {
          const Motion motion = two_keys(asset, quantum);
          Report report;
          const WithMotion written = with_motion(asset, motion, report);
          ASSERT_NE(written.clip, kNone);
          EXPECT_EQ(written.asset.character.clips[written.clip].name, "grow");
          EXPECT_EQ(written.morphs.at(0).numbers, quantum == 0 ? "float" : quantum < 0.01 ? "int16" : "int8");
          const double allowed = quantum + 1e-5;
          EXPECT_LE(error_at(written, motion, 0, 0), allowed);
          EXPECT_LE(error_at(written, motion, 0.25, 0.25F), allowed);
          EXPECT_LE(error_at(written, motion, 1, 1), allowed);
          EXPECT_LE(error_at(written, motion, 1.5, 0.5F), allowed);
        }
      }
}

TEST(WriteMorphs, WorksOnDracoAndInterleavedFiles) {
  for (const bool draco : {false, true}) {
    test::FixtureOptions options;
    options.draco = draco, options.interleaved = !draco;
    const Asset asset = load_fixture(options);
    const Motion motion = two_keys(asset, 1e-3);
    Report report;
    EXPECT_LE(error_at(with_motion(asset, motion, report), motion, 1, 1), 1.1e-3);
  }
}

TEST(WriteMorphs, OwnTargetsStayFirstWithTheirNamesAndShapesAtWeightZero) {
  const Asset asset = load_fixture();
  const Motion motion = two_keys(asset, 1e-3);
  const MeshPart& before = asset.character.rig.mesh.parts[motion.parts[0].part];
  ASSERT_FALSE(before.morphs.empty());
  Report report;
  const WithMotion written = with_motion(asset, motion, report);
  for (const MeshPart& after : written.asset.character.rig.mesh.parts) {
    if (after.name != before.name) continue;
    ASSERT_EQ(after.morphs.size(), before.morphs.size() + 2);
    for (std::size_t m = 0; m < before.morphs.size(); ++m) {
      EXPECT_EQ(after.morphs[m].name, before.morphs[m].name);
      EXPECT_EQ(after.morph_weights[m], 0.0);
      for (std::size_t i = 0; i < before.morphs[m].deltas.size(); ++i)
        EXPECT_LE((after.morphs[m].deltas[i] - before.morphs[m].deltas[i]).norm(), 1e-6F);
    }
    EXPECT_EQ(after.morph_weights[before.morphs.size()], 1.0);
  }
}

TEST(WriteMorphs, ClipsThatMoveTheBakedSkinAreDroppedAndTold) {
  const Asset asset = load_fixture();
  Report report;
  const WithMotion written = with_motion(asset, two_keys(asset, 1e-3), report);
  EXPECT_EQ(written.dropped_clips.size(), asset.character.clips.size());
  EXPECT_EQ(written.asset.character.clips.size(), 1u);
  Motion played = two_keys(asset, 1e-3);
  played.own_clip = 0;
  const WithMotion kept = with_motion(asset, played, report);
  EXPECT_EQ(kept.dropped_clips.size() + 1, asset.character.clips.size());
  EXPECT_EQ(kept.asset.character.clips[kept.clip].name, asset.character.clips[0].name);
}

TEST(WriteMorphs, AnAddedClipMovesTheJointsAsItSays) {
  const Asset asset = load_fixture();
  Motion motion;
  Clip clip;
  clip.name = "nod";
  Track track;
  track.path = Track::Path::kRotation;
  track.target = asset.character.rig.skins[0].joints.back();
  track.times_s = {0, 1};
  track.values = {0, 0, 0, 1, 0, 0, std::sqrt(0.5F), std::sqrt(0.5F)};
  clip.tracks = {track};
  motion.clip = clip;
  Report report;
  const WithMotion written = with_motion(asset, motion, report);
  EXPECT_EQ(written.asset.character.clips.size(), asset.character.clips.size() + 1);
  EXPECT_EQ(written.clip, asset.character.clips.size());
  const Pose wanted = motion::sample(asset.character.rig, clip, 0.5);
  const Pose found = motion::sample(written.asset.character.rig, written.asset.character.clips.back(), 0.5);
  ASSERT_EQ(found.local.size(), wanted.local.size());
  for (std::size_t j = 0; j < wanted.local.size(); ++j)
    EXPECT_LE((found.local[j].matrix() - wanted.local[j].matrix()).norm(), 1e-6);
}

TEST(WriteMorphs, SparseListsHoldOnlyWhatMoves) {
  const Asset asset = load_fixture();
  const auto& document = dynamic_cast<const gltf::GltfDocument&>(*asset.document);
  gltf::DocumentEditor editor(document);
  std::vector<Vec3f> values(5000, Vec3f::Zero());
  values[4321] = Vec3f(0.5F, -0.25F, 1);
  bool sparse = false;
  const Index accessor = gltf::add_displacements(editor, values, gltf::Component::kI16, true, &sparse);
  EXPECT_TRUE(sparse);
  const Json& json = editor.json["accessors"][accessor];
  EXPECT_EQ(json["sparse"]["count"], 1);
  EXPECT_EQ(json["max"], Json({16384, 0, 32767}));
  EXPECT_FALSE(json.contains("bufferView"));
  std::fill(values.begin(), values.end(), Vec3f(0.1F, 0, 0));
  const Index dense = gltf::add_displacements(editor, values, gltf::Component::kI16, true, &sparse);
  EXPECT_FALSE(sparse);
  const Json& view = editor.json["bufferViews"][editor.json["accessors"][dense]["bufferView"].get<std::size_t>()];
  EXPECT_EQ(view["byteStride"], 8);
}

TEST(WriteMorphs, NormalsTurnTheWayTheyShouldInBytesWhereTheyCan) {
  std::vector<Vec3f> from, to, values;
  for (int i = 0; i < 200; ++i) {
    const auto a = static_cast<float>(0.37 * i), b = static_cast<float>(0.011 * i);
    from.push_back(Vec3f(std::sin(a), std::cos(a) * std::sin(b), std::cos(a) * std::cos(b)));
    to.push_back((from.back() + 0.8F * Vec3f(std::cos(b), std::sin(a), 0.2F)).normalized());
  }
  EXPECT_EQ(gltf::normal_displacements(from, to, values), gltf::Component::kI8);
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_LE(values[i].cwiseAbs().maxCoeff(), 1.00001F);
    EXPECT_GT((from[i] + values[i]).normalized().dot(to[i]), 0.99999F);
  }
  to[7] = -from[7];
  EXPECT_EQ(gltf::normal_displacements(from, to, values), gltf::Component::kF32);
  for (std::size_t i = 0; i < from.size(); ++i) EXPECT_GT((from[i] + values[i]).normalized().dot(to[i]), 0.99999F);
}

}  // namespace
}  // namespace sinew::io
