// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/characters.h"

#include <gtest/gtest.h>

#include "tests/support/made_human.h"

namespace sinew::pipeline {
namespace {

// A triangle with one material and one picture.
Character triangle(double x, bool normals, bool colors, bool corners) {
  Character character;
  Mesh& mesh = character.rig.mesh;
  mesh.positions = {Vec3(x, 0, 0), Vec3(x + 1, 0, 0), Vec3(x, 1, 0)};
  mesh.add_face(std::array<Index, 3>{0, 1, 2});
  mesh.face_materials = {0};
  MeshPart part;
  part.name = "triangle";
  part.vertex_count = 3;
  part.face_count = 1;
  part.morphs = {{"up", {Vec3f(0, 1, 0), Vec3f(0, 1, 0), Vec3f(0, 1, 0)}}};
  part.morph_weights = {0};
  mesh.parts = {part};
  mesh.uvs.values = {Vec2f(0, 0), Vec2f(1, 0), Vec2f(static_cast<float>(x), 1)};
  if (corners) mesh.uvs.corners = {0, 1, 2};
  if (normals) mesh.normals.values.assign(3, Vec3f(0, 0, 1));
  if (colors) mesh.colors.assign(3, Vec4f(1, 0, 0, 1));
  Material material;
  material.name = "m" + std::to_string(static_cast<int>(x));
  material.base_color_image = 0;
  character.materials = {material};
  character.images.resize(1);
  Track track;
  track.path = Track::Path::kMorphWeights;
  track.target = 0;
  track.times_s = {0};
  track.values = {1};
  character.clips = {{"blink", {track}}};
  return character;
}

Vec2f uv_of_corner(const Mesh& mesh, std::size_t corner) {
  return mesh.uvs.values[mesh.uvs.corners.empty() ? mesh.face_vertices[corner] : mesh.uvs.corners[corner]];
}

TEST(Characters, EveryPartKeepsItsFacesLooksAndMorphs) {
  for (const bool first_corners : {false, true})
    for (const bool second_corners : {false, true}) {
      const Character target =
          merge_characters(triangle(0, true, false, first_corners), {triangle(5, false, true, second_corners)});
      ASSERT_TRUE(validate(target).empty()) << validate(target)[0].text;
      const Mesh& mesh = target.rig.mesh;
      ASSERT_EQ(mesh.parts.size(), 2U);
      EXPECT_EQ(mesh.positions[3], Vec3(5, 0, 0));
      EXPECT_EQ(mesh.face(1)[0], 3U);
      EXPECT_EQ(target.materials[mesh.face_materials[1]].name, "m5");
      EXPECT_EQ(target.materials[1].base_color_image, 1U);
      EXPECT_EQ(uv_of_corner(mesh, 2), Vec2f(0, 1));
      EXPECT_EQ(uv_of_corner(mesh, 5), Vec2f(5, 1));
      EXPECT_EQ(mesh.colors[0], Vec4f(1, 1, 1, 1));
      EXPECT_EQ(mesh.colors[3], Vec4f(1, 0, 0, 1));
      // Made from the surface, which faces +z.
      EXPECT_LT((mesh.normals.values[3] - Vec3f(0, 0, 1)).norm(), 1e-6F);
      EXPECT_EQ(mesh.parts[1].morphs[0].deltas.size(), 3U);
      EXPECT_EQ(target.clips[1].tracks[0].target, 1U);
    }
}

TEST(Characters, OnlyTheFirstOfSeveralKeepsItsRig) {
  const Character human = test::made_human();
  const Character both = merge_characters(human, {human, human});
  EXPECT_EQ(both.rig.mesh.vertex_count(), 3 * human.rig.mesh.vertex_count());
  EXPECT_EQ(both.rig.mesh.parts.size(), 3 * human.rig.mesh.parts.size());
  EXPECT_EQ(both.rig.mesh.parts.front().skin, human.rig.mesh.parts.front().skin);
  EXPECT_EQ(both.rig.mesh.parts.back().skin, kNone);
  EXPECT_EQ(both.rig.skeleton.size(), human.rig.skeleton.size());
}

TEST(Characters, WithoutItsRigACharacterKeepsItsMeshAndMorphClips) {
  Character character = triangle(0, true, false, false);
  character.rig.skeleton.joints.resize(1);
  character.rig.skins.push_back({"skin", {0}, {Mat4::Identity()}});
  character.rig.mesh.parts[0].skin = 0;
  for (int v = 0; v < 3; ++v) character.rig.weights.add_row({Influence{0, 1.0F}});
  Track turn;
  turn.path = Track::Path::kRotation;
  turn.target = 0;
  turn.times_s = {0};
  turn.values = {0, 0, 0, 1};
  character.clips[0].tracks.push_back(turn);
  character.clips.push_back({"turn", {turn}});
  remove_rig(character);
  EXPECT_TRUE(validate(character).empty());
  EXPECT_TRUE(character.rig.skeleton.empty());
  EXPECT_TRUE(character.rig.weights.empty());
  EXPECT_EQ(character.rig.mesh.parts[0].skin, kNone);
  ASSERT_EQ(character.clips.size(), 1U);
  EXPECT_EQ(character.clips[0].tracks.size(), 1U);
}

TEST(Characters, SkinsAndClipsOfJointsNeedToBeReplacedMorphsDoNot) {
  Character human = test::made_human();
  EXPECT_TRUE(has_rig(human));
  Character bare;
  bare.rig.mesh = human.rig.mesh;
  EXPECT_FALSE(has_rig(bare));
  Track blink;
  blink.path = Track::Path::kMorphWeights;
  bare.clips = {{"blink", {blink}}};
  EXPECT_FALSE(has_rig(bare));
}

}  // namespace
}  // namespace sinew::pipeline
