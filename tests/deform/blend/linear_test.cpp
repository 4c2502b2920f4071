// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/linear.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <random>
#include <vector>

#include "sinew/core/character.h"
#include "sinew/core/parallel.h"

namespace sinew::deform {
namespace {

Mat4 random_rigid(std::mt19937& rng, double reach = 1) {
  std::normal_distribution<double> normal;
  Transform t;
  t.translation = reach * Vec3(normal(rng), normal(rng), normal(rng));
  t.rotation = Quat(normal(rng), normal(rng), normal(rng), normal(rng)).normalized();
  return t.matrix();
}

// A skinned part bound away from rest, a rigid part on joint 2, a part that nothing moves.
Rig random_rig(unsigned seed, Index vertices = 60) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  Rig rig;
  rig.skeleton.joints.resize(4);
  for (Index j = 1; j < 4; ++j) {
    rig.skeleton.joints[j].parent = j - 1;
    rig.skeleton.joints[j].rest = decompose(random_rigid(rng)).transform;
  }
  Skin skin{"skin", {0, 1, 3}, {}};
  for (int k = 0; k < 3; ++k) skin.inverse_bind.push_back(random_rigid(rng));
  rig.skins = {skin};
  for (Index p = 0; p < 3; ++p) {
    MeshPart part;
    part.first_vertex = p * vertices, part.vertex_count = vertices;
    if (p == 0) part.skin = 0;
    if (p == 1) part.joint = 2, part.to_model = rest_matrices(rig.skeleton)[2];
    part.morphs = {{"a", {}}, {"b", {}}};
    part.morph_weights = {0, 0};
    for (Index i = 0; i < vertices; ++i) {
      rig.mesh.positions.emplace_back(any(rng), any(rng), any(rng));
      for (Morph& morph : part.morphs) morph.deltas.push_back(Vec3(any(rng), any(rng), any(rng)).cast<float>());
      if (p == 0) {
        const auto a = static_cast<float>(any(rng) + 1), b = static_cast<float>(any(rng) + 1);
        rig.weights.add_row({{0, a}, {1, b}, {3, 0.5F}});
      } else if (p == 1) {
        rig.weights.add_row({{2, 1.0F}});
      } else {
        rig.weights.add_row({});
      }
    }
    rig.mesh.parts.push_back(part);
  }
  return rig;
}

double worst(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

ModelPose pose_of(const std::vector<Mat4>& joints) { return {joints, {}, {}}; }

std::vector<Mat4> random_pose(unsigned seed, std::size_t joints) {
  std::mt19937 rng(seed);
  std::vector<Mat4> pose;
  for (std::size_t j = 0; j < joints; ++j) pose.push_back(random_rigid(rng));
  return pose;
}

TEST(Linear, TheBindPoseGivesTheMesh) {
  const Rig rig = random_rig(1);
  ASSERT_TRUE(validate(rig).empty());
  auto bind = bind_pose_matrices(rig, 0);
  bind[2] = rig.mesh.parts[1].to_model;  // The rigid part's own bind pose.
  EXPECT_LT(worst(linear_positions(rig, pose_of(bind)), rig.mesh.positions), 1e-12);
}

TEST(Linear, ARigidMotionOfTheSkeletonMovesTheSkinRigidly) {
  const Rig rig = random_rig(2);
  std::vector<Mat4> pose = random_pose(3, 4);
  const auto before = linear_positions(rig, pose_of(pose));
  std::mt19937 rng(4);
  const Mat4 motion = random_rigid(rng, 5);
  for (Mat4& joint : pose) joint = motion * joint;
  const auto after = linear_positions(rig, pose_of(pose));
  for (Index v = 0; v < 120; ++v) EXPECT_LT((after[v] - transform_point(motion, before[v])).norm(), 1e-11);
  for (Index v = 120; v < 180; ++v) EXPECT_EQ(after[v], rig.mesh.positions[v]);
}

// Σ w (M B⁻¹ p) / Σ w, one transformed point at a time.
TEST(Linear, EqualsTheFormulaPointByPoint) {
  const Rig rig = random_rig(5);
  const std::vector<Mat4> pose = random_pose(6, 4);
  std::vector<Vec3> expected = rig.mesh.positions;
  for (Index v = 0; v < 60; ++v) {
    Vec3 sum = Vec3::Zero();
    double total = 0;
    for (const Influence& i : rig.weights.row(v)) {
      std::size_t k = 0;
      while (rig.skins[0].joints[k] != i.joint) ++k;
      const auto w = static_cast<double>(i.weight);
      sum += w * transform_point(pose[i.joint], transform_point(rig.skins[0].inverse_bind[k], rig.mesh.positions[v]));
      total += w;
    }
    expected[v] = sum / total;
  }
  for (Index v = 60; v < 120; ++v)
    expected[v] =
        transform_point(pose[2], transform_point(rig.mesh.parts[1].to_model.inverse(), rig.mesh.positions[v]));
  EXPECT_LT(worst(linear_positions(rig, pose_of(pose)), expected), 1e-11);
}

TEST(Linear, MorphsComeBeforeTheSkin) {
  Rig rig = random_rig(7);
  ModelPose pose = pose_of(random_pose(8, 4));
  pose.morph_weights = {{0.25, -2}, {1, 0}, {0, 0.5}};
  const auto morphed = linear_positions(rig, pose);
  const std::vector<Vec3> shaped = morphed_positions(rig.mesh, pose.morph_weights);
  const MeshPart& part = rig.mesh.parts[0];
  const Vec3 by_hand = rig.mesh.positions[3] + 0.25 * part.morphs[0].deltas[3].cast<double>() -
                       2 * part.morphs[1].deltas[3].cast<double>();
  EXPECT_LT((shaped[3] - by_hand).norm(), 1e-12);
  rig.mesh.positions = shaped;
  pose.morph_weights.clear();
  EXPECT_LT(worst(linear_positions(rig, pose), morphed), 1e-12);
}

TEST(Linear, WeightsThatAreNoSharesAreLeftOut) {
  Rig rig = random_rig(9);
  SkinWeights harmed;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    std::vector<Influence> row(rig.weights.row(v).begin(), rig.weights.row(v).end());
    if (v < 60) row.insert(row.end(), {{1, -3.0F}, {3, nan}});
    harmed.add_row(row);
  }
  const ModelPose pose = pose_of(random_pose(10, 4));
  const auto expected = linear_positions(rig, pose);
  rig.weights = harmed;
  EXPECT_LT(worst(linear_positions(rig, pose), expected), 1e-12);
}

TEST(Linear, SameBitsForOneToFourThreads) {
  const Rig rig = random_rig(11, 7000);
  const ModelPose pose = pose_of(random_pose(12, 4));
  set_thread_count(1);
  const auto expected = linear_positions(rig, pose);
  for (int threads = 2; threads <= 4; ++threads) {
    set_thread_count(threads);
    EXPECT_EQ(linear_positions(rig, pose), expected);
  }
  set_thread_count(0);
}

TEST(Linear, AMeshWithoutARigComesBackAsItIs) {
  Rig rig = random_rig(13);
  rig.weights = {}, rig.skins.clear(), rig.skeleton.joints.clear(), rig.mesh.parts.resize(1);
  rig.mesh.parts[0].skin = kNone;
  EXPECT_EQ(linear_positions(rig, pose_of({})), rig.mesh.positions);
}

}  // namespace
}  // namespace sinew::deform
