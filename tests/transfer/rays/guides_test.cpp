// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/guides.h"

#include <gtest/gtest.h>

#include "sinew/core/parallel.h"
#include "tests/transfer/arms.h"

namespace sinew::transfer {
namespace {

using namespace sinew::test;

double published(double distance, double unit) {
  const double d = std::max(distance / unit, 1e-4), s = 0.8 * d + 0.2 * d * d;
  return 1 / (s * s);
}

void expect_guide(const SkinWeights& guide, const Mesh& mesh, Index pairs) {
  ASSERT_EQ(guide.row_count(), mesh.vertex_count());
  for (Index v = 0; v < guide.row_count(); ++v) {
    double sum = 0;
    for (const Influence& i : guide.row(v)) {
      EXPECT_LT(i.joint, pairs);
      EXPECT_GE(i.weight, 1e-3F);
      sum += static_cast<double>(i.weight);
    }
    ASSERT_NEAR(sum, 1, 1e-6);
  }
}

TEST(Guides, AreOfPairsSumToOneAndHaveNoDust) {
  const Rig reference = arm("reference"), target = arm("slender");
  const Correspondence pairs = correspond(reference.skeleton, target.skeleton, {{1, 1}, {2, 2}});
  GuideOptions options;
  options.resolution = 48;
  const Guides guides = make_guides(side_of(reference), side_of(target), pairs, options);
  expect_guide(guides.reference, reference.mesh, 2);
  expect_guide(guides.target, target.mesh, 2);
}

TEST(Guides, StraightOnesFollowThePublishedFalloff) {
  const Rig rig = arm("reference");
  const Correspondence pairs = arm_pairs(rig, rig);
  GuideFalloff options;
  options.smooth = 0;
  const SkinWeights guide = straight_guide(side_of(rig), pairs, true, options);
  expect_guide(guide, rig.mesh, 3);
  const double unit = 3;  // Both links.
  for (Index v = 0; v < rig.mesh.vertex_count(); v += 7) {
    const Vec3& p = rig.mesh.positions[v];
    const double across = std::hypot(p.y(), p.z());
    const auto from = [&](double a, double b) { return std::hypot(p.x() - std::clamp(p.x(), a, b), across); };
    const std::array<double, 3> raw = {published(from(0, 3), unit), published(from(3, 6), unit),
                                       published(from(6, 6.45), unit)};
    const std::vector<double> row = dense_row(guide.row(v), 3);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(row[j], raw[j] / (raw[0] + raw[1] + raw[2]), 2e-3);
  }
}

TEST(Guides, VoxelOnesAreNearTheStraightOnesOnAStraightArm) {
  for (const char* shape : {"reference", "muscular"}) {
    const Rig rig = arm(shape);
    const Correspondence pairs = arm_pairs(rig, rig);
    const SkinWeights voxel = make_guide(side_of(rig), pairs, true),
                      straight = straight_guide(side_of(rig), pairs, true);
    expect_guide(voxel, rig.mesh, 3);
    EXPECT_LT(mean_tv(voxel, straight), 0.02) << shape;
    EXPECT_LT(worst_tv(voxel, straight), 0.06) << shape;
  }
}

// The binder's own search stops at twice the distance of the nearest joint.
TEST(Guides, HaveTheLongTailsOfThePublishedFalloff) {
  const Rig rig = arm("reference");
  const SkinWeights voxel = make_guide(side_of(rig), arm_pairs(rig, rig), true);
  Index shoulder = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v)
    if (rig.mesh.positions[v].x() < rig.mesh.positions[shoulder].x()) shoulder = v;
  const std::vector<double> row = dense_row(voxel.row(shoulder), 3);
  EXPECT_GT(row[1], 0.005);
  EXPECT_GT(row[2], 0.001);
}

TEST(Guides, DoNotDependOnSizeOrHelpers) {
  Rig rig = arm("slender");
  const SkinWeights guide = make_guide(side_of(rig), arm_pairs(rig, rig), true);
  const Rig large = moved_rig(rig, Quat::Identity(), 50, Vec3::Zero());
  EXPECT_LT(worst_tv(make_guide(side_of(large), arm_pairs(large, large), true), guide), 1e-3);
  rig.skeleton.joints.resize(3);
  EXPECT_EQ(make_guide(side_of(rig), arm_pairs(rig, rig), true), guide);
}

TEST(Guides, FindEndsByTheBodyWhereOneSkeletonDoesNotTellThem) {
  const Rig target = arm("reference");
  Rig reference = target;
  reference.skeleton.joints[2].end_local.reset();
  const Correspondence pairs = arm_pairs(reference, target);
  GuideOptions options;
  options.resolution = 64;
  const Guides guides = make_guides(side_of(reference), side_of(target), pairs, options);
  EXPECT_EQ(guides.reference, guides.target);
}

TEST(Guides, AreTheSameForAnyNumberOfThreads) {
  const Rig reference = arm("reference"), target = arm("slender");
  const Correspondence pairs = arm_pairs(reference, target);
  GuideOptions options;
  options.resolution = 64;
  set_thread_count(1);
  const Guides one = make_guides(side_of(reference), side_of(target), pairs, options);
  set_thread_count(2);
  const Guides two = make_guides(side_of(reference), side_of(target), pairs, options);
  set_thread_count(0);
  EXPECT_EQ(one.reference, two.reference);
  EXPECT_EQ(one.target, two.target);
}

}  // namespace
}  // namespace sinew::transfer
