// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/edit/weight_edit.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "sinew/binding/edit/weight_edit_fill.h"
#include "sinew/binding/edit/weight_edit_mirror.h"
#include "sinew/core/parallel.h"
#include "sinew/shapes/kinds.h"

namespace sinew::binding {
namespace {

shapes::Made made(const std::string& kind, int vertices) {
  shapes::MakeOptions options;
  options.vertices = vertices;
  return shapes::make(kind, options).made;
}

double share(std::span<const Influence> row, Index joint) {
  double sum = 0;
  for (const Influence& influence : row)
    if (influence.joint == joint) sum += static_cast<double>(influence.weight);
  return sum;
}

double half_l1(std::span<const Influence> a, std::span<const Influence> b) {
  std::map<Index, double> difference;
  for (const Influence& i : a) difference[i.joint] += static_cast<double>(i.weight);
  for (const Influence& i : b) difference[i.joint] -= static_cast<double>(i.weight);
  double sum = 0;
  for (const auto& [joint, d] : difference) sum += 0.5 * std::abs(d);
  return sum;
}

double mean_half_l1(const SkinWeights& a, const SkinWeights& b) {
  double sum = 0;
  for (Index v = 0; v < a.row_count(); ++v) sum += half_l1(a.row(v), b.row(v));
  return sum / a.row_count();
}

void expect_rows_of_one(const SkinWeights& weights) {
  for (Index v = 0; v < weights.row_count(); ++v) {
    double sum = 0;
    for (const Influence& influence : weights.row(v)) {
      EXPECT_GT(influence.weight, 0);
      sum += static_cast<double>(influence.weight);
    }
    ASSERT_NEAR(sum, 1, 1e-5) << "vertex " << v;
  }
}

// The marked rows empty.
SkinWeights without(const SkinWeights& weights, const std::vector<char>& marked) {
  SkinWeights result;
  for (Index v = 0; v < weights.row_count(); ++v)
    result.add_row(marked[v] ? std::span<const Influence>() : weights.row(v));
  return result;
}

std::vector<char> owned_below(const shapes::Made& character, const std::string& name) {
  const Rig& rig = character.character.rig;
  std::vector<char> below(rig.skeleton.size(), 0), marked(rig.mesh.vertex_count(), 0);
  const Index top = rig.skeleton.find(name);
  EXPECT_NE(top, kNone);
  for (Index j = 0; j < rig.skeleton.size(); ++j) {
    const Index parent = rig.skeleton.joints[j].parent;
    below[j] = j == top || (parent != kNone && below[parent]);
  }
  for (Index v = 0; v < marked.size(); ++v) marked[v] = below[rig.weights.row(v).front().joint];
  return marked;
}

// Boxes of n×n×n quads per side, one on the other: their touching faces lie in the same places, each with vertices of
// its own.
Rig stacked_boxes(Index n) {
  Rig rig;
  rig.skeleton.joints.resize(2);
  rig.skeleton.joints[0].name = "lower";
  rig.skeleton.joints[1].name = "upper";
  for (int box = 0; box < 2; ++box) {
    std::map<std::array<Index, 3>, Index> number;
    const auto vertex = [&](Index x, Index y, Index z) {
      const auto [at, fresh] = number.try_emplace({x, y, z}, rig.mesh.vertex_count());
      if (fresh) {
        rig.mesh.positions.emplace_back(x, y + static_cast<Index>(box) * n, z);
        // At the contact both have the same row; only the far end of the upper box differs.
        if (box == 1 && y > n / 2) rig.weights.add_row({{1, 1.0F}});
        else rig.weights.add_row({{0, 1.0F}});
      }
      return at->second;
    };
    for (Index axis = 0; axis < 3; ++axis)
      for (const Index side : {Index{0}, n})
        for (Index a = 0; a < n; ++a)
          for (Index b = 0; b < n; ++b) {
            const auto corner = [&](Index da, Index db) {
              std::array<Index, 3> p{};
              p[axis] = side;
              p[(axis + 1) % 3] = a + da;
              p[(axis + 2) % 3] = b + db;
              return vertex(p[0], p[1], p[2]);
            };
            std::vector<Index> face = {corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)};
            if (side == 0) std::reverse(face.begin(), face.end());
            rig.mesh.add_face(face);
          }
  }
  MeshPart part;
  part.vertex_count = rig.mesh.vertex_count();
  part.face_count = rig.mesh.face_count();
  part.skin = 0;
  rig.mesh.parts.push_back(part);
  rig.skins.push_back({"skin", {0, 1}, {Mat4::Identity(), Mat4::Identity()}});
  return rig;
}

TEST(WeightPrune, DropsSmallSharesAndNeverEmptiesARow) {
  const shapes::Made human = made("human", 1500);
  const Rig& rig = human.character.rig;
  const EditScope scope = edit_scope(rig);
  const SkinWeights result = pruned(rig.weights, 0.1, scope);
  expect_rows_of_one(result);
  EXPECT_LT(result.influence_count(), rig.weights.influence_count());
  for (Index v = 0; v < result.row_count(); ++v)
    for (const Influence& influence : result.row(v)) EXPECT_GE(share(rig.weights.row(v), influence.joint), 0.0999);
  EXPECT_EQ(pruned(rig.weights, 0.51, scope).influence_count(), std::size_t{rig.mesh.vertex_count()});
}

TEST(WeightSmooth, NeverCrossesShellsThatOnlyTouch) {
  const Rig rig = stacked_boxes(6);
  const EditSurface surface = edit_surface(rig.mesh, rig.weights);
  EXPECT_EQ(surface.shells, 2U);
  const SkinWeights result = smoothed_along(rig.weights, surface, 50, edit_scope(rig));
  expect_rows_of_one(result);
  double mixed = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    const bool lower = v < rig.mesh.vertex_count() / 2;
    EXPECT_TRUE(!lower || share(result.row(v), 1) == 0);
    if (!lower) mixed = std::max(mixed, share(result.row(v), 1) * share(result.row(v), 0));
  }
  EXPECT_GT(mixed, 0.1);  // It did smooth.
}

