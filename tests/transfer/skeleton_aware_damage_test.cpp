// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// The skeleton-aware transfer on input that is not as it should be.

#include <gtest/gtest.h>

#include <random>

#include "sinew/core/error.h"
#include "sinew/transfer/rays/skeleton_aware.h"
#include "tests/transfer/arms.h"
#include "tests/transfer/slow_transfer.h"

namespace sinew::transfer {
namespace {

using namespace sinew::test;

WeightTransfer transferred(const Rig& reference, const Rig& target, const RayTransferOptions& options = {}) {
  const Correspondence pairs = arm_pairs(reference, target);
  return transfer_by_skeleton(reference_of(reference), side_of(target), pairs,
                              straight_guides(side_of(reference), side_of(target), pairs), options);
}

Index not_matched(const WeightTransfer& result) {
  return result.levels[1] + result.levels[2] + result.levels[3] + result.levels[4];
}

void expect_sound(const WeightTransfer& result, const Mesh& mesh) {
  ASSERT_EQ(result.weights.row_count(), mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    double sum = 0;
    for (const Influence& i : result.weights.row(v)) {
      ASSERT_TRUE(std::isfinite(i.weight) && i.weight > 0);
      sum += static_cast<double>(i.weight);
    }
    ASSERT_NEAR(sum, 1, 1e-5);
  }
}

bool has_fallback(const WeightTransfer& result, const char* code) {
  for (const Fallback& f : result.fallbacks)
    if (f.code == code) return f.count > 0 && !f.text.empty();
  return false;
}

/// Adds a shell of its own to a rig, moved.
void add_shell(Rig& rig, const Mesh& shell, const Vec3& shift) {
  const Index first = rig.mesh.vertex_count();
  rig.mesh.normals = {};
  for (const Vec3& p : shell.positions) rig.mesh.positions.push_back(p + shift);
  for (Index f = 0; f < shell.face_count(); ++f) {
    std::vector<Index> face(shell.face(f).begin(), shell.face(f).end());
    for (Index& v : face) v += first;
    rig.mesh.add_face(face);
  }
  rig.mesh.parts[0].vertex_count = rig.mesh.vertex_count();
  rig.mesh.parts[0].face_count = rig.mesh.face_count();
}

TEST(SkeletonAwareDamage, ATenthOfTheFacesMissingHurtsLittle) {
  const Rig reference = arm("reference"), target = arm("slender");
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::mt19937 random(seed);
    Rig damaged = reference;
    damaged.mesh = with_faces(reference.mesh, [&](Index) { return random() % 10 != 0; });
    const RayTransferOptions options = all_influences();
    const WeightTransfer whole = transferred(reference, target, options), holed = transferred(damaged, target, options);
    expect_sound(holed, target.mesh);
    EXPECT_LT(mean_tv(holed.weights, target.weights), mean_tv(whole.weights, target.weights) + 0.05);
    // Thin cones fall through the holes.
    RayTransferOptions thin = options;
    thin.rays = 4, thin.cone_rad = 0.02;
    const WeightTransfer narrow = transferred(damaged, target, thin);
    expect_sound(narrow, target.mesh);
    EXPECT_GT(not_matched(narrow), not_matched(transferred(reference, target, thin)) + 20);
    EXPECT_LT(mean_tv(narrow.weights, target.weights), mean_tv(whole.weights, target.weights) + 0.05);
  }
}

TEST(SkeletonAwareDamage, AHoleIsLookedThroughMoreWidelyAndThenFilledFromAround) {
  Rig reference = arm("reference");
  const Rig target = arm("reference");
  const Mesh whole = reference.mesh;
  reference.mesh = with_faces(whole, [&](Index f) {
    Vec3 center = Vec3::Zero();
    for (const Index v : whole.face(f)) center += whole.positions[v] / 3;
    return std::abs(center.x() - 4.5) > 0.7 || center.y() < 0;  // Half of the forearm, on top.
  });
  const WeightTransfer result = transferred(reference, target, all_influences());
  expect_sound(result, target.mesh);
  EXPECT_TRUE(has_fallback(result, "transfer.widened"));
  EXPECT_TRUE(has_fallback(result, "transfer.inpainted"));
  EXPECT_LT(mean_tv(result.weights, target.weights), 0.06);
  for (Index v = 0; v < target.mesh.vertex_count(); ++v) {
    if (result.level[v] == Level::kInpainted) {
      EXPECT_LT(result.confidence[v], 0.5F);
    }
    if (result.level[v] == Level::kMatched) {
      EXPECT_GE(result.hits[v], 0.1F);
    }
  }
}

TEST(SkeletonAwareDamage, BonesOutsideTheSkinCastFromInside) {
  Rig reference = arm("reference");
  const Rig target = arm("slender");
  Correspondence pairs = arm_pairs(reference, target);
  const Guides guides = straight_guides(side_of(reference), side_of(target), pairs);
  const WeightTransfer plain =
      transfer_by_skeleton(reference_of(reference), side_of(target), pairs, guides, all_influences());
  // The whole skeleton beside the arm.
  reference.skeleton.joints[0].rest.translation.y() += 1.2;
  const WeightTransfer result =
      transfer_by_skeleton(reference_of(reference), side_of(target), pairs, guides, all_influences());
  expect_sound(result, target.mesh);
  EXPECT_GT(result.levels[2], target.mesh.vertex_count() / 2);
  EXPECT_TRUE(has_fallback(result, "transfer.inside"));
  EXPECT_LT(mean_tv(result.weights, plain.weights), 0.1);
}

TEST(SkeletonAwareDamage, AReferenceThatFacesInwardsIsTurned) {
  const Rig reference = arm("reference"), target = arm("slender");
  Rig flipped = reference;
  for (Index f = 0; f < flipped.mesh.face_count(); ++f)
    std::reverse(flipped.mesh.face_vertices.begin() + flipped.mesh.face_offsets[f],
                 flipped.mesh.face_vertices.begin() + flipped.mesh.face_offsets[f + 1]);
  const WeightTransfer result = transferred(flipped, target);
  EXPECT_LT(worst_tv(result.weights, transferred(reference, target).weights), 1e-3);
  EXPECT_EQ(result.metrics["turned_shells"].get<int>(), 1);
}

TEST(SkeletonAwareDamage, VerticesOfALeafAloneAreCastFromItsPlace) {
  const Rig rig = arm("reference");
  const Correspondence pairs = arm_pairs(rig, rig);
  Guides guides = straight_guides(side_of(rig), side_of(rig), pairs);
  guides.target = {};
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) guides.target.add_row({{2, 1.0F}});
  RayTransferOptions options = paper_options();
  options.rays = 1, options.cone_rad = 0;
  const WeightTransfer result = transfer_by_skeleton(reference_of(rig), side_of(rig), pairs, guides, options);
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    // The wrist sees the hand's end, and itself.
    if (rig.mesh.positions[v].x() < 5.9) continue;
    SkinWeights found, truth;
    found.add_row(result.weights.row(v));
    truth.add_row(rig.weights.row(v));
    EXPECT_LT(worst_tv(found, truth), 1e-4) << v;
  }
}

