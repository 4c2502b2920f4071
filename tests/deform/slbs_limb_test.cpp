// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What spread twists do to limbs whose shape is known.

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/character.h"
#include "sinew/deform/blend/slbs.h"
#include "sinew/deform/blend/twist_tree.h"
#include "sinew/geometry/mesh/normals.h"
#include "sinew/geometry/mesh/weld.h"
#include "sinew/shapes/surface/limbs.h"
#include "tests/deform/twist_rigs.h"

namespace sinew::deform {
namespace {

using namespace testing;

SlbsOptions by(const char* twist) {
  SlbsOptions options;
  options.twist_share = std::string_view(twist) == "delta" ? TwistShare::kDelta : TwistShare::kHarmonic;
  options.spread_twists = SpreadTwists::kAll;
  return options;
}

shapes::Made cylinder(int joints, int layers, double width = 2, double length = 8) {
  shapes::MakeOptions options;
  options.joint_count = joints;
  options.layers = layers;
  options.width = width;
  options.length = length;
  options.checkerboard = true;
  return shapes::cylinder(options);
}

ModelPose twisted_at(const Rig& rig, Index joint, double angle_rad) {
  Pose pose = rest_pose(rig);
  pose.twist_rad.assign(rig.skeleton.size(), 0);
  pose.twist_rad[joint] = angle_rad;
  pose.local[joint].rotation = pose.local[joint].rotation * rotation_exp(angle_rad * bone_axis(rig.skeleton, joint));
  return in_model_space(rig.skeleton, pose);
}

double azimuth(const Vec3& p) { return std::atan2(p.x(), p.z()); }
double from_axis(const Vec3& p) { return std::hypot(p.x(), p.z()); }

TEST(SlbsLimb, ATurnOfACylindersJointIsSpreadEvenlyAlongTheBoneBeforeIt) {
  const shapes::Made made = cylinder(3, 80);
  const Rig& rig = made.character.rig;
  for (const double degrees : {90.0, 180.0, 360.0, 540.0, -720.0}) {
    const ModelPose pose = twisted_at(rig, 1, radians(degrees));
    const Frame frame = frame_of("slbs", rig, pose, by("delta"), {&made.owners, {}});
    for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
      const Vec3 rest = rig.mesh.positions[v], posed = frame.positions[v].cast<double>();
      if (from_axis(rest) < 0.9) continue;
      const double share = std::clamp(rest.y() / 4, 0.0, 1.0);
      const double turned = azimuth(posed) - azimuth(rest) - share * degrees * kRadPerDegree;
      EXPECT_LT(std::abs(std::remainder(turned, radians(360))), 1e-4);
      EXPECT_NEAR(from_axis(posed), 1, 2e-6);
      EXPECT_NEAR(posed.y(), rest.y(), 5e-6);
    }
  }
}

TEST(SlbsLimb, LinearBlendingAndDualQuaternionsDoNotShowAFullTurn) {
  const shapes::Made made = cylinder(3, 80);
  const Rig& rig = made.character.rig;
  const ModelPose pose = twisted_at(rig, 1, radians(360));
  for (const char* method : {"lbs", "dqs"})
    EXPECT_LT(worst_distance(frame_of(method, rig, pose).positions, rig.mesh.positions), 1e-5);
}

TEST(SlbsLimb, AtHalfATurnLinearBlendingCollapsesAndSpreadTwistsKeepTheRadius) {
  const shapes::Made made = cylinder(3, 80);
  const Rig& rig = made.character.rig;
  const ModelPose pose = twisted_at(rig, 1, radians(180));
  const Frame linear = frame_of("lbs", rig, pose),
              spread = frame_of("slbs", rig, pose, by("harmonic"), {&made.owners, {}});
  Index checked = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    if (std::abs(rig.mesh.positions[v].y() - 4) > 1e-9) continue;
    EXPECT_LT(from_axis(linear.positions[v].cast<double>()), 0.05);
    EXPECT_NEAR(from_axis(spread.positions[v].cast<double>()), 1, 1e-5);
    ++checked;
  }
  EXPECT_EQ(checked, 32U);
}

