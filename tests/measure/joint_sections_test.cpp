// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/measure/joint_sections.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/measure/enclosed_volume.h"
#include "tests/measure/limb_rigs.h"

namespace sinew::measure {
namespace {

using test::turn;

class Sections {
 public:
  explicit Sections(const Rig& rig, Index planes = 8)
      : bound_(bound_shape(rig)), tool_(rig, geometry::weld(rig.mesh), bound_, limbs(rig, bound_), planes) {}
  std::vector<JointSection> measure(const Shape& shape) const { return tool_.measure(shape); }
  double thinnest(const Shape& shape, Index joint) const {
    for (const JointSection& section : tool_.measure(shape))
      if (section.joint == joint) return section.thinnest;
    return -1;
  }

 private:
  Shape bound_;
  JointSections tool_;
};

// The law of linear blending: two joints with weights w and 1 − w, turned by θ against each other.
double law(double w, double theta) { return 1 - 4 * w * (1 - w) * std::pow(std::sin(theta / 2), 2); }

TEST(JointSections, FollowTheLawOfLinearBlendingForAnyTwistAndWeight) {
  Rig rig = test::cylinder_rig(3, 16, 256);
  geometry::Random random(2024);
  for (int trial = 0; trial < 50; ++trial) {
    const double w = static_cast<double>(static_cast<float>(random.uniform())),
                 theta = kPi * (2 * random.uniform() - 1);
    test::share_evenly(rig, w);
    const Shape posed = test::linear_shape(rig, test::turned(rig, {{1, turn(Vec3::UnitY(), theta)}}));
    EXPECT_NEAR(Sections(rig).thinnest(posed, 1), law(w, theta), 1e-6) << w << " " << theta;
  }
}

TEST(JointSections, FollowTheSameLawForABendWithEvenWeights) {
  Rig rig = test::cylinder_rig(3, 16, 256);
  test::share_evenly(rig, 0.5);
  const Sections sections(rig);
  geometry::Random random(7);
  for (int trial = 0; trial < 20; ++trial) {
    const double theta = kPi * random.uniform(), side = kTwoPi * random.uniform();
    const Vec3 axis(std::cos(side), 0, std::sin(side));
    const Shape posed = test::linear_shape(rig, test::turned(rig, {{1, turn(axis, theta)}}));
    EXPECT_NEAR(sections.thinnest(posed, 1), law(0.5, theta), 1e-6) << theta;
  }
}

TEST(JointSections, SeeTheCandyWrapperThatTheVolumeHides) {
  const Rig rig = test::cylinder_rig(4, 120, 64);
  const double theta = 2 * std::acos(std::sqrt(0.001));  // The law gives 0.001 where both weights are one half.
  const Shape posed = test::linear_shape(rig, test::turned(rig, {{1, turn(Vec3::UnitY(), theta)}}));
  const EnclosedVolume volume(rig.mesh, geometry::weld(rig.mesh));
  EXPECT_GT(volume.total(posed.positions) / volume.total(rig.mesh.positions), 0.90);
  const Sections sections(rig);
  EXPECT_NEAR(sections.thinnest(posed, 1), 0.001, 1e-6);
  EXPECT_NEAR(sections.thinnest(posed, 2), 1, 2e-3);
  for (const JointSection& section : sections.measure(posed)) {
    if (section.joint != 1) continue;
    EXPECT_LT((section.place - Vec3(0, 8.0 / 3, 0)).norm(), 1e-9);
    EXPECT_NEAR(section.area / section.rest_area, section.thinnest, 1e-12);
  }
}

TEST(JointSections, StayWholeUnderDualQuaternionTwists) {
  const Rig rig = test::cylinder_rig(3, 80, 64);
  const Shape posed = test::dual_quaternion_shape(rig, test::turned(rig, {{1, turn(Vec3::UnitY(), 2.5)}}));
  EXPECT_GT(Sections(rig).thinnest(posed, 1), 0.97);
}

TEST(JointSections, APerfectMitreIsNotThinner) {
  // Each half moves rigidly; vertices at the joint go to the plane that halves the angle.
  const Rig rig = test::cylinder_rig(3, 80, 128);
  const double theta = 1.2;
  const ModelPose pose = test::turned(rig, {{1, turn(Vec3::UnitX(), theta)}});
  Shape posed{rig.mesh.positions, pose.joints};
  const Mat4 beyond = pose.joints[1] * rest_matrices(rig.skeleton)[1].inverse();
  const double slope = std::tan(theta / 2);
  for (Vec3& p : posed.positions) {
    // Heights are pressed together or drawn apart towards the mitre.
    const double mitre = -slope * p.z();
    const bool outer = p.y() > 4;
    const double far = outer ? 8 - p.y() : p.y();
    const double y = outer ? 8 - far * (4 + mitre) / 4 : far * (4 + mitre) / 4;
    p.y() = y;
    if (outer) p = transform_point(beyond, p);
  }
  EXPECT_NEAR(Sections(rig).thinnest(posed, 1), 1, 5e-3);
}

TEST(JointSections, DoNotChangeUnderARigidMotionOfAll) {
  const Rig rig = test::cylinder_rig(4, 40, 32);
  Pose pose = rest_pose(rig);
  pose.local[0].rotation = turn(Vec3(1, 2, 3).normalized(), 1.1) * pose.local[0].rotation;
  pose.local[0].translation += Vec3(5, -3, 2);
  const Shape posed = test::linear_shape(rig, motion::resolve(rig.skeleton, pose));
  for (const JointSection& section : Sections(rig).measure(posed)) {
    EXPECT_NEAR(section.thinnest, 1, 1e-9);
    EXPECT_GE(section.compared, 8U);
  }
}

TEST(JointSections, AreTheSameForAnyNumberOfThreads) {
  const Rig rig = test::cylinder_rig(5, 80, 48);
  const Shape posed =
      test::linear_shape(rig, test::turned(rig, {{1, turn(Vec3::UnitX(), 1)}, {3, turn(Vec3::UnitY(), 2)}}));
  const auto values = [&](int threads) {
    set_thread_count(threads);
    std::vector<double> list;
    for (const JointSection& section : Sections(rig).measure(posed)) list.push_back(section.thinnest);
    set_thread_count(0);
    return list;
  };
  EXPECT_EQ(values(1), values(2));
}

}  // namespace
}  // namespace sinew::measure