TEST(SkeletonAwareDamage, ShellsThatMatchNothingTakeWhatIsNearest) {
  const Rig reference = arm("reference");
  Rig target = arm("slender");
  const Correspondence pairs = arm_pairs(reference, target);
  add_shell(target, sphere(6, 8, Vec3::Zero(), 0.1), Vec3(3, 4, 0));
  Guides guides = straight_guides(side_of(reference), side_of(target), pairs);
  // Nothing on the reference is like it.
  SkinWeights rows;
  for (Index v = 0; v < guides.target.row_count(); ++v)
    if (target.mesh.positions[v].y() > 2) rows.add_row(std::span<const Influence>());
    else rows.add_row(guides.target.row(v));
  guides.target = rows;
  const WeightTransfer result = transfer_by_skeleton(reference_of(reference), side_of(target), pairs, guides, {});
  expect_sound(result, target.mesh);
  EXPECT_TRUE(has_fallback(result, "transfer.copied"));
  EXPECT_EQ(result.levels[4], 6U * 8U - 8U + 2U);
  for (Index v = 0; v < target.mesh.vertex_count(); ++v)
    if (target.mesh.positions[v].y() > 2) {
      EXPECT_EQ(result.level[v], Level::kCopied);
    }
}

TEST(SkeletonAwareDamage, FloatingShellsNearTheBodyAreMatchedAsTheBodyIs) {
  const Rig reference = arm("reference");
  Rig target = arm("slender");
  add_shell(target, sphere(6, 8, Vec3::Zero(), 0.1), Vec3(1.5, 0.6, 0));
  const WeightTransfer result = transferred(reference, target, all_influences());
  EXPECT_EQ(result.levels[0], target.mesh.vertex_count());
  EXPECT_GT(dense_row(result.weights.row(target.mesh.vertex_count() - 1), 9)[0], 0.9);
}

TEST(SkeletonAwareDamage, FacesWithoutAreaChangeNothing) {
  const Rig reference = arm("reference"), target = arm("slender");
  Rig damaged = reference;
  damaged.mesh.normals = {};
  for (Index v = 0; v + 40 < damaged.mesh.vertex_count(); v += 40) {
    damaged.mesh.add_face(std::vector<Index>{v, v, v + 1});
    damaged.mesh.add_face(std::vector<Index>{v, v + 1, v});
  }
  Rig odd = target;
  odd.mesh.normals = {};
  odd.mesh.add_face(std::vector<Index>{3, 3, 3});
  EXPECT_LT(worst_tv(transferred(damaged, odd).weights, transferred(reference, target).weights), 1e-3);
}

