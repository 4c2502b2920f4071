// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/rays/skeleton_aware.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/shapes/surface/tube.h"
#include "tests/transfer/arms.h"
#include "tests/transfer/slow_transfer.h"

namespace sinew::transfer {
namespace {

using namespace sinew::test;

WeightTransfer by_straight_guides(const Rig& reference, const Rig& target, const RayTransferOptions& options,
                                  const Mat3& turn = Mat3::Identity()) {
  const Correspondence pairs = arm_pairs(reference, target, turn);
  return transfer_by_skeleton(reference_of(reference), side_of(target), pairs,
                              straight_guides(side_of(reference), side_of(target), pairs), options);
}

RayTransferOptions single_rays() {
  RayTransferOptions options = paper_options();
  options.rays = 1;
  options.cone_rad = 0;
  return options;
}

RayTransferOptions shipping_options() {
  RayTransferOptions options;
  options.max_influences = 0;
  return options;
}

void expect_rows(const WeightTransfer& result, const Mesh& mesh, int most) {
  ASSERT_EQ(result.weights.row_count(), mesh.vertex_count());
  ASSERT_EQ(result.level.size(), mesh.positions.size());
  ASSERT_EQ(result.confidence.size(), mesh.positions.size());
  ASSERT_EQ(result.hits.size(), mesh.positions.size());
  Index counted = 0;
  for (const Index count : result.levels) counted += count;
  EXPECT_EQ(counted, mesh.vertex_count());
  for (Index v = 0; v < mesh.vertex_count(); ++v) {
    const auto row = result.weights.row(v);
    ASSERT_FALSE(row.empty());
    if (most > 0) {
      ASSERT_LE(row.size(), static_cast<std::size_t>(most));
    }
    double sum = 0;
    for (const Influence& i : row) {
      ASSERT_GT(i.weight, 0);
      sum += static_cast<double>(i.weight);
    }
    ASSERT_NEAR(sum, 1, 1e-5);
    ASSERT_TRUE(result.confidence[v] >= 0 && result.confidence[v] <= 1);
    ASSERT_TRUE(result.hits[v] >= 0 && result.hits[v] <= 1);
  }
}

// Every part of the equations: ω, β of branches, similarity, corners of triangles, the side of the skin.
TEST(SkeletonAware, AgreesWithASlowReadingOfTheEquations) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Branches scene(seed);
    for (const Similarity similarity : {Similarity::kCanberra, Similarity::kBrayCurtis}) {
      RayTransferOptions options = paper_options();
      options.rays = 16;
      options.cone_rad = 0.3;
      options.similarity = similarity;
      const WeightTransfer result =
          transfer_by_skeleton(scene.reference(), scene.target(), scene.pairs, scene.guides, options);
      EXPECT_EQ(result.levels[0], scene.target_mesh.vertex_count());
      const SlowTransfer slow(scene, options);
      EXPECT_LT(worst_tv(result.weights, slow.weights), 2e-4) << seed << " " << static_cast<int>(similarity);
      EXPECT_EQ(result.vertex_bones, slow.vertex_bones);
      EXPECT_EQ(result.rays, 16 * slow.vertex_bones);
    }
  }
}

TEST(SkeletonAware, ABranchOfFiveBonesIsSharedByNearness) {
  Branches scene(5);
  // Guide weights that tell nothing but the joint with the five bones.
  scene.guides = {};
  for (Index v = 0; v < scene.reference_mesh.vertex_count(); ++v) scene.guides.reference.add_row({{0, 1.0F}});
  for (Index v = 0; v < scene.target_mesh.vertex_count(); ++v) scene.guides.target.add_row({{0, 1.0F}});
  RayTransferOptions options = single_rays();
  const WeightTransfer result =
      transfer_by_skeleton(scene.reference(), scene.target(), scene.pairs, scene.guides, options);
  EXPECT_EQ(result.vertex_bones, 5U * scene.target_mesh.vertex_count());
  EXPECT_LT(worst_tv(result.weights, SlowTransfer(scene, options).weights), 2e-4);
}

