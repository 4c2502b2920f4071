// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/auto/shells.h"

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/shapes/kinds.h"
#include "tests/binding/heat_bodies.h"
#include "tests/support/damages.h"

namespace sinew::binding {
namespace {

using test::made_rig;

Shells shells_of(const Mesh& mesh, const Skeleton& skeleton) {
  const Subject subject = rest_subject(mesh, skeleton);
  return find_shells(subject, bone_tree(subject));
}

// A ball of triangles, appended as a part.
void add_ball(Mesh& mesh, const Vec3& center, double radius, const std::string& name) {
  MeshPart part;
  part.name = name;
  part.first_vertex = mesh.vertex_count();
  part.first_face = mesh.face_count();
  constexpr Index kRings = 6, kAround = 8;
  for (Index r = 0; r <= kRings; ++r)
    for (Index a = 0; a < kAround; ++a) {
      const double polar = kPi * r / kRings, turn = kTwoPi * a / kAround;
      mesh.positions.push_back(
          center + radius * Vec3(std::sin(polar) * std::cos(turn), std::cos(polar), std::sin(polar) * std::sin(turn)));
    }
  for (Index r = 0; r < kRings; ++r)
    for (Index a = 0; a < kAround; ++a) {
      const Index b = (a + 1) % kAround, first = part.first_vertex + r * kAround;
      mesh.add_face(std::array<Index, 4>{first + a, first + b, first + kAround + b, first + kAround + a});
    }
  part.vertex_count = mesh.vertex_count() - part.first_vertex;
  part.face_count = mesh.face_count() - part.first_face;
  mesh.parts.push_back(part);
  mesh.normals = {};
  mesh.uvs = {};
  mesh.face_materials.clear();
  mesh.colors.clear();
}

TEST(Shells, OfADressedPersonAreWhatTheyAre) {
  const Rig rig = made_rig("human", 4000, true);
  const Shells shells = shells_of(rig.mesh, rig.skeleton);
  std::map<std::string, std::map<ShellKind, int>> kinds;
  for (const Shell& shell : shells.shells) ++kinds[rig.mesh.parts[shell.part].name][shell.kind];
  EXPECT_EQ(kinds["Body"], (std::map<ShellKind, int>{{ShellKind::kBody, 1}}));
  EXPECT_EQ(kinds["Shirt"], (std::map<ShellKind, int>{{ShellKind::kLayer, 1}}));
  EXPECT_EQ(kinds["Trousers"], (std::map<ShellKind, int>{{ShellKind::kLayer, 1}}));
  EXPECT_EQ(kinds["Eyes"], (std::map<ShellKind, int>{{ShellKind::kRigid, 2}}));
  EXPECT_EQ(kinds["Buttons"], (std::map<ShellKind, int>{{ShellKind::kRigid, 6}}));
  for (const auto& [kind, count] : kinds["Hair"]) {
    EXPECT_TRUE(kind == ShellKind::kRigid || kind == ShellKind::kStrip);
    EXPECT_GT(count, 0);
  }
  EXPECT_FALSE(shells.shattered);
}

TEST(Shells, ABodyCutAlongASeamIsOne) {
  const Rig rig = made_rig("human", 2000);
  const auto whole = test::undamaged(rig.mesh, rest_matrices(rig.skeleton));
  for (const char* name : {"cut", "soup", "some flipped", "duplicate faces"}) {
    const auto body = test::damaged(whole, rig.skeleton, name, 3);
    const Shells shells = shells_of(body.mesh, rig.skeleton);
    ASSERT_EQ(shells.shells.size(), 1U) << name;
    EXPECT_EQ(shells.shells[0].kind, ShellKind::kBody) << name;
    EXPECT_TRUE(shells.shells[0].closed) << name;
    EXPECT_EQ(shells.clean.mesh.vertex_count(), rig.mesh.vertex_count()) << name;
  }
}

TEST(Shells, CracksThatNoiseOpensAreClosed) {
  const Rig rig = made_rig("human", 1000);
  auto body = test::damaged(test::undamaged(rig.mesh, rest_matrices(rig.skeleton)), rig.skeleton, "cut", 3);
  const Shells plain = shells_of(body.mesh, rig.skeleton);
  EXPECT_EQ(plain.cracks, 0U);
  const double apart = 2e-4 * body.mesh.size();
  for (Index v = 0; v < body.mesh.parts[1].vertex_count; ++v)
    body.mesh.positions[body.mesh.parts[1].first_vertex + v] += apart * Vec3(1, 0.3, -0.2);
  const Shells mended = shells_of(body.mesh, rig.skeleton);
  EXPECT_GT(mended.cracks, 10U);
  ASSERT_EQ(mended.shells.size(), 1U);
  EXPECT_TRUE(mended.shells[0].closed);
}

TEST(Shells, ABallFarAwayIsLooseAndOneOnTheSkinIsNot) {
  Rig rig = made_rig("human", 2000);
  const Vec3 shoulder = rest_matrices(rig.skeleton)[rig.skeleton.find("LeftUpperArm")].topRightCorner<3, 1>();
  add_ball(rig.mesh, shoulder + Vec3(0.05, 0.09, 0), 0.03, "epaulette");
  add_ball(rig.mesh, {1.2, 1.0, 0.8}, 0.3, "moon");
  const Shells shells = shells_of(rig.mesh, rig.skeleton);
  ASSERT_EQ(shells.shells.size(), 3U);
  EXPECT_EQ(shells.shells[0].kind, ShellKind::kBody);
  EXPECT_EQ(shells.shells[1].kind, ShellKind::kRigid);
  EXPECT_EQ(shells.shells[2].kind, ShellKind::kLoose);
  EXPECT_GT(shells.shells[2].gap, 0.2);
}

// A band of quads about the z axis, appended as a part.
void add_band(Mesh& mesh, double radius, double from, double to) {
  constexpr Index kAround = 24;
  MeshPart part;
  part.name = "band";
  part.first_vertex = mesh.vertex_count();
  part.first_face = mesh.face_count();
  for (Index a = 0; a < kAround; ++a)
    for (const double z : {from, to})
      mesh.positions.emplace_back(radius * std::cos(kTwoPi * a / kAround), radius * std::sin(kTwoPi * a / kAround), z);
  for (Index a = 0; a < kAround; ++a) {
    const Index first = part.first_vertex + 2 * a, next = part.first_vertex + 2 * ((a + 1) % kAround);
    mesh.add_face(std::array<Index, 4>{first, next, next + 1, first + 1});
  }
  part.vertex_count = mesh.vertex_count() - part.first_vertex;
  part.face_count = mesh.face_count() - part.first_face;
  mesh.parts.push_back(part);
}

TEST(Shells, ABeltIsALayer) {
  test::Body body = test::two_bone_cylinder();
  add_band(body.mesh, 0.204, 0.98, 1.02);
  const Shells shells = shells_of(body.mesh, body.skeleton);
  ASSERT_EQ(shells.shells.size(), 2U);
  EXPECT_TRUE(shells.shells[1].wraps);
  EXPECT_EQ(shells.shells[1].kind, ShellKind::kLayer);
}

TEST(Shells, ASmallShellAboutBonesOfTwoJointsIsNotRigid) {
  Rig rig = made_rig("human", 4000);
  const Vec3 elbow = rest_subject(rig.mesh, rig.skeleton).position(rig.skeleton.find("LeftForearm"));
  add_ball(rig.mesh, elbow, 0.035 * rig.mesh.size(), "pad");
  const Shells shells = shells_of(rig.mesh, rig.skeleton);
  for (const Shell& shell : shells.shells)
    if (rig.mesh.parts[shell.part].name == "pad") {
      EXPECT_EQ(shell.holder, kNone);
      EXPECT_NE(shell.kind, ShellKind::kRigid);
    }
}

TEST(Shells, AFingerOfItsOwnBendsAlthoughOneJointHasMostOfItsBones) {
  test::Body body = test::two_bone_cylinder();
  test::add_chain(body.skeleton, {{0.25, 0, 1}, {0.34, 0, 1}, {0.4, 0, 1}});
  const Mat3 turn = Eigen::AngleAxisd(0.5 * kPi, Vec3::UnitY()).toRotationMatrix();
  test::add_block(body.mesh, {0.325, 0, 1}, 0.08, 0.025, turn);
  const Shells shells = shells_of(body.mesh, body.skeleton);
  ASSERT_EQ(shells.shells.size(), 2U);
  EXPECT_GT(shells.shells[1].owned, 0.7);
  EXPECT_EQ(shells.shells[1].kind, ShellKind::kBody);
}

TEST(Shells, PiecesThatHoldBonesOfTheirOwnAreOneBody) {
  // Beads along a chain of bones, as of a robot.
  shapes::MakeOptions options;
  options.joint_count = 4;
  const Rig rig = shapes::make("cylinder", options).made.character.rig;
  Rig beads;
  beads.skeleton = rig.skeleton;
  const BoneTree tree = bone_tree(rest_subject(rig.mesh, rig.skeleton));
  for (const Bone& bone : tree.bones) add_ball(beads.mesh, 0.5 * (bone.a + bone.b), 0.55 * bone.length, "bead");
  const Shells shells = shells_of(beads.mesh, beads.skeleton);
  EXPECT_EQ(shells.shells.size(), tree.bones.size());
  EXPECT_EQ(shells.of_kind(ShellKind::kBody).size(), tree.bones.size());
  EXPECT_EQ(shells.groups, 1U);
}

TEST(Shells, AShellAroundTheWholeBodyIsABodyOfItsOwn) {
  const Rig rig = made_rig("human", 2000);
  const auto whole = test::undamaged(rig.mesh, rest_matrices(rig.skeleton));
  const auto body = test::damaged(whole, rig.skeleton, "outer shell", 3);
  const Shells shells = shells_of(body.mesh, rig.skeleton);
  ASSERT_EQ(shells.of_kind(ShellKind::kBody).size(), 2U);
  EXPECT_EQ(shells.groups, 2U);
  EXPECT_NE(shells.shells[0].group, shells.shells[1].group);
}

TEST(Shells, AMeshInSplintersIsOneBody) {
  const Rig rig = made_rig("human", 1000);
  auto body = test::damaged(test::undamaged(rig.mesh, rest_matrices(rig.skeleton)), rig.skeleton, "soup", 3);
  // Each face shrinks about its middle, too far for cracks.
  for (Index f = 0; f < body.mesh.face_count(); ++f) {
    Vec3 middle = Vec3::Zero();
    for (const Index v : body.mesh.face(f)) middle += body.mesh.positions[v];
    middle /= static_cast<double>(body.mesh.face(f).size());
    for (const Index v : body.mesh.face(f)) body.mesh.positions[v] = 0.5 * (body.mesh.positions[v] + middle);
  }
  const Shells shells = shells_of(body.mesh, rig.skeleton);
  EXPECT_GT(shells.shells.size(), 0.9 * body.mesh.face_count());
  EXPECT_TRUE(shells.shattered);
  EXPECT_EQ(shells.of_kind(ShellKind::kBody).size(), shells.shells.size());
}

TEST(Shells, AreTheSameForAnyNumberOfThreads) {
  const Rig rig = made_rig("human", 2000, true);
  set_thread_count(1);
  const Shells one = shells_of(rig.mesh, rig.skeleton);
  set_thread_count(2);
  const Shells two = shells_of(rig.mesh, rig.skeleton);
  set_thread_count(0);
  ASSERT_EQ(one.shells.size(), two.shells.size());
  for (std::size_t s = 0; s < one.shells.size(); ++s) {
    EXPECT_EQ(one.shells[s].kind, two.shells[s].kind);
    EXPECT_EQ(one.shells[s].gap, two.shells[s].gap);
    EXPECT_EQ(one.shells[s].held, two.shells[s].held);
  }
}

}  // namespace
}  // namespace sinew::binding