TEST(SkeletonAwareDamage, ATargetOfOneVertexIsEnough) {
  const Rig reference = arm("reference");
  Rig target = arm("slender");
  target.mesh = {};
  target.mesh.positions = {Vec3(1.5, 0.3, 0.1)};
  const WeightTransfer result = transferred(reference, target);
  expect_sound(result, target.mesh);
  // On the bone itself, and without a normal to go by.
  target.mesh.positions = {Vec3(1.5, 0, 0)};
  expect_sound(transferred(reference, target), target.mesh);
}

TEST(SkeletonAwareDamage, FacesThatNoJointMovesAreNotSeen) {
  const Rig reference = arm("reference"), target = arm("slender");
  Rig dressed = reference;
  const Mesh sleeve = arm("slender").mesh;  // Inside the reference's skin, around its bones.
  add_shell(dressed, sleeve, Vec3::Zero());
  for (Index v = 0; v < sleeve.vertex_count(); ++v) dressed.weights.add_row(std::span<const Influence>());
  EXPECT_LT(worst_tv(transferred(dressed, target).weights, transferred(reference, target).weights), 1e-3);
}

TEST(SkeletonAwareDamage, AllLayersAreSeenOnRequest) {
  // A sleeve around the arm that an extra joint moves.
  Rig dressed = arm("reference");
  const Rig target = arm("slender");
  Mesh sleeve = arm("reference").mesh;
  for (Vec3& p : sleeve.positions) p = Vec3(p.x(), 1.3 * p.y(), 1.3 * p.z());
  const Index skin = dressed.mesh.vertex_count();
  add_shell(dressed, sleeve, Vec3::Zero());
  for (Index v = 0; v < skin; ++v) dressed.weights.add_row({{8, 1.0F}});
  RayTransferOptions options = all_influences();
  const auto share = [&](const WeightTransfer& result) {
    double sum = 0;
    for (Index v = 0; v < target.mesh.vertex_count(); ++v) sum += dense_row(result.weights.row(v), 9)[8];
    return sum / target.mesh.vertex_count();
  };
  EXPECT_LT(share(transferred(dressed, target, options)), 0.1);
  options.surfaces = Surfaces::kAll;
  EXPECT_GT(share(transferred(dressed, target, options)), 0.3);
}

TEST(SkeletonAwareDamage, SaysWhatIsWrongWhereNothingCanBeDone) {
  Rig reference = arm("reference");
  const Rig target = arm("slender");
  const Correspondence pairs = arm_pairs(reference, target);
  const Guides guides = straight_guides(side_of(reference), side_of(target), pairs);
  // Guides of other joints than those of the target everywhere.
  Guides strange = guides;
  strange.reference = strange.target = {};
  for (Index v = 0; v < reference.mesh.vertex_count(); ++v) strange.reference.add_row({{0, 1.0F}});
  for (Index v = 0; v < target.mesh.vertex_count(); ++v) strange.target.add_row({{1, 1.0F}});
  EXPECT_THROW(transfer_by_skeleton(reference_of(reference), side_of(target), pairs, strange, {}), Error);
  Guides short_of = guides;
  short_of.target = guides.reference;
  EXPECT_THROW(transfer_by_skeleton(reference_of(reference), side_of(target), pairs, short_of, {}), Error);
  reference.weights = {};
  for (Index v = 0; v < reference.mesh.vertex_count(); ++v) reference.weights.add_row(std::span<const Influence>());
  EXPECT_THROW(transfer_by_skeleton(reference_of(reference), side_of(target), pairs, guides, {}), Error);
}

TEST(SkeletonAwareDamage, ManyUnmatchedVerticesAreWarnedOf) {
  const Rig reference = arm("reference"), target = arm("slender");
  const Correspondence pairs = arm_pairs(reference, target);
  Guides guides = straight_guides(side_of(reference), side_of(target), pairs);
  SkinWeights rows;
  for (Index v = 0; v < guides.target.row_count(); ++v)
    if (target.mesh.positions[v].x() > 4) rows.add_row(std::span<const Influence>());
    else rows.add_row(guides.target.row(v));
  guides.target = rows;
  const WeightTransfer result = transfer_by_skeleton(reference_of(reference), side_of(target), pairs, guides, {});
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code, "transfer.unmatched");
  EXPECT_TRUE(has_fallback(result, "transfer.inpainted"));
}

}  // namespace
}  // namespace sinew::transfer
