// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/names/joint_names.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"
#include "sinew/pipeline/characters.h"
#include "sinew/rigging/anatomy/symmetry.h"
#include "tests/support/rig_plans.h"

namespace sinew::pipeline {
namespace {

RigOptions options_for(const std::string& preset = "plain") {
  RigOptions options;
  options.preset = preset;
  options.bind.choose("distance");
  options.replace = true;
  return options;
}

Character bare_human(const std::string& pose = "a") {
  Character human = test::made_human(pose);
  remove_rig(human);
  human.clips.clear();
  return human;
}

/// The plan of a made human with its true joints, for a character that may have a rig.
RigPlan true_plan_for(const Character& character, const RigOptions& options, const std::string& pose = "a") {
  RigPlan plan;
  plan.found = test::true_plan(test::made_human(pose));
  plan.preset = preset_of(options);
  plan.built = rigging::build_skeleton(plan.found.plan, plan.preset);
  if (character.rig.skeleton.empty()) return plan;
  plan.old.rig.skeleton = character.rig.skeleton;
  plan.old.rig.mesh.parts = character.rig.mesh.parts;
  plan.old.frames = rest_matrices(character.rig.skeleton);
  plan.old.clips = character.clips;
  plan.pairs = motion::pair_joints(plan.old.rig.skeleton, plan.built.skeleton);
  return plan;
}

RigResult apply(Character character, const RigPlan& plan, const RigOptions& options) {
  const RigRemoval removal = remove_replaced_rig(character, plan);
  return apply_rig_plan(std::move(character), plan, removal, options);
}

RigResult apply(const Character& character, const RigOptions& options, const std::string& pose = "a") {
  return apply(character, true_plan_for(character, options, pose), options);
}

void expect_rest_pose_shows_the_mesh(const Rig& rig) {
  const std::vector<Vec3> shown = deform::linear_positions(rig, motion::resolve(rig.skeleton, rest_pose(rig)));
  for (std::size_t v = 0; v < shown.size(); ++v) EXPECT_LT((shown[v] - rig.mesh.positions[v]).norm(), 1e-5);
}

TEST(ApplyRigPlan, ABareMeshGetsJointsWeightsAndASkinAndKeepsItsVertices) {
  const Character before = bare_human();
  const RigResult result = apply(before, options_for());
  const Rig& rig = result.character.rig;
  EXPECT_TRUE(validate(result.character).empty());
  EXPECT_FALSE(result.moved);
  EXPECT_EQ(rig.mesh.positions, before.rig.mesh.positions);
  EXPECT_EQ(rig.mesh.face_vertices, before.rig.mesh.face_vertices);
  ASSERT_EQ(rig.skins.size(), 1U);
  EXPECT_EQ(rig.skins[0].joints.size(), result.plan.joints.size());
  ASSERT_EQ(rig.weights.row_count(), rig.mesh.vertex_count());
  EXPECT_EQ(result.origin.size(), rig.mesh.positions.size());
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    EXPECT_FALSE(rig.weights.row(v).empty());
    EXPECT_LE(rig.weights.row(v).size(), 4U);
  }
  expect_rest_pose_shows_the_mesh(rig);
}

TEST(ApplyRigPlan, EveryJointIsWhereThePlanHasItWhateverThePreset) {
  const Character bare = bare_human();
  for (const rigging::Preset& preset : rigging::presets()) {
    RigOptions options = options_for(preset.name);
    options.rest = rigging::RestPose::kKeep;
    const RigResult result = apply(bare, options);
    const std::vector<Mat4> rest = rest_matrices(result.character.rig.skeleton);
    for (std::size_t k = 0; k < result.plan.joints.size(); ++k)
      EXPECT_LT((rest[result.joints[k]].topRightCorner<3, 1>() - result.plan.joints[k].position).norm(), 1e-9)
          << preset.name;
  }
}

TEST(ApplyRigPlan, WeightsAreMirroredToTheLastBit) {
  const RigResult result = apply(bare_human(), options_for());
  const Rig& rig = result.character.rig;
  const std::vector<Index> partner = rigging::mirror_vertices(rig.mesh, Vec3::Zero(), Vec3::UnitX());
  Index compared = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    if (partner[v] == kNone) continue;
    std::set<std::pair<Index, float>> own, image;
    for (const Influence& i : rig.weights.row(v)) own.emplace(i.joint, i.weight);
    for (const Influence& i : rig.weights.row(partner[v])) {
      const Index mirror = rig.skeleton.joints[i.joint].mirror;
      image.emplace(mirror == kNone ? i.joint : mirror, i.weight);
    }
    EXPECT_EQ(own, image) << v;
    ++compared;
  }
  EXPECT_GT(compared, 0.9 * rig.mesh.vertex_count());
  ASSERT_TRUE(result.mirrored_vertices);
  EXPECT_EQ(*result.mirrored_vertices, compared);
}

