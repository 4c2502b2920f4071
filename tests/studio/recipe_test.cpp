// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/studio/recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "sinew/core/angles.h"
#include "sinew/core/error.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/motion/player.h"
#include "sinew/motion/pose_file.h"
#include "sinew/motion/resolve.h"
#include "sinew/shapes/kinds.h"
#include "sinew/studio/pins.h"
#include "sinew/studio/recipe_extras.h"
#include "sinew/studio/scene.h"
#include "tests/support/gltf_fixtures.h"

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

float weight_of(const SkinWeights& weights, Index vertex, Index joint) {
  for (const Influence& influence : weights.row(vertex))
    if (influence.joint == joint) return influence.weight;
  return 0;
}

// A method that takes painted rows solves with them: weights nearby fit what was painted. Others get them afterwards.
TEST(Recipe, PaintedRowsAreBoundaryValuesWhereTheMethodTakesThem) {
  RecipeBuilder builder(arm());
  const Rig& rig = builder.input().character.rig;
  const auto joint = static_cast<Index>(rig.skeleton.size() - 1);
  const Vec3 place = rig.mesh.positions[0];
  const double radius = 0.15 * rig.mesh.bounds().extent().norm();
  std::vector<Pin> pins;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
    if ((rig.mesh.positions[v] - place).norm() < radius) pins.push_back({v, 0.875F});
  const Json paint = {{"do", "paint"}, {"joint", rig.skeleton.joints[joint].name}, {"pins", pins_to_text(pins)}};
  const Json harmonic = {{"do", "bind"},
                         {"options", {{"method", "harmonic"}, {"harmonic", {{"solid_resolution", 24}}}}}};
  const auto plain = builder.build(Json::array({harmonic}));
  const auto solved = builder.build(Json::array({paint, harmonic}));
  EXPECT_EQ(plain->paint, Built::Paint::kNone);
  EXPECT_EQ(solved->paint, Built::Paint::kSolved);
  EXPECT_EQ(solved->painted_vertices, pins.size());
  std::vector<char> painted(rig.mesh.vertex_count(), 0);
  for (const Pin& pin : pins) painted[pin.vertex] = 1;
  double nearby = 0;
  const SkinWeights& with = solved->asset.character.rig.weights;
  const SkinWeights& without = plain->asset.character.rig.weights;
  for (Index v = 0; v < with.row_count(); ++v) {
    if (painted[v] != 0) {
      EXPECT_NEAR(weight_of(with, v, joint), 0.875F, 1e-6);
      EXPECT_NEAR(weight_of(*solved->automatic, v, joint), weight_of(without, v, joint), 1e-6);
    } else if ((rig.mesh.positions[v] - place).norm() < 1.5 * radius) {
      nearby += static_cast<double>(weight_of(with, v, joint) - weight_of(without, v, joint));
    }
  }
  EXPECT_GT(nearby, 0.5);
  // A reset vertex is free again, also in the next solution.
  const Index first = pins.front().vertex;
  const Json reset = {{"do", "reset"}, {"vertices", io::base64_encode(std::as_bytes(std::span(&first, 1)))}};
  const auto again = builder.build(Json::array({paint, reset, harmonic}));
  EXPECT_EQ(again->painted_vertices, pins.size() - 1);
  const auto put_back = builder.build(Json::array({paint, {{"do", "bind"}, {"options", {{"method", "distance"}}}}}));
  EXPECT_EQ(put_back->paint, Built::Paint::kPutBack);
  EXPECT_NEAR(weight_of(put_back->asset.character.rig.weights, first, joint), 0.875F, 1e-6);
}

