// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/binding/segment/segment_weights.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>

#include "sinew/core/error.h"
#include "sinew/core/parallel.h"
#include "sinew/shapes/kinds.h"

namespace sinew::binding {
namespace {

/// Points as a mesh without faces, and a skeleton of joints at given places.
struct PointRig {
  Mesh mesh;
  Skeleton skeleton;

  void joint(Index parent, const Vec3& place) {
    Joint joint;
    joint.name = "j" + std::to_string(skeleton.size());
    joint.parent = parent;
    Vec3 above = Vec3::Zero();
    for (Index p = parent; p != kNone; p = skeleton.joints[p].parent) above += skeleton.joints[p].rest.translation;
    joint.rest.translation = place - above;
    skeleton.joints.push_back(joint);
  }
  void point(const Vec3& p) { mesh.positions.push_back(p); }
  Subject subject() const { return rest_subject(mesh, skeleton); }
};

/// The segmentation in which the named segment owns every point.
Segmentation owned_by(const Subject& subject, Index joint, Index child) {
  const BoneTree tree = bone_tree(subject);
  Segmentation segmentation;
  for (const Bone& bone : tree.bones) segmentation.segments.push_back({bone.joint, bone.child});
  for (Index b = 0; b < tree.bones.size(); ++b)
    if (tree.bones[b].joint == joint && tree.bones[b].child == child)
      for (const Vec3& p : subject.mesh.positions) {
        segmentation.owner.push_back(b);
        segmentation.along.push_back(static_cast<float>(closest_on_bone(tree.bones[b], p).along));
      }
  return segmentation;
}

SkinWeights plain_weights(const Subject& subject, const Segmentation& segmentation,
                          const SegmentOptions& options = {}) {
  BindOptions common;
  common.smooth = 0;
  return segment_weights(subject, segmentation, options, common);
}

double weight_of(const SkinWeights& weights, Index v, Index joint) {
  for (const Influence& i : weights.row(v))
    if (i.joint == joint) return static_cast<double>(i.weight);
  return 0;
}

/// Joints at x = 0, 1, 2, 3.
PointRig chain() {
  PointRig rig;
  for (int k = 0; k < 4; ++k) rig.joint(k == 0 ? kNone : static_cast<Index>(k - 1), Vec3(k, 0, 0));
  return rig;
}

TEST(SegmentWeights, BothSidesOfAStraightJointShareItEqually) {
  PointRig rig = chain();
  rig.point(Vec3(1, 0.2, 0));
  const Subject subject = rig.subject();
  for (const Segmentation& side : {owned_by(subject, 0, 1), owned_by(subject, 1, 2)}) {
    const SkinWeights weights = plain_weights(subject, side);
    EXPECT_NEAR(weight_of(weights, 0, 0), 0.5, 1e-6);
    EXPECT_NEAR(weight_of(weights, 0, 1), 0.5, 1e-6);
    EXPECT_LE(weight_of(weights, 0, 2), std::exp(-16) * 1.01) << "the third joint";
  }
}

TEST(SegmentWeights, AnEndSegmentMeetsTheBoneBeforeItInTheSameWay) {
  PointRig rig = chain();
  rig.point(Vec3(3, 0.2, 0));
  rig.point(Vec3(3.9, 0.2, 0));
  const Subject subject = rig.subject();
  const SkinWeights inner = plain_weights(subject, owned_by(subject, 2, 3));
  const SkinWeights outer = plain_weights(subject, owned_by(subject, 3, kNone));
  EXPECT_NEAR(weight_of(inner, 0, 3), 0.5, 1e-6);
  EXPECT_NEAR(weight_of(outer, 0, 2), 0.5, 1e-6);
  EXPECT_GT(weight_of(outer, 1, 3), 0.999999);
}

TEST(SegmentWeights, OnEqualStraightBonesTheyAreThePapersGaussian) {
  PointRig rig = chain();
  for (int k = 0; k <= 20; ++k) rig.point(Vec3(1 + 0.05 * k, 0.1, 0));
  const Subject subject = rig.subject();
  const Segmentation middle = owned_by(subject, 1, 2);
  SegmentOptions options;
  options.blend_width = 0.4;
  const SkinWeights ours = plain_weights(subject, middle, options);
  options.formula = SegmentFormula::kPaper;
  const SkinWeights paper = plain_weights(subject, middle, options);
  for (Index v = 0; v <= 20; ++v) {
    double sum = 0;
    std::vector<double> gauss;
    for (const double x : {0.05 * v + 1, 0.05 * v, 0.05 * v - 1}) {
      gauss.push_back(std::exp(-(x - 0.5) * (x - 0.5) / (2 * 0.16)));
      sum += gauss.back();
    }
    for (Index j = 0; j < 3; ++j) {
      EXPECT_NEAR(weight_of(paper, v, j), gauss[j] / sum, 1e-6);
      EXPECT_NEAR(weight_of(ours, v, j), gauss[j] / sum, 1e-5);
    }
  }
}

TEST(SegmentWeights, BesideAMuchShorterBoneBothSidesStillAgree) {
  PointRig rig;
  rig.joint(kNone, Vec3(0, 0, 0));
  rig.joint(0, Vec3(1, 0, 0));
  rig.joint(1, Vec3(1.1, 0, 0));
  rig.joint(2, Vec3(2.1, 0, 0));
  rig.point(Vec3(1.1, 0.05, 0));
  const Subject subject = rig.subject();
  const auto jump = [&](SegmentFormula formula) {
    SegmentOptions options;
    options.formula = formula;
    const SkinWeights a = plain_weights(subject, owned_by(subject, 1, 2), options);
    const SkinWeights b = plain_weights(subject, owned_by(subject, 2, 3), options);
    double worst = 0;
    for (Index j = 0; j < 4; ++j) worst = std::max(worst, std::abs(weight_of(a, 0, j) - weight_of(b, 0, j)));
    return worst;
  };
  EXPECT_LT(jump(SegmentFormula::kLogOdds), 1e-6);
  EXPECT_GT(jump(SegmentFormula::kPaper), 0.1) << "the paper's own form jumps here";
}

TEST(SegmentWeights, TheBlendIsAsWideBeforeAJointAsAfterIt) {
  PointRig rig;
  rig.joint(kNone, Vec3(0, 0, 0));
  rig.joint(0, Vec3(1, 0, 0));
  rig.joint(1, Vec3(1.1, 0, 0));
  rig.joint(2, Vec3(2.1, 0, 0));
  for (const double x : {0.996, 1.004, 1.096, 1.104}) rig.point(Vec3(x, 0.05, 0));
  const Subject subject = rig.subject();
  const SkinWeights first = plain_weights(subject, owned_by(subject, 0, 1));
  const SkinWeights second = plain_weights(subject, owned_by(subject, 1, 2));
  const SkinWeights third = plain_weights(subject, owned_by(subject, 2, 3));
  EXPECT_NEAR(weight_of(first, 0, 1), weight_of(second, 1, 0), 1e-5);
  EXPECT_NEAR(weight_of(second, 2, 2), weight_of(third, 3, 1), 1e-5);
  EXPECT_GT(weight_of(first, 0, 1), 0.3);
}

TEST(SegmentWeights, SideBranchesGetNothing) {
  // Hips with a spine and two legs: nothing of one leg reaches the other or the spine.
  PointRig rig;
  rig.joint(kNone, Vec3(0, 0, 0));
  rig.joint(0, Vec3(0, 1, 0));
  rig.joint(0, Vec3(0.1, -0.1, 0));
  rig.joint(0, Vec3(-0.1, -0.1, 0));
  rig.joint(2, Vec3(0.1, -1, 0));
  rig.joint(3, Vec3(-0.1, -1, 0));
  for (int k = 0; k <= 20; ++k) rig.point(Vec3(0.01, -0.1 - 0.045 * k, 0.05));
  const Subject subject = rig.subject();
  for (const SegmentFormula formula : {SegmentFormula::kLogOdds, SegmentFormula::kPaper}) {
    SegmentOptions options;
    options.formula = formula;
    options.blend_width = 0.6;
    for (const auto& owner : {owned_by(subject, 2, 4), owned_by(subject, 0, 2)}) {
      const SkinWeights weights = plain_weights(subject, owner, options);
      for (Index v = 0; v < weights.row_count(); ++v)
        for (const Index stranger : {1U, 3U, 5U})
          EXPECT_EQ(weight_of(weights, v, stranger), 0)
              << option_words(formula)[static_cast<std::size_t>(formula)] << v;
    }
  }
}

TEST(SegmentWeights, BehindItsJointAVertexGoesOverToTheJointBefore) {
  PointRig rig = chain();
  for (const double x : {0.5, -8.0, 1.9, 9.0}) rig.point(Vec3(x, 0.2, 0));
  const Subject subject = rig.subject();
  const SkinWeights weights = plain_weights(subject, owned_by(subject, 1, 2));
  EXPECT_GT(weight_of(weights, 0, 0), 0.999);
  EXPECT_GT(weight_of(weights, 1, 0), 0.999);
  EXPECT_GT(weight_of(weights, 2, 1), 0.8);
  EXPECT_GT(weight_of(weights, 3, 2), 0.999);
}

TEST(SegmentWeights, ALoneJointMovesEverything) {
  PointRig rig;
  rig.joint(kNone, Vec3(0, 0, 0));
  for (int k = 0; k < 5; ++k) rig.point(Vec3(k, 1, 0));
  const Subject subject = rig.subject();
  const SkinWeights weights = segment_weights(subject, owned_by(subject, 0, kNone));
  for (Index v = 0; v < 5; ++v) EXPECT_EQ(weight_of(weights, v, 0), 1);
}

TEST(SegmentWeights, ASegmentationOfAnotherSkeletonIsRefused) {
  PointRig rig = chain();
  rig.point(Vec3(1, 0, 0));
  const Subject subject = rig.subject();
  Segmentation other = owned_by(subject, 1, 2);
  for (Segmentation::Segment& segment : other.segments) segment.joint += 10;
  EXPECT_THROW(segment_weights(subject, other), Error);
  other = owned_by(subject, 1, 2);
  other.owner.push_back(0);
  EXPECT_THROW(segment_weights(subject, other), Error);
}

/// A made person with the owners it was made with.
struct Person {
  shapes::Made made;
  Subject subject;