TEST(ApplyRigPlan, ZeroInfluencesIsNoLimit) {
  RigOptions options = options_for();
  options.bind.choose("voxel");
  options.max_influences = 1;
  EXPECT_EQ(apply(bare_human(), options).character.rig.weights.max_influences(), 1U);
  options.max_influences = 0;
  EXPECT_GT(apply(bare_human(), options).character.rig.weights.max_influences(), 4U);
}

TEST(ApplyRigPlan, ATPoseMovesMeshAndSkeletonTogether) {
  RigOptions options = options_for();
  options.rest = rigging::RestPose::kT;
  const Character before = bare_human("a");
  const RigResult result = apply(before, options);
  const Rig& rig = result.character.rig;
  EXPECT_TRUE(result.moved);
  EXPECT_EQ(result.rest, rigging::RestPose::kT);
  const Box box = rig.mesh.bounds(), old = before.rig.mesh.bounds();
  EXPECT_GT(box.extent().x(), 1.1 * old.extent().x());
  EXPECT_NEAR(box.lower.y(), old.lower.y(), 0.02);
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const Index arm = rig.skeleton.find("LeftUpperArm"), hand = rig.skeleton.find("LeftHand");
  const Vec3 way = rest[hand].topRightCorner<3, 1>() - rest[arm].topRightCorner<3, 1>();
  EXPECT_LT((way.normalized() - Vec3::UnitX()).norm(), 1e-5);
  for (std::size_t k = 0; k < result.plan.joints.size(); ++k)
    EXPECT_LT((rest[result.joints[k]].topRightCorner<3, 1>() - result.plan.joints[k].position).norm(), 1e-9);
  expect_rest_pose_shows_the_mesh(rig);
  EXPECT_EQ(rig.mesh.normals.empty(), before.rig.mesh.normals.empty());
}

TEST(ApplyRigPlan, AReplacedSkeletonTakesItsClipsAlong) {
  Character before = test::made_human();
  before.clips = {motion::builtin_clip(before.rig.skeleton, "walk")};
  for (const rigging::RestPose rest : {rigging::RestPose::kKeep, rigging::RestPose::kT}) {
    RigOptions options = options_for("mixamo");
    options.rest = rest;
    const RigResult result = apply(before, options);
    const Rig& rig = result.character.rig;
    EXPECT_TRUE(validate(result.character).empty());
    EXPECT_EQ(rig.skins.size(), 1U);
    EXPECT_NE(rig.skeleton.find("mixamorig:Hips"), kNone);
    EXPECT_EQ(rig.skeleton.find("Hips"), kNone);
    ASSERT_EQ(result.character.clips.size(), 1U);
    EXPECT_EQ(result.carried_clips, std::vector<std::string>{before.clips[0].name});
    EXPECT_EQ(result.new_clips, std::vector<Index>{0});
    // Hands and feet are where they were, at any time.
    const motion::Recognition known = motion::recognize(rig.skeleton);
    const motion::Recognition old_known = motion::recognize(before.rig.skeleton);
    for (const double time : {0.1, 0.4, 0.8}) {
      const ModelPose old = motion::resolve(before.rig.skeleton, motion::sample(before.rig, before.clips[0], time));
      const ModelPose now = motion::resolve(rig.skeleton, motion::sample(rig, result.character.clips[0], time));
      for (const motion::BodyPart part : {motion::BodyPart::kHand, motion::BodyPart::kFoot, motion::BodyPart::kShin}) {
        const Vec3 a = old.joints[old_known.find(part, motion::Side::kLeft)].topRightCorner<3, 1>();
        const Vec3 b = now.joints[known.find(part, motion::Side::kLeft)].topRightCorner<3, 1>();
        EXPECT_LT((a - b).norm(), 2e-3) << static_cast<int>(rest) << " " << time;
      }
    }
  }
}

