// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/recipe.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/motion/pose_file.h"
#include "sinew/motion/resolve.h"
#include "sinew/shapes/kinds.h"
#include "sinew/studio/pins.h"
#include "sinew/studio/scene.h"

namespace sinew::studio {
namespace {

std::shared_ptr<const io::Asset> arm() {
  auto asset = std::make_shared<io::Asset>();
  asset->character = shapes::make("cylinder", {}).made.character;
  asset->path = "cylinder.glb";
  return asset;
}

TEST(Recipe, PaintedWeightsAreKeptByANewBinding) {
  RecipeBuilder builder(arm());
  const Rig& rig = builder.input().character.rig;
  const std::string joint = rig.skeleton.joints.back().name;
  const Pin pin{0, 0.375F};
  const Json paint = {{"do", "paint"}, {"joint", joint}, {"pins", pins_to_text(std::span(&pin, 1))}};
  const Json bind = {{"do", "bind"}, {"options", {{"method", "distance"}}}};
  const auto built = builder.build(Json::array({paint, bind}));
  const SkinWeights& weights = built->asset.character.rig.weights;
  float value = 0, sum = 0;
  for (const Influence& influence : weights.row(0)) {
    sum += influence.weight;
    if (influence.joint == rig.skeleton.size() - 1) value = influence.weight;
  }
  EXPECT_NEAR(value, 0.375F, 1e-6);
  EXPECT_NEAR(sum, 1, 1e-6);
  // Undo: the same object comes back.
  EXPECT_EQ(builder.build(Json::array({paint, bind})), built);
  EXPECT_FALSE(builder.build(Json::array())->changed);
}

TEST(Recipe, StepsOfAnotherFormAreRefused) {
  RecipeBuilder builder(arm());
  for (const Json& steps :
       {Json(3), Json::array({Json::object()}), Json::array({{{"do", "fly"}}}),
        Json::array({{{"do", "paint"}, {"joint", 3}}}), Json::array({{{"do", "joints"}, {"hints", {{"a", "b"}}}}}),
        Json::array({{{"do", "joints"}, {"hints", {{"a", {1, 2, 3}}}}}}),
        Json::array({{{"do", "piece"}, {"what", "shell:99"}, {"joint", "nothing"}}})})
    EXPECT_THROW(builder.build(steps), Error) << steps.dump();
}

TEST(Recipe, ARecipeOfAnotherFileIsRefused) {
  io::Asset input = *arm();
  input.files = {{"a.glb", "1234", 1}};
  const Json recipe = recipe_json(input, Json::array(), Json::object());
  EXPECT_EQ(recipe_steps(recipe, input), Json::array());
  input.files.front().sha256 = "5678";
  EXPECT_THROW(recipe_steps(recipe, input), Error);
  EXPECT_THROW(recipe_steps(Json::object(), input), Error);
}

TEST(Pins, LockedJointsKeepTheirWeightsAndRowsSumToOne) {
  std::vector<Influence> row = {{0, 0.5F}, {1, 0.3F}, {2, 0.2F}};
  const Index locked[] = {1};
  set_weight(row, 2, 0.9F, locked);
  float sum = 0;
  for (const Influence& influence : row) {
    sum += influence.weight;
    EXPECT_TRUE(influence.joint != 1 || influence.weight == 0.3F);
    EXPECT_TRUE(influence.joint != 2 || std::abs(influence.weight - 0.7F) < 1e-6F);
  }
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_THROW(pins_from_text("AAAA"), Error);
}

TEST(Brush, ReachesAlongTheSurfaceOnly) {
  // Two fingers, 2 mm apart: two separate strips.
  Mesh mesh;
  for (int finger = 0; finger < 2; ++finger)
    for (int i = 0; i <= 10; ++i)
      for (int k = 0; k < 2; ++k) mesh.positions.emplace_back(0.01 * i, 0.01 * k, 0.002 * finger);
  for (Index finger = 0; finger < 2; ++finger)
    for (Index i = 0; i < 10; ++i) {
      const Index at = 22 * finger + 2 * i;
      mesh.add_face(std::array<Index, 4>{at, at + 2, at + 3, at + 1});
    }
  mesh.parts.resize(1);
  mesh.parts[0].vertex_count = mesh.vertex_count();
  mesh.parts[0].face_count = mesh.face_count();
  const BrushSurface surface(mesh);
  std::vector<float> weights(mesh.positions.size(), 0);
  Brush brush;
  brush.radius = 0.03;
  const std::vector<Pin> pins = surface.dab(brush, 10, mesh.positions[10], weights);
  EXPECT_GT(pins.size(), 4U);
  for (const Pin& pin : pins) EXPECT_LT(pin.vertex, 22U);
  EXPECT_NEAR(weights[10], 0.5F, 1e-6);
  EXPECT_EQ(weights[0], 0);
}

TEST(PoseEdit, ThreeTurnsOfTwistReadAs1080Degrees) {
  const auto asset = arm();
  const Rig& rig = asset->character.rig;
  Json pose = Json::object();
  for (int i = 0; i < 3; ++i) pose = edited_pose(rig, pose, {{"kind", "twist"}, {"joint", 1}, {"angle", kTwoPi}});
  EXPECT_NEAR(pose["joints"][rig.skeleton.joints[1].name]["twist_deg"].get<double>(), 1080, 1e-9);
}

TEST(PoseEdit, ATurnRotatesAboutTheAxisInModelSpace) {
  const auto asset = arm();
  const Rig& rig = asset->character.rig;
  const Json pose =
      edited_pose(rig, Json::object(), {{"kind", "turn"}, {"joint", 1}, {"axis", {0, 0, 1}}, {"angle", 0.5}});
  const ModelPose model = motion::resolve(rig.skeleton, motion::pose_from_json(pose, rig));
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const Mat3 turn = model.joints[1].topLeftCorner<3, 3>() * rest[1].topLeftCorner<3, 3>().inverse();
  EXPECT_TRUE(turn.isApprox(Mat3(Eigen::AngleAxisd(0.5, Vec3::UnitZ()).toRotationMatrix()), 1e-9));
  EXPECT_THROW(edited_pose(rig, pose, {{"kind", "fly"}, {"joint", 1}}), Error);
  EXPECT_THROW(edited_pose(rig, pose, {{"kind", "turn"}, {"joint", 99}}), Error);
}

}  // namespace
}  // namespace sinew::studio
