// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/lab/implicit/implicit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sinew/core/angles.h"
#include "sinew/deform/implicit/implicit.h"

namespace sinew::lab {
namespace {

std::vector<Vec3f> posed(const deform::Deformer& deformer, const Rig& rig, const ModelPose& pose,
                         deform::FrameReport* report = nullptr) {
  const auto state = deformer.make_state();
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  deformer.deform(*state, {pose}, {positions, {}, report});
  return positions;
}

LimbFigures figures_of(const std::string& method, const deform::ImplicitOptions& options, double degrees) {
  const LimbShape shape;
  const Rig limb = two_bone_limb(shape);
  const auto deformer = method == "implicit" ? deform::bind(method, limb, options) : deform::bind(method, limb);
  return limb_figures(limb, shape.radius, posed(*deformer, limb, limb_pose(limb, Vec3::UnitZ(), radians(degrees))));
}

TEST(ImplicitLimb, MeetsInContactWhereLinearBlendingIntersects) {
  std::mt19937 rng(std::random_device{}());
  const double drawn = std::uniform_real_distribution<double>(20, 90)(rng);
  for (const double degrees : {drawn, 90.0}) {
    const LimbFigures figures = figures_of("implicit", {}, degrees);
    EXPECT_EQ(figures.shrunk, 0) << degrees;
    EXPECT_LT(figures.depth, 0.02) << degrees;
    EXPECT_NEAR(figures.volume, 1, 0.03) << degrees;
  }
  EXPECT_GT(figures_of("lbs", {}, 90).shrunk, 0);
  EXPECT_LT(figures_of("implicit", {}, 120).depth, 0.02);
}

TEST(ImplicitLimb, WithoutProjectionTheCheckFails) {
  deform::ImplicitOptions none;
  none.steps = 1;
  none.contact = false;
  none.relaxations = none.smoothings = 0;
  EXPECT_GT(figures_of("implicit", none, 110).shrunk, 0);
}

/// A limb with a box on its lower half, which the upper half meets in a bend; `soft`: one corner follows both joints.
Rig limb_with_box(bool soft) {
  Rig rig = two_bone_limb();
  const Index first = rig.mesh.vertex_count();
  for (const double x : {0.8, 1.4})
    for (const double y : {0.6, 0.9})
      for (const double z : {-0.3, 0.3}) {
        rig.mesh.positions.emplace_back(x, y, z);
        const bool blended = soft && rig.mesh.vertex_count() == first + 1;
        rig.weights.add_row(blended ? std::vector<Influence>{{0, 0.1F}, {1, 0.9F}} : std::vector<Influence>{{1, 1.0F}});
      }
  for (const auto& face :
       {std::array<Index, 4>{0, 1, 3, 2}, std::array<Index, 4>{4, 6, 7, 5}, std::array<Index, 4>{0, 4, 5, 1},
        std::array<Index, 4>{2, 3, 7, 6}, std::array<Index, 4>{0, 2, 6, 4}, std::array<Index, 4>{1, 5, 7, 3}})
    rig.mesh.add_face(std::array{first + face[0], first + face[1], first + face[2], first + face[3]});
  rig.mesh.parts.front().vertex_count = rig.mesh.vertex_count();
  rig.mesh.parts.front().face_count = rig.mesh.face_count();
  return rig;
}

/// The largest correction of a vertex of the box in a bend of 110°.
float correction_of_box(bool soft) {
  const Rig rig = limb_with_box(soft);
  const ModelPose pose = limb_pose(rig, Vec3::UnitZ(), radians(110));
  const auto base = posed(*deform::bind("dqs", rig), rig, pose),
             moved = posed(*deform::bind("implicit", rig), rig, pose);
  float largest = 0;
  for (std::size_t v = base.size() - 8; v < base.size(); ++v) largest = std::max(largest, (moved[v] - base[v]).norm());
  return largest;
}

TEST(ImplicitLimb, KeepsTheShapeOfShellsThatOneJointMoves) {
  EXPECT_EQ(correction_of_box(false), 0);
  EXPECT_GT(correction_of_box(true), 0.01F);  // Otherwise the box would touch nothing.
}

TEST(ImplicitLimb, KeepsMoreVolumeThanLinearBlending) {
  EXPECT_LT(figures_of("lbs", {}, 90).volume, figures_of("implicit", {}, 90).volume);
}

TEST(ImplicitLimb, StatusesAddUpAndMostVerticesFitNearRest) {
  const Rig limb = two_bone_limb();
  const auto deformer = deform::bind("implicit", limb);
  deform::FrameReport report;
  posed(*deformer, limb, limb_pose(limb, Vec3(1, 2, 3), radians(10)), &report);
  ASSERT_EQ(report.status.size(), limb.mesh.positions.size());
  const auto fine = std::count_if(report.status.begin(), report.status.end(), [](deform::VertexStatus s) {
    return s == deform::VertexStatus::kFitted || s == deform::VertexStatus::kFrozen;
  });
  EXPECT_GE(static_cast<double>(fine), 0.97 * static_cast<double>(report.status.size()));
}

TEST(ImplicitLimb, TrackingReturnsNearRest) {
  LimbShape shape;
  shape.around = 20, shape.along = 32;
  const Rig limb = two_bone_limb(shape);
  deform::ImplicitOptions options;
  options.tracking = true;
  const auto deformer = deform::bind("implicit", limb, options);
  EXPECT_TRUE(deformer->needs_history());
  const auto state = deformer->make_state();
  std::vector<Vec3f> positions(limb.mesh.positions.size());
  for (const double degrees : {0.0, 40.0, 80.0, 120.0, 80.0, 40.0, 0.0})
    deformer->deform(*state, {limb_pose(limb, Vec3::UnitZ(), radians(degrees))}, {positions, {}, nullptr});
  double worst = 0;
  for (std::size_t v = 0; v < positions.size(); ++v)
    worst = std::max(worst, (positions[v].cast<double>() - limb.mesh.positions[v]).norm());
  EXPECT_LT(worst, 0.01 * shape.radius);
}

TEST(ImplicitExperiment, HasTablesOfBendsOperatorsAndTwists) {
  Reproduction result;
  implicit_bends({}, result, 70);
  implicit_operators({}, result);
  implicit_twists({}, result);
  ASSERT_EQ(result.tables.size(), 6);
  for (const ResultTable& table : result.tables)
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size());
}

}  // namespace
}  // namespace sinew::lab
