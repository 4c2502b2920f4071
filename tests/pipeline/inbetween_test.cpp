// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/inbetween.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/motion/gestures/builtin_clips.h"
#include "sinew/motion/sample.h"
#include "sinew/pipeline/inbetween_clip.h"
#include "sinew/shapes/kinds.h"
#include "tests/support/threads.h"

namespace sinew::pipeline {
namespace {

const Character& posable() {
  static const Character character = [] {
    shapes::MakeOptions options;
    options.vertices = 2500;
    return shapes::make("human", options).made.character;
  }();
  return character;
}

std::vector<Vec3> posed(const Character& character, double time_s) {
  const Rig& rig = character.rig;
  const Pose pose = motion::sample(rig, motion::builtin_clip(rig.skeleton, "walk"), time_s);
  return deform::linear_positions(rig, {model_matrices(rig.skeleton, pose.local), {}, pose.morph_weights});
}

/// The same mesh without its skeleton, in a pose.
NamedCharacter bare(double time_s) {
  Character character;
  character.rig.mesh = posable().rig.mesh;
  character.rig.mesh.positions = posed(posable(), time_s);
  character.rig.mesh.face_materials.clear();
  for (MeshPart& part : character.rig.mesh.parts) part.skin = part.joint = kNone;
  return {std::to_string(time_s), std::move(character)};
}

double distance(std::span<const Vec3f> a, const std::vector<Vec3>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < b.size(); ++i) worst = std::max(worst, (a[i].cast<double>() - b[i]).norm());
  return worst;
}

TEST(PoseSet, TellsWhereMeshesDiffer) {
  const auto refusal = [](auto&& change) {
    NamedCharacter other = bare(0.2);
    other.name = "other.obj";
    change(other.character.rig.mesh);
    try {
      poses_of_characters({bare(0), other});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal([](Mesh&) {}), "");
  const std::string face = refusal([](Mesh& mesh) { std::swap(mesh.face_vertices[40], mesh.face_vertices[41]); });
  EXPECT_NE(face.find("other.obj"), std::string::npos) << face;
  EXPECT_NE(face.find("face 10 "), std::string::npos) << face;
  const std::string vertices = refusal([](Mesh& mesh) { mesh.positions.push_back(Vec3::Zero()); });
  EXPECT_NE(vertices.find("vertices and not"), std::string::npos) << vertices;
}

TEST(PoseSet, TakesMorphsByName) {
  Character character = bare(0).character;
  MeshPart& part = character.rig.mesh.parts[0];
  for (const char* name : {"up", "down"}) {
    part.morphs.push_back({name, std::vector<Vec3f>(part.vertex_count, Vec3f(0, name[0] == 'u' ? 1 : -1, 0))});
    part.morph_weights.push_back(0);
  }
  const PoseSet all = poses_of_morphs(character, {});
  EXPECT_EQ(all.names, (std::vector<std::string>{"rest", "up", "down"}));
  EXPECT_NEAR(all.shapes[1][0].y() - all.shapes[0][0].y(), 1, 1e-6);
  EXPECT_EQ(poses_of_morphs(character, {"down", "up"}).shapes.size(), 2U);
  EXPECT_THROW(poses_of_morphs(character, {"left"}), Error);
  EXPECT_THROW(poses_of_morphs(bare(0).character, {}), Error);
}

TEST(Inbetween, ABareMeshGetsASkeletonAndIsNearerToTheMotionThanStraightLines) {
  const double from = 0, to = 0.25;
  const PoseSet poses = poses_of_characters({bare(from), bare(to)});
  const Inbetween between = inbetween(poses, {0, 1});
  EXPECT_GT(between.joints.size(), 10U);
  std::vector<Vec3f> shape(poses.shapes[0].size());
  for (const int key : {0, 1}) {
    between.motion->evaluate(key, shape);
    EXPECT_LT(distance(shape, poses.shapes[key]), 1e-5);
  }
  const std::vector<Vec3> truth = posed(posable(), 0.5 * (from + to));
  double straight = 0, curved = 0;
  between.motion->evaluate(0.5, shape);
  for (std::size_t v = 0; v < truth.size(); ++v) {
    straight += (0.5 * (poses.shapes[0][v] + poses.shapes[1][v]) - truth[v]).squaredNorm();
    curved += (shape[v].cast<double>() - truth[v]).squaredNorm();
  }
  EXPECT_LT(curved, straight);
}

TEST(Inbetween, ARiggedCharacterKeepsItsSkeleton) {
  Character character = posable();
  const Clip clip = motion::builtin_clip(character.rig.skeleton, "walk");
  const Inbetween between = inbetween(poses_of_clip(character, clip, {0, 0.1, 0.2}), {0, 0.1, 0.2});
  EXPECT_EQ(between.joints.size(), character.rig.skeleton.size());
  EXPECT_EQ(between.rest, kNone);
  EXPECT_TRUE(between.findings.empty());
}

TEST(Inbetween, WarnsOfAPoseThatIsScaled) {
  PoseSet poses = poses_of_clip(posable(), motion::builtin_clip(posable().rig.skeleton, "walk"), {0, 0.2});
  EXPECT_TRUE(inbetween(poses, {0, 1}).findings.empty());
  for (Vec3& p : poses.shapes[1]) p *= 10;  // As with another unit.
  const Findings findings = inbetween(poses, {0, 1}).findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "inbetween.unexplained");
}

TEST(Inbetween, RandomPosesHaveFiniteShapesThatStayBetweenTheirEnds) {
  std::mt19937 random(17);
  Character character = posable();
  const Rig& rig = character.rig;
  const CurveSet curves = geometry::find_curves(rig.mesh);
  std::vector<Vec3f> one(rig.mesh.positions.size()), two(one);
  for (int pair = 0; pair < 25; ++pair) {
    std::vector<std::vector<Vec3>> poses;
    for (int p = 0; p < 2; ++p) {
      Pose pose = rest_pose(rig);
      for (Transform& local : pose.local) {
        const Vec3 turn = 0.6 * Vec3(std::normal_distribution()(random), std::normal_distribution()(random),
                                     std::normal_distribution()(random));
        local.rotation = local.rotation * rotation_exp(turn);
      }
      poses.push_back(
          deform::linear_positions(rig, {model_matrices(rig.skeleton, pose.local), {}, pose.morph_weights}));
    }
    const deform::JointPoses joints = deform::fit_joint_poses(rig, poses);
    const deform::CurveMotion motion(rig, curves, joints, {poses, std::vector<double>{0, 1}, 1.0});
    const std::vector<Vec3f> from = motion.displacements(0), to = motion.displacements(1);
    for (const double t : {0.2, 0.5, 0.8}) {
      const std::vector<Vec3f> now = motion.displacements(t);
      // No mode overshoots, so that no curve moves farther than its step.
      for (const Curve& curve : curves.curves) {
        double moved = 0, whole = 0;
        for (const CurvePoint& point : curves.of(curve)) {
          moved += (now[point.a] - from[point.a]).squaredNorm();
          whole += (to[point.a] - from[point.a]).squaredNorm();
        }
        EXPECT_LE(moved, 1.0001 * whole + 1e-12);
      }
      {
        const test::Threads threads(1);
        motion.evaluate(t, one);
      }
      motion.evaluate(t, two);
      EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(Vec3f)), 0);
      EXPECT_TRUE(std::all_of(one.begin(), one.end(), [](const Vec3f& p) { return p.allFinite(); }));
    }
  }
}