TEST(Recipe, FingersAreLimitedAndTheirSkinFollowsTheOneBeside) {
  auto bare = std::make_shared<io::Asset>();
  bare->character = shapes::make("human", {}).made.character;
  bare->path = "human.glb";
  RecipeBuilder builder(bare);
  const auto rig = [&](const char* count) {
    return builder.build(Json::array({{{"do", "rig"}, {"options", {{"replace", true}, {"fingers", count}}}}}));
  };
  const auto count = [](const Built& built, const std::string& part) {
    const auto& joints = built.asset.character.rig.skeleton.joints;
    return std::count_if(joints.begin(), joints.end(),
                         [&](const Joint& joint) { return joint.role.find(part) != std::string::npos; });
  };
  const auto all = rig("auto"), three = rig("3");
  ASSERT_EQ(count(*all, "_little_"), 6);
  EXPECT_EQ(count(*three, "_little_") + count(*three, "_ring_"), 0);
  EXPECT_EQ(count(*three, "_middle_"), 6);
  EXPECT_EQ(three->placed.size(), three->asset.character.rig.skeleton.size());
  const auto moved = [](const Built& built, const std::string& role) {
    const Rig& r = built.asset.character.rig;
    double sum = 0;
    for (Index v = 0; v < r.weights.row_count(); ++v)
      for (const Influence& influence : r.weights.row(v))
        if (r.skeleton.joints[influence.joint].role == role) sum += static_cast<double>(influence.weight);
    return sum;
  };
  for (const char* const k : {"1", "2", "3"}) {
    const std::string end = std::string("_") + k;
    EXPECT_NEAR(moved(*three, "left_middle" + end),
                moved(*all, "left_middle" + end) + moved(*all, "left_ring" + end) + moved(*all, "left_little" + end),
                1e-3);
  }
  EXPECT_NEAR(moved(*three, "left_hand"), moved(*all, "left_hand"), 1e-3);
}

// Names of a preset: earlier steps still know the joints.
TEST(Recipe, PaintOutlivesAPresetAndRemovedJoints) {
  auto person = std::make_shared<io::Asset>();
  person->character = shapes::make("human", {}).made.character;
  person->path = "human.glb";
  RecipeBuilder builder(person);
  const Rig& rig = person->character.rig;
  const Index hand = rig.skeleton.find("LeftHand");
  ASSERT_NE(hand, kNone);
  const Pin pin{0, 0.375F};
  const auto paint = [&](const char* joint) {
    return Json{{"do", "paint"}, {"joint", joint}, {"pins", pins_to_text(std::span(&pin, 1))}};
  };
  const Json preset = {{"do", "skeleton"}, {"options", {{"preset", "unreal"}}}};
  const Json bind = {{"do", "bind"}, {"options", {{"method", "distance"}}}};
  const auto built = builder.build(Json::array({paint("LeftHand"), preset, bind}));
  const Rig& renamed = built->asset.character.rig;
  ASSERT_EQ(renamed.skeleton.find("LeftHand"), kNone);
  EXPECT_NEAR(weight_of(renamed.weights, 0, renamed.skeleton.find("hand_l")), 0.375F, 1e-6);
  const Json remove = {{"do", "skeleton"}, {"options", {{"remove", {"LeftLittle3"}}}}};
  EXPECT_NO_THROW(builder.build(Json::array({paint("LeftLittle3"), remove, bind})));
  EXPECT_THROW(builder.build(Json::array({{{"do", "skeleton"}, {"options", {{"preset", 3}}}}})), Error);
  EXPECT_EQ(step_label(preset), "Preset unreal");
}