  explicit Person(int vertices, const std::string& pose = "a")
      : made(shapes::make("human", {.vertices = vertices, .made_pose = pose}).made),
        subject(rest_subject(made.character.rig.mesh, made.character.rig.skeleton)) {}
  Segmentation owners() const { return nearest_bones(subject); }
};

void expect_good_rows(const SkinWeights& weights, Index count, std::size_t most) {
  ASSERT_EQ(weights.row_count(), count);
  for (Index v = 0; v < count; ++v) {
    double sum = 0;
    for (const Influence& i : weights.row(v)) {
      ASSERT_GT(i.weight, 0) << v;
      sum += static_cast<double>(i.weight);
    }
    ASSERT_NEAR(sum, 1, 1e-6) << v;
    ASSERT_LE(weights.row(v).size(), most) << v;
  }
}

TEST(SegmentWeights, RowsArePositiveSumToOneAndAreShort) {
  const Person person(2000);
  const Segmentation owners = person.owners();
  for (const int rounds : {0, 5, 30})
    for (const int most : {0, 1, 2, 3, 8})
      for (const SegmentFormula formula : {SegmentFormula::kLogOdds, SegmentFormula::kPaper}) {
        SegmentOptions options;
        options.formula = formula;
        BindOptions common;
        common.smooth = rounds;
        common.max_influences = most;
        expect_good_rows(segment_weights(person.subject, owners, options, common), person.subject.mesh.vertex_count(),
                         static_cast<std::size_t>(most == 0 ? 3 : std::min(most, 3)));
      }
}

TEST(SegmentWeights, MotionAndSizeOfTheWholeChangeNothing) {
  const Person person(2000, "random");
  const Segmentation owners = person.owners();
  const SkinWeights before = segment_weights(person.subject, owners);
  Mat4 move = Mat4::Identity();
  move.topLeftCorner<3, 3>() = 37.0 * Eigen::AngleAxisd(2.1, Vec3(0.3, -0.8, 0.5).normalized()).toRotationMatrix();
  move.topRightCorner<3, 1>() = Vec3(12, -40, 3);
  Mesh mesh = person.subject.mesh;
  for (Vec3& p : mesh.positions) p = transform_point(move, p);
  Subject moved{mesh, person.subject.skeleton, person.subject.joints, person.subject.bound};
  for (Mat4& joint : moved.joints) joint = move * joint;
  const SkinWeights after = segment_weights(moved, owners);
  for (Index v = 0; v < before.row_count(); ++v)
    for (const Influence& i : before.row(v)) ASSERT_NEAR(i.weight, weight_of(after, v, i.joint), 1e-5) << v;
}

TEST(SegmentWeights, SmoothingLevelsTheStepsBetweenNeighbours) {
  const Person person(4000, "random");
  const Segmentation owners = person.owners();
  const Mesh& mesh = person.subject.mesh;
  const auto largest_step = [&](int rounds) {
    BindOptions common;
    common.smooth = rounds;
    const SkinWeights weights = segment_weights(person.subject, owners, {}, common);
    double worst = 0;
    for (Index f = 0; f < mesh.face_count(); ++f)
      for (std::size_t c = 1; c < mesh.face(f).size(); ++c)
        for (const Influence& i : weights.row(mesh.face(f)[c]))
          worst = std::max(worst,
                           std::abs(static_cast<double>(i.weight) - weight_of(weights, mesh.face(f)[c - 1], i.joint)));
    return worst;
  };
  EXPECT_LT(largest_step(5), 0.75 * largest_step(0));
}

TEST(SegmentWeights, SameBytesForAnyNumberOfThreads) {
  const Person person(8000);
  const Segmentation owners = person.owners();
  set_thread_count(1);
  const SkinWeights one = segment_weights(person.subject, owners);
  set_thread_count(2);
  const SkinWeights two = segment_weights(person.subject, owners);
  set_thread_count(0);
  EXPECT_EQ(one, two);
}

TEST(BindBySegments, EveryVertexIsBoundWithOriginAndConfidence) {
  const Person person(4000);
  const BindResult bound = bind_by_segments(person.subject);
  const Index count = person.subject.mesh.vertex_count();
  expect_good_rows(bound.weights, count, 3);
  ASSERT_EQ(bound.origins.size(), 1U);
  EXPECT_EQ(bound.origins[0].method, "segment");
  EXPECT_EQ(bound.origin, std::vector<std::uint8_t>(count, 0));
  ASSERT_EQ(bound.confidence.size(), count);
  std::size_t doubtful = 0;
  for (const float c : bound.confidence) {
    ASSERT_GE(c, 0);
    ASSERT_LE(c, 1);
    doubtful += c < 0.5F ? 1 : 0;
  }
  EXPECT_LT(doubtful, count / 10);
  EXPECT_TRUE(bound.metrics["segmentation"].contains("merged_fragments"));
}

TEST(BindBySegments, NearlyAllVerticesFollowTheJointThePersonWasMadeWith) {
  const Person person(8000);
  const BindResult bound = bind_by_segments(person.subject);
  const SkinWeights& truth = person.made.character.rig.weights;
  Index same = 0;
  for (Index v = 0; v < truth.row_count(); ++v) same += bound.weights.row(v)[0].joint == truth.row(v)[0].joint ? 1 : 0;
  EXPECT_GT(same, 0.85 * truth.row_count());
}

TEST(BindBySegments, AMeshWithoutVerticesIsRefused) {
  const PointRig rig = chain();
  EXPECT_THROW(bind_by_segments(rig.subject()), Error);
}

TEST(BindBySegments, CanBeCancelled) {
  const Person person(500);
  const Progress progress;
  progress.cancel();
  EXPECT_THROW(bind_by_segments(person.subject, {}, {}, progress), Cancelled);
}

}  // namespace
}  // namespace sinew::binding