TEST(SkeletonAware, DoublingAGuideWeightDoublesTheShareOfItsBone) {
  const PlatesScene scene;
  const auto shares = [&](float a, float b) {
    Guides guides = scene.guides;
    guides.target = {};
    guides.target.add_row({{0, a}, {1, b}});
    const WeightTransfer result =
        transfer_by_skeleton(scene.reference(), scene.target(), scene.pairs, guides, single_rays());
    return dense_row(result.weights.row(0), 3);
  };
  // Both bones meet places of the same guide weights, so that similarities cancel out.
  const std::vector<double> equal = shares(0.4F, 0.4F), doubled = shares(0.3F, 0.6F);
  EXPECT_NEAR(equal[1] + equal[2], equal[0], 1e-5);
  EXPECT_NEAR(doubled[1] + doubled[2], 2 * doubled[0], 1e-5);
}

TEST(SkeletonAware, WeighsTheCornersOfATriangleInTheirOrder) {
  const TriangleScene scene;
  const WeightTransfer result =
      transfer_by_skeleton(scene.reference(), scene.target(), scene.pairs, scene.guides, single_rays());
  // The ray along +Z from the origin meets (0, 0, 1) = 0.5 a + 0.3 b + 0.2 c.
  const std::vector<double> row = dense_row(result.weights.row(0), 3);
  EXPECT_NEAR(row[0], 0.5, 1e-6);
  EXPECT_NEAR(row[1], 0.3, 1e-6);
  EXPECT_NEAR(row[2], 0.2, 1e-6);
}

TEST(SkeletonAware, ConesReachAQuarterOfTheBoneToEitherSideAtMost) {
  const RoofScene scene;
  RayTransferOptions options = shipping_options();
  options.rays = 64;
  options.cone_rad = 1;
  const auto far_share = [&](bool cap) {
    options.cap_reach = cap;
    const WeightTransfer result =
        transfer_by_skeleton(scene.reference(), scene.target(), scene.pairs, scene.guides, options);
    EXPECT_EQ(result.rays, cap ? 65U : 64U);  // One measures how far the skin is.
    return dense_row(result.weights.row(0), 2)[1];
  };
  EXPECT_EQ(far_share(true), 0);
  EXPECT_GT(far_share(false), 0.3);
}

TEST(SkeletonAware, SixBonesOfAVertexAreEnoughUnlessThePaperIsAskedFor) {
  const Branches scene(4);
  RayTransferOptions options = shipping_options();
  options.rays = 8;
  const WeightTransfer six =
      transfer_by_skeleton(scene.reference(), scene.target(), scene.pairs, scene.guides, options);
  options.cap_reach = false;
  const WeightTransfer all =
      transfer_by_skeleton(scene.reference(), scene.target(), scene.pairs, scene.guides, options);
  EXPECT_LE(six.vertex_bones, 6U * scene.target_mesh.vertex_count());
  EXPECT_GT(all.vertex_bones, six.vertex_bones);
}

// Rays that miss nothing find the vertex itself, from whatever bone.
RC_GTEST_PROP(SkeletonAware, ATubeTransferredToItselfByStraightRaysIsUnchanged, ()) {
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  std::uniform_real_distribution<double> share(0, 1);
  Rig rig = arm("reference");
  shapes::TubeOptions tube;
  tube.rings = 12, tube.around = 9, tube.cap = shapes::Cap::kFan, tube.cut = shapes::Cut::kOneWay;
  tube.first_centre = Vec3(-0.6, 0, 0), tube.last_centre = Vec3(6.6, 0, 0);
  // No part of the skin hides another from any place of the bones.
  const double a = 0.04 * share(random), b = 0.1 * share(random), p = 6 * share(random), q = 6 * share(random);
  rig.mesh = shapes::tube(tube, [&](int ring, int i) {
    const double x = -0.45 + 6.9 * ring / 11, phi = kTwoPi * i / 9;
    const double r = 0.5 + a * std::cos(x + p) + b * std::cos(2 * phi + q);
    return Vec3(x, r * std::cos(phi), -r * std::sin(phi));
  });
  rig.weights = {};
  for (Index v = 0; v < rig.mesh.vertex_count(); ++v) {
    std::vector<Influence> row;
    for (Index j = 0; j < 9; ++j) row.push_back({j, static_cast<float>(share(random))});
    rig.weights.add_row(row);
  }
  const WeightTransfer result = by_straight_guides(rig, rig, single_rays());
  RC_ASSERT(worst_tv(result.weights, rig.weights.normalized()) < 1e-4);
  RC_ASSERT(result.levels[0] == rig.mesh.vertex_count());
}