TEST(WeightSmooth, KeepsRigidPiecesApartAndGoesAcrossSeams) {
  // A strip of quads whose middle edge has two copies of its vertices.
  Rig rig;
  rig.skeleton.joints.resize(2);
  for (const double x : {0.0, 1.0, 1.0, 2.0})
    for (const double y : {0.0, 1.0}) rig.mesh.positions.emplace_back(x, y, 0);
  rig.mesh.add_face(std::array<Index, 4>{0, 2, 3, 1});
  rig.mesh.add_face(std::array<Index, 4>{4, 6, 7, 5});
  MeshPart part;
  part.vertex_count = 8;
  part.face_count = 2;
  part.skin = 0;
  rig.mesh.parts.push_back(part);
  rig.skins.push_back({"skin", {0, 1}, {Mat4::Identity(), Mat4::Identity()}});
  const auto rows = [](float left, float right) {
    SkinWeights weights;
    for (const float w : {1.0F, 1.0F, left, left, right, right, 0.0F, 0.0F}) weights.add_row({{0, w}, {1, 1 - w}});
    return weights;
  };
  const SkinWeights seam = rows(0.5F, 0.5F), pieces = rows(1, 0);
  EXPECT_EQ(edit_surface(rig.mesh, seam).shells, 1U);
  EXPECT_EQ(edit_surface(rig.mesh, pieces).shells, 2U);
  const SkinWeights kept = smoothed_along(pieces, edit_surface(rig.mesh, pieces), 5, edit_scope(rig));
  EXPECT_EQ(kept, pieces);
  const SkinWeights even = smoothed_along(seam, edit_surface(rig.mesh, seam), 5, edit_scope(rig));
  EXPECT_LT(share(even.row(0), 0), 0.9);
  EXPECT_EQ(even.row(2)[0], even.row(4)[0]);
}

TEST(WeightCap, StatesWhatItDroppedAndKeepsTheCount) {
  const shapes::Made human = made("human", 1500);
  const Rig& rig = human.character.rig;
  const EditScope scope = edit_scope(rig);
  const CapResult result = cap_unlocked(rig.weights.normalized(), 2, scope, JointSteps(rig.skeleton)).cap;
  expect_rows_of_one(result.weights);
  EXPECT_LE(result.weights.max_influences(), 2U);
  double largest = 0, sum = 0;
  Index rows = 0;
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    if (rig.weights.row(v).size() <= 2) {
      EXPECT_LE(half_l1(rig.weights.row(v), result.weights.row(v)), 1e-6);
      continue;
    }
    ++rows;
    double lost = 0;
    for (const Influence& influence : rig.weights.row(v))
      if (share(result.weights.row(v), influence.joint) == 0) lost += static_cast<double>(influence.weight);
    largest = std::max(largest, lost);
    sum += lost;
  }
  ASSERT_GT(rows, 0U);
  EXPECT_EQ(result.rows, rows);
  EXPECT_NEAR(result.largest_share, largest, 1e-5);
  EXPECT_NEAR(result.mean_share, sum / rows, 1e-5);
}

