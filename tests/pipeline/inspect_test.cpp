// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/pipeline/inspect.h"

#include <gtest/gtest.h>

#include "sinew/pipeline/inspect_parts.h"
#include "tests/pipeline/ball_rig.h"

namespace sinew::pipeline {
namespace {

using namespace sinew::test;

SkeletonHealth skeleton_of(const Rig& rig) {
  const geometry::Welding welding = geometry::weld(rig.mesh);
  return skeleton_health(rig, welding, geometry::topology(rig.mesh, welding), rig.mesh.size());
}
WeightHealth weights_of(const Rig& rig) { return weight_health(rig, geometry::weld(rig.mesh), skeleton_of(rig)); }

TEST(InspectSkeleton, FindsJointsOutsideTheSkin) {
  const SkeletonHealth health = skeleton_of(ball_rig());
  EXPECT_EQ(health.outside, std::vector<Index>{2});
  EXPECT_EQ(health.deforming, 3u);
  EXPECT_EQ(health.moving, 3u);
  EXPECT_NEAR(health.joints[0].winding, 1, 1e-12);
}

TEST(InspectSkeleton, ReportsHowFarTheBindPoseIsFromTheRestPose) {
  Rig rig = ball_rig();
  EXPECT_EQ(skeleton_of(rig).bind_differs, 0u);
  EXPECT_EQ(skeleton_of(rig).bind_skin_rel, 0);
  rig.skeleton.joints[1].rest.translation.x() += 0.1 * rig.mesh.size();  // The chest and the hat on it.
  const SkeletonHealth health = skeleton_of(rig);
  EXPECT_EQ(health.bind_differs, 2u);
  EXPECT_NEAR(health.bind_joint_rel, 0.1, 1e-12);
  EXPECT_NEAR(health.bind_skin_rel, 0.1, 1e-12);
}

TEST(InspectSkeleton, FindsScaleShearAndBonesWithoutLength) {
  Rig rig = ball_rig();
  rig.skeleton.joints[0].rest.scale = Vec3(1, 2, 1);
  rig.skeleton.joints[1].rest.rotation = rotation_exp(Vec3(0, 0, 0.5));
  rig.skeleton.joints[2].rest.translation = Vec3::Zero();
  rig.skeleton.joints[2].rest.scale = Vec3(-1, 1, 0);
  const SkeletonHealth health = skeleton_of(rig);
  EXPECT_EQ(health.scaled, (std::vector<Index>{0, 2}));
  EXPECT_EQ(health.uneven_scale, (std::vector<Index>{0, 2}));
  EXPECT_EQ(health.collapsed, std::vector<Index>{2});
  EXPECT_EQ(health.zero_length, std::vector<Index>{2});
  ASSERT_FALSE(health.sheared.empty());
  EXPECT_EQ(health.sheared[0], 1u);
}

TEST(InspectWeights, CountsBadRows) {
  Rig rig = ball_rig();
  rig.weights = {};
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    if (v == 0) rig.weights.add_row(std::span<const Influence>{});
    else if (v < 4) rig.weights.add_row({{0, 0.5F}, {1, 0.4F}});
    else rig.weights.add_row({{0, 1.0F}});
  }
  const WeightHealth health = weights_of(rig);
  EXPECT_EQ(health.empty_rows, 1u);
  EXPECT_EQ(health.bad_sums, 3u);
  EXPECT_NEAR(health.worst_sum, 0.9, 1e-6);
  EXPECT_EQ(health.histogram, (std::vector<std::uint64_t>{1, rig.mesh.vertex_count() - 4u, 3}));
  EXPECT_EQ(health.idle_joints, std::vector<Index>{2});
}

TEST(InspectWeights, FindsCopiesOfAVertexWithOtherWeights) {
  Rig rig = ball_rig();
  const Vec3 top = rig.mesh.positions[0];
  rig.mesh.positions.push_back(top);
  rig.mesh.positions.push_back(top);
  rig.mesh.parts[0].vertex_count += 2;
  rig.weights.add_row({{1, 0.5F}, {2, 0.5F}});
  EXPECT_EQ(rig.weights.row(0).size(), 2u);
  Rig same = rig;
  same.weights.add_row({{1, 0.5001F}, {2, 0.4999F}});
  EXPECT_EQ(weights_of(same).split_differs, 0u);
  rig.weights.add_row({{1, 0.6F}, {2, 0.4F}});
  EXPECT_EQ(weights_of(rig).split_differs, 1u);
}

// A body with two arms, feet that point forwards, and a head.
Mesh doll() {
  const auto box = [](const Vec3& low, const Vec3& high) {
    Mesh mesh;
    for (int x = 0; x <= 10; ++x)
      for (int y = 0; y <= 10; ++y)
        for (int z = 0; z <= 10; ++z) mesh.positions.push_back(low + (high - low).cwiseProduct(Vec3(x, y, z) / 10));
    return mesh;
  };
  Mesh mesh = box({-0.2, 0.8, -0.1}, {0.2, 1.5, 0.1});
  mesh = joined(mesh, box({-0.1, 1.5, -0.1}, {0.1, 1.75, 0.12}));
  for (const double side : {-1.0, 1.0}) {
    mesh = joined(mesh, box({side * 0.05, 0, -0.08}, {side * 0.2, 0.8, 0.08}));
    mesh = joined(mesh, box({side * 0.05, 0, 0.08}, {side * 0.2, 0.1, 0.25}));
    mesh = joined(mesh, box({side * 0.2, 1.3, -0.05}, {side * 0.8, 1.42, 0.05}));
  }
  return mesh;
}

TEST(InspectSpace, RecognisesAPersonInMetresStandingUp) {
  const SpaceGuess guess = guess_space(doll());
  EXPECT_EQ(guess.unit, "m");
  EXPECT_EQ(guess.unit_confidence, SpaceGuess::Confidence::kHigh);
  EXPECT_EQ(guess.up, "+y");
  EXPECT_EQ(guess.up_confidence, SpaceGuess::Confidence::kHigh);
  EXPECT_EQ(guess.side_axis, 0);
  EXPECT_NEAR(guess.height, 1.75, 1e-12);
}

TEST(InspectSpace, RecognisesCentimetresAndZUp) {
  Mesh mesh = doll();
  for (Vec3& p : mesh.positions) p = 100 * Vec3(p.x(), -p.z(), p.y());
  const SpaceGuess guess = guess_space(mesh);
  EXPECT_EQ(guess.unit, "cm");
  EXPECT_EQ(guess.up, "+z");
  EXPECT_EQ(guess.side_axis, 0);
}

TEST(InspectSpace, IsUnsureOfAnEmptyMesh) {
  EXPECT_EQ(guess_space(Mesh{}).unit_confidence, SpaceGuess::Confidence::kLow);
}

TEST(InspectFindings, AreEmptyForAHealthyCharacterAndNameRealHarm) {
  Character character;
  character.rig = ball_rig();
  EXPECT_TRUE(inspect(character).findings.empty());
  Mesh& mesh = character.rig.mesh;
  for (Index f = 0; f < mesh.face_count(); ++f)
    std::swap(mesh.face_vertices[mesh.face_offsets[f]], mesh.face_vertices[mesh.face_offsets[f] + 1]);
  const Findings found = inspect(character).findings;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, "mesh.inside_out");
  EXPECT_EQ(found[0].where, "ball");
}

TEST(InspectClip, CountsWhatMoves) {
  Clip clip;
  clip.name = "wave";
  for (const Index joint : {0u, 0u, 2u})
    clip.tracks.push_back({Track::Path::kRotation, joint, Track::Interpolation::kLinear, {0, 1.5F}, {}});
  clip.tracks.push_back({Track::Path::kTranslation, 1, Track::Interpolation::kLinear, {0}, {}});
  clip.tracks.push_back({Track::Path::kMorphWeights, 0, Track::Interpolation::kLinear, {0}, {}});
  const ClipFacts facts = clip_facts(clip);
  EXPECT_EQ(facts.joints, 3u);
  EXPECT_EQ(facts.rotated, 2u);
  EXPECT_EQ(facts.translated, 1u);
  EXPECT_EQ(facts.morphed_parts, 1u);
  EXPECT_EQ(facts.duration_s, 1.5);
}

}  // namespace
}  // namespace sinew::pipeline
