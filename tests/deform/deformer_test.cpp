// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/deformer.h"

#include <gtest/gtest.h>

#include "sinew/deform/blend/delta_mush.h"
#include "sinew/deform/blend/slbs.h"
#include "sinew/deform/pbd/pbd.h"
#include "tests/deform/skin_rigs.h"

namespace sinew::deform {
namespace {

using namespace testing;

TEST(Deformers, AreFoundByShortAndByPlainName) {
  EXPECT_EQ(deformers().find("lbs").id, "lbs");
  EXPECT_EQ(deformers().find("dual-quaternion").id, "dqs");
  EXPECT_THROW(deformers().find("lsb"), Error);
  for (const auto& entry : deformers().entries()) EXPECT_FALSE(entry.when.empty());
}

TEST(Deformers, AllGiveTheMeshInTheBindPoseAndOutliveTheRig) {
  for (const auto& entry : deformers().entries())
    for (const bool smooth : {false, true}) {
      auto rig = std::make_unique<Rig>(two_joint_tube(12, 9));
      auto halves = std::make_unique<Segmentation>(tube_halves(*rig));
      const std::vector<Vec3> mesh = rig->mesh.positions;
      auto deformer = deform::bind(entry.id, *rig, {}, {}, {halves.get(), {}});
      if (smooth) deformer = bind_delta_mush(std::move(deformer), *rig, {});
      rig.reset();
      halves.reset();
      const auto state = deformer->make_state();
      const ModelPose pose{{Mat4::Identity(), Mat4::Identity()}, {0, 0}, {}};
      const Frame frame = frame_of(*deformer, *state, pose, static_cast<Index>(mesh.size()));
      EXPECT_LT(worst_distance(frame.positions, mesh), 1e-6) << entry.id << " " << smooth;
    }
}

TEST(Deformers, AStateHasNoMemoryOfEarlierFrames) {
  const Rig rig = two_joint_tube(12, 9);
  const Segmentation halves = tube_halves(rig);
  for (const auto& entry : deformers().entries()) {
    const auto deformer = deform::bind(entry.id, rig, {}, {}, {&halves, {}});
    if (deformer->needs_history()) continue;
    const auto state = deformer->make_state();
    ModelPose first{{Mat4::Identity(), Mat4::Identity()}, {0, 0}, {}}, second = first;
    second.joints[1] = Transform{Vec3(0, 0.2, 0), rotation_exp(Vec3(0.3, 0.2, 1)), Vec3(1, 1.5, 1)}.matrix();
    const Frame before = frame_of(*deformer, *state, first, 108);
    frame_of(*deformer, *state, second, 108);
    EXPECT_EQ(frame_of(*deformer, *state, first, 108), before) << entry.id;
  }
}

TEST(Deformers, OptionsOutOfRangeAreRefused) {
  const Rig rig = two_joint_tube(12, 3);
  PbdOptions pbd;
  pbd.sweeps = 0;
  EXPECT_THROW(deform::bind("pbd", rig, pbd), Error);
  pbd.sweeps = 1;
  pbd.base = PbdBase::kLbs;
  EXPECT_THROW(deform::bind("lbs", rig, pbd), Error) << "options of another method";
  DeltaMushOptions mush;
  mush.strength = 2;
  EXPECT_THROW(bind_delta_mush(deform::bind("lbs", rig), rig, mush), Error);
}

TEST(Deformers, APoseOfAnotherSkeletonIsRefused) {
  const Rig rig = two_joint_tube(12, 3);
  EXPECT_THROW(frame_of("lbs", rig, {{Mat4::Identity()}, {}, {}}), Error);
}

TEST(Deformers, AMethodThatNeedsASegmentationSaysSo) {
  const Rig rig = two_joint_tube(12, 3);
  EXPECT_TRUE(deformers().find("twist-safe").needs(SlbsOptions{}).segmentation);
  EXPECT_THROW(deform::bind("slbs", rig), Error);
  Segmentation other = tube_halves(rig);
  other.owner.pop_back();
  EXPECT_THROW(deform::bind("slbs", rig, {}, {}, {&other, {}}), Error);
}

TEST(Deformers, AnEmptyMeshIsNoTrouble) {
  EXPECT_TRUE(frame_of("lbs", Rig{}, {}).positions.empty());
  const Segmentation none;
  EXPECT_TRUE(frame_of("slbs", Rig{}, {}, {}, {&none, {}}).positions.empty());
  const Rig empty;
  const auto smooth = bind_delta_mush(deform::bind("lbs", empty), empty, {});
  const auto state = smooth->make_state();
  EXPECT_TRUE(frame_of(*smooth, *state, {}, 0).positions.empty());
}

}  // namespace
}  // namespace sinew::deform