TEST(SkeletonAware, ConstantWeightsStayConstant) {
  Rig reference = arm("reference");
  reference.weights = {};
  for (Index v = 0; v < reference.mesh.vertex_count(); ++v)
    reference.weights.add_row({{4, 0.5F}, {1, 0.3F}, {8, 0.2F}});
  const Rig target = arm("muscular", 1500);
  const WeightTransfer result = by_straight_guides(reference, target, shipping_options());
  for (Index v = 0; v < target.mesh.vertex_count(); ++v) {
    const std::vector<double> row = dense_row(result.weights.row(v), 9);
    ASSERT_NEAR(row[4], 0.5, 1e-5);
    ASSERT_NEAR(row[1], 0.3, 1e-5);
    ASSERT_NEAR(row[8], 0.2, 1e-5);
  }
}

TEST(SkeletonAware, RowsArePositiveShortAndSumToOneWhateverTheOptions) {
  const Rig reference = arm("reference"), target = arm("slender");
  for (const Similarity similarity : {Similarity::kCanberra, Similarity::kBrayCurtis})
    for (const Directions directions : {Directions::kPositions, Directions::kJointFrames})
      for (const Surfaces surfaces : {Surfaces::kNearest, Surfaces::kAll})
        for (const Candidates candidates : {Candidates::kBlend, Candidates::kBest})
          for (const int most : {0, 1, 4}) {
            RayTransferOptions options;
            options.similarity = similarity, options.directions = directions, options.surfaces = surfaces;
            options.candidates = candidates, options.max_influences = most;
            options.rays = 6, options.exponent = most == 1 ? 0 : 2.5, options.smooth = most == 4 ? 2 : 0;
            expect_rows(by_straight_guides(reference, target, options), target.mesh, most);
          }
}

TEST(SkeletonAware, NumbersOfJointsAndVerticesDoNotMatter) {
  const Rig reference = arm("reference"), target = arm("slender");
  const RayTransferOptions options = shipping_options();
  const SkinWeights plain = by_straight_guides(reference, target, options).weights;
  // Vertices of both in another order.
  const auto shuffled = [](const Rig& rig, const std::vector<Index>& place) {
    Rig other = rig;
    other.mesh.normals = {};
    SkinWeights rows;
    std::vector<Index> from(place.size());
    for (Index v = 0; v < place.size(); ++v) from[place[v]] = v, other.mesh.positions[place[v]] = rig.mesh.positions[v];
    for (Index v = 0; v < place.size(); ++v) rows.add_row(rig.weights.row(from[v]));
    for (Index& v : other.mesh.face_vertices) v = place[v];
    other.weights = rows;
    return other;
  };
  std::mt19937 random(3);
  std::vector<Index> r(reference.mesh.vertex_count()), t(target.mesh.vertex_count());
  for (Index i = 0; i < r.size(); ++i) r[i] = i;
  for (Index i = 0; i < t.size(); ++i) t[i] = i;
  std::shuffle(r.begin(), r.end(), random);
  std::shuffle(t.begin(), t.end(), random);
  const SkinWeights other = by_straight_guides(shuffled(reference, r), shuffled(target, t), options).weights;
  SkinWeights back;
  for (Index v = 0; v < t.size(); ++v) back.add_row(other.row(t[v]));
  EXPECT_LT(worst_tv(plain, back), 1e-4);
  // Helpers before the hand: joints 2 and 8 change places.
  Rig renamed = reference;
  std::swap(renamed.skeleton.joints[2], renamed.skeleton.joints[8]);
  renamed.weights = {};
  const auto swapped = [](std::span<const Influence> row) {
    std::vector<Influence> result(row.begin(), row.end());
    for (Influence& i : result) i.joint = i.joint == 2 ? 8 : i.joint == 8 ? 2 : i.joint;
    return result;
  };
  for (Index v = 0; v < r.size(); ++v) renamed.weights.add_row(swapped(reference.weights.row(v)));
  const Correspondence pairs = correspond(renamed.skeleton, target.skeleton, {{0, 0}, {1, 1}, {8, 2}});
  const SkinWeights again = transfer_by_skeleton(reference_of(renamed), side_of(target), pairs,
                                                 straight_guides(side_of(renamed), side_of(target), pairs), options)
                                .weights;
  SkinWeights named;
  for (Index v = 0; v < t.size(); ++v) named.add_row(swapped(again.row(v)));
  EXPECT_LT(worst_tv(plain, named), 1e-6);
}