// The largest singular value of a twisted cylinder's map is γ/2 + √(1 + γ²/4) with γ = θ r / L.
TEST(SlbsLimb, TheSkinIsStretchedNoMoreThanATwistedCylinder) {
  const shapes::Made made = cylinder(3, 80);
  const Rig& rig = made.character.rig;
  for (const char* twist : {"delta", "harmonic"})
    for (const double degrees : {180.0, 360.0, 540.0}) {
      const double gamma = radians(degrees) * 1 / 4;
      const double limit = gamma / 2 + std::sqrt(1 + gamma * gamma / 4);
      const Frame frame = frame_of("slbs", rig, twisted_at(rig, 1, radians(degrees)), by(twist), {&made.owners, {}});
      double largest = 0;
      for (const Triangle& triangle : triangulate(rig.mesh)) {
        Eigen::Matrix<double, 3, 2> before, after;
        for (int i = 0; i < 2; ++i) {
          const Index a = triangle.vertices[0], b = triangle.vertices[static_cast<std::size_t>(i + 1)];
          before.col(i) = rig.mesh.positions[b] - rig.mesh.positions[a];
          after.col(i) = (frame.positions[b] - frame.positions[a]).cast<double>();
        }
        const Vec3 u = before.col(0).normalized(), n = Vec3(before.col(0)).cross(Vec3(before.col(1))).normalized();
        Eigen::Matrix<double, 2, 3> plane;
        plane << u.transpose(), n.cross(u).transpose();
        const Eigen::Matrix2d flat = plane * before;
        const Eigen::Matrix<double, 3, 2> map = after * flat.inverse();
        largest = std::max(largest, Eigen::JacobiSVD<Eigen::Matrix<double, 3, 2>>(map).singularValues()[0]);
      }
      EXPECT_LT(largest, 1.05 * limit) << twist << " " << degrees;
      EXPECT_GT(largest, 0.8 * limit) << twist << " " << degrees;
    }
}

// Normals against those of the faces of the posed surface.
TEST(SlbsLimb, NormalsAreThoseOfTheTwistedSurface) {
  shapes::Made made = cylinder(3, 400);
  Rig& rig = made.character.rig;
  for (Vec3& p : rig.mesh.positions) p.z() *= 0.4;  // Not round: only then does the slope of the twist show.
  rig.mesh.normals = {};
  const geometry::Welding welding = geometry::weld(rig.mesh);
  const ModelPose pose = twisted_at(rig, 1, radians(360));
  for (const char* twist : {"delta", "harmonic"}) {
    const Frame frame = frame_of("slbs", rig, pose, by(twist), {&made.owners, {}});
    Mesh posed = rig.mesh;
    for (Index v = 0; v < posed.vertex_count(); ++v) posed.positions[v] = frame.positions[v].cast<double>();
    const std::vector<Vec3> expected = geometry::vertex_normals(posed, &welding);
    double worst = 0, mean = 0;
    Index count = 0;
    for (Index v = 0; v < posed.vertex_count(); ++v) {
      const double y = rig.mesh.positions[v].y();
      if (y < 0.1 || y > 7.9 || std::abs(y - 4) < 0.1) continue;
      const double off = std::acos(std::clamp(expected[v].dot(frame.normals[v].cast<double>()), -1.0, 1.0));
      worst = std::max(worst, off);
      mean += off;
      ++count;
    }
    EXPECT_LT(worst, radians(6)) << twist;
    EXPECT_LT(mean / count, radians(1.5)) << twist;
  }
}

