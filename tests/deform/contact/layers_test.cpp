// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/contact/layers.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/core/angles.h"
#include "tests/deform/skin_rigs.h"
#include "tests/support/threads.h"

namespace sinew::deform {
namespace {

using namespace testing;

constexpr Index kAround = 24, kAlong = 40;
constexpr double kSkin = 0.1, kSleeve = 0.106;

/// A limb of two bones along x in a sleeve that leaves its ends bare. Skin and sleeve are bound differently: that of
/// the skin changes at once from bone to bone, and that of the sleeve slowly, so that they pass through each other in a
/// bend.
Rig sleeved_limb(bool sleeve = true) {
  Rig rig;
  rig.skeleton.joints.resize(2);
  rig.skeleton.joints[0].name = "upper";
  rig.skeleton.joints[1].name = "lower";
  rig.skeleton.joints[1].parent = 0;
  rig.skins = {{"skin", {0, 1}, {Mat4::Identity(), Mat4::Identity()}}};
  const auto add_tube = [&](double radius, double half_length, double width) {
    const Index first = rig.mesh.vertex_count();
    for (Index i = 0; i <= kAlong; ++i)
      for (Index k = 0; k < kAround; ++k) {
        const double x = half_length * (2.0 * i / kAlong - 1), angle = 2 * kPi * k / kAround;
        rig.mesh.positions.emplace_back(x, radius * std::cos(angle), radius * std::sin(angle));
        const auto lower = static_cast<float>(std::clamp(0.5 + x / width, 0.0, 1.0));
        rig.weights.add_row(std::vector<Influence>{{0, 1 - lower}, {1, lower}});
      }
    const Index first_face = rig.mesh.face_count();
    for (Index i = 0; i < kAlong; ++i)
      for (Index k = 0; k < kAround; ++k) {
        const Index a = first + i * kAround + k, b = first + i * kAround + (k + 1) % kAround;
        rig.mesh.add_face(std::array<Index, 4>{a, b, b + kAround, a + kAround});
      }
    MeshPart part;
    part.name = "tube";
    part.first_vertex = first, part.vertex_count = rig.mesh.vertex_count() - first;
    part.first_face = first_face, part.face_count = rig.mesh.face_count() - first_face;
    part.skin = 0;
    rig.mesh.parts.push_back(part);
  };
  add_tube(kSkin, 0.6, 0.1);
  if (sleeve) add_tube(kSleeve, 0.4, 0.6);
  return rig;
}

ModelPose bent_sleeve(double angle_rad) {
  ModelPose pose{{Mat4::Identity(), Mat4::Identity()}, {0, 0}, {}};
  pose.joints[1].topLeftCorner<3, 3>() = Eigen::AngleAxisd(angle_rad, Vec3::UnitZ()).toRotationMatrix();
  return pose;
}

Frame fresh_frame(const Deformer& deformer, const Rig& rig, const ModelPose& pose) {
  return frame_of(deformer, *deformer.make_state(), pose, rig.mesh.vertex_count());
}

/// Skin vertices between the ends of the sleeve that are farther from the axis line of the sleeve's rings than the
/// sleeve is there, by an obvious search for the nearest ring.
int outside(const std::vector<Vec3f>& positions) {
  const Index sleeve = (kAlong + 1) * kAround;
  int count = 0;
  for (Index v = 0; v < sleeve; ++v) {
    Index best = 0;
    float nearest = 1e9F;
    for (Index u = sleeve; u < 2 * sleeve; ++u)
      if (const float d = (positions[u] - positions[v]).norm(); d < nearest) nearest = d, best = u;
    const Index i = (best - sleeve) / kAround, k = (best - sleeve) % kAround;
    if (i < 3 || i > kAlong - 3) continue;  // Near the ends of the sleeve.
    const auto at = [&](Index row, Index column) { return positions[sleeve + row * kAround + column % kAround]; };
    const Vec3f normal = (at(i + 1, k) - at(i - 1, k)).cross(at(i, k + 1) - at(i, k + kAround - 1)).normalized();
    const Vec3f outward =
        (normal.dot(positions[best] - 0.5F * (at(i, k) + at(i, k + kAround / 2))) > 0 ? 1.0F : -1.0F) * normal;
    count += outward.dot(positions[v] - positions[best]) > 1e-3F ? 1 : 0;
  }
  return count;
}

constexpr double kBodyX = 0.3, kBodyY = 0.18, kBodyZ = 0.12;  // Radii of the torso.

/// A flat arm, wider in y than the closed torso is in z, that goes through the torso along x. Twisted, its inner part
/// comes out of the front and the back of the torso, whereas the sides of the torso cover it at rest.
Rig arm_in_torso() {
  Rig rig;
  rig.skeleton.joints.resize(2);
  rig.skeleton.joints[0].name = "torso";
  rig.skeleton.joints[1].name = "arm";
  rig.skeleton.joints[1].parent = 0;
  rig.skins = {{"skin", {0, 1}, {Mat4::Identity(), Mat4::Identity()}}};
  const auto add_rings = [&](Index joint, const auto& ring, Index rings) {
    const Index first = rig.mesh.vertex_count(), first_face = rig.mesh.face_count();
    for (Index i = 0; i < rings; ++i)
      for (Index k = 0; k < kAround; ++k) {
        const auto [x, y, z] = ring(i);
        const double angle = 2 * kPi * k / kAround;
        rig.mesh.positions.emplace_back(x, y * std::cos(angle), z * std::sin(angle));
        rig.weights.add_row(std::vector<Influence>{{joint, 1.0F}});
      }
    for (Index i = 0; i + 1 < rings; ++i)
      for (Index k = 0; k < kAround; ++k) {
        const Index a = first + i * kAround + k, b = first + i * kAround + (k + 1) % kAround;
        rig.mesh.add_face(std::array<Index, 4>{a, b, b + kAround, a + kAround});
      }
    MeshPart part;
    part.name = rig.skeleton.joints[joint].name;
    part.first_vertex = first, part.vertex_count = rig.mesh.vertex_count() - first;
    part.first_face = first_face, part.face_count = rig.mesh.face_count() - first_face;
    part.skin = 0;
    rig.mesh.parts.push_back(part);
  };
  add_rings(
      1,
      [](Index i) {
        return std::array<double, 3>{0.5 * (2.0 * i / kAlong - 1), 0.155, 0.06};
      },
      kAlong + 1);
  add_rings(
      0,
      [](Index i) {
        const double polar = kPi * (1e-3 + 0.998 * i / 32);
        return std::array<double, 3>{-kBodyX * std::cos(polar), kBodyY * std::sin(polar), kBodyZ * std::sin(polar)};
      },
      33);
  return rig;
}

/// Vertices of the middle of the arm that are outside of the torso.
int outside_torso(const std::vector<Vec3f>& positions) {
  int count = 0;
  for (Index v = 0; v < (kAlong + 1) * kAround; ++v) {
    const Vec3 p = positions[v].cast<double>().cwiseQuotient(Vec3(kBodyX, kBodyY, kBodyZ));
    if (std::abs(positions[v].x()) < 0.1F && p.norm() > 1) ++count;
  }
  return count;
}

TEST(Layers, SkinStaysBelowASleeve) {
  const Rig rig = sleeved_limb();
  const auto plain = bind("lbs", rig), layers = bind_layers(bind("lbs", rig), rig);
  int before = 0, after = 0;
  for (const double angle : {0.3, 0.6, 0.9}) {
    before += outside(fresh_frame(*plain, rig, bent_sleeve(angle)).positions);
    after += outside(fresh_frame(*layers, rig, bent_sleeve(angle)).positions);
  }
  EXPECT_GT(before, 100);
  EXPECT_LE(after, before / 50);
}

TEST(Layers, AnArmStaysInAClosedTorsoWhoseOtherSideItWouldLeave) {
  const Rig rig = arm_in_torso();
  const auto plain = bind("lbs", rig), layers = bind_layers(bind("lbs", rig), rig);
  ModelPose pose{{Mat4::Identity(), Mat4::Identity()}, {0, 0}, {}};
  ASSERT_EQ(outside_torso(fresh_frame(*plain, rig, pose).positions), 0);
  int before = 0, after = 0;
  for (const double angle : {0.9, 1.2, 1.5}) {
    pose.joints[1].topLeftCorner<3, 3>() = Eigen::AngleAxisd(angle, Vec3::UnitX()).toRotationMatrix();
    before += outside_torso(fresh_frame(*plain, rig, pose).positions);
    after += outside_torso(fresh_frame(*layers, rig, pose).positions);
  }
  EXPECT_GT(before, 50);
  EXPECT_LE(after, before / 4);
}

TEST(Layers, OnlyCoveredSkinMoves) {
  const Rig rig = sleeved_limb();
  const auto plain = bind("lbs", rig), layers = bind_layers(bind("lbs", rig), rig);
  const Frame a = fresh_frame(*plain, rig, bent_sleeve(1)), b = fresh_frame(*layers, rig, bent_sleeve(1));
  const Index skin = (kAlong + 1) * kAround;
  for (Index v = 0; v < a.positions.size(); ++v)
    if (v >= skin || std::abs(rig.mesh.positions[v].x()) > 0.4) {
      EXPECT_EQ(a.positions[v], b.positions[v]) << v;
    }
  EXPECT_NE(a, b);
}

TEST(Layers, TheBindPoseAndASingleShellAreLeftAlone) {
  const Rig rig = sleeved_limb(), bare = sleeved_limb(false);
  EXPECT_EQ(fresh_frame(*bind_layers(bind("lbs", rig), rig), rig, bent_sleeve(0)),
            fresh_frame(*bind("lbs", rig), rig, bent_sleeve(0)));
  EXPECT_EQ(fresh_frame(*bind_layers(bind("lbs", bare), bare), bare, bent_sleeve(1)),
            fresh_frame(*bind("lbs", bare), bare, bent_sleeve(1)));
}

TEST(Layers, DependsOnThePoseAloneAndNotOnThreads) {
  const Rig rig = sleeved_limb();
  const auto layers = bind_layers(bind("lbs", rig), rig);
  const Frame first = fresh_frame(*layers, rig, bent_sleeve(0.9));
  const auto state = layers->make_state();
  frame_of(*layers, *state, bent_sleeve(1.6), rig.mesh.vertex_count());
  const test::Threads one(1);
  EXPECT_EQ(frame_of(*layers, *state, bent_sleeve(0.9), rig.mesh.vertex_count()), first);
}

TEST(Layers, DoesNotJump) {
  const Rig rig = sleeved_limb();
  const auto plain = bind("lbs", rig), layers = bind_layers(bind("lbs", rig), rig);
  const auto largest_step = [&](int steps) {
    float most = 0;
    std::vector<Vec3f> before;
    for (int i = 0; i <= steps; ++i) {
      const ModelPose pose = bent_sleeve(1.2 * i / steps);
      std::vector<Vec3f> now = fresh_frame(*layers, rig, pose).positions;
      const std::vector<Vec3f> base = fresh_frame(*plain, rig, pose).positions;
      for (std::size_t v = 0; v < now.size(); ++v) now[v] -= base[v];
      for (std::size_t v = 0; v < before.size(); ++v) most = std::max(most, (now[v] - before[v]).norm());
      before = std::move(now);
    }
    return most;
  };
  EXPECT_LT(largest_step(160), 0.5F * largest_step(40));
}

}  // namespace
}  // namespace sinew::deform