TEST(SkeletonAware, MovingOrScalingACharacterWithItsRigChangesNothing) {
  const Rig reference = arm("reference"), target = arm("muscular", 1500);
  const Quat q(Eigen::AngleAxisd(2.1, Vec3(1, -2, 0.5).normalized()));
  const RayTransferOptions options = shipping_options();
  const SkinWeights plain = by_straight_guides(reference, target, options).weights;
  const Rig turned_target = moved_rig(target, q, 1, Vec3(3, -20, 7));
  EXPECT_LT(
      worst_tv(by_straight_guides(reference, turned_target, options, q.conjugate().toRotationMatrix()).weights, plain),
      1e-3);
  const Rig turned_reference = moved_rig(reference, q, 1, Vec3(3, -20, 7));
  EXPECT_LT(worst_tv(by_straight_guides(turned_reference, target, options, q.toRotationMatrix()).weights, plain), 1e-3);
  for (const double scale : {0.01, 40.0}) {
    EXPECT_LT(
        worst_tv(
            by_straight_guides(reference, moved_rig(target, Quat::Identity(), scale, Vec3::Zero()), options).weights,
            plain),
        1e-3);
    EXPECT_LT(
        worst_tv(
            by_straight_guides(moved_rig(reference, Quat::Identity(), scale, Vec3::Zero()), target, options).weights,
            plain),
        1e-3);
  }
}

TEST(SkeletonAware, AnotherRestPoseOfTheTargetHardlyMatters) {
  const Rig reference = arm("reference"), t_pose = arm("muscular"), a_pose = arm("rotated");
  const RayTransferOptions options = paper_options();
  const double t_error = mean_tv(by_straight_guides(reference, t_pose, options).weights, t_pose.weights);
  const double a_error = mean_tv(by_straight_guides(reference, a_pose, options).weights, a_pose.weights);
  EXPECT_NEAR(a_error, t_error, 0.005);
  // As the published program does it, directions are taken over as they are.
  const Rig few = arm("rotated", 700);
  const Correspondence pairs = arm_pairs(reference, few);
  const Guides guides = straight_guides(side_of(reference), side_of(few), pairs);
  RayTransferOptions fewer = options;
  fewer.rays = 16;
  const SlowTransfer unturned(reference_of(reference), side_of(few), pairs, guides, fewer, false);
  EXPECT_GT(mean_tv(unturned.weights, few.weights), 2 * a_error);
}

