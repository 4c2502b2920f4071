// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/surface_guard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sinew::deform {
namespace {

constexpr Index kSide = 24;

// A flat sheet of quads, cut into triangles.
Mesh sheet() {
  Mesh mesh;
  for (Index y = 0; y <= kSide; ++y)
    for (Index x = 0; x <= kSide; ++x) mesh.positions.emplace_back(x / 10.0, y / 10.0, 0);
  const auto at = [](Index x, Index y) { return y * (kSide + 1) + x; };
  for (Index y = 0; y < kSide; ++y)
    for (Index x = 0; x < kSide; ++x) {
      mesh.add_face(std::array{at(x, y), at(x + 1, y), at(x + 1, y + 1)});
      mesh.add_face(std::array{at(x, y), at(x + 1, y + 1), at(x, y + 1)});
    }
  return mesh;
}

std::vector<Vec3f> floats(const Mesh& mesh) {
  std::vector<Vec3f> result;
  for (const Vec3& p : mesh.positions) result.push_back(p.cast<float>());
  return result;
}

Index middle() { return (kSide / 2) * (kSide + 1) + kSide / 2; }

// Edges between faces whose normals differ by more than a right angle.
int folds(const Mesh& mesh, const std::vector<Vec3f>& at) {
  int count = 0;
  const auto normal = [&](Index f) {
    const auto t = mesh.face(f);
    return Vec3f((at[t[1]] - at[t[0]]).cross(at[t[2]] - at[t[0]]));
  };
  for (Index f = 0; f < mesh.face_count(); ++f)
    for (Index g = f + 1; g < mesh.face_count(); ++g) {
      int shared = 0;
      for (const Index v : mesh.face(f))
        shared += static_cast<int>(std::count(mesh.face(g).begin(), mesh.face(g).end(), v));
      if (shared == 2 && normal(f).dot(normal(g)) < 0) ++count;
    }
  return count;
}

std::vector<Vec3f> guarded(const SurfaceGuard& guard, const std::vector<Vec3f>& from, std::vector<Vec3f> positions) {
  SurfaceGuard::Scratch scratch;
  guard.apply(from, positions, scratch, {});
  return positions;
}

TEST(SurfaceGuard, LeavesACorrectionThatHarmsNothing) {
  const Mesh mesh = sheet();
  const std::vector<Vec3f> from = floats(mesh);
  std::vector<Vec3f> bent = from;
  for (Vec3f& p : bent) p.z() += 0.1F * std::sin(2 * p.x());
  EXPECT_EQ(guarded(SurfaceGuard(mesh), from, bent), bent);
}

TEST(SurfaceGuard, TakesBackWhatFoldsTheSkinAndFadesOutAroundIt) {
  const Mesh mesh = sheet();
  const std::vector<Vec3f> from = floats(mesh);
  std::vector<Vec3f> folded = from;
  for (Vec3f& p : folded) p.z() += 0.02F;
  folded[middle()] += Vec3f(0.17F, 0.02F, 0.03F);
  ASSERT_GT(folds(mesh, folded), 0);
  const std::vector<Vec3f> result = guarded(SurfaceGuard(mesh), from, folded);
  EXPECT_EQ(folds(mesh, result), 0);
  EXPECT_LT(result[middle() + 1].z(), 0.02F);
  EXPECT_EQ(result[0], folded[0]);
}

TEST(SurfaceGuard, TakesBackWhatStretchesEdges) {
  const Mesh mesh = sheet();
  const std::vector<Vec3f> from = floats(mesh);
  std::vector<Vec3f> torn = from;
  torn[middle()].z() += 0.5F;
  const std::vector<Vec3f> result = guarded(SurfaceGuard(mesh), from, torn);
  EXPECT_LT((result[middle()] - result[middle() + 1]).norm(), 0.1F * 1.12F);
  EXPECT_GT(result[middle()].z(), 0.01F);
}

TEST(SurfaceGuard, SkinThatIsFoldedAtTheStartMayStayFolded) {
  const Mesh mesh = sheet();
  std::vector<Vec3f> from = floats(mesh);
  from[middle()] += Vec3f(0.17F, 0.02F, 0);
  ASSERT_GT(folds(mesh, from), 0);
  std::vector<Vec3f> moved = from;
  for (Vec3f& p : moved) p.z() += 0.02F * p.x();
  EXPECT_EQ(guarded(SurfaceGuard(mesh), from, moved), moved);
}

TEST(SurfaceGuard, WhatIsKeptChangesInSmallStepsWithTheCorrection) {
  const Mesh mesh = sheet();
  const SurfaceGuard guard(mesh);
  const std::vector<Vec3f> from = floats(mesh);
  std::vector<Vec3f> before = from;
  constexpr int kSteps = 400;
  float largest = 0;
  for (int i = 1; i <= kSteps; ++i) {
    std::vector<Vec3f> moved = from;
    const float t = static_cast<float>(i) / kSteps;
    for (Vec3f& p : moved) p.z() += 0.02F * t;
    moved[middle()] += t * Vec3f(0.3F, 0.02F, 0.03F);
    const std::vector<Vec3f> now = guarded(guard, from, moved);
    for (std::size_t v = 0; v < now.size(); ++v) largest = std::max(largest, (now[v] - before[v]).norm());
    before = now;
  }
  // The unguarded one moves by 0.3 / 400 in each step.
  EXPECT_LT(largest, 8 * 0.3F / kSteps);
}

}  // namespace
}  // namespace sinew::deform
