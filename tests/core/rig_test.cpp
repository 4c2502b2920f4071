// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/rig.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <string>

#include "sinew/core/character.h"
#include "tests/core/harm.h"

namespace sinew {
namespace {

Joint joint(const char* name, Index parent, const Vec3& at, double turn_rad = 0) {
  Joint result;
  result.name = name;
  result.parent = parent;
  result.rest.translation = at;
  result.rest.rotation = Quat(Eigen::AngleAxisd(turn_rad, Vec3(1, 2, 2).normalized()));
  return result;
}

// A skin on joints 1 and 3, bound elsewhere than they rest; joint 2 between them and joint 4 below are not listed.
Rig made_rig() {
  Rig rig;
  rig.skeleton.joints = {joint("root", kNone, {0, 1, 0}, 0.3), joint("hip", 0, {0, 0.5, 0}, -0.4),
                         joint("gap", 1, {0.2, 0, 0}, 0.7), joint("knee", 2, {0, -0.5, 0.1}, 0.2),
                         joint("foot", 3, {0, -0.5, 0}, 0.1)};
  rig.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  rig.mesh.add_face(std::vector<Index>{0, 1, 2});
  MeshPart part;
  part.name = "body";
  part.vertex_count = 3, part.face_count = 1, part.skin = 0;
  rig.mesh.parts = {part};
  const Mat4 bind1 = joint("", kNone, {0.1, 2, 0.3}, 1.1).rest.matrix(),
             bind3 = joint("", kNone, {0.5, 1, 0}, -0.9).rest.matrix();
  rig.skins = {{"skin", {1, 3}, {bind1.inverse(), bind3.inverse()}}};
  for (int v = 0; v < 3; ++v) rig.weights.add_row({{1, 0.5F}, {3, 0.5F}});
  return rig;
}

TEST(Rig, BindPoseIsWhereTheSkinWasAttached) {
  const Rig rig = made_rig();
  const auto bind = bind_pose_matrices(rig, 0);
  const auto rest = rest_matrices(rig.skeleton);
  ASSERT_EQ(bind.size(), 5u);
  EXPECT_LT((bind[0] - rest[0]).norm(), 1e-12);
  EXPECT_LT((bind[1] * rig.skins[0].inverse_bind[0] - Mat4::Identity()).norm(), 1e-12);
  EXPECT_LT((bind[3] * rig.skins[0].inverse_bind[1] - Mat4::Identity()).norm(), 1e-12);
  EXPECT_GT((bind[1] - rest[1]).norm(), 0.1);
}

TEST(Rig, JointsTheSkinDoesNotListKeepTheirPlaceUnderTheirParent) {
  const Rig rig = made_rig();
  const auto bind = bind_pose_matrices(rig, 0);
  EXPECT_LT((bind[2] - bind[1] * rig.skeleton.joints[2].rest.matrix()).norm(), 1e-12);
  EXPECT_LT((bind[4] - bind[3] * rig.skeleton.joints[4].rest.matrix()).norm(), 1e-12);
}

TEST(Rig, AJointWithASingularBindMatrixKeepsItsRestTransform) {
  Rig rig = made_rig();
  rig.skins[0].inverse_bind[0].setZero();
  const auto bind = bind_pose_matrices(rig, 0);
  EXPECT_LT((bind[1] - rest_matrices(rig.skeleton)[1]).norm(), 1e-12);
}

TEST(Rig, ARigidPartIsBoundByItsOwnTransform) {
  Rig rig = made_rig();
  rig.mesh.parts[0].skin = kNone, rig.mesh.parts[0].joint = 3;
  rig.mesh.parts[0].to_model = rest_matrices(rig.skeleton)[3];
  const auto inverse = inverse_bind_of_part(rig, 0);
  EXPECT_LT((inverse[3] * rig.mesh.parts[0].to_model - Mat4::Identity()).norm(), 1e-12);
  EXPECT_EQ(inverse[1], Mat4(Mat4::Identity()));
}

using test::kNan;
using CharacterHarm = test::Harm<Character>;

Character healthy_character() {
  Character character;
  character.rig = made_rig();
  character.materials.resize(1);
  character.images.resize(1);
  character.rig.mesh.face_materials = {0};
  Track track;
  track.target = 1;
  track.times_s = {0, 1}, track.values.assign(6, 0.0F);
  character.clips = {{"walk", {track}}};
  return character;
}

class CharacterValidate : public testing::TestWithParam<CharacterHarm> {};

TEST_P(CharacterValidate, FindsWhatIsWrong) {
  Character character = healthy_character();
  ASSERT_TRUE(validate(character).empty());
  GetParam().damage(character);
  const Findings found = validate(character);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().code, GetParam().code);
  EXPECT_EQ(found.front().text.back(), '.');
}

INSTANTIATE_TEST_SUITE_P(
    Each, CharacterValidate,
    testing::Values(
        CharacterHarm{"mesh.position", [](Character& c) { c.rig.mesh.positions[0].x() = kNan; }},
        CharacterHarm{"skeleton.order", [](Character& c) { c.rig.skeleton.joints[2].parent = 2; }},
        CharacterHarm{"skeleton.order", [](Character& c) { c.rig.skeleton.joints[2].parent = 4; }},
        CharacterHarm{"skeleton.not_finite", [](Character& c) { c.rig.skeleton.joints[2].rest.scale.x() = kNan; }},
        CharacterHarm{"skeleton.not_finite", [](Character& c) { c.rig.skeleton.joints[2].shear(0, 1) = kNan; }},
        CharacterHarm{"skeleton.rotation",
                      [](Character& c) { c.rig.skeleton.joints[2].rest.rotation.coeffs() *= 1.1; }},
        CharacterHarm{"skeleton.mirror", [](Character& c) { c.rig.skeleton.joints[2].mirror = 3; }},
        CharacterHarm{"skeleton.mirror", [](Character& c) { c.rig.skeleton.joints[2].mirror = 99; }},
        CharacterHarm{"skeleton.driver", [](Character& c) { c.rig.skeleton.joints[2].driver.emplace(); }},
        CharacterHarm{"weights.joint",
                      [](Character& c) { c.rig.skeleton.joints.resize(3), c.rig.skins[0].joints[1] = 1; }},
        CharacterHarm{"rig.rows",
                      [](Character& c) {
                        c.rig.weights.add_row({{1, 1.0F}});
                      }},
        CharacterHarm{"rig.bind", [](Character& c) { c.rig.skins[0].inverse_bind.pop_back(); }},
        CharacterHarm{"rig.bind", [](Character& c) { c.rig.skins[0].inverse_bind[0](0, 0) = kNan; }},
        CharacterHarm{"rig.skin_joint", [](Character& c) { c.rig.skins[0].joints[0] = 5; }},
        CharacterHarm{"rig.part_skin", [](Character& c) { c.rig.mesh.parts[0].skin = 1; }},
        CharacterHarm{"rig.part_joint", [](Character& c) { c.rig.mesh.parts[0].joint = 5; }},
        CharacterHarm{"character.material", [](Character& c) { c.rig.mesh.face_materials[0] = 1; }},
        CharacterHarm{"character.image", [](Character& c) { c.materials[0].normal_image = 1; }},
        CharacterHarm{"clip.target", [](Character& c) { c.clips[0].tracks[0].target = 5; }}),
    test::HarmName());

TEST(Skeleton, ModelMatricesChainFromParentToChildWithScaleAndShear) {
  Rig rig = made_rig();
  rig.skeleton.joints[1].rest.scale = {1, 2, 1};
  rig.skeleton.joints[2].shear(0, 1) = 0.5;
  const auto model = rest_matrices(rig.skeleton);
  Mat4 local = rig.skeleton.joints[2].rest.matrix();
  local.topLeftCorner<3, 3>() *= rig.skeleton.joints[2].shear;
  const Mat4 expected = rig.skeleton.joints[0].rest.matrix() * rig.skeleton.joints[1].rest.matrix() * local;
  EXPECT_LT((model[2] - expected).norm(), 1e-12);
}

TEST(Skeleton, FindsTheFirstOfAName) {
  const Rig rig = made_rig();
  EXPECT_EQ(rig.skeleton.find("gap"), 2u);
  EXPECT_EQ(rig.skeleton.find("tail"), kNone);
  EXPECT_EQ(rig.skeleton.children()[2], (std::vector<Index>{3}));
}

TEST(Character, RestPoseIsWhatTheFileShows) {
  Rig rig = made_rig();
  rig.mesh.parts[0].morphs = {{"smile", std::vector<Vec3f>(3, Vec3f::Zero())}};
  rig.mesh.parts[0].morph_weights = {0.25};
  const Pose pose = rest_pose(rig);
  ASSERT_EQ(pose.local.size(), 5u);
  EXPECT_EQ(pose.local[3], rig.skeleton.joints[3].rest);
  EXPECT_EQ(pose.morph_weights, (std::vector<std::vector<double>>{{0.25}}));
}

}  // namespace
}  // namespace sinew