TEST(ApplyRigPlan, BuiltInClipsAreAddedAndThoseThatDoNotFitLeftOut) {
  RigOptions options = options_for();
  options.demo_clip = {"auto", "wave"};
  const Character bare = bare_human();
  const RigResult result = apply(bare, options);
  ASSERT_EQ(result.character.clips.size(), 2U);
  EXPECT_EQ(result.demo_clips, (std::vector<std::string>{"walk", "wave"}));
  options.demo_clip = {"flap", "wave"};
  const RigResult wingless = apply(bare, options);
  EXPECT_EQ(wingless.demo_clips, std::vector<std::string>{"wave"});
  EXPECT_EQ(wingless.findings.back().code, "rig.no_clip");
}

TEST(Rig, NeedsAMeshAndLeaveToReplaceARig) {
  EXPECT_THROW(rig(Character()), Error);
  try {
    rig(test::made_human());
    FAIL();
  } catch (const Error& problem) {
    EXPECT_NE(std::string(problem.what()).find("'replace'"), std::string::npos);
    EXPECT_EQ(std::string(problem.what()).find("--"), std::string::npos);
  }
}

TEST(Rig, AGenericSkeletonNeedsNoListener) {
  RigOptions options = options_for();
  options.skeleton_template = "generic";
  const RigResult result = rig(bare_human(), options);
  EXPECT_TRUE(result.fits);
  EXPECT_EQ(result.confidence, 1);
  EXPECT_FALSE(result.character.rig.skeleton.empty());
  EXPECT_TRUE(validate(result.character).empty());
}

TEST(Rig, ReportsItsStages) {
  RigOptions options = options_for();
  options.skeleton_template = "generic";
  std::vector<std::string> stages;
  rig(bare_human(), options, {}, [&](const char* stage) { stages.emplace_back(stage); });
  EXPECT_EQ(stages, (std::vector<std::string>{"inside", "joints", "bind", "finish"}));
}

TEST(Rig, FindsTheJointsOfABareHumanForAnyNumberOfThreads) {
  RigOptions options;
  options.skeleton_template = "human";
  options.rest = rigging::RestPose::kT;
  const Character bare = bare_human();
  set_thread_count(1);
  const RigResult one = rig(bare, options);
  set_thread_count(2);
  const RigResult two = rig(bare, options);
  set_thread_count(0);
  EXPECT_TRUE(one.fits);
  EXPECT_GT(one.confidence, 0.3);
  EXPECT_EQ(one.plan.template_name, "human");
  EXPECT_EQ(one.character.rig.weights, two.character.rig.weights);
  EXPECT_EQ(one.character.rig.mesh.positions, two.character.rig.mesh.positions);
  ASSERT_EQ(one.character.rig.skeleton.size(), two.character.rig.skeleton.size());
  for (Index j = 0; j < one.character.rig.skeleton.size(); ++j)
    EXPECT_EQ(one.character.rig.skeleton.joints[j].rest, two.character.rig.skeleton.joints[j].rest);
}

}  // namespace
}  // namespace sinew::pipeline
