// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/rig_apply.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/resolve.h"
#include "sinew/motion/sample.h"
#include "sinew/pipeline/rig_merge.h"
#include "sinew/rigging/anatomy/symmetry.h"
#include "tests/jobs/rig_plans.h"
#include "tests/support/gltf_fixtures.h"

namespace sinew::pipeline {
namespace {

class RigApply : public testing::Test {
 protected:
  // A made human as a file that has been read: with its own skeleton, or bare.
  io::Asset human(bool bare, const std::string& pose = "a") {
    io::Asset asset;
    asset.character = test::made_human(pose);
    rigged_ = test::true_plan(asset.character);
    if (bare) {
      take_out_rig(asset.character);
      asset.character.clips.clear();
    } else {
      asset.character.clips = {motion::builtin_clip(asset.character.rig.skeleton, "walk")};
    }
    Report report;
    io::save(asset, folder_ / "in.glb", {}, report);
    return io::load(folder_ / "in.glb");
  }

  RigSettings settings(const std::string& preset = "plain") {
    RigSettings result;
    result.preset = rigging::find_preset(preset);
    result.bind = "distance";
    return result;
  }

  RiggedAsset apply(io::Asset asset, const RigSettings& s) {
    return apply_rigged(std::move(asset), rigged_, s, false, report_, {});
  }

  io::Asset saved(const RiggedAsset& rigged, const std::string& name = "out.glb") {
    Report report;
    io::save(rigged.asset, folder_ / name, rigged.save, report);
    return io::load(folder_ / name);
  }

