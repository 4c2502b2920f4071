// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/contact/contact.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/self_intersection.h"
#include "sinew/shapes/kinds.h"
#include "tests/deform/skin_rigs.h"

namespace sinew::deform {
namespace {

using namespace testing;

const Rig& person() {
  static const Rig rig = [] {
    shapes::MakeOptions make;
    make.vertices = 6000;
    return shapes::make("human", make).made.character.rig;
  }();
  return rig;
}

/// Linear blending of the person, without and with contact.
const Deformer& plain() {
  static const auto deformer = deform::bind("lbs", person());
  return *deformer;
}

const Deformer& contact() {
  static const auto deformer = bind_contact(deform::bind("lbs", person()), person());
  return *deformer;
}

const Deformer& contact_of_limbs() {
  static const auto deformer = bind_contact(deform::bind("lbs", person()), person(), {}, ContactUse::kLimbs);
  return *deformer;
}

ModelPose at_rest(const Rig& rig) {
  return {rest_matrices(rig.skeleton), std::vector<double>(rig.skeleton.size()), {}};
}

void turn_below(const Rig& rig, ModelPose& pose, Index joint, const Mat4& turn) {
  std::vector<char> below(rig.skeleton.size(), 0);
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const Index parent = rig.skeleton.joints[j].parent;
    below[j] = j == joint || (parent != kNone && below[parent] != 0) ? 1 : 0;
    if (below[j] != 0) pose.joints[j] = turn * pose.joints[j];
  }
}

/// A joint and all below it, turned forwards about an axis across its bone.
void bend(const Rig& rig, ModelPose& pose, std::string_view name, double angle_rad) {
  const Index joint = rig.skeleton.find(name);
  ASSERT_NE(joint, kNone);
  const Vec3 at = pose.joints[joint].topRightCorner<3, 1>();
  const Vec3 before = pose.joints[rig.skeleton.joints[joint].parent].topRightCorner<3, 1>();
  const Vec3 axis = (at - before).cross(Vec3::UnitZ()).normalized();
  const Eigen::Affine3d turn =
      Eigen::Translation3d(at) * Eigen::AngleAxisd(angle_rad, axis) * Eigen::Translation3d(-at);
  turn_below(rig, pose, joint, turn.matrix());
}

ModelPose bent_elbow(const Rig& rig, double angle_rad) {
  ModelPose pose = at_rest(rig);
  bend(rig, pose, "LeftForearm", angle_rad);
  return pose;
}

std::uint64_t pairs(const Rig& rig, const std::vector<Vec3f>& positions) {
  Mesh mesh = rig.mesh;
  for (std::size_t v = 0; v < positions.size(); ++v) mesh.positions[v] = positions[v].cast<double>();
  return geometry::self_intersections(mesh).inside_parts;
}

Frame frame(const Deformer& deformer, const Rig& rig, const ModelPose& pose) {
  return frame_of(deformer, *deformer.make_state(), pose, rig.mesh.vertex_count());
}

TEST(Contact, IsTheInnerDeformerInTheBindPoseBitForBit) {
  EXPECT_EQ(frame(contact(), person(), at_rest(person())), frame(plain(), person(), at_rest(person())));
  EXPECT_EQ(frame(contact_of_limbs(), person(), at_rest(person())), frame(plain(), person(), at_rest(person())));
}

TEST(Contact, ParentAndChildStopAtEachOther) {
  for (const double degrees : {110.0, 130.0}) {
    const ModelPose pose = bent_elbow(person(), degrees * kPi / 180);
    const std::uint64_t before = pairs(person(), frame(plain(), person(), pose).positions);
    const std::uint64_t after = pairs(person(), frame(contact(), person(), pose).positions);
    EXPECT_GT(before, 10U) << degrees;
    EXPECT_LE(10 * after, before) << degrees << ": " << before << ", " << after;
  }
}

TEST(Contact, LeavesSkinThatMeetsNothingAlone) {
  const ModelPose pose = bent_elbow(person(), 2.2);
  const Frame base = frame(plain(), person(), pose), moved = frame(contact(), person(), pose);
  Index movers = 0, strangers = 0;
  const Vec3 elbow = pose.joints[person().skeleton.find("LeftForearm")].topRightCorner<3, 1>();
  for (std::size_t v = 0; v < base.positions.size(); ++v) {
    if (base.positions[v] == moved.positions[v]) continue;
    ++movers;
    if ((base.positions[v].cast<double>() - elbow).norm() > 0.25 * person().mesh.size()) ++strangers;
  }
  EXPECT_GT(movers, 5U);
  EXPECT_EQ(strangers, 0U);
}

TEST(Contact, DependsOnThePoseAloneAndNotOnThreads) {
  const ModelPose bent = bent_elbow(person(), 2.2);
  const auto state = contact().make_state();
  const Index count = person().mesh.vertex_count();
  const int threads = thread_count();
  set_thread_count(1);
  const Frame first = frame_of(contact(), *state, bent, count);
  frame_of(contact(), *state, bent_elbow(person(), 1.5), count);
  set_thread_count(4);
  EXPECT_EQ(frame_of(contact(), *state, bent, count), first);
  set_thread_count(threads);
}

TEST(Contact, MovesRigidlyWithTheCharacter) {
  ModelPose pose = bent_elbow(person(), 2.2);
  const Frame still = frame(contact(), person(), pose);
  Mat4 motion = Mat4::Identity();
  motion.topLeftCorner<3, 3>() = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  motion.topRightCorner<3, 1>() = Vec3(0.3, -0.2, 0.1);
  for (Mat4& joint : pose.joints) joint = motion * joint;
  std::vector<Vec3> moved;
  for (const Vec3f& p : still.positions) moved.push_back(transform_point(motion, p.cast<double>()));
  EXPECT_LT(worst_distance(frame(contact(), person(), pose).positions, moved), 1e-4 * person().mesh.size());
}

/// Both legs swing to the other side, so that they pass through each other.
ModelPose crossed_legs(const Rig& rig, double angle_rad) {
  ModelPose pose = at_rest(rig);
  for (const auto& [name, sign] : {std::pair{"LeftThigh", -1.0}, std::pair{"RightThigh", 1.0}}) {
    const Index joint = rig.skeleton.find(name);
    EXPECT_NE(joint, kNone) << name;
    const Vec3 at = pose.joints[joint].topRightCorner<3, 1>();
    const Eigen::Affine3d turn =
        Eigen::Translation3d(at) * Eigen::AngleAxisd(sign * angle_rad, Vec3::UnitZ()) * Eigen::Translation3d(-at);
    turn_below(rig, pose, joint, turn.matrix());
  }
  return pose;
}

TEST(Contact, LimbsThatCrossStopAtEachOther) {
  for (const double degrees : {15.0, 30.0}) {
    const ModelPose pose = crossed_legs(person(), degrees * kPi / 180);
    const std::uint64_t before = pairs(person(), frame(plain(), person(), pose).positions);
    const std::uint64_t after = pairs(person(), frame(contact_of_limbs(), person(), pose).positions);
    EXPECT_GT(before, 100U) << degrees;
    EXPECT_LE(20 * after, before) << degrees << ": " << before << ", " << after;
  }
}

TEST(Contact, MovesJointsOnlyWithLimbs) {
  const ModelPose pose = crossed_legs(person(), 0.5);
  const Frame base = frame(plain(), person(), pose), by_skin = frame(contact(), person(), pose),
              stopped = frame(contact_of_limbs(), person(), pose);
  // Feet are far from where the legs cross.
  double most = 0, most_stopped = 0;
  for (std::size_t v = 0; v < base.positions.size(); ++v) {
    if (person().mesh.positions[v].y() > 0.05 * person().mesh.size()) continue;
    most = std::max(most, static_cast<double>((by_skin.positions[v] - base.positions[v]).norm()));
    most_stopped = std::max(most_stopped, static_cast<double>((stopped.positions[v] - base.positions[v]).norm()));
  }
  EXPECT_LT(most, 0.001 * person().mesh.size());
  EXPECT_GT(most_stopped, 0.02 * person().mesh.size());
}

TEST(Contact, LimbsDoNotJumpWhileTheyCross) {
  const auto state = contact_of_limbs().make_state(), base_state = plain().make_state();
  const auto largest = [&](int steps) {
    std::vector<Vec3f> before;
    double most = 0;
    for (int i = 0; i <= steps; ++i) {
      const ModelPose pose = crossed_legs(person(), 0.05 + 0.4 * i / steps);
      const Frame base = frame_of(plain(), *base_state, pose, person().mesh.vertex_count());
      Frame now = frame_of(contact_of_limbs(), *state, pose, person().mesh.vertex_count());
      for (std::size_t v = 0; v < now.positions.size(); ++v) now.positions[v] -= base.positions[v];
      if (!before.empty()) most = std::max(most, worst_distance(now.positions, before));
      before = now.positions;
    }
    return most;
  };
  const double coarse = largest(10), fine = largest(40);
  EXPECT_GT(coarse, 0);
  EXPECT_LT(fine, 0.4 * coarse);
}

/// The largest change of the correction from step to step while an elbow closes.
double largest_step(int steps) {
  const auto a = plain().make_state(), b = contact().make_state();
  std::vector<Vec3f> before;
  double most = 0;
  for (int i = 0; i <= steps; ++i) {
    const ModelPose pose = bent_elbow(person(), 1.6 + 0.6 * i / steps);
    const Frame base = frame_of(plain(), *a, pose, person().mesh.vertex_count());
    Frame now = frame_of(contact(), *b, pose, person().mesh.vertex_count());
    for (std::size_t v = 0; v < now.positions.size(); ++v) now.positions[v] -= base.positions[v];
    if (!before.empty()) most = std::max(most, worst_distance(now.positions, before));
    before = now.positions;
  }
  return most;
}

TEST(Contact, DoesNotJump) {
  const double coarse = largest_step(30), fine = largest_step(120);
  EXPECT_GT(coarse, 0);
  EXPECT_LT(fine, 0.5 * coarse) << "A jump is as large in small steps as in large ones.";
}

TEST(Contact, DoesNothingWithoutSkinOrFlesh) {
  const Rig empty;
  EXPECT_TRUE(frame(*bind_contact(deform::bind("lbs", empty), empty), empty, {}).positions.empty());
  const Rig cloud = random_cloud(3, 40);
  const ModelPose pose = random_pose_of(4, cloud.skeleton.size());
  EXPECT_EQ(frame(*bind_contact(deform::bind("lbs", cloud), cloud), cloud, pose),
            frame(*deform::bind("lbs", cloud), cloud, pose));
}

}  // namespace
}  // namespace sinew::deform
