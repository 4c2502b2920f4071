// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/geometry/voxels/tets.h"
#include "sinew/shapes/kinds.h"
#include "tests/deform/pbd/touching_legs.h"
#include "tests/support/threads.h"

namespace sinew::deform {
namespace {

Rig made(const char* kind, int vertices = 0, bool clothes = false) {
  shapes::MakeOptions options;
  options.vertices = vertices;
  options.clothes = clothes;
  return shapes::make(kind, options).made.character.rig;
}

double volume(const TetMesh& tets) {
  double sum = 0;
  for (Index t = 0; t < tets.tets.size(); ++t) sum += geometry::tet_volume(tets, t);
  return sum;
}

void expect_sound(const PbdBody& body, const Rig& rig) {
  ASSERT_FALSE(body.tets.tets.empty());
  EXPECT_TRUE(validate(body.tets).empty());
  EXPECT_GT(body.smallest_angle_rad, radians(10.7));
  EXPECT_LT(body.largest_angle_rad, radians(164.8));
  EXPECT_TRUE(validate(body.weights, rig.skeleton.size()).empty());
  double mass = 0;
  for (Index p = 0; p < body.tets.positions.size(); ++p) {
    mass += body.mass[p];
    double sum = 0;
    for (const Influence& influence : body.weights.row(p)) {
      EXPECT_GT(influence.weight, 0);
      sum += influence.weight;
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  EXPECT_NEAR(mass, static_cast<double>(body.mass.size()), 1e-6 * mass);
  for (const PbdBody::Rider& rider : body.riders) {
    float sum = 0;
    for (const float share : rider.shares) sum += share;
    EXPECT_GT(sum, 0);
    EXPECT_LT(sum, 1.0001F);
  }
}

TEST(PbdBody, FillsAMadeHumanAndTheSkinRidesOnIt) {
  const Rig rig = made("human", 4000);
  const PbdBody body = make_pbd_body(rig);
  expect_sound(body, rig);
  Index exact = 0;
  for (const PbdBody::Rider& rider : body.riders) {
    Vec3 at = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) at += double{rider.shares[k]} * body.tets.positions[rider.corners[k]];
    exact += (at - rig.mesh.positions[rider.vertex]).norm() < 1e-6 * rig.mesh.size() ? 1 : 0;
  }
  EXPECT_GT(exact, 0.8 * static_cast<double>(body.riders.size()));
  // Not all of it is near a joint.
  const auto free = std::count(body.free.begin(), body.free.end(), 1);
  EXPECT_GT(free, 0);
  EXPECT_LT(free, static_cast<std::ptrdiff_t>(body.free.size()));
}

TEST(PbdBody, HasAboutAsManyTetsAsAskedFor) {
  const Rig rig = made("human", 4000);
  for (const int wanted : {8000, 40000}) {
    const PbdBody body = make_pbd_body(rig, {wanted, false});
    EXPECT_NEAR(static_cast<double>(body.tets.tets.size()), wanted, 0.25 * wanted);
  }
}

TEST(PbdBody, PointsInsideAreWhereTheirSharesPutThem) {
  const Rig rig = made("cylinder");
  const PbdBody body = make_pbd_body(rig, {6000, true});
  geometry::Random dice(4);
  Rig inner = rig;
  // Vertices inside that no face uses; the shape stays that of the skin.
  for (int i = 0; i < 10000; ++i) {
    const auto& tet = body.tets.tets[dice.below(static_cast<Index>(body.tets.tets.size()))];
    std::array<double, 4> s{};
    double sum = 0;
    for (double& share : s) share = -std::log(1 - dice.uniform()), sum += share;
    Vec3 p = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) p += s[k] / sum * body.tets.positions[tet[k]];
    inner.mesh.positions.push_back(p);
    inner.weights.add_row(rig.weights.row(0));
  }
  inner.mesh.parts.front().vertex_count = inner.mesh.vertex_count();
  inner.mesh.normals = {};
  inner.mesh.uvs = {};
  inner.mesh.colors.clear();
  const PbdBody again = make_pbd_body(inner, {6000, true});
  ASSERT_EQ(again.tets.positions, body.tets.positions);
  Index seen = 0;
  for (const PbdBody::Rider& rider : again.riders) {
    if (rider.vertex < rig.mesh.vertex_count()) continue;
    Vec3 at = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) at += double{rider.shares[k]} * body.tets.positions[rider.corners[k]];
    EXPECT_LT((at - inner.mesh.positions[rider.vertex]).norm(), 1e-6 * rig.mesh.size());
    ++seen;
  }
  EXPECT_GT(seen, 9000U);
}

TEST(PbdBody, OpenFlippedAndDoubledSkinsAreFilledAsWell) {
  const Rig rig = made("human", 3000);
  const double whole = volume(make_pbd_body(rig, {10000, false}).tets);
  Rig open = rig, flipped = rig;
  open.mesh.face_vertices.clear();
  open.mesh.face_offsets = {0};
  open.mesh.face_materials.clear();
  for (Index f = 0; f < rig.mesh.face_count(); ++f)
    if (f % 40 != 0) open.mesh.add_face(rig.mesh.face(f));
  open.mesh.parts.front().face_count = open.mesh.face_count();
  open.mesh.uvs = {};
  for (Index f = 0; f < rig.mesh.face_count(); ++f)
    std::reverse(flipped.mesh.face_vertices.begin() + rig.mesh.face_offsets[f],
                 flipped.mesh.face_vertices.begin() + rig.mesh.face_offsets[f + 1]);
  for (const Rig& broken : {open, flipped}) {
    const PbdBody body = make_pbd_body(broken, {10000, false});
    expect_sound(body, broken);
    EXPECT_NEAR(volume(body.tets), whole, 0.08 * whole);
  }
  const Rig dressed = made("human", 3000, true);
  expect_sound(make_pbd_body(dressed, {10000, false}), dressed);
}

TEST(PbdBody, ASheetHasNoInside) {
  Rig rig = made("bar");
  rig.mesh.face_offsets = {0};
  rig.mesh.face_vertices.clear();
  rig.mesh.face_materials.clear();
  rig.mesh.add_face(std::array<Index, 3>{0, 1, 2});
  rig.mesh.parts.front().face_count = 1;
  EXPECT_TRUE(make_pbd_body(rig).tets.tets.empty());
  Rig bare = made("bar");
  bare.weights = {};
  EXPECT_THROW(make_pbd_body(bare), Error);
}

TEST(PbdBody, WhatHangsRigidlyOnAJointIsNoPartOfIt) {
  Rig rig = made("human", 3000);
  const PbdBody alone = make_pbd_body(rig, {10000, false});
  const Index first = rig.mesh.vertex_count(), first_face = rig.mesh.face_count();
  const Rig sword = made("bar");
  MeshPart part;
  part.name = "sword";
  part.first_vertex = first;
  part.vertex_count = sword.mesh.vertex_count();
  part.first_face = first_face;
  part.face_count = sword.mesh.face_count();
  part.joint = rig.skeleton.find("LeftHand");
  std::vector<Index> corners;
  for (const Vec3& p : sword.mesh.positions) {
    rig.mesh.positions.push_back(0.1 * p);
    rig.weights.add_row({Influence{part.joint, 1}});
  }
  for (Index f = 0; f < sword.mesh.face_count(); ++f) {
    corners.clear();
    for (const Index v : sword.mesh.face(f)) corners.push_back(first + v);
    rig.mesh.add_face(corners);
  }
  rig.mesh.parts.push_back(part);
  const PbdBody armed = make_pbd_body(rig, {10000, false});
  EXPECT_EQ(armed.tets.positions, alone.tets.positions);
  for (const PbdBody::Rider& rider : armed.riders) EXPECT_LT(rider.vertex, first);
}

TEST(PbdBody, IsTheSameForAnyNumberOfThreads) {
  const Rig rig = made("human", 3000);
  const auto run = [&](int count) {
    const test::Threads threads(count);
    return make_pbd_body(rig, {12000, false});
  };
  const PbdBody one = run(1), two = run(2);
  EXPECT_EQ(one.tets.positions, two.tets.positions);
  EXPECT_EQ(one.tets.tets, two.tets.tets);
  EXPECT_EQ(one.weights, two.weights);
  EXPECT_EQ(one.free, two.free);
  ASSERT_EQ(one.riders.size(), two.riders.size());
  for (std::size_t r = 0; r < one.riders.size(); ++r) EXPECT_EQ(one.riders[r].shares, two.riders[r].shares);
}

// Also where they overlap: the lattice then fills both as one.
TEST(PbdBody, LegsThatTouchShareNoTetrahedraAndTheSkinRidesOnItsOwn) {
  for (const double overlap : {-0.004, 0.002, 0.03, 0.08}) {
    SCOPED_TRACE(overlap);
    const Rig rig = testing::touching_legs(overlap);
    const PbdBody body = make_pbd_body(rig);
    expect_sound(body, rig);
    const auto share = [&](Index particle, Index leg) {
      float sum = 0;
      for (const Influence& influence : body.weights.row(particle))
        if (influence.joint == leg || influence.joint == leg + 2) sum += influence.weight;
      return sum;
    };
    Index left = 0, right = 0;
    for (const auto& tet : body.tets.tets) {
      float most_left = 0, most_right = 0;
      double y = 0;
      for (const Index v : tet) {
        most_left = std::max(most_left, share(v, 1)), most_right = std::max(most_right, share(v, 2));
        y = std::max(y, std::abs(body.tets.positions[v].y() + 0.9));
      }
      if (y > 0.5) continue;  // The lids at the ends, and where the legs begin.
      EXPECT_LT(std::min(most_left, most_right), 0.05F);
      ++(most_left > most_right ? left : right);
    }
    EXPECT_GT(left, 1000U);
    EXPECT_NEAR(left, right, 0.1 * left);
    Index riding = 0;
    for (const PbdBody::Rider& rider : body.riders) {
      if (std::abs(rig.mesh.positions[rider.vertex].y() + 0.9) > 0.5) continue;
      const Index joint = rig.weights.row(rider.vertex).front().joint, leg = joint > 2 ? joint - 2 : joint;
      for (const Index corner : rider.corners) EXPECT_LT(share(corner, 3 - leg), 0.05F);
      ++riding;
    }
    EXPECT_GT(riding, 100U);
  }
}

TEST(PbdBody, ASmallShellRidesAsOne) {
  Rig rig = testing::touching_legs(0.002);
  const Index first = rig.mesh.vertex_count();
  // A button on the outer side of the left knee, across the bend.
  for (int k = 0; k < 8; ++k) {
    rig.mesh.positions.emplace_back(0.405 + (k / 4) * 0.02, -0.8 + 0.04 * (k % 2), 0.04 * (k / 2 % 2));
    rig.weights.add_row({Influence{1, k % 2 == 0 ? 0.5F : 0.7F}, Influence{3, k % 2 == 0 ? 0.5F : 0.3F}});
  }
  for (const auto& quad :
       {std::array<Index, 4>{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    std::array<Index, 4> face = quad;
    for (Index& v : face) v += first;
    rig.mesh.add_face(face);
  }
  rig.mesh.parts[0].vertex_count = rig.mesh.vertex_count();
  rig.mesh.parts[0].face_count = rig.mesh.face_count();
  const PbdBody body = make_pbd_body(rig);
  std::vector<PbdBody::Rider> button;
  for (const PbdBody::Rider& rider : body.riders)
    if (rider.vertex >= first) button.push_back(rider);
  ASSERT_EQ(button.size(), 8U);
  for (const PbdBody::Rider& rider : button) {
    EXPECT_EQ(rider.corners, button[0].corners);
    EXPECT_EQ(rider.shares, button[0].shares);
  }
}

TEST(HarmonicWeights, AreLinearInABarWhoseSurfaceIs) {
  Box box;
  box.extend(Vec3(-1, -0.3, -0.3));
  box.extend(Vec3(1, 0.3, 0.3));
  const TetMesh tets = geometry::stuff(
      [](const Vec3& p) {
        const Vec3 q = p.cwiseAbs() - Vec3(0.9, 0.25, 0.25);
        return q.cwiseMax(0).norm() + std::min(0.0, q.maxCoeff());
      },
      box, 0.1);
  std::vector<char> known(tets.positions.size(), 0);
  for (const auto& triangle : geometry::tet_surface(tets))
    for (const Index v : triangle) known[v] = 1;
  const auto second = [](const Vec3& p) { return static_cast<float>(0.5 + 0.5 * p.x()); };
  SkinWeights rows;
  for (std::size_t v = 0; v < known.size(); ++v) {
    const float w = second(tets.positions[v]);
    if (known[v] != 0) rows.add_row({Influence{0, 1 - w}, Influence{1, w}});
    else rows.add_row({});
  }
  const SkinWeights all = harmonic_weights(tets, rows, known, 2);
  for (Index v = 0; v < known.size(); ++v)
    for (const Influence& influence : all.row(v))
      EXPECT_NEAR(influence.weight, influence.joint == 1 ? second(tets.positions[v]) : 1 - second(tets.positions[v]),
                  2e-3);
}

}  // namespace
}  // namespace sinew::deform