  test::TemporaryFolder folder_;
  rigging::Rigged rigged_;
  Report report_;
};

TEST_F(RigApply, ABareMeshGetsJointsWeightsAndASkinAndKeepsItsVertices) {
  const io::Asset before = human(true);
  const io::Asset after = saved(apply(before, settings()));
  const Rig& rig = after.character.rig;
  EXPECT_EQ(rig.mesh.positions, before.character.rig.mesh.positions);
  EXPECT_EQ(rig.mesh.face_vertices, before.character.rig.mesh.face_vertices);
  ASSERT_EQ(rig.skins.size(), 1U);
  EXPECT_EQ(rig.skins[0].joints.size(), rigged_.plan.joints.size());
  ASSERT_EQ(rig.weights.row_count(), rig.mesh.vertex_count());
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    EXPECT_FALSE(rig.weights.row(v).empty());
    EXPECT_LE(rig.weights.row(v).size(), 4U);
  }
  // In the rest pose the skin is the mesh.
  const std::vector<Vec3> shown = deform::linear_positions(rig, motion::resolve(rig.skeleton, rest_pose(rig)));
  for (std::size_t v = 0; v < shown.size(); ++v) EXPECT_LT((shown[v] - rig.mesh.positions[v]).norm(), 1e-5);
}

TEST_F(RigApply, EveryJointStandsWhereThePlanHasItWhateverThePreset) {
  for (const rigging::Preset& preset : rigging::presets()) {
    RigSettings s = settings(preset.name);
    s.preset.rest = "keep";
    const RiggedAsset rigged = apply(human(true), s);
    const std::vector<Mat4> rest = rest_matrices(saved(rigged, preset.name + ".glb").character.rig.skeleton);
    const Skeleton& written = io::load(folder_ / (preset.name + ".glb")).character.rig.skeleton;
    for (std::size_t k = 0; k < rigged_.plan.joints.size(); ++k) {
      const Index j = written.find(rigged.asset.character.rig.skeleton.joints[rigged.skeleton.joints[k]].name);
      ASSERT_NE(j, kNone);
      EXPECT_LT((rest[j].topRightCorner<3, 1>() - rigged_.plan.joints[k].position).norm(), 1e-5) << preset.name;
    }
  }
}

TEST_F(RigApply, WeightsAreMirroredToTheLastBit) {
  const RiggedAsset rigged = apply(human(true), settings());
  const Rig& rig = rigged.asset.character.rig;
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
}

TEST_F(RigApply, ATPoseMovesMeshAndSkeletonTogetherAndPosesBack) {
  RigSettings s = settings();
  s.preset.rest = "t";
  const io::Asset before = human(true, "a");
  const io::Asset after = saved(apply(before, s));
  const Rig& rig = after.character.rig;
  const Box box = rig.mesh.bounds(), old = before.character.rig.mesh.bounds();
  EXPECT_GT(box.extent().x(), 1.1 * old.extent().x());
  EXPECT_NEAR(box.lower.y(), old.lower.y(), 0.02);
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  const Index arm = rig.skeleton.find("LeftUpperArm"), hand = rig.skeleton.find("LeftHand");
  const Vec3 way = rest[hand].topRightCorner<3, 1>() - rest[arm].topRightCorner<3, 1>();
  EXPECT_LT((way.normalized() - Vec3::UnitX()).norm(), 1e-5);
  const std::vector<Vec3> shown = deform::linear_positions(rig, motion::resolve(rig.skeleton, rest_pose(rig)));
  for (std::size_t v = 0; v < shown.size(); ++v) EXPECT_LT((shown[v] - rig.mesh.positions[v]).norm(), 1e-5);
  EXPECT_NE(rig.mesh.normals.empty(), !before.character.rig.mesh.normals.empty());
}

TEST_F(RigApply, AReplacedSkeletonTakesItsClipsAlong) {
  const io::Asset before = human(false);
  for (const char* rest : {"keep", "t"}) {
    RigSettings s = settings("mixamo");
    s.preset.rest = rest;
    const io::Asset after = saved(apply(before, s));
    const Rig& rig = after.character.rig;
    EXPECT_EQ(rig.skins.size(), 1U);
    EXPECT_NE(rig.skeleton.find("mixamorig:Hips"), kNone);
    EXPECT_EQ(rig.skeleton.find("Hips"), kNone);
    ASSERT_EQ(after.character.clips.size(), 1U);
    EXPECT_EQ(after.character.clips[0].name, before.character.clips[0].name);
    // Hands and feet are where they were, at any time.
    const motion::Recognition known = motion::recognize(rig.skeleton);
    const motion::Recognition old_known = motion::recognize(before.character.rig.skeleton);
    for (const double time : {0.1, 0.4, 0.8}) {
      const ModelPose old = motion::resolve(before.character.rig.skeleton,
                                            motion::sample(before.character.rig, before.character.clips[0], time));
      const ModelPose now = motion::resolve(rig.skeleton, motion::sample(rig, after.character.clips[0], time));
      for (const motion::BodyPart part : {motion::BodyPart::kHand, motion::BodyPart::kFoot, motion::BodyPart::kShin}) {
        const Vec3 a = old.joints[old_known.find(part, motion::Side::kLeft)].topRightCorner<3, 1>();
        const Vec3 b = now.joints[known.find(part, motion::Side::kLeft)].topRightCorner<3, 1>();
        EXPECT_LT((a - b).norm(), 2e-3) << rest << " " << time;
      }
    }
  }
}

TEST_F(RigApply, BuiltInClipsAreAddedAndThoseThatDoNotFitRefused) {
  RigSettings s = settings();
  s.demo_clip = {"auto", "wave"};
  const io::Asset after = saved(apply(human(true), s));
  ASSERT_EQ(after.character.clips.size(), 2U);
  EXPECT_EQ(after.character.clips[0].name, "walk");
  s.demo_clip = {"flap"};
  EXPECT_THROW(apply(human(true), s), Error);
  rigged_.fits = false;
  const io::Asset bare = human(true);
  rigged_.fits = false;
  EXPECT_NO_THROW(apply(bare, s));
}

TEST_F(RigApply, AnAvatarHasATableOfItsBones) {
  RigSettings s = settings("vrm");
  s.avatar = true;
  const RiggedAsset rigged = apply(human(true), s);
  ASSERT_TRUE(rigged.save.humanoid);
  EXPECT_TRUE(rigged.save.humanoid->create);
  const io::Asset after = saved(rigged, "out.vrm");
  EXPECT_EQ(after.contents["vrm"], "1.0");
  std::vector<std::string> missing;
  Skeleton nothing;
  nothing.joints.resize(1);
  nothing.joints[0].role = "hips";
  humanoid_of(nothing, "x", missing);
  EXPECT_EQ(missing.size(), 14U);
}

TEST_F(RigApply, SameBytesForAnyNumberOfThreads) {
  RigSettings s = settings();
  s.bind = "auto";
  s.preset.rest = "t";
  const io::Asset bare = human(true);
  set_thread_count(1);
  saved(apply(bare, s), "one.glb");
  set_thread_count(2);
  saved(apply(bare, s), "two.glb");
  set_thread_count(0);
  EXPECT_EQ(io::read_file(folder_ / "one.glb"), io::read_file(folder_ / "two.glb"));
}

}  // namespace
}  // namespace sinew::pipeline