// Bends a cylinder and takes that for its rest: every joint but the first by so much, about x.
shapes::Made bent_cylinder(double bend_rad) {
  shapes::Made made = cylinder(4, 90, 2, 9);
  Rig& rig = made.character.rig;
  Pose pose = rest_pose(rig);
  for (Index j = 1; j < 3; ++j) {
    const Mat3 frame = rest_matrices(rig.skeleton)[j].topLeftCorner<3, 3>();
    pose.local[j].rotation = pose.local[j].rotation * rotation_exp(bend_rad * (frame.transpose() * Vec3::UnitX()));
  }
  const ModelPose model = in_model_space(rig.skeleton, pose);
  const Frame frame = frame_of("lbs", rig, model);
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) rig.mesh.positions[v] = frame.positions[v].cast<double>();
  for (Index j = 0; j < 4; ++j) {
    rig.skeleton.joints[j].rest = pose.local[j];
    rig.skins[0].inverse_bind[j] = model.joints[j].inverse();
  }
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    const auto [a, b] = made.owners.segments[made.owners.owner[v]];
    const Vec3 o = place(model.joints[a]), link = place(model.joints[b]) - o;
    made.owners.along[v] = static_cast<float>((rig.mesh.positions[v] - o).dot(link) / link.squaredNorm());
  }
  return made;
}

// How much more edges across a border are stretched than those within a region: the ratio of the 99.9th percentiles
// over random poses.
double stretch_across_borders(const shapes::Made& made, const char* twist, double swing_rad, int poses) {
  const Rig& rig = made.character.rig;
  const auto deformer = deform::bind("slbs", rig, by(twist), {}, {&made.owners, {}});
  const auto state = deformer->make_state();
  std::vector<float> across, within;
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<Vec3f> positions(rig.mesh.vertex_count());
  for (int i = 0; i < poses; ++i) {
    Pose pose = rest_pose(rig);
    pose.twist_rad.assign(rig.skeleton.size(), 0);
    for (Index j = 0; j < rig.skeleton.size(); ++j) {
      // About the bone before it: about its own, half a turn would bend a joint that is bent at rest by twice as much.
      const Transform& rest = rig.skeleton.joints[j].rest;
      const Vec3 own = bone_axis(rig.skeleton, j);
      const Vec3 bone = j == 0 ? own : Vec3((rest.rotation.conjugate() * rest.translation).normalized());
      const Vec3 across_bone = bone.cross(random_vector(rng)).normalized();
      const double angle = radians(360) * any(rng);
      const Quat turn = rotation_exp(swing_rad * any(rng) * across_bone) * rotation_exp(angle * bone);
      pose.twist_rad[j] = nearest_twist_rad(turn, own, angle);
      pose.local[j].rotation = rest.rotation * turn;
    }
    deformer->deform(*state, {in_model_space(rig.skeleton, pose)}, {positions, {}});
    for (const Triangle& triangle : triangulate(rig.mesh))
      for (std::size_t e = 0; e < 3; ++e) {
        const Index a = triangle.vertices[e], b = triangle.vertices[(e + 1) % 3];
        const double rest = (rig.mesh.positions[a] - rig.mesh.positions[b]).norm();
        const auto ratio = static_cast<float>((positions[a] - positions[b]).cast<double>().norm() / rest);
        (made.owners.owner[a] == made.owners.owner[b] ? within : across).push_back(ratio);
      }
  }
  const auto high = [](std::vector<float>& values) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(0.999 * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return static_cast<double>(*at);
  };
  return high(across) / high(within);
}

TEST(SlbsLimb, BordersOfRegionsDoNotShowInRandomPoses) {
  const shapes::Made straight = cylinder(4, 60, 2, 9);
  EXPECT_LT(stretch_across_borders(straight, "delta", radians(20), 1000), 1.1);
  EXPECT_LT(stretch_across_borders(straight, "harmonic", radians(20), 1000), 1.1);
  // Twists alone: where the skin is bent at rest, linear blending stretches what swings at the border by 2.6 times as
  // much.
  const shapes::Made bent = bent_cylinder(radians(40));
  EXPECT_LT(stretch_across_borders(bent, "harmonic", 0, 1000), 1.1);
  // The place along the bone alone jumps at a bend: about 40.
  EXPECT_GT(stretch_across_borders(bent, "delta", 0, 100), 10);
}

}  // namespace
}  // namespace sinew::deform