TEST(WeightCap, CountsRowsThatLocksFill) {
  const shapes::Made human = made("human", 1500);
  const Rig& rig = human.character.rig;
  const SkinWeights weights = rig.weights.normalized();
  // Locked: the first joint of a row of two.
  const auto lock_of = [&](Index v) { return weights.row(v)[0].joint; };
  Index v = 0;
  while (weights.row(v).size() < 2) ++v;
  const EditScope scope = edit_scope(rig, {lock_of(v)});
  Index expected = 0;
  for (Index u = 0; u < weights.row_count(); ++u) {
    const auto row = weights.row(u);
    const bool has = std::any_of(row.begin(), row.end(), [&](const Influence& i) { return i.joint == lock_of(v); });
    if (row.size() > 1 && has) ++expected;
  }
  const UnlockedCap one = cap_unlocked(weights, 1, scope, JointSteps(rig.skeleton));
  EXPECT_GT(expected, 0U);
  EXPECT_EQ(one.filled, expected);
  EXPECT_EQ(one.cap.weights.row(v).size(), 1U);
  EXPECT_EQ(one.cap.weights.row(v)[0].joint, lock_of(v));
  EXPECT_EQ(cap_unlocked(weights, 1, edit_scope(rig), JointSteps(rig.skeleton)).filled, 0U);
}

RC_GTEST_PROP(WeightLocks, NoOperationChangesALockedJoint, ()) {
  static const shapes::Made human = made("human", 1200);
  static const Rig& rig = human.character.rig;
  const SkinWeights start = rig.weights.normalized();
  const std::vector<Index> locked = {*rc::gen::inRange<Index>(0, rig.skeleton.size()),
                                     *rc::gen::inRange<Index>(0, rig.skeleton.size())};
  const EditScope scope = edit_scope(rig, locked);
  const EditSurface surface = edit_surface(rig.mesh, start);
  SkinWeights result;
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      result = pruned(start, 0.2, scope);
      break;
    case 1:
      result = smoothed_along(start, surface, 3, scope);
      break;
    case 2:
      result = scaled_to_one(start, scope);
      break;
    default: {
      std::vector<Index> partner(rig.skeleton.size(), kNone);
      for (Index j = 0; j < partner.size(); ++j) partner[j] = rig.skeleton.joints[j].mirror;
      result = mirrored(start, surface, MirrorPlane(), partner, MirrorMode::kLeftToRight, scope).weights;
    }
  }
  for (Index v = 0; v < start.row_count(); ++v)
    for (const Index joint : locked)
      RC_ASSERT(std::abs(share(start.row(v), joint) - share(result.row(v), joint)) <= 2e-6);
}

TEST(WeightMirror, FindsThePlaneOfATurnedMeshWithAPropInOneHand) {
  Mesh mesh = made("human", 2000).character.rig.mesh;
  const Mat3 turn = (Eigen::AngleAxisd(0.4, Vec3::UnitY()) * Eigen::AngleAxisd(0.2, Vec3::UnitZ())).toRotationMatrix();
  const Vec3 shift(0.3, -0.1, 2);
  for (Vec3& p : mesh.positions) p = turn * p + shift;
  // A long stick on one side, a shell of its own.
  const Index first = mesh.vertex_count();
  for (int i = 0; i <= 40; ++i)
    for (const double w : {0.0, 0.02}) mesh.positions.push_back(turn * Vec3(0.8 + w, 0.04 * i, 0.1) + shift);
  for (Index i = 0; i < 40; ++i)
    mesh.add_face(std::array<Index, 4>{first + 2 * i, first + 2 * i + 1, first + 2 * i + 3, first + 2 * i + 2});
  mesh.parts[0].vertex_count = mesh.vertex_count();
  mesh.parts[0].face_count = mesh.face_count();
  mesh.parts.resize(1);
  SkinWeights weights;
  for (Index v = 0; v < mesh.vertex_count(); ++v) weights.add_row({{0, 1.0F}});
  const MirrorPlane plane = mirror_plane(edit_surface(mesh, weights), {}, turn.col(0));
  EXPECT_GT(plane.normal.dot(turn.col(0)), 0.9999);
  EXPECT_NEAR(plane.side(shift), 0, 2e-3);
  EXPECT_LT(plane.error_rel, 0.01);
}

