// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_store.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <utility>

#include "sinew/deform/pbd/pbd_system.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/shapes/kinds.h"

namespace sinew::deform {
namespace {

Rig limb() { return shapes::make("cylinder", {}).made.character.rig; }

PbdBody coarse_body(const Rig& rig) { return make_pbd_body(rig, {300, false}); }

// A body of two tetrahedra, every byte of which can be tried.
constexpr Index kVertices = 7, kJoints = 2;
PbdBody two_tets() {
  PbdBody body;
  body.tets.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  body.tets.tets = {{0, 1, 2, 3}, {1, 2, 3, 4}};
  if ((body.tets.positions[2] - body.tets.positions[1])
          .cross(body.tets.positions[3] - body.tets.positions[1])
          .dot(body.tets.positions[4] - body.tets.positions[1]) < 0)
    std::swap(body.tets.tets[1][0], body.tets.tets[1][1]);
  body.cell = 1;
  body.mass = {0.5, 1, 1, 1, 1.5};
  body.weights.add_row({{0, 1.0F}});
  for (int p = 1; p < 4; ++p) body.weights.add_row({{0, 0.25F}, {1, 0.75F}});
  body.weights.add_row({{0, 0.5F}, {1, 0.5F}});
  body.owner = {0, 1, 1, 1, kNone};
  body.free = {0, 1, 1, 1, 0};
  body.bind = {Mat4::Identity(), Mat4::Identity()};
  body.against = {kNone, 0};
  for (int p = 0; p < 5; ++p) body.areas.add_row({{1, 0.5F}});
  body.anchors.resize(5);
  body.anchors[2] = {1, {0.25, -0.0, 1e-310}, 0.75};
  body.bone_distance = {0, 0.5F, 1e-40F, 2, 3};
  body.resting_riders = {{3, {1, 2, 3, 4}, {0.5F, 0.25F, 0.125F, 0.125F}}};
  body.riders = {{0, {0, 1, 2, 3}, {0.25F, 0.25F, 0.25F, 0.25F}}, {6, {4, 3, 2, 1}, {0.5F, 0.125F, 0, -0.125F}}};
  body.joints_outside = 1;
  body.vertices_outside = 3;
  body.smallest_angle_rad = 0.25;
  body.largest_angle_rad = 2.5;
  return body;
}

/// Whether the bytes are read again as what gives these bytes.
bool comes_back(const PbdBody& body, Index vertices, Index joints) {
  const std::vector<std::byte> bytes = write_pbd_body(body);
  const auto again = read_pbd_body(bytes, vertices, joints);
  return again && write_pbd_body(*again) == bytes;
}

// Anything that was accepted can be used: what the deformer makes of a body must not run out of its lists.
void expect_usable(const PbdBody& body) {
  const PbdSystem system(body, {});
  PbdSystem::Scratch scratch;
  std::vector<Vec3f> places, corrections(body.tets.positions.size());
  for (const Vec3& p : body.tets.positions) places.push_back(p.cast<float>());
  const std::vector<Mat4> motions(body.bind.size(), Mat4::Identity());
  if (system.islands() > 0) system.solve(scratch, places, motions, corrections);
  for (const PbdBody::Rider& rider : body.riders) {
    ASSERT_LT(rider.vertex, kVertices);
    for (const Index corner : rider.corners) ASSERT_LT(corner, corrections.size());
  }
}

void expect_same(const PbdBody& a, const PbdBody& b) {
  const auto same = [](const auto& one, const auto& other) {
    return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size() * sizeof(one[0])) == 0;
  };
  EXPECT_TRUE(same(a.tets.positions, b.tets.positions));
  EXPECT_EQ(a.tets.tets, b.tets.tets);
  EXPECT_EQ(a.cell, b.cell);
  EXPECT_TRUE(same(a.mass, b.mass));
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.owner, b.owner);
  EXPECT_EQ(a.free, b.free);
  EXPECT_TRUE(same(a.bind, b.bind));
  EXPECT_EQ(a.against, b.against);
  EXPECT_EQ(a.areas, b.areas);
  ASSERT_EQ(a.anchors.size(), b.anchors.size());
  for (std::size_t p = 0; p < b.anchors.size(); ++p) {
    EXPECT_EQ(a.anchors[p].joint, b.anchors[p].joint);
    EXPECT_EQ(std::memcmp(a.anchors[p].point.data(), b.anchors[p].point.data(), sizeof(Vec3)), 0);
    EXPECT_EQ(a.anchors[p].distance, b.anchors[p].distance);
  }
  EXPECT_TRUE(same(a.riders, b.riders));
  EXPECT_TRUE(same(a.resting_riders, b.resting_riders));
  EXPECT_EQ(a.bone_distance, b.bone_distance);
  EXPECT_EQ(a.joints_outside, b.joints_outside);
  EXPECT_EQ(a.vertices_outside, b.vertices_outside);
  EXPECT_EQ(a.smallest_angle_rad, b.smallest_angle_rad);
  EXPECT_EQ(a.largest_angle_rad, b.largest_angle_rad);
}

TEST(PbdStore, AMadeBodyComesBackBitForBit) {
  const Rig rig = limb();
  const PbdBody body = coarse_body(rig);
  ASSERT_FALSE(body.tets.tets.empty());
  ASSERT_FALSE(body.riders.empty());
  const auto again = read_pbd_body(write_pbd_body(body), rig.mesh.vertex_count(), rig.skeleton.size());
  ASSERT_TRUE(again);
  expect_same(*again, body);
}

TEST(PbdStore, ABodyWithoutTetrahedraComesBack) {
  EXPECT_TRUE(comes_back({}, 10, 0));
  Rig sheet = limb();
  for (Vec3& p : sheet.mesh.positions) p.z() = 0;
  EXPECT_TRUE(comes_back(make_pbd_body(sheet), sheet.mesh.vertex_count(), sheet.skeleton.size()));
}

