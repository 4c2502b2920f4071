// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/contact/shared_motion.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/geometry/spatial/self_intersection.h"
#include "tests/deform/skin_rigs.h"
#include "tests/support/threads.h"

namespace sinew::deform::shared_motion_tests {
namespace {

using namespace deform::testing;

constexpr Index kAround = 24, kAlong = 40;
constexpr double kLimb = 0.1, kButton = 0.04;

/// A limb along x whose skin goes over from one joint to the other around the middle, and a round plate (a button) just
/// above it that belongs to the first joint alone. Where the limb bends, its skin comes through the button.
Rig limb_with_button(bool button = true) {
  Rig rig;
  rig.skeleton.joints.resize(2);
  rig.skeleton.joints[0].name = "upper";
  rig.skeleton.joints[1].name = "lower";
  rig.skeleton.joints[1].parent = 0;
  rig.skins = {{"skin", {0, 1}, {Mat4::Identity(), Mat4::Identity()}}};
  const auto add_part = [&](const char* name, Index first_vertex, Index first_face) {
    MeshPart part;
    part.name = name;
    part.first_vertex = first_vertex, part.vertex_count = rig.mesh.vertex_count() - first_vertex;
    part.first_face = first_face, part.face_count = rig.mesh.face_count() - first_face;
    part.skin = 0;
    rig.mesh.parts.push_back(part);
  };
  for (Index i = 0; i <= kAlong; ++i)
    for (Index k = 0; k < kAround; ++k) {
      const double x = 2.0 * i / kAlong - 1, angle = 2 * kPi * k / kAround;
      rig.mesh.positions.emplace_back(x, kLimb * std::cos(angle), kLimb * std::sin(angle));
      const auto lower = static_cast<float>(std::clamp(0.5 + x / 0.2, 0.0, 1.0));
      rig.weights.add_row(std::vector<Influence>{{0, 1 - lower}, {1, lower}});
    }
  for (Index i = 0; i < kAlong; ++i)
    for (Index k = 0; k < kAround; ++k) {
      const Index a = i * kAround + k, b = i * kAround + (k + 1) % kAround;
      rig.mesh.add_face(std::array<Index, 4>{a, b, b + kAround, a + kAround});
    }
  add_part("limb", 0, 0);
  if (!button) return rig;
  const Index first = rig.mesh.vertex_count(), first_face = rig.mesh.face_count();
  rig.mesh.positions.emplace_back(0, kLimb + 0.004, 0);
  for (Index k = 0; k < 8; ++k)
    rig.mesh.positions.emplace_back(kButton * std::cos(2 * kPi * k / 8), kLimb + 0.004,
                                    kButton * std::sin(2 * kPi * k / 8));
  for (Index k = 0; k < 8; ++k) rig.mesh.add_face(std::array<Index, 3>{first, first + 1 + (k + 1) % 8, first + 1 + k});
  for (Index k = 0; k < 9; ++k) rig.weights.add_row(std::vector<Influence>{{0, 1.0F}});
  add_part("button", first, first_face);
  return rig;
}

ModelPose bent(double angle_rad) {
  ModelPose pose{{Mat4::Identity(), Mat4::Identity()}, {0, 0}, {}};
  pose.joints[1].topLeftCorner<3, 3>() = Eigen::AngleAxisd(angle_rad, Vec3::UnitZ()).toRotationMatrix();
  return pose;
}

Frame frame(const Deformer& deformer, const Rig& rig, const ModelPose& pose) {
  return frame_of(deformer, *deformer.make_state(), pose, rig.mesh.vertex_count());
}

std::uint64_t pairs(const Rig& rig, const std::vector<Vec3f>& positions) {
  Mesh mesh = rig.mesh;
  for (std::size_t v = 0; v < positions.size(); ++v) mesh.positions[v] = positions[v].cast<double>();
  const auto found = geometry::self_intersections(mesh);
  return found.inside_parts + found.between_parts;
}

TEST(SharedMotion, AButtonFollowsTheSkinThatComesThroughIt) {
  const Rig rig = limb_with_button();
  const auto plain = bind("lbs", rig), shared = bind_shared_motion(bind("lbs", rig), rig);
  for (const double angle : {0.3, 0.5}) {
    EXPECT_GT(pairs(rig, frame(*plain, rig, bent(angle)).positions), 3U) << angle;
    EXPECT_EQ(pairs(rig, frame(*shared, rig, bent(angle)).positions), 0U) << angle;
  }
}

TEST(SharedMotion, SkinOfOneLimbThatFoldsComesApart) {
  const Rig rig = limb_with_button(false);
  const auto plain = bind("lbs", rig), shared = bind_shared_motion(bind("lbs", rig), rig);
  const std::uint64_t before = pairs(rig, frame(*plain, rig, bent(1.7)).positions);
  const std::uint64_t after = pairs(rig, frame(*shared, rig, bent(1.7)).positions);
  EXPECT_GT(before, 20U);
  EXPECT_LE(10 * after, before);
}

TEST(SharedMotion, MovesOnlyWhatIsNearIntersections) {
  const Rig rig = limb_with_button();
  const auto plain = bind("lbs", rig), shared = bind_shared_motion(bind("lbs", rig), rig);
  EXPECT_EQ(frame(*shared, rig, bent(0)), frame(*plain, rig, bent(0)));
  const Frame base = frame(*plain, rig, bent(0.5)), moved = frame(*shared, rig, bent(0.5));
  Index movers = 0;
  for (Index v = 0; v < base.positions.size(); ++v) {
    if (base.positions[v] == moved.positions[v]) continue;
    ++movers;
    EXPECT_LT((rig.mesh.positions[v] - Vec3(0, kLimb, 0)).norm(), 0.25 * rig.mesh.size()) << v;
  }
  EXPECT_GT(movers, 9U);
}

TEST(SharedMotion, RigidMotionOfAllJointsMovesNothingElse) {
  const Rig rig = limb_with_button();
  const auto plain = bind("lbs", rig), shared = bind_shared_motion(bind("lbs", rig), rig);
  ModelPose pose = bent(0.5);
  const Frame still = frame(*shared, rig, pose);
  Mat4 motion = Mat4::Identity();
  motion.topLeftCorner<3, 3>() = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  motion.topRightCorner<3, 1>() = Vec3(0.3, -0.2, 0.1);
  for (Mat4& joint : pose.joints) joint = motion * joint;
  std::vector<Vec3> expected;
  for (const Vec3f& p : still.positions) expected.push_back(transform_point(motion, p.cast<double>()));
  EXPECT_LT(worst_distance(frame(*shared, rig, pose).positions, expected), 1e-4 * rig.mesh.size());
}

TEST(SharedMotion, DependsOnThePoseAloneAndNotOnThreads) {
  const Rig rig = limb_with_button();
  const auto shared = bind_shared_motion(bind("lbs", rig), rig);
  const auto state = shared->make_state();
  const Index count = rig.mesh.vertex_count();
  const int threads = thread_count();
  set_thread_count(1);
  const Frame first = frame_of(*shared, *state, bent(0.5), count);
  frame_of(*shared, *state, bent(1.7), count);
  set_thread_count(4);
  EXPECT_EQ(frame_of(*shared, *state, bent(0.5), count), first);
  set_thread_count(threads);
}

TEST(SharedMotion, BeginsWithoutAJump) {
  const Rig rig = limb_with_button();
  const auto plain = bind("lbs", rig), shared = bind_shared_motion(bind("lbs", rig), rig);
  const auto a = plain->make_state(), b = shared->make_state();
  const auto largest = [&](int steps) {
    std::vector<Vec3f> before;
    double most = 0;
    for (int i = 0; i <= steps; ++i) {
      const Frame base = frame_of(*plain, *a, bent(0.6 * i / steps), rig.mesh.vertex_count());
      Frame now = frame_of(*shared, *b, bent(0.6 * i / steps), rig.mesh.vertex_count());
      for (std::size_t v = 0; v < now.positions.size(); ++v) now.positions[v] -= base.positions[v];
      if (!before.empty()) most = std::max(most, worst_distance(now.positions, before));
      before = now.positions;
    }
    return most;
  };
  const double coarse = largest(60), fine = largest(240);
  EXPECT_GT(coarse, 0);
  EXPECT_LT(fine, 0.6 * coarse) << "A jump is as large in small steps as in large ones.";
}

TEST(SharedMotion, DoesNothingWithoutSkin) {
  const Rig empty;
  EXPECT_TRUE(frame(*bind_shared_motion(bind("lbs", empty), empty), empty, {}).positions.empty());
  const Rig cloud = random_cloud(3, 40);
  const ModelPose pose = random_pose_of(4, cloud.skeleton.size());
  EXPECT_EQ(frame(*bind_shared_motion(bind("lbs", cloud), cloud), cloud, pose),
            frame(*bind("lbs", cloud), cloud, pose));
}

}  // namespace
}  // namespace sinew::deform::shared_motion_tests