TEST(SkeletonAware, MirroredCharactersGetMirroredWeights) {
  const auto mirrored = [](Rig rig) {
    rig.mesh.normals = {};
    for (Vec3& p : rig.mesh.positions) p.z() = -p.z();
    for (Index f = 0; f < rig.mesh.face_count(); ++f)
      std::reverse(rig.mesh.face_vertices.begin() + rig.mesh.face_offsets[f],
                   rig.mesh.face_vertices.begin() + rig.mesh.face_offsets[f + 1]);
    return rig;  // All primary joints lie in the mirror.
  };
  const Rig reference = arm("reference"), target = arm("muscular", 1500);
  const SkinWeights plain = by_straight_guides(reference, target, paper_options()).weights;
  const SkinWeights other = by_straight_guides(mirrored(reference), mirrored(target), paper_options()).weights;
  EXPECT_LT(mean_tv(plain, other), 2e-3);
  EXPECT_LT(worst_tv(plain, other), 0.02);
}

TEST(SkeletonAware, IsTheSameForAnyNumberOfThreads) {
  const Rig reference = arm("reference"), target = arm("muscular", 1500);
  for (const RayTransferOptions& options : {paper_options(), shipping_options(), single_rays()}) {
    set_thread_count(1);
    const WeightTransfer one = by_straight_guides(reference, target, options);
    set_thread_count(2);
    const WeightTransfer two = by_straight_guides(reference, target, options);
    set_thread_count(0);
    EXPECT_EQ(one.weights, two.weights);
    EXPECT_EQ(one.confidence, two.confidence);
    EXPECT_EQ(one.hits, two.hits);
    EXPECT_EQ(one.rays, two.rays);
  }
}

TEST(SkeletonAware, RaysAreThoseOfAllBonesOfAllVertices) {
  const Rig reference = arm("reference"), target = arm("slender");
  const Correspondence pairs = arm_pairs(reference, target);
  const Guides guides = straight_guides(side_of(reference), side_of(target), pairs);
  const WeightTransfer result =
      transfer_by_skeleton(reference_of(reference), side_of(target), pairs, guides, paper_options());
  // Each of the three joints has one bone.
  EXPECT_EQ(result.vertex_bones, guides.target.influence_count());
  EXPECT_EQ(result.rays, 128 * result.vertex_bones);
}

TEST(SkeletonAware, CopiesOfAVertexGetOneRow) {
  const Rig reference = arm("reference");
  Rig target = arm("slender");
  // A seam: every face has corners of its own.
  Mesh split;
  std::vector<Index> of;
  for (Index f = 0; f < target.mesh.face_count(); ++f) {
    std::vector<Index> corners;
    for (const Index v : target.mesh.face(f)) {
      corners.push_back(split.vertex_count());
      split.positions.push_back(target.mesh.positions[v]);
      of.push_back(v);
    }
    split.add_face(corners);
  }
  split.parts = {{}};
  split.parts[0].vertex_count = split.vertex_count();
  split.parts[0].face_count = split.face_count();
  const RayTransferOptions options;
  const SkinWeights plain = by_straight_guides(reference, target, options).weights;
  target.mesh = split;
  const WeightTransfer result = by_straight_guides(reference, target, options);
  SkinWeights spread;
  for (const Index v : of) spread.add_row(plain.row(v));
  EXPECT_LT(worst_tv(result.weights, spread), 1e-6);
}