// Undo goes back to a character whose file is as it was.
TEST(Recipe, RemovedJointsStayInTheFileThatOthersShare) {
  const test::TemporaryFolder folder;
  test::write(folder / "a.glb", test::make_fixture());
  RecipeBuilder builder(std::make_shared<const io::Asset>(io::load(folder / "a.glb", {}, {})));
  const Json before = test::json_of(builder.input());
  const std::string joint = builder.input().character.rig.skeleton.joints[1].name;
  const auto built = builder.build(Json::array({{{"do", "skeleton"}, {"options", {{"remove", {joint}}}}}}));
  EXPECT_LT(built->asset.character.rig.skeleton.size(), builder.input().character.rig.skeleton.size());
  EXPECT_EQ(test::json_of(builder.input()), before);
  Report report;
  save_built(*built, folder / "b.glb", report);
  EXPECT_LT(io::load(folder / "b.glb", {}, {}).character.rig.skeleton.size(),
            builder.input().character.rig.skeleton.size());
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

TEST(Recipe, FilesBesideTheInputMustBeThoseOfTheRecipe) {
  io::Asset input = *arm();
  input.files = {{"in/a.obj", "1234", 1}, {"in/a.mtl", "aaaa", 1}};
  const Json recipe = recipe_json(input, Json::array(), Json::object());
  EXPECT_NO_THROW(recipe_steps(recipe, input));
  io::Asset renamed = input;
  renamed.files[1].path = "elsewhere/b.mtl";
  EXPECT_NO_THROW(recipe_steps(recipe, renamed)) << "contents count, not names";
  io::Asset bare = input;
  bare.files.pop_back();
  EXPECT_THROW(recipe_steps(recipe, bare), Error) << "the materials are missing";
  EXPECT_THROW(recipe_steps(recipe_json(bare, Json::array(), Json::object()), input), Error) << "there are new ones";
  io::Asset other = input;
  other.files[1].sha256 = "bbbb";
  EXPECT_THROW(recipe_steps(recipe, other), Error);
  // Recipes of earlier versions know the main file only.
  Json old = recipe;
  old["input"].erase("files");
  EXPECT_NO_THROW(recipe_steps(old, bare));
}

std::string vertices_text(std::vector<Index> vertices) { return io::base64_encode(std::as_bytes(std::span(vertices))); }

float weight_of(const Built& built, Index vertex, Index joint) {
  for (const Influence& influence : built.asset.character.rig.weights.row(vertex))
    if (influence.joint == joint) return influence.weight;
  return 0;
}

TEST(Recipe, ResetVerticesGetTheirComputedWeightsBackAlsoAfterANewBinding) {
  RecipeBuilder builder(arm());
  const Rig& rig = builder.input().character.rig;
  const Index last = rig.skeleton.size() - 1;
  const std::array<Pin, 2> pins = {{{0, 0.375F}, {1, 0.625F}}};
  const Json paint = {{"do", "paint"}, {"joint", rig.skeleton.joints[last].name}, {"pins", pins_to_text(pins)}};
  const Json reset = {{"do", "reset"}, {"vertices", vertices_text({0})}};
  const Json bind = {{"do", "bind"}, {"options", {{"method", "distance"}}}};
  const auto painted = builder.build(Json::array({paint, reset}));
  const auto before = builder.build(Json::array());
  EXPECT_EQ(weight_of(*painted, 0, last), weight_of(*before, 0, last));
  EXPECT_NEAR(weight_of(*painted, 1, last), 0.625F, 1e-6);
  const auto again = builder.build(Json::array({paint, reset, bind}));
  const auto plain = builder.build(Json::array({bind}));
  EXPECT_EQ(weight_of(*again, 0, last), weight_of(*plain, 0, last));
  EXPECT_NEAR(weight_of(*again, 1, last), 0.625F, 1e-6);
}

TEST(Recipe, AMirroredStrokeIsOneStepForTwoJoints) {
  RecipeBuilder builder(arm());
  const Rig& rig = builder.input().character.rig;
  // The first vertex follows the first joint alone, the last vertex the last joint.
  const Index end = rig.skeleton.size() - 1, far = rig.mesh.vertex_count() - 1;
  const Pin one{0, 0.25F}, two{far, 0.75F};
  const Json step = {
      {"do", "paint"},
      {"joint", rig.skeleton.joints[end].name},
      {"pins", pins_to_text(std::span(&one, 1))},
      {"mirrored", {{"joint", rig.skeleton.joints[0].name}, {"pins", pins_to_text(std::span(&two, 1))}}}};
  const auto built = builder.build(Json::array({step}));
  EXPECT_NEAR(weight_of(*built, 0, end), 0.25F, 1e-6);
  EXPECT_NEAR(weight_of(*built, far, 0), 0.75F, 1e-6);
}

TEST(Recipe, OpenStrokesLeaveOtherWeights) {
  RecipeBuilder builder(arm());
  const Rig& rig = builder.input().character.rig;
  const Pin pin{0, 0.5F};
  const Json step = {{"do", "paint"},
                     {"joint", rig.skeleton.joints[1].name},
                     {"pins", pins_to_text(std::span(&pin, 1))},
                     {"open", true}};
  const auto built = builder.build(Json::array({step}));
  EXPECT_EQ(weight_of(*built, 0, 0), weight_of(*builder.build(Json::array()), 0, 0));
  EXPECT_EQ(weight_of(*built, 0, 1), 0.5F);
}

TEST(Recipe, ClipsAreChangedAsTheSlidersSay) {
  auto person = std::make_shared<io::Asset>();
  person->character = shapes::make("human", {}).made.character;
  person->character.clips.clear();
  person->path = "human.glb";
  RecipeBuilder builder(person);
  const Json plain = {{"do", "clip"}, {"name", "walk"}};
  const Json wide = {{"do", "clip"}, {"name", "walk"}, {"options", {{"arm_space", 20}}}};
  const auto built = builder.build(Json::array({plain, plain, wide}));
  const std::vector<Clip>& clips = built->asset.character.clips;
  ASSERT_EQ(clips.size(), 2U) << "the same clip is added once";
  EXPECT_NE(clips[0].name, clips[1].name);
  const Rig& rig = built->asset.character.rig;
  const auto hand_apart = [&](const Clip& clip) {
    const ModelPose pose = motion::resolve(rig.skeleton, motion::Player(rig, clip).at(0.3));
    double widest = 0;
    for (const Mat4& joint : pose.joints) widest = std::max(widest, joint(0, 3));
    return widest;
  };
  EXPECT_GT(hand_apart(clips[1]), hand_apart(clips[0]) + 0.1);
  EXPECT_THROW(builder.build(Json::array({{{"do", "clip"}, {"name", "walk"}, {"options", {{"arm_space", 200}}}}})),
               Error);
  EXPECT_THROW(builder.build(Json::array({{{"do", "clip"}, {"name", "a"}, {"file", "gone.bvh"}, {"sha256", "12"}}})),
               Error);
}

TEST(Recipe, TravelsInsideItsFile) {
  const std::string text = R"({"asset":{"version":"2.0"}})";
  std::string glb = "glTF" + std::string("\x02\0\0\0", 4) + std::string(4, '\0') +
                    std::string(1, static_cast<char>(text.size() + 1)) + std::string(3, '\0') + "JSON" + text + " " +
                    std::string("\x04\0\0\0BIN\0abcd", 12);
  const auto bytes = std::as_bytes(std::span(glb));
  const Json recipe = {{"kind", "sinew recipe"}, {"steps", Json::array()}};
  const io::Bytes made = with_recipe({bytes.begin(), bytes.end()}, recipe);
  EXPECT_EQ(made.size() % 4, 0U);
  std::uint32_t length = 0;
  std::memcpy(&length, made.data() + 8, 4);
  EXPECT_EQ(length, made.size());
  EXPECT_EQ(std::memcmp(made.data() + made.size() - 4, "abcd", 4), 0);
  const test::TemporaryFolder folder;
  const auto path = folder / "made.glb";
  test::write(path, made);
  io::Asset asset;
  asset.format = "gltf";
  asset.path = path;
  EXPECT_EQ(recipe_of(asset), recipe);
  EXPECT_THROW(with_recipe({bytes.begin(), bytes.begin() + 10}, recipe), Error);
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

TEST(PoseEdit, PullingKeepsTheLimitsOfJoints) {
  const auto asset = arm();
  Rig rig = asset->character.rig;
  const Index end = rig.skeleton.size() - 1;
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  for (Joint& joint : rig.skeleton.joints) joint.limits = RotationLimits{Vec3::Constant(-0.2), Vec3::Constant(0.2)};
  const Vec3 base = rest[0].topRightCorner<3, 1>();
  const Json pose =
      edited_pose(rig, Json::object(),
                  {{"kind", "ik"}, {"joint", end}, {"target", {base.x() + 0.1, base.y() - 0.1, base.z() + 0.3}}});
  const Pose posed = motion::pose_from_json(pose, rig);
  bool moved = false;
  for (Index j = 0; j < end; ++j) {
    const Vec3 turn = rotation_log(delta_rotation(rig.skeleton.joints[j].rest, posed.local[j]));
    EXPECT_LT(turn.cwiseAbs().maxCoeff(), 0.2 + 1e-6) << j;
    moved = moved || turn.norm() > 0.1;
  }
  EXPECT_TRUE(moved);
}

TEST(PoseEdit, TheTPoseHasLevelArms) {
  const Character person = shapes::make("human", {}).made.character;
  const Json pose = edited_pose(person.rig, Json::object(), {{"kind", "standard"}, {"pose", "t"}, {"joint", 0}});
  const ModelPose model = motion::resolve(person.rig.skeleton, motion::pose_from_json(pose, person.rig));
  const motion::Recognition body = motion::recognize(person.rig.skeleton);
  const auto height = [&](motion::BodyPart part) { return model.joints[body.find(part, motion::Side::kLeft)](1, 3); };
  EXPECT_NEAR(height(motion::BodyPart::kUpperArm), height(motion::BodyPart::kHand), 1e-3);
  EXPECT_THROW(edited_pose(person.rig, pose, {{"kind", "standard"}, {"pose", "x"}, {"joint", 0}}), Error);
}

}  // namespace
}  // namespace sinew::studio
