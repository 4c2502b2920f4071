// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "tests/support/reach.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sinew/binding/auto/auto.h"
#include "sinew/binding/distance/distance.h"
#include "sinew/core/character.h"
#include "sinew/deform/blend/linear.h"
#include "sinew/geometry/spatial/penetration.h"
#include "sinew/motion/resolve.h"
#include "sinew/shapes/kinds.h"

namespace sinew::binding {
namespace {

// A person in a pose, as if made that way.
struct Posed {
  Mesh mesh;
  Skeleton skeleton;
  std::vector<Mat4> joints;

  Subject subject() const { return {mesh, skeleton, joints, std::vector<char>(joints.size(), 1)}; }
};

// Turns a joint so that the way to its child points there.
struct Aim {
  const char* joint;
  const char* child;
  Vec3 direction;  // Of the left side; the right is its mirror image.
};

Posed posed_human(const std::vector<Aim>& aims, int vertices = 3000) {
  shapes::MakeOptions options;
  options.vertices = vertices;
  const Rig rig = shapes::make("human", options).made.character.rig;
  Pose pose = rest_pose(rig);
  for (const Aim& aim : aims)
    for (const std::string side : {"Left", "Right"}) {
      const Index joint = rig.skeleton.find(side + aim.joint), child = rig.skeleton.find(side + aim.child);
      const std::vector<Mat4> model = model_matrices(rig.skeleton, pose.local);
      Vec3 target = aim.direction.normalized();
      if (side == "Right") target.x() = -target.x();
      const Vec3 now = (model[child] - model[joint]).topRightCorner<3, 1>();
      const Quat parent(Mat3(model[rig.skeleton.joints[joint].parent].topLeftCorner<3, 3>()));
      Quat& local = pose.local[joint].rotation;
      local = (parent.conjugate() * Quat::FromTwoVectors(now, target) * parent * local).normalized();
    }
  const ModelPose model = motion::resolve(rig.skeleton, pose);
  Posed posed{rig.mesh, rig.skeleton, model.joints};
  posed.mesh.positions = deform::linear_positions(rig, model);
  posed.mesh.normals = {};
  return posed;
}

const std::vector<Aim> kArmsAtTheSides = {{"UpperArm", "Forearm", {0.15, -1, 0}},
                                          {"Forearm", "Hand", {0.07, -1, 0.05}}};
const std::vector<Aim> kHandsAtTheThighs = {{"UpperArm", "Forearm", {0.2, -1, 0}},
                                            {"Forearm", "Hand", {-0.08, -1, 0.1}}};
const std::vector<Aim> kLegsTogether = {{"Thigh", "Shin", {-0.03, -1, 0}}};

void expect_no_bleeding(const Posed& posed) {
  EXPECT_LT(geometry::penetration(posed.mesh).vertices, 0.01 * posed.mesh.vertex_count());
  const Subject subject = posed.subject();
  const test::ReachReport report = test::bleeding(subject, bind_auto(subject, {}, {}).weights);
  EXPECT_EQ(report.bleeds.size(), 0U);
  EXPECT_EQ(report.judged, posed.mesh.vertex_count());
  EXPECT_LT(report.unjudged, 0.02 * report.judged);
  for (std::size_t i = 0; i < std::min<std::size_t>(report.bleeds.size(), 5); ++i) {
    const test::Bleed& b = report.bleeds[i];
    ADD_FAILURE() << "vertex " << b.vertex << " at " << posed.mesh.positions[b.vertex].transpose() << " hangs by "
                  << b.weight << " on " << posed.skeleton.joints[b.joint].name << ", " << b.straight
                  << " m away straight and " << b.inside << " m inside";
  }
}

TEST(Reach, AutoDoesNotBleedAtRest) { expect_no_bleeding(posed_human({})); }
TEST(Reach, AutoDoesNotBleedWithArmsAtTheSides) { expect_no_bleeding(posed_human(kArmsAtTheSides)); }
TEST(Reach, AutoDoesNotBleedWithHandsAtTheThighs) { expect_no_bleeding(posed_human(kHandsAtTheThighs)); }
TEST(Reach, AutoDoesNotBleedWithLegsTogether) { expect_no_bleeding(posed_human(kLegsTogether)); }

TEST(Reach, SeesThatDistanceBleeds) {
  const Posed posed = posed_human(kHandsAtTheThighs);
  const Subject subject = posed.subject();
  EXPECT_GT(test::bleeding(subject, bind_by_distance(subject, {}, {}).weights).bleeds.size(), 20U);
}

TEST(Reach, SeesThighWeightsOnFingers) {
  const Posed posed = posed_human(kHandsAtTheThighs);
  const Subject subject = posed.subject();
  const SkinWeights good = bind_auto(subject, {}, {}).weights;
  const Index finger = subject.skeleton.find("LeftMiddle2"), thigh = subject.skeleton.find("LeftThigh");
  ASSERT_NE(finger, kNone);
  SkinWeights planted;
  Index count = 0;
  for (Index v = 0; v < good.row_count(); ++v) {
    if (good.row(v)[0].joint != finger) {
      planted.add_row(good.row(v));
      continue;
    }
    planted.add_row({{finger, 0.9F}, {thigh, 0.1F}});
    ++count;
  }
  ASSERT_GT(count, 5U);
  EXPECT_GE(test::bleeding(subject, planted).bleeds.size(), 0.9 * count);
}

}  // namespace
}  // namespace sinew::binding