TEST(SkeletonAware, TheArmsMeetTheAcceptedErrors) {
  const Rig reference = arm("reference");
  const Rig shifted = moved_rig(reference, Quat::Identity(), 1, Vec3(0, 1, 0));
  struct Case {
    const char* name;
    Rig target;
    double most;
    double times_better;
  };
  const std::vector<Case> cases = {{"self", reference, 0.025, 0},
                                   {"shifted", shifted, 0.025, 3},
                                   {"slender", arm("slender"), 0.03, 1},
                                   {"muscular", arm("muscular"), 0.05, 1},
                                   {"a-pose", arm("rotated"), 0.05, 3}};
  for (const Case& c : cases) {
    const Correspondence pairs = arm_pairs(reference, c.target);
    const Reference from = reference_of(reference);
    const TransferBody to = side_of(c.target);
    const Guides straight = straight_guides(from, to, pairs);
    const Guides voxel = make_guides(from, to, pairs);
    const SkinWeights by_straight = transfer_by_skeleton(from, to, pairs, straight, paper_options()).weights;
    const SkinWeights by_voxel = transfer_by_skeleton(from, to, pairs, voxel, paper_options()).weights;
    const double straight_error = mean_tv(by_straight, c.target.weights),
                 voxel_error = mean_tv(by_voxel, c.target.weights);
    EXPECT_LE(straight_error, c.most) << c.name;
    EXPECT_LE(voxel_error, c.most) << c.name;
    EXPECT_NEAR(voxel_error, straight_error, 0.005) << c.name;
    if (c.times_better > 0) {
      const double copied = mean_tv(closest_point_weights(reference, c.target.mesh), c.target.weights);
      EXPECT_LT(c.times_better * straight_error, copied) << c.name;
      EXPECT_LT(c.times_better * voxel_error, copied) << c.name;
    }
    const double truth = roughness(c.target.mesh, c.target.weights, 9);
    for (const SkinWeights* weights : {&by_straight, &by_voxel}) {
      const double ratio = roughness(c.target.mesh, *weights, 9) / truth;
      EXPECT_GE(ratio, 0.8) << c.name;
      EXPECT_LE(ratio, 1.1) << c.name;
    }
    // What ships is nearer still.
    EXPECT_LT(mean_tv(transfer_by_skeleton(from, to, pairs, voxel, shipping_options()).weights, c.target.weights),
              voxel_error)
        << c.name;
  }
}

TEST(SkeletonAware, FourInfluencesComeNearTheTruthCutInTheSameWay) {
  const Rig reference = arm("reference"), target = arm("slender");
  SkinWeights truth;
  for (Index v = 0; v < target.weights.row_count(); ++v) {
    std::vector<Influence> row(target.weights.row(v).begin(), target.weights.row(v).end());
    cap_row(row, 4);
    truth.add_row(row);
  }
  RayTransferOptions options = paper_options();
  options.max_influences = 4;
  const WeightTransfer result = by_straight_guides(reference, target, options);
  expect_rows(result, target.mesh, 4);
  EXPECT_LT(mean_tv(result.weights, truth), 0.04);
}

TEST(SkeletonAware, BlendsBetterThanItChoosesOnOtherShapes) {
  const Rig reference = arm("reference"), target = arm("slender");
  RayTransferOptions options = paper_options();
  const double blended = mean_tv(by_straight_guides(reference, target, options).weights, target.weights);
  options.candidates = Candidates::kBest;
  EXPECT_GT(mean_tv(by_straight_guides(reference, target, options).weights, target.weights), 2 * blended);
}

TEST(SkeletonAware, TheWholeMethodMakesItsOwnGuides) {
  const Rig reference = arm("reference"), target = arm("slender");
  const Reference from = reference_of(reference);
  const TransferBody to = side_of(target);
  const Correspondence pairs = arm_pairs(reference, target);
  RayTransferOptions options = shipping_options();
  options.resolution = 96;
  const WeightTransfer result = transfer(
      MethodChoice(methods(), "skeleton", static_cast<SkeletonAwareOptions>(options)), {from, to, pairs}, options);
  EXPECT_LT(mean_tv(result.weights, target.weights), 0.025);
  expect_rows(result, target.mesh, 0);
  EXPECT_TRUE(result.fallbacks.empty());
  EXPECT_TRUE(result.warnings.empty());
}

TEST(SkeletonAwareOptions, PaperModeOverridesTheOptionsAndRevisedModeKeepsThem) {
  SkeletonAwareOptions options;
  options.rays = 7;
  EXPECT_EQ(effective_options(options).rays, 7);
  options.mode = CastRules::kPaper;
  EXPECT_EQ(effective_options(options).rays, 128);
  EXPECT_NEAR(effective_options(options).cone_rad, radians(30), 1e-12);
  EXPECT_FALSE(effective_options(options).cap_reach);
}

}  // namespace
}  // namespace sinew::transfer
