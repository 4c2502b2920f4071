// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/skin_volume.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "sinew/core/angles.h"
#include "sinew/core/character.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/pbd/pbd.h"
#include "sinew/geometry/mesh/volume.h"
#include "sinew/shapes/kinds.h"

namespace sinew::deform {
namespace {

double enclosed(Mesh mesh, const std::vector<Vec3f>& positions) {
  for (std::size_t v = 0; v < positions.size(); ++v) mesh.positions[v] = positions[v].cast<double>();
  return geometry::volume(mesh).volume;
}

/// A made human whose skin may move everywhere, posed by linear blending.
struct PosedHuman {
  Rig rig;
  geometry::Welding welding;
  std::vector<Index> moved;
  std::vector<Mat4> bind, motions;
  std::vector<Vec3f> positions;

  PosedHuman(const char* joint, const Vec3& axis, double degrees, bool flipped = false) {
    shapes::MakeOptions options;
    options.vertices = 3000;
    rig = shapes::make("human", options).made.character.rig;
    if (flipped)
      for (Index f = 0; f < rig.mesh.face_count(); f += 3)
        std::reverse(rig.mesh.face_vertices.begin() + rig.mesh.face_offsets[f],
                     rig.mesh.face_vertices.begin() + rig.mesh.face_offsets[f + 1]);
    welding = geometry::weld(rig.mesh);
    for (Index w = 0; w < welding.count(); ++w) moved.push_back(w);
    bind = rest_matrices(rig.skeleton);
    Pose pose = rest_pose(rig);
    const Index j = rig.skeleton.find(joint);
    pose.local[j].rotation = pose.local[j].rotation * Quat(Eigen::AngleAxisd(radians(degrees), axis));
    const ModelPose posed{model_matrices(rig.skeleton, pose.local), {}, {}};
    for (std::size_t k = 0; k < bind.size(); ++k) motions.push_back(posed.joints[k] * bind[k].inverse());
    const auto lbs = sinew::deform::bind("lbs", rig);
    positions.resize(rig.mesh.positions.size());
    lbs->deform(*lbs->make_state(), {posed}, {positions, {}, nullptr});
  }

  std::vector<Vec3f> restored(double share = 1) const {
    const SkinVolume volume(rig, welding, moved, bind);
    SkinVolume::Scratch scratch;
    scratch.targets = volume.at_binding();
    std::vector<Vec3f> corrections(moved.size(), Vec3f::Zero());
    volume.restore(scratch, positions, motions, share, corrections);
    std::vector<Vec3f> result = positions;
    for (std::size_t v = 0; v < result.size(); ++v) result[v] += corrections[welding.welded[v]];
    return result;
  }