TEST(WeightMirror, GivesOneSideTheOtherAndLeavesThatAlone) {
  const shapes::Made human = made("human", 3000);
  const Rig& rig = human.character.rig;
  const SkinWeights truth = rig.weights.normalized();
  std::vector<Index> partner(rig.skeleton.size(), kNone);
  for (Index j = 0; j < partner.size(); ++j) partner[j] = rig.skeleton.joints[j].mirror;
  SkinWeights spoiled;
  for (Index v = 0; v < truth.row_count(); ++v) {
    if (rig.mesh.positions[v].x() < -1e-3) spoiled.add_row({{0, 1.0F}});
    else spoiled.add_row(truth.row(v));
  }
  const EditSurface surface = edit_surface(rig.mesh, spoiled);
  const MirrorPlane plane = mirror_plane(surface);
  EXPECT_NEAR(plane.normal.x(), 1, 1e-6);
  const Mirrored result = mirrored(spoiled, surface, plane, partner, MirrorMode::kLeftToRight, edit_scope(rig));
  EXPECT_EQ(result.alone, 0U);
  EXPECT_LT(mean_half_l1(result.weights, truth), 0.01);
  for (Index v = 0; v < truth.row_count(); ++v)
    ASSERT_TRUE(rig.mesh.positions[v].x() < 0.01 || half_l1(result.weights.row(v), truth.row(v)) == 0);
}

TEST(WeightMirror, SymmetrizingTwiceChangesNothingMore) {
  const shapes::Made beast = made("quadruped", 2500);
  const Rig& rig = beast.character.rig;
  std::vector<Index> partner(rig.skeleton.size(), kNone);
  const MirrorPlane plane = mirror_plane(edit_surface(rig.mesh, rig.weights));
  partners_by_position(rest_subject(rig.mesh, rig.skeleton), plane, rig.mesh.size(), partner);
  for (Index j = 0; j < partner.size(); ++j)
    EXPECT_TRUE(rig.skeleton.joints[j].mirror == kNone || partner[j] == rig.skeleton.joints[j].mirror)
        << rig.skeleton.joints[j].name;
  SkinWeights uneven;
  for (Index v = 0; v < rig.weights.row_count(); ++v) {
    std::vector<Influence> row(rig.weights.row(v).begin(), rig.weights.row(v).end());
    if (rig.mesh.positions[v].x() > 0.02) row.push_back({0, 0.5F});
    uneven.add_row(row);
  }
  uneven = uneven.normalized();
  const EditScope scope = edit_scope(rig);
  const auto once = mirrored(uneven, edit_surface(rig.mesh, uneven), plane, partner, MirrorMode::kBoth, scope).weights;
  const auto twice = mirrored(once, edit_surface(rig.mesh, once), plane, partner, MirrorMode::kBoth, scope).weights;
  EXPECT_GT(mean_half_l1(uneven, once), 0.05);
  EXPECT_LT(mean_half_l1(once, twice), 0.005);
}

TEST(WeightFill, KeepsGoodRowsAndSolvesHornsFromTheHead) {
  const shapes::Made human = made("human", 3000);
  const Rig& rig = human.character.rig;
  std::vector<char> marked(rig.mesh.vertex_count(), 0);
  const Box box = rig.mesh.bounds();
  Index count = 0;
  for (Index v = 0; v < marked.size(); ++v) count += marked[v] = rig.mesh.positions[v].y() > box.upper.y() - 0.08;
  ASSERT_GT(count, 5U);
  const SkinWeights holes = without(rig.weights, marked);
  const Filled result =
      filled(holes, marked, rest_subject(rig.mesh, rig.skeleton), edit_surface(rig.mesh, holes), edit_scope(rig));
  expect_rows_of_one(result.weights);
  EXPECT_EQ(result.vertices[static_cast<std::size_t>(FilledBy::kSurface)], count);
  EXPECT_EQ(result.left, 0U);
  for (Index v = 0; v < marked.size(); ++v)
    ASSERT_TRUE(marked[v] ? half_l1(result.weights.row(v), rig.weights.row(v)) < 0.05
                          : std::ranges::equal(result.weights.row(v), rig.weights.row(v)));
}