TEST(PbdStore, OddNumbersComeBackToTheLastBit) {
  const auto again = read_pbd_body(write_pbd_body(two_tets()), kVertices, kJoints);
  ASSERT_TRUE(again);
  expect_same(*again, two_tets());
}

TEST(PbdStore, ABodyForAnotherRigIsRefused) {
  const std::vector<std::byte> bytes = write_pbd_body(two_tets());
  EXPECT_TRUE(read_pbd_body(bytes, kVertices, kJoints));
  EXPECT_FALSE(read_pbd_body(bytes, kVertices - 1, kJoints));
  EXPECT_FALSE(read_pbd_body(bytes, kVertices, kJoints - 1));
  EXPECT_FALSE(read_pbd_body(bytes, kVertices, kJoints + 1));
}

TEST(PbdStore, EveryUnsoundBodyIsRefused) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  using Spoil = void (*)(PbdBody&);
  const std::vector<Spoil> ways = {
      [](PbdBody& b) { b.tets.positions[1].y() = nan; },
      [](PbdBody& b) { b.tets.positions.pop_back(); },
      [](PbdBody& b) { b.tets.tets[1][2] = 5; },
      [](PbdBody& b) { std::swap(b.tets.tets[1][2], b.tets.tets[1][3]); },
      [](PbdBody& b) { b.cell = 0; },
      [](PbdBody& b) { b.cell = nan; },
      [](PbdBody& b) { b.mass[2] = 0; },
      [](PbdBody& b) { b.mass[2] = std::numeric_limits<double>::infinity(); },
      [](PbdBody& b) { b.mass.push_back(1); },
      [](PbdBody& b) {
        b.weights.add_row({{0, 1.0F}});
      },
      [](PbdBody& b) { b.weights = {}; },
      [](PbdBody& b) { b.owner[3] = 2; },
      [](PbdBody& b) { b.owner.pop_back(); },
      [](PbdBody& b) { b.free[3] = 2; },
      [](PbdBody& b) { b.free.clear(); },
      [](PbdBody& b) { b.bind[1](2, 3) = nan; },
      [](PbdBody& b) { b.against[1] = 2; },
      [](PbdBody& b) { b.against[0] = 1; },
      [](PbdBody& b) { b.against.pop_back(); },
      [](PbdBody& b) {
        b.areas.add_row({{0, 1.0F}});
      },
      [](PbdBody& b) { b.anchors[2].joint = 2; },
      [](PbdBody& b) { b.anchors[2].point.x() = nan; },
      [](PbdBody& b) { b.anchors[2].distance = -1; },
      [](PbdBody& b) { b.anchors.pop_back(); },
      [](PbdBody& b) { b.riders[0].vertex = 7; },
      [](PbdBody& b) { b.resting_riders[0].corners[0] = 5; },
      [](PbdBody& b) { b.bone_distance[1] = -1; },
      [](PbdBody& b) { b.bone_distance.pop_back(); },
      [](PbdBody& b) { b.riders[0].vertex = 6; },
      [](PbdBody& b) { b.riders[1].corners[3] = 5; },
      [](PbdBody& b) { b.riders[1].shares[3] = std::numeric_limits<float>::infinity(); },
      [](PbdBody& b) { b.smallest_angle_rad = nan; },
      [](PbdBody& b) { b.tets.tets.clear(); },
  };
  for (std::size_t way = 0; way < ways.size(); ++way) {
    PbdBody body = two_tets();
    ways[way](body);
    EXPECT_FALSE(read_pbd_body(write_pbd_body(body), kVertices, kJoints)) << way;
  }
  PbdBody other_joint = two_tets();
  other_joint.weights = {};
  for (int p = 0; p < 5; ++p) other_joint.weights.add_row({{2, 1.0F}});
  EXPECT_FALSE(read_pbd_body(write_pbd_body(other_joint), kVertices, kJoints));
}

TEST(PbdStore, WhatIsCutShortOrGrownIsRefused) {
  std::vector<std::byte> bytes = write_pbd_body(two_tets());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(read_pbd_body(std::span(bytes).first(length), kVertices, kJoints)) << length;
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(read_pbd_body(bytes, kVertices, kJoints));
}

TEST(PbdStore, EveryFlippedBitGivesNothingOrASoundBody) {
  const std::vector<std::byte> bytes = write_pbd_body(two_tets());
  std::size_t accepted = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::vector<std::byte> flipped = bytes;
    flipped[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    const auto body = read_pbd_body(flipped, kVertices, kJoints);
    if (!body) continue;
    ++accepted;
    EXPECT_EQ(write_pbd_body(*body), flipped) << bit;
    if (bit % 7 == 0) expect_usable(*body);
  }
  EXPECT_GT(accepted, 0u);  // Flipped digits of numbers: nothing here can tell.
}

TEST(PbdStore, RandomDamageToAMadeBodyGivesNothingOrASoundBody) {
  const Rig rig = limb();
  const std::vector<std::byte> bytes = write_pbd_body(coarse_body(rig));
  geometry::Random dice(11);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::byte> damaged = bytes;
    for (Index flips = 1 + dice.below(4); flips > 0; --flips)
      damaged[dice.below(static_cast<Index>(bytes.size()))] = static_cast<std::byte>(dice.below(256));
    if (round % 5 == 0) damaged.resize(dice.below(static_cast<Index>(bytes.size())));
    const auto body = read_pbd_body(damaged, rig.mesh.vertex_count(), rig.skeleton.size());
    if (body) {
      EXPECT_EQ(write_pbd_body(*body), damaged) << round;
    }
  }
}

}  // namespace
}  // namespace sinew::deform
