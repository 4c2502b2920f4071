// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/symmetric_rows.h"

#include <gtest/gtest.h>

#include <random>

namespace sinew::binding {
namespace {

// Joint 0 in the middle, 1 and 2 each other's image, 3 and 4 as well.
Skeleton five_joints() {
  Skeleton skeleton;
  skeleton.joints.resize(5);
  for (const auto& [a, b] : {std::pair{1U, 2U}, std::pair{3U, 4U}}) {
    skeleton.joints[a].mirror = b;
    skeleton.joints[b].mirror = a;
  }
  return skeleton;
}

Mesh points(const std::vector<Vec3>& places) {
  Mesh mesh;
  mesh.positions = places;
  return mesh;
}

float weight(const SkinWeights& weights, Index vertex, Index joint) {
  for (const Influence& influence : weights.row(vertex))
    if (influence.joint == joint) return influence.weight;
  return 0;
}

void expect_mirrored(const SkinWeights& weights, const Skeleton& skeleton, Index a, Index b) {
  for (Index j = 0; j < skeleton.size(); ++j) {
    const Index image = skeleton.joints[j].mirror == kNone ? j : skeleton.joints[j].mirror;
    EXPECT_EQ(weight(weights, a, j), weight(weights, b, image)) << j;
  }
}

Index make_symmetric(SkinWeights& weights, const Mesh& mesh, const Skeleton& skeleton, const std::vector<Index>& image,
                     Index most) {
  SymmetricRows result = symmetric_rows(weights, mesh, skeleton, image, most);
  weights = std::move(result.weights);
  return result.mirrored;
}

TEST(SymmetricWeights, BothSidesGetTheSameNumbersWithinTheCap) {
  const Skeleton skeleton = five_joints();
  const Mesh mesh = points({Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(3, 0, 0)});
  const std::vector<Index> partner = {1, 0, 2, kNone};
  std::mt19937 random(7);
  std::uniform_real_distribution<float> share(0.0F, 1.0F);
  for (int round = 0; round < 200; ++round) {
    SkinWeights weights;
    for (int v = 0; v < 4; ++v) {
      std::vector<Influence> row;
      for (Index j = 0; j < 5; ++j)
        if (share(random) < 0.6F) row.push_back({j, round % 2 == 0 ? share(random) : 0.25F});
      if (row.empty()) row.push_back({0, 1.0F});
      weights.add_row(row);
    }
    weights = weights.normalized();
    const SkinWeights before = weights;
    EXPECT_EQ(make_symmetric(weights, mesh, skeleton, partner, 3), 3U);
    expect_mirrored(weights, skeleton, 0, 1);
    expect_mirrored(weights, skeleton, 2, 2);
    for (Index v = 0; v < 3; ++v) {
      double sum = 0;
      for (const Influence& influence : weights.row(v)) sum += static_cast<double>(influence.weight);
      EXPECT_NEAR(sum, 1, 1e-6);
      EXPECT_LE(weights.row(v).size(), 3U);
    }
    EXPECT_TRUE(std::equal(weights.row(3).begin(), weights.row(3).end(), before.row(3).begin(), before.row(3).end()));
  }
}

TEST(SymmetricWeights, AVertexWhoseImageBelongsToAnotherKeepsItsRow) {
  const Skeleton skeleton = five_joints();
  const Mesh mesh = points({Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(1.001, 0, 0)});
  SkinWeights weights;
  weights.add_row({Influence{1, 1.0F}});
  weights.add_row({Influence{0, 1.0F}});
  weights.add_row({Influence{3, 1.0F}});
  EXPECT_EQ(make_symmetric(weights, mesh, skeleton, {1, 0, 1}, 4), 2U);
  EXPECT_EQ(weight(weights, 0, 1), 0.5F);
  EXPECT_EQ(weight(weights, 1, 2), 0.5F);
  EXPECT_EQ(weight(weights, 2, 3), 1.0F);
}

TEST(SymmetricWeights, CopiesAtOnePlaceShareAnImage) {
  const Skeleton skeleton = five_joints();
  const Mesh mesh = points({Vec3(1, 0, 0), Vec3(1, 0, 0), Vec3(-1, 0, 0)});
  SkinWeights weights;
  weights.add_row({Influence{1, 1.0F}});
  weights.add_row({Influence{1, 1.0F}});
  weights.add_row({Influence{0, 1.0F}});
  EXPECT_EQ(make_symmetric(weights, mesh, skeleton, {2, 2, 0}, 4), 3U);
  expect_mirrored(weights, skeleton, 0, 2);
  expect_mirrored(weights, skeleton, 1, 2);
}

}  // namespace
}  // namespace sinew::binding
