// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/picture/close_up.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/geometry/mesh/triangle_soup.h"
#include "sinew/geometry/spatial/ray_scene.h"
#include "sinew/motion/resolve.h"
#include "tests/support/made_human.h"
#include "tests/support/threads.h"

namespace sinew::picture {
namespace {

struct Turn {
  const char* joint;
  Vec3 axis;  ///< In model space.
  double degrees;
};

/// The human with some joints turned from rest.
PictureFrame posed(const Rig& rig, const std::vector<Turn>& turns) {
  Pose pose = rest_pose(rig);
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  for (const Turn& turn : turns) {
    const Index joint = rig.skeleton.find(turn.joint);
    const Quat frame = decompose(rest[joint]).transform.rotation;
    pose.local[joint].rotation *= rotation_exp(radians(turn.degrees) * (frame.conjugate() * turn.axis.normalized()));
  }
  const ModelPose model = motion::resolve(rig.skeleton, pose);
  return {deform::linear_positions(rig, model), model.joints};
}

Vec3 place(const PictureFrame& frame, Index joint) { return frame.joints[joint].topRightCorner<3, 1>(); }

class CloseUps : public testing::Test {
 protected:
  PictureCloseUp shown(const std::vector<Turn>& turns, const char* joint) const {
    const PictureFrame frame = posed(rig_, turns);
    return CloseUpFinder(rig_, frame).close_up(rig_.skeleton.find(joint));
  }
  /// The share of the points in a close-up that nothing else hides from the eye.
  double seen(const std::vector<Turn>& turns, const PictureCloseUp& close_up) const {
    const PictureFrame frame = posed(rig_, turns);
    const std::vector<geometry::TriangleVertices> triangles = geometry::triangle_vertices(rig_.mesh);
    const geometry::RayScene scene(geometry::TriangleSoup{frame.positions, triangles});
    double free = 0;
    for (const Vec3& p : close_up.points)
      if (!scene.occluded(geometry::Ray{p, close_up.back, 1e-3, 10})) ++free;
    return free / static_cast<double>(close_up.points.size());
  }