TEST(WeightFill, AnArmWithoutWeightsGetsItsOwnJointsAgain) {
  const shapes::Made human = made("human", 4000);
  const Rig& rig = human.character.rig;
  const std::vector<char> marked = owned_below(human, "LeftUpperArm");
  const SkinWeights holes = without(rig.weights, marked);
  const Filled result =
      filled(holes, marked, rest_subject(rig.mesh, rig.skeleton), edit_surface(rig.mesh, holes), edit_scope(rig));
  expect_rows_of_one(result.weights);
  double sum = 0, count = 0;
  for (Index v = 0; v < marked.size(); ++v)
    if (marked[v]) sum += half_l1(result.weights.row(v), rig.weights.row(v)), ++count;
  EXPECT_GT(result.vertices[static_cast<std::size_t>(FilledBy::kBones)], 0U);
  EXPECT_LT(sum / count, 0.25);  // All of it on the shoulder would be near 1.
}

TEST(WeightFill, ButtonsAndEyesMoveAsOnePieceWithTheSkinUnderThem) {
  shapes::MakeOptions options;
  options.clothes = true;
  options.vertices = 3000;
  const shapes::Made human = shapes::make("human", options).made;
  const Rig& rig = human.character.rig;
  const EditSurface whole = edit_surface(rig.mesh, rig.weights);
  std::vector<Box> boxes(whole.shells);
  for (Index w = 0; w < whole.count(); ++w) boxes[whole.shell[w]].extend(whole.positions[w]);
  std::vector<char> marked(rig.mesh.vertex_count(), 0);
  const EditScope scope = edit_scope(rig);
  for (Index v = 0; v < marked.size(); ++v)
    marked[v] = scope.editable[v] && boxes[whole.shell[whole.welding.welded[v]]].diagonal() < 0.06;
  ASSERT_GT(std::count(marked.begin(), marked.end(), 1), 10);
  const SkinWeights holes = without(rig.weights, marked);
  const EditSurface surface = edit_surface(rig.mesh, holes);
  const Filled result = filled(holes, marked, rest_subject(rig.mesh, rig.skeleton), surface, scope);
  std::map<Index, Index> first;
  double worst = 0;
  for (Index v = 0; v < marked.size(); ++v) {
    if (!marked[v]) continue;
    const auto [at, fresh] = first.try_emplace(surface.shell[surface.welding.welded[v]], v);
    ASSERT_EQ(half_l1(result.weights.row(v), result.weights.row(at->second)), 0);
    worst = std::max(worst, half_l1(result.weights.row(v), rig.weights.row(v)));
  }
  EXPECT_LT(worst, 0.5);
}

TEST(WeightEdits, AreTheSameForAnyNumberOfThreads) {
  const shapes::Made human = made("human", 6000);
  const Rig& rig = human.character.rig;
  const std::vector<char> marked = owned_below(human, "LeftForearm");
  std::vector<SkinWeights> results;
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    SkinWeights weights = without(rig.weights, marked);
    const EditScope scope = edit_scope(rig, {rig.skeleton.find("Head")});
    weights =
        filled(weights, marked, rest_subject(rig.mesh, rig.skeleton), edit_surface(rig.mesh, weights), scope).weights;
    const EditSurface surface = edit_surface(rig.mesh, weights);
    weights = smoothed_along(weights, surface, 3, scope);
    std::vector<Index> partner(rig.skeleton.size(), kNone);
    const MirrorPlane plane = mirror_plane(surface);
    partners_by_position(rest_subject(rig.mesh, rig.skeleton), plane, rig.mesh.size(), partner);
    weights = mirrored(weights, surface, plane, partner, MirrorMode::kBoth, scope).weights;
    results.push_back(cap_unlocked(pruned(weights, 0.01, scope), 4, scope, JointSteps(rig.skeleton)).cap.weights);
  }
  set_thread_count(0);
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace sinew::binding
