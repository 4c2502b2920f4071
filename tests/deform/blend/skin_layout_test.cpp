// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/skin_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/deform/skin_rigs.h"

namespace sinew::deform {
namespace {

using namespace testing;

TEST(SkinLayout, HoldsEveryVertexOnce) {
  for (const Index count : {1U, 7U, 8U, 9U, 4095U, 4096U, 4097U}) {
    const SkinLayout layout = make_skin_layout(random_cloud(count, count));
    std::vector<int> times(count, 0);
    for (std::size_t b = 0; b < layout.blocks.size(); ++b)
      for (std::size_t lane = 0; lane < layout.blocks[b].vertex_count; ++lane)
        ++times[layout.vertices[b * kBlockWidth + lane]];
    EXPECT_EQ(times, std::vector<int>(count, 1));
  }
}

TEST(SkinLayout, WeightsOfEveryLaneSumToOne) {
  const SkinLayout layout = make_skin_layout(random_cloud(3, 1000, 20, 9));
  for (const SkinBlock& block : layout.blocks)
    for (std::size_t lane = 0; lane < kBlockWidth; ++lane) {
      double sum = 0;
      for (std::size_t k = 0; k < block.slot_count; ++k) sum += layout.weights[block.first_weight + k].at[lane];
      EXPECT_NEAR(sum, 1, 1e-6);
    }
}

TEST(SkinLayout, JointsOfABlockIncrease) {
  const SkinLayout layout = make_skin_layout(random_cloud(4, 1000, 20, 9));
  for (const SkinBlock& block : layout.blocks)
    for (std::size_t k = 1; k < block.slot_count; ++k)
      EXPECT_LT(layout.slot_lists[block.first_slot + k - 1], layout.slot_lists[block.first_slot + k]);
}

TEST(SkinLayout, VerticesThatFollowOneAnotherMakeABlockWhereFewJointsMoveThem) {
  const SkinLayout layout = make_skin_layout(random_cloud(5, 800, 4, 1));
  ASSERT_EQ(layout.blocks.size(), 100U);
  for (std::size_t b = 0; b < 100; ++b) {
    EXPECT_TRUE(layout.blocks[b].consecutive);
    EXPECT_EQ(layout.blocks[b].first_vertex, b * kBlockWidth);
  }
  EXPECT_TRUE(layout.scattered.empty());
}

TEST(SkinLayout, OtherVerticesOfOneSetFillBlocksWithoutFillers) {
  // Eight vertices in a row have eight joints, which is too many for one block.
  Rig rig = random_cloud(5, 1024, 8, 1);
  rig.weights = {};
  for (Index v = 0; v < 1024; ++v) rig.weights.add_row({{v % 8, 1.0F}});
  const SkinLayout layout = make_skin_layout(rig);
  EXPECT_EQ(layout.blocks.size(), 128U);
  for (const SkinBlock& block : layout.blocks) {
    EXPECT_EQ(block.slot_count, 1);
    EXPECT_FALSE(block.consecutive);
  }
  EXPECT_EQ(layout.scattered, layout.vertices);
}

TEST(SkinLayout, ConsecutiveBlocksComeFirstInAWindowAndInTheOrderOfTheFile) {
  const SkinLayout layout = make_skin_layout(random_cloud(9, 3000, 40, 3));
  const auto scattered = std::find_if(layout.blocks.begin(), layout.blocks.end(),
                                      [](const SkinBlock& block) { return !block.consecutive; });
  ASSERT_NE(scattered, layout.blocks.begin());
  ASSERT_NE(scattered, layout.blocks.end());
  EXPECT_TRUE(std::none_of(scattered, layout.blocks.end(), [](const SkinBlock& block) { return block.consecutive; }));
  EXPECT_TRUE(std::is_sorted(layout.blocks.begin(), scattered,
                             [](const SkinBlock& a, const SkinBlock& b) { return a.first_vertex < b.first_vertex; }));
}

TEST(SkinLayout, ManyJointsGiveBlocksOfBoundedWidthUnlessAVertexNeedsMore) {
  const SkinLayout few = make_skin_layout(random_cloud(6, 500, 200, 4));
  for (const SkinBlock& block : few.blocks) EXPECT_LE(block.slot_count, 12);
  const SkinLayout many = make_skin_layout(random_cloud(7, 500, 200, 60));
  for (const SkinBlock& block : many.blocks) EXPECT_LE(block.slot_count, 60);
}

TEST(SkinLayout, RefusesAnInvalidRig) {
  Rig rig = random_cloud(8, 10);
  rig.skins[0].joints[0] = 99;
  EXPECT_THROW(make_skin_layout(rig), Error);
}

TEST(VertexNormals, ComeFromCornersThatAgreeAndElseFromTheFaces) {
  Rig rig = two_joint_tube(8, 2);
  CornerLayer<Vec3f> layer;
  const Vec3f odd = Vec3f(0, 0.6F, 0.8F);
  for (std::size_t c = 0; c < rig.mesh.face_vertices.size(); ++c) {
    const Index v = rig.mesh.face_vertices[c];
    layer.values.push_back(v == 0 ? odd : Vec3f(Vec3f(1, static_cast<float>(c), 1).normalized()));
    layer.corners.push_back(static_cast<Index>(c));
  }
  rig.mesh.normals = layer;
  const std::vector<Vec3f> normals = vertex_normals_of(rig.mesh);
  EXPECT_EQ(normals[0], odd);
  for (Index v = 1; v < 8; ++v) {
    const Vec3 outward = rig.mesh.positions[v].cwiseProduct(Vec3(1, 1, 0)).normalized();
    EXPECT_LT((normals[v].cast<double>() - outward).norm(), 1e-6) << v;
  }
}

}  // namespace
}  // namespace sinew::deform