  const Character human_ = test::made_human("t", 3000);
  const Rig& rig_ = human_.rig;
};

TEST_F(CloseUps, TheRegionIsTheSkinAroundTheJoint) {
  const PictureFrame frame = posed(rig_, {});
  const CloseUpFinder finder(rig_, frame);
  const Index elbow = rig_.skeleton.find("LeftForearm");
  const Vec3 at = place(frame, elbow);
  const double bone = (place(frame, rig_.skeleton.find("LeftHand")) - at).norm();
  const std::vector<Index> region = finder.region(elbow);
  ASSERT_GT(region.size(), 20U);
  EXPECT_TRUE(std::is_sorted(region.begin(), region.end()));
  double farthest = 0;
  for (const Index v : region) farthest = std::max(farthest, (frame.positions[v] - at).norm());
  EXPECT_LT(farthest, 0.9 * bone) << "not as far as the hand";
  EXPECT_GT(farthest, 0.4 * bone);
  Index near = 0;
  for (const Vec3& p : frame.positions) near += (p - at).norm() < 0.3 * bone ? 1 : 0;
  Index found = 0;
  for (const Index v : region) found += (frame.positions[v] - at).norm() < 0.3 * bone ? 1 : 0;
  EXPECT_EQ(found, near) << "all that is near the joint is there";
}

TEST_F(CloseUps, AHandAtTheHipIsNoPartOfTheHip) {
  // The left arm hangs down, so that the hand is beside the thigh.
  const std::vector<Turn> turns = {{"LeftUpperArm", Vec3::UnitZ(), -80}};
  const PictureFrame frame = posed(rig_, turns);
  const CloseUpFinder finder(rig_, frame);
  for (const Index v : finder.region(rig_.skeleton.find("LeftThigh")))
    for (const Influence& influence : rig_.weights.row(v))
      EXPECT_EQ(rig_.skeleton.joints[influence.joint].name.find("Hand"), std::string::npos) << v;
}

TEST_F(CloseUps, ABendIsSeenFromTheSideOfItsPlane) {
  const std::vector<std::pair<const char*, Turn>> cases = {{"elbow", {"LeftForearm", Vec3::UnitY(), -90}},
                                                           {"elbow up", {"LeftForearm", Vec3::UnitZ(), 90}},
                                                           {"knee", {"RightShin", Vec3::UnitX(), 90}},
                                                           {"hip", {"LeftThigh", Vec3::UnitX(), -80}}};
  for (const auto& [name, turn] : cases) {
    const PictureCloseUp view = shown({turn}, turn.joint);
    EXPECT_NEAR(view.back.norm(), 1, 1e-9);
    EXPECT_GT(std::abs(view.back.dot(turn.axis)), 0.85) << name;
    EXPECT_GT(seen({turn}, view), 0.3) << name << ": nothing is in the way";
  }
}

TEST_F(CloseUps, LegsAreSeenFromOutside) {
  const std::vector<Turn> turns = {{"LeftThigh", Vec3::UnitX(), -80}, {"RightThigh", Vec3::UnitX(), -80}};
  EXPECT_GT(shown(turns, "LeftThigh").back.x(), 0.8);
  EXPECT_LT(shown(turns, "RightThigh").back.x(), -0.8);
}

TEST_F(CloseUps, MirroredPosesHaveMirroredViews) {
  const std::vector<Turn> turns = {{"LeftForearm", Vec3(0.3, 1, 0.2), -70}, {"RightForearm", Vec3(-0.3, 1, 0.2), 70}};
  const Vec3 left = shown(turns, "LeftForearm").back, right = shown(turns, "RightForearm").back;
  EXPECT_LT((left - Vec3(-right.x(), right.y(), right.z())).norm(), 0.05)
      << left.transpose() << ", " << right.transpose();
}

TEST_F(CloseUps, ATwistIsSeenAcrossTheBone) {
  const std::vector<Turn> turns = {{"LeftHand", Vec3::UnitX(), 150}};
  EXPECT_LT(std::abs(shown(turns, "LeftHand").back.x()), 0.4);
}

TEST_F(CloseUps, TheViewPrefersWhatIsOfInterest) {
  const PictureFrame frame = posed(rig_, {});
  const Index joint = rig_.skeleton.find("LeftForearm");
  const Vec3 at = place(frame, joint);
  for (const double side : {1.0, -1.0}) {
    std::vector<float> interest(frame.positions.size(), 0.0F);
    for (std::size_t v = 0; v < interest.size(); ++v)
      interest[v] = static_cast<float>(std::max(0.0, side * (frame.positions[v].z() - at.z())));
    const PictureCloseUp view = CloseUpFinder(rig_, frame, interest).close_up(joint);
    EXPECT_GT(side * view.back.z(), 0.5) << side;
  }
}

TEST_F(CloseUps, AreTheSameForAnyNumberOfThreads) {
  const std::vector<Turn> turns = {{"LeftForearm", Vec3::UnitY(), -90}};
  PictureCloseUp one, two;
  {
    const test::Threads threads(1);
    one = shown(turns, "LeftForearm");
  }
  {
    const test::Threads threads(2);
    two = shown(turns, "LeftForearm");
  }
  EXPECT_EQ(one.back, two.back);
  EXPECT_EQ(one.points, two.points);
}

TEST_F(CloseUps, AJointWithoutSkinHasNone) {
  Character human = human_;
  Joint prop;
  prop.name = "prop";
  prop.parent = human.rig.skeleton.find("LeftHand");
  human.rig.skeleton.joints.push_back(prop);
  const PictureFrame frame = posed(human.rig, {});
  const CloseUpFinder finder(human.rig, frame);
  EXPECT_TRUE(finder.region(human.rig.skeleton.size() - 1).empty());
  EXPECT_TRUE(finder.close_up(human.rig.skeleton.size() - 1).points.empty());
  EXPECT_FALSE(finder.region(0).empty()) << "a root has the skin of its own";
}

}  // namespace
}  // namespace sinew::picture