  double lost(const std::vector<Vec3f>& at) const { return geometry::volume(rig.mesh).volume - enclosed(rig.mesh, at); }
};

TEST(SkinVolume, GivesBackWhatALimbLost) {
  for (const auto& [joint, axis, degrees] : {std::tuple<const char*, Vec3, double>{"LeftHand", Vec3::UnitY(), 120},
                                             {"LeftForearm", Vec3::UnitX(), 80},
                                             {"RightShin", Vec3::UnitX(), 90}}) {
    const PosedHuman human(joint, axis, degrees);
    const double lost = human.lost(human.positions);
    ASSERT_GT(std::abs(lost), 1e-5);
    EXPECT_NEAR(human.lost(human.restored()), 0, 0.1 * std::abs(lost)) << joint;
    EXPECT_NEAR(human.lost(human.restored(0.5)), 0.5 * lost, 0.1 * std::abs(lost)) << joint;
  }
}

TEST(SkinVolume, MovesOnlySkinThatTurnedJointsBend) {
  const PosedHuman human("LeftForearm", Vec3::UnitX(), 80);
  const std::vector<Vec3f> restored = human.restored();
  const Index elbow = human.rig.skeleton.find("LeftForearm");
  std::size_t moved = 0;
  for (Index v = 0; v < restored.size(); ++v) {
    if (restored[v] == human.positions[v]) continue;
    ++moved;
    const double radius = (human.rig.mesh.positions[v] - human.bind[elbow].topRightCorner<3, 1>()).norm();
    EXPECT_LT(radius, 0.2 * human.rig.mesh.size());
  }
  EXPECT_GT(moved, 10U);
}

TEST(SkinVolume, AtRestAndForWholeMotionsNothingMoves) {
  PosedHuman human("LeftForearm", Vec3::UnitX(), 0);
  EXPECT_EQ(human.restored(), human.positions);
  const Quat turn(Eigen::AngleAxisd(1, Vec3(1, 2, 3).normalized()));
  for (Mat4& motion : human.motions) motion.topLeftCorner<3, 3>() = turn.toRotationMatrix();
  for (Vec3f& p : human.positions) p = turn.cast<float>() * p;
  EXPECT_EQ(human.restored(), human.positions);
}

TEST(SkinVolume, FacesThatDisagreeAreTurnedFirst) {
  const PosedHuman plain("LeftForearm", Vec3::UnitX(), 80), flipped("LeftForearm", Vec3::UnitX(), 80, true);
  const std::vector<Vec3f> a = plain.restored(), b = flipped.restored();
  ASSERT_NE(a, plain.positions);
  for (std::size_t v = 0; v < a.size(); ++v) EXPECT_LT((a[v] - b[v]).norm(), 1e-5F * plain.rig.mesh.size());
}

TEST(SkinVolume, ThreadsDoNotMatter) {
  const PosedHuman human("LeftForearm", Vec3::UnitX(), 80);
  set_thread_count(1);
  const std::vector<Vec3f> one = human.restored();
  set_thread_count(2);
  EXPECT_EQ(human.restored(), one);
  set_thread_count(0);
}

/// A square tube along x, closed at its ends, bound to joints at 0 and 2 of which the second twists it.
struct SquareTube {
  Rig rig;
  Segmentation segmentation;

  SquareTube() {
    for (const double x : {0.0, 2.0}) {
      Joint joint;
      joint.name = x == 0 ? "root" : "end";
      joint.parent = x == 0 ? kNone : 0;
      joint.rest.translation = Vec3(x, 0, 0);
      rig.skeleton.joints.push_back(joint);
    }
    Skin skin;
    skin.joints = {0, 1};
    skin.inverse_bind.assign(2, Mat4::Identity());
    skin.inverse_bind[1](0, 3) = -2;
    rig.skins.push_back(skin);
    segmentation.segments = {{0, 1}, {1, kNone}};
    for (Index ring = 0; ring < 4; ++ring)
      for (const double angle : {45.0, 135.0, 225.0, 315.0}) {
        const double a = radians(angle);
        rig.mesh.positions.emplace_back(ring, 0.3 * std::cos(a), 0.3 * std::sin(a));
        const float end = ring < 2 ? 0.0F : ring == 2 ? 0.5F : 1.0F;
        rig.weights.add_row({{0, 1 - end}, {1, end}});
        segmentation.owner.push_back(ring < 3 ? 0 : 1);
        segmentation.along.push_back(ring < 3 ? 0.5F * static_cast<float>(ring) : 0.5F);
      }
    for (Index ring = 0; ring < 3; ++ring)
      for (Index k = 0; k < 4; ++k) {
        const Index a = 4 * ring + k, b = 4 * ring + (k + 1) % 4;
        rig.mesh.add_face(std::array<Index, 3>{a, b, b + 4});
        rig.mesh.add_face(std::array<Index, 3>{a, b + 4, a + 4});
      }
    rig.mesh.add_face(std::array<Index, 4>{3, 2, 1, 0});
    rig.mesh.add_face(std::array<Index, 4>{12, 13, 14, 15});
    MeshPart part;
    part.vertex_count = rig.mesh.vertex_count();
    part.face_count = rig.mesh.face_count();
    part.skin = 0;
    rig.mesh.parts.push_back(part);
  }