TEST(InbetweenClip, JointsAndKeyShapesOfOneSkinAreWithinTheTolerance) {
  const Inbetween between = inbetween(poses_of_characters({bare(0), bare(0.2), bare(0.4)}), {0, 0.2, 0.4});
  const std::vector<double> frames = inbetween_frames({0, 0.2, 0.4}, 30);
  EXPECT_NEAR(frames.back(), 0.4, 1e-9);
  KeyShapeOptions options;
  const InbetweenClip made = inbetween_clip(between, frames, "motion", options);
  EXPECT_LT(made.error, options.tolerance);
  EXPECT_GT(made.key_shapes, 0U);
  const Rig& rig = made.character.rig;
  EXPECT_EQ(rig.mesh.parts[0].skin, 0U);
  for (const Finding& finding : validate(made.character)) ADD_FAILURE() << finding.text;
  // Without key shapes, linear skinning is farther away.
  const Pose pose = motion::sample(rig, made.character.clips[0], 0.4);
  std::vector<std::vector<double>> none = pose.morph_weights;
  for (auto& weights : none) std::fill(weights.begin(), weights.end(), 0.0);
  const std::vector<Vec3> skinned = deform::linear_positions(rig, {model_matrices(rig.skeleton, pose.local), {}, none});
  std::vector<Vec3f> truth(skinned.size());
  between.motion->evaluate(0.4, truth);
  EXPECT_GT(distance(truth, skinned), options.tolerance * rig.mesh.size());
  options.max_targets = 1;
  EXPECT_THROW(inbetween_clip(between, frames, "motion", options), Error);
  EXPECT_THROW(inbetween_frames({0, 1e9}, 30), Error);
}

}  // namespace
}  // namespace sinew::pipeline
