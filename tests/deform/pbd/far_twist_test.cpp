// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/far_twist.h"

#include <gtest/gtest.h>

#include "sinew/core/angles.h"
#include "sinew/core/character.h"
#include "sinew/deform/blend/twist_field.h"
#include "sinew/shapes/kinds.h"

namespace sinew::deform {
namespace {

/// A made human, its forearm's skin owned by the bone from elbow to wrist, and everything else by no bone.
struct FarTwistHuman {
  Rig rig;
  Segmentation segmentation;
  Index elbow = kNone, wrist = kNone;

  FarTwistHuman() {
    shapes::MakeOptions options;
    options.vertices = 2000;
    rig = shapes::make("human", options).made.character.rig;
    elbow = rig.skeleton.find("LeftForearm");
    wrist = rig.skeleton.find("LeftHand");
    segmentation.segments = {{elbow, wrist}};
    const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
    const Vec3 from = frames[elbow].topRightCorner<3, 1>(), way = frames[wrist].topRightCorner<3, 1>() - from;
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
      const auto row = rig.weights.row(v);
      segmentation.owner.push_back(!row.empty() && row.front().joint == elbow ? 0 : kNone);
      segmentation.along.push_back(static_cast<float>((rig.mesh.positions[v] - from).dot(way) / way.squaredNorm()));
    }
  }

  ModelPose twisted(double degrees) const {
    const std::vector<Mat4> frames = rest_matrices(rig.skeleton);
    const Vec3 bone = (frames[wrist].topRightCorner<3, 1>() - frames[elbow].topRightCorner<3, 1>()).normalized();
    Pose pose = rest_pose(rig);
    const Vec3 axis = frames[wrist].topLeftCorner<3, 3>().transpose() * bone;
    pose.local[wrist].rotation = pose.local[wrist].rotation * Quat(Eigen::AngleAxisd(radians(degrees), axis));
    return {model_matrices(rig.skeleton, pose.local), {}, {}};
  }
};

std::vector<Vec3f> far_twist_frame(const Deformer& deformer, const Rig& rig, const ModelPose& pose) {
  std::vector<Vec3f> positions(rig.mesh.positions.size());
  deformer.deform(*deformer.make_state(), {pose}, {positions, {}, nullptr});
  return positions;
}

TEST(FarTwist, IsLinearUpToSixtyDegreesAndSpreadsTheTwistOfTheForearmFromAHundredOn) {
  const FarTwistHuman human;
  const auto mixed = bind_far_twist(human.rig, human.segmentation, {}, rest_matrices(human.rig.skeleton), {},
                                    limb_twists(human.rig, human.segmentation));
  const auto linear = bind("lbs", human.rig);
  const auto spread = bind_slbs(human.rig, human.segmentation);
  EXPECT_EQ(far_twist_frame(*mixed, human.rig, human.twisted(59)),
            far_twist_frame(*linear, human.rig, human.twisted(59)));
  const std::vector<Vec3f> far = far_twist_frame(*mixed, human.rig, human.twisted(110)),
                           apart = far_twist_frame(*spread, human.rig, human.twisted(110)),
                           blended = far_twist_frame(*linear, human.rig, human.twisted(110));
  float differ = 0;
  for (Index v = 0; v < far.size(); ++v) {
    double arm = 0;
    for (const Influence& influence : human.rig.weights.normalized().row(v))
      if (influence.joint == human.elbow || influence.joint == human.wrist)
        arm += static_cast<double>(influence.weight);
    if (arm < 0.9999) continue;
    EXPECT_LT((far[v] - apart[v]).norm(), 1e-4F);
    differ = std::max(differ, (far[v] - blended[v]).norm());
  }
  EXPECT_GT(differ, 0.005F);
}

TEST(FarTwist, SharesGrowWithoutJumps) {
  const FarTwistHuman human;
  const FarTwists twists(human.rig.skeleton, human.segmentation, rest_matrices(human.rig.skeleton),
                         human.rig.mesh.size(), limb_twists(human.rig, human.segmentation));
  FarTwists::Frame frame;
  double before = 0;
  for (int degrees = 0; degrees <= 180; degrees += 5) {
    twists.measure(human.twisted(degrees), frame);
    EXPECT_GE(frame.share[human.wrist], before - 1e-9) << degrees;
    EXPECT_LT(frame.share[human.wrist], before + 0.2) << degrees;
    before = frame.share[human.wrist];
  }
  EXPECT_EQ(before, 1);
  // A whole turn looks like none; the pose tells it.
  ModelPose turn = human.twisted(0);
  turn.twist_rad.assign(human.rig.skeleton.joints.size(), 0.0);
  turn.twist_rad[human.wrist] = kTwoPi;
  twists.measure(turn, frame);
  EXPECT_EQ(frame.share[human.wrist], 1);
}

}  // namespace
}  // namespace sinew::deform