  static Mat3 turn(double share) {
    return Eigen::AngleAxisd(share * 100 * kPi / 180, Vec3::UnitX()).toRotationMatrix();
  }
};

TEST(SkinVolume, AlsoWhereATwistIsSpreadAlongRigidSkin) {
  const SquareTube tube;
  const geometry::Welding welding = geometry::weld(tube.rig.mesh);
  std::vector<Index> moved(welding.count());
  for (Index w = 0; w < welding.count(); ++w) moved[w] = w;
  std::vector<Vec3f> positions;
  for (const Vec3& p : tube.rig.mesh.positions)
    positions.push_back((tube.turn(std::min(1.0, p.x() / 2)) * p).cast<float>());
  std::vector<Mat4> motions(2, Mat4::Identity());
  motions[1].topLeftCorner<3, 3>() = tube.turn(1);
  const double whole = geometry::volume(tube.rig.mesh).volume, twisted = enclosed(tube.rig.mesh, positions);
  ASSERT_LT(twisted, 0.95 * whole);
  for (const bool told : {false, true}) {
    const SkinVolume volume(tube.rig, welding, moved, rest_matrices(tube.rig.skeleton),
                            told ? &tube.segmentation : nullptr);
    SkinVolume::Scratch scratch;
    scratch.targets = volume.at_binding();
    scratch.twists = {0, SkinVolume::lost_by(radians(100))};
    std::vector<Vec3f> corrections(moved.size(), Vec3f::Zero());
    volume.restore(scratch, positions, motions, 1, corrections);
    EXPECT_EQ(corrections[4].isZero(), !told);  // In the middle of the bone.
    std::vector<Vec3f> restored = positions;
    for (std::size_t v = 0; v < restored.size(); ++v) restored[v] += corrections[v];
    if (!told) continue;
    EXPECT_NEAR(enclosed(tube.rig.mesh, restored), whole, 0.02 * whole);
  }
}

// A morph that swells the forearm would be undone if the volume without it were kept.
TEST(SkinVolume, WhatMorphsAddToABodyStays) {
  PosedHuman human("LeftForearm", Vec3::UnitX(), 60);
  Rig& rig = human.rig;
  Morph swell;
  swell.name = "swell";
  const Vec3 elbow = human.bind[rig.skeleton.find("LeftForearm")].topRightCorner<3, 1>();
  const MeshPart& part = rig.mesh.parts[0];
  for (Index v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
    const Vec3 out = rig.mesh.positions[v] - elbow;
    const double near = std::max(0.0, 1 - out.norm() / (0.1 * rig.mesh.size()));
    swell.deltas.push_back((0.5 * near * out).cast<float>());
  }
  rig.mesh.parts[0].morphs.push_back(swell);
  rig.mesh.parts[0].morph_weights.push_back(0);
  PbdOptions choose;
  choose.base = PbdBase::kLbs;
  const auto pbd = bind("pbd", rig, choose);
  const auto volume = [&](double degrees, double weight) {
    Pose pose = rest_pose(rig);
    const Index j = rig.skeleton.find("LeftForearm");
    pose.local[j].rotation = pose.local[j].rotation * Quat(Eigen::AngleAxisd(radians(degrees), Vec3::UnitX()));
    const ModelPose posed{model_matrices(rig.skeleton, pose.local), {}, {{weight}}};
    std::vector<Vec3f> positions(rig.mesh.positions.size());
    pbd->deform(*pbd->make_state(), {posed}, {positions, {}, nullptr});
    return enclosed(rig.mesh, positions);
  };
  const double added = volume(0, 1) - volume(0, 0);
  ASSERT_GT(added, 0);
  EXPECT_NEAR(volume(60, 1) - volume(60, 0), added, 0.1 * added);
}

}  // namespace
}  // namespace sinew::deform
