// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/shapes/bodies/arm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sinew/core/angles.h"
#include "sinew/geometry/mesh/topology.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/geometry/spatial/self_intersection.h"

namespace sinew::shapes {
namespace {

MakeOptions of_shape(const char* shape, bool triangles = false) {
  MakeOptions options;
  options.shape = shape;
  options.triangles = triangles;
  return options;
}

std::map<std::string, double> weights_of(const Rig& rig, Index vertex) {
  std::map<std::string, double> result;
  for (const Influence& influence : rig.weights.row(vertex))
    result[rig.skeleton.joints[influence.joint].name] = static_cast<double>(influence.weight);
  return result;
}

TEST(Arm, HasThePublishedCounts) {
  const Mesh reference = arm(of_shape("reference", true)).character.rig.mesh;
  EXPECT_EQ(reference.vertex_count(), 622U);
  EXPECT_EQ(reference.face_count(), 1240U);
  EXPECT_EQ(arm(of_shape("reference")).character.rig.mesh.face_count(), 620U);
  EXPECT_EQ(arm(of_shape("slender")).character.rig.mesh.vertex_count(), 41U * 25 + 2);
  EXPECT_EQ(arm(of_shape("muscular")).character.rig.mesh.vertex_count(), 121U * 60 + 2);
}

TEST(Arm, EveryShapeIsClosedAndFacesOutward) {
  for (const char* shape : {"reference", "slender", "muscular", "rotated"}) {
    SCOPED_TRACE(shape);
    for (const bool triangles : {false, true}) {
      const Made made = arm(of_shape(shape, triangles));
      const Mesh& mesh = made.character.rig.mesh;
      EXPECT_TRUE(geometry::topology(mesh, geometry::weld(mesh)).total.encloses());
      EXPECT_GT(geometry::volume(mesh).volume, 0);
      EXPECT_EQ(geometry::self_intersections(mesh).inside_parts, 0U);
      EXPECT_TRUE(validate(made.character).empty());
    }
  }
}

TEST(Arm, WeightsFollowTheFormula) {
  const Made made = arm(of_shape("reference"));
  const Rig& rig = made.character.rig;
  // Ring 15 of 0 … 30 is the elbow, u = 1; vertex 0 of a ring is up, φ = 0.
  const std::map<std::string, double> up = weights_of(rig, 15 * 20);
  double helpers = 0;
  for (int h = 0; h < 6; ++h) helpers += 0.5 * std::exp((std::cos(h * kPi / 3) - 1) / 0.3);
  const double far = std::exp(-8);
  EXPECT_NEAR(up.at("UpperArm"), (1 - helpers) / (2 + far), 1e-6);
  EXPECT_NEAR(up.at("Forearm"), (1 - helpers) / (2 + far), 1e-6);
  EXPECT_NEAR(up.at("ElbowHelper0"), 0.5, 1e-6);
  EXPECT_NEAR(up.at("ElbowHelper1"), 0.5 * std::exp(-0.5 / 0.3), 1e-6);
  EXPECT_NEAR(up.at("ElbowHelper1"), up.at("ElbowHelper5"), 1e-7);
  EXPECT_EQ(rig.weights.max_influences(), 9U);
  const std::map<std::string, double> shoulder = weights_of(rig, 0);
  EXPECT_GT(shoulder.at("UpperArm"), 0.999);
}

TEST(Arm, HelpersStandAroundTheElbowInsideTheSkin) {
  for (const char* shape : {"reference", "rotated"}) {
    const Made made = arm(of_shape(shape));
    const Skeleton& skeleton = made.character.rig.skeleton;
    const std::vector<Mat4> rest = rest_matrices(skeleton);
    const Vec3 elbow = rest[skeleton.find("Forearm")].topRightCorner<3, 1>();
    const Vec3 along = elbow - Vec3(rest[skeleton.find("UpperArm")].topRightCorner<3, 1>());
    int helpers = 0;
    for (Index j = 0; j < skeleton.size(); ++j) {
      if (skeleton.joints[j].role != "helper") continue;
      ++helpers;
      const Vec3 offset = Vec3(rest[j].topRightCorner<3, 1>()) - elbow;
      EXPECT_NEAR(offset.dot(along), 0, 1e-9);
      EXPECT_GT(offset.norm(), 0.2);
      EXPECT_LT(offset.norm(), 0.6);
    }
    EXPECT_EQ(helpers, 6);
    EXPECT_EQ(made.template_joints.size(), 3U);
  }
}

TEST(Arm, TheRotatedOneIsTheMuscularOneMoved) {
  const Made plain = arm(of_shape("muscular"));
  const Made moved = arm(of_shape("rotated"));
  EXPECT_EQ(plain.character.rig.weights, moved.character.rig.weights);
  const Mat3 turn = Eigen::AngleAxisd(-0.25 * kPi, Vec3::UnitZ()).toRotationMatrix();
  for (Index i = 0; i < plain.character.rig.mesh.vertex_count(); ++i) {
    const Vec3 expected = turn * plain.character.rig.mesh.positions[i] + Vec3(1, 2, -0.5);
    EXPECT_LT((moved.character.rig.mesh.positions[i] - expected).norm(), 1e-9);
  }
}

TEST(Arm, LengthScalesIt) {
  MakeOptions options = of_shape("reference");
  options.length = 0.6;
  const Made made = arm(options);
  EXPECT_NEAR(made.character.rig.mesh.bounds().extent().x(), 0.1 * 7.2, 1e-9);
}

}  // namespace
}  // namespace sinew::shapes
