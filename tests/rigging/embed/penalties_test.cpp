// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/penalties.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/core/angles.h"
#include "tests/rigging/toy_graph.h"

namespace sinew::rigging {
namespace {

constexpr double kTiny = 1e-6;  // Ways are floats.

/// A hip, a chest above it, a left arm of two spheres, a right hand half as far away, and a foot.
std::vector<Sphere> toy_spheres() {
  return {{{0, 0, 0}, 0.10},      {{0, 0.2, 0}, 0.08},  {{0.2, 0.2, 0}, 0.05},
          {{-0.2, 0.2, 0}, 0.05}, {{0, -0.3, 0}, 0.05}, {{0.4, 0.2, 0}, 0.04}};
}
const std::vector<std::pair<Index, Index>> kToyEdges = {{0, 1}, {1, 2}, {2, 5}, {1, 3}, {0, 4}};

ReducedTemplate::Joint toy_joint(Index parent, const Vec3& position, const std::vector<Vec3>& bones) {
  ReducedTemplate::Joint joint;
  joint.parent = parent;
  joint.position = position;
  joint.bones = bones;
  for (const Vec3& bone : bones) joint.length += bone.norm();
  for (const Vec3& bone : bones) joint.shares.push_back(bone.norm() / joint.length);
  return joint;
}

/// Hip, chest, left hand, right hand, foot; sizes of the graph's.
ReducedTemplate toy_template() {
  ReducedTemplate r;
  r.joints.push_back(toy_joint(kNone, {0, 0, 0}, {}));
  r.joints.push_back(toy_joint(0, {0, 0.2, 0}, {{0, 0.2, 0}}));
  r.joints.push_back(toy_joint(1, {0.4, 0.2, 0}, {{0.2, 0, 0}, {0.2, 0, 0}}));
  r.joints.push_back(toy_joint(1, {-0.4, 0.2, 0}, {{-0.2, 0, 0}, {-0.2, 0, 0}}));
  r.joints.push_back(toy_joint(0, {0, -0.3, 0}, {{0, -0.3, 0}}));
  r.joints[2].partner = 3;
  r.joints[3].partner = 2;
  r.joints[2].leaf = r.joints[3].leaf = r.joints[4].leaf = r.joints[4].foot = true;
  return r;
}

struct Toy {
  SphereGraph graph = test::toy_graph(toy_spheres(), kToyEdges);
  ReducedTemplate reduced = toy_template();
  PenaltyWeights weights;

  /// The term without its weight; infinite if rejected.
  double term(Penalty which, const Match& match, Index v, const Mat3& turn = Mat3::Identity()) const {
    const auto terms = PenaltyModel(graph, reduced, turn, weights).terms(match, v);
    const auto k = static_cast<std::size_t>(which);
    return terms ? (*terms)[k] / weights.gamma[k] : PenaltyModel::kRejected;
  }
  /// Keeps only one term.
  void only(Penalty which) {
    for (std::size_t k = 0; k < kPenalties; ++k) {
      if (k != static_cast<std::size_t>(which)) weights.gamma[k] = 0;
    }
  }
};

TEST(Penalties, Length) {
  // δ + play = 0.2 + 0.7 · 0.18 = 0.326; ratio 0.2 / 0.326; ramp 3 (0.61350 − 0.5) / 1.5.
  EXPECT_NEAR(Toy().term(Penalty::kLength, {0}, 1), 0.0116961, 1e-6);
  Toy longer;
  longer.reduced.joints[1].length = 0.651;  // Just below twice 0.326.
  EXPECT_NEAR(longer.term(Penalty::kLength, {0}, 1), std::pow(3 * (0.651 / 0.326 - 0.5) / 1.5, 3), 1e-4);
  longer.reduced.joints[1].length = 0.653;
  EXPECT_EQ(longer.term(Penalty::kLength, {0}, 1), PenaltyModel::kRejected);
  longer.reduced.joints[1].length = 0.1;
  EXPECT_EQ(longer.term(Penalty::kLength, {0}, 1), 0);
}

TEST(Penalties, GlobalDirectionFromTheParent) {
  EXPECT_NEAR(Toy().term(Penalty::kGlobalDirection, {0}, 1), 0, kTiny);
  // 45 degrees: ½ ((4 (1 − 0.70711))² − 0.1).
  EXPECT_NEAR(Toy().term(Penalty::kGlobalDirection, {0}, 2), 0.636292, 1e-5);
  EXPECT_EQ(Toy().term(Penalty::kGlobalDirection, {0}, 4), PenaltyModel::kRejected);
}

TEST(Penalties, GlobalDirectionFromASibling) {
  Toy toy;
  EXPECT_NEAR(toy.term(Penalty::kGlobalDirection, {0, 1, 5}, 3), 0, kTiny);
  const double angle = kPi / 3;
  toy.reduced.joints[2].position = toy.reduced.joints[3].position + 0.2 * Vec3(std::cos(angle), std::sin(angle), 0);
  EXPECT_NEAR(toy.term(Penalty::kGlobalDirection, {0, 1, 5}, 3), 0.25, kTiny);  // ½ ((2 · ½)² − ½).
  toy.reduced.joints[2].position = toy.reduced.joints[3].position + Vec3(-0.2, 0.2, 0);
  EXPECT_EQ(toy.term(Penalty::kGlobalDirection, {0, 1, 5}, 3), PenaltyModel::kRejected);
}

TEST(Penalties, GlobalDirectionIsMeasuredInTheTemplatesFrame) {
  Toy toy;
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  for (Sphere& sphere : toy.graph.spheres) sphere.center = turn.transpose() * sphere.center;
  EXPECT_NEAR(toy.term(Penalty::kGlobalDirection, {0}, 2, turn), 0.636292, 1e-5);
  EXPECT_NEAR(toy.term(Penalty::kLocalDirection, {0, 1}, 5, turn), 0, kTiny);
  toy.only(Penalty::kFootHeight);
  EXPECT_NEAR(toy.term(Penalty::kFootHeight, {0, 1, 5, 3}, 0, turn), 0.3, kTiny);
}

TEST(Penalties, Asymmetry) {
  // δ = 0.2, play 0.091; δ' = 0.4, play' 0.084: (0.2 · 2 + 0.8 · 0.4 / 0.291)³ − 1.2.
  EXPECT_NEAR(Toy().term(Penalty::kAsymmetry, {0, 1, 5}, 3), 2.1727, 1e-4);
  EXPECT_EQ(Toy().term(Penalty::kAsymmetry, {0, 1, 2}, 3), 0);
  EXPECT_EQ(Toy().term(Penalty::kAsymmetry, {0, 1}, 5), 0);
}

TEST(Penalties, DoubledPath) {
  Toy toy;
  EXPECT_EQ(toy.term(Penalty::kDoubledPath, {0, 1, 5}, 3), 0);
  toy.only(Penalty::kDoubledPath);
  EXPECT_NEAR(toy.term(Penalty::kDoubledPath, {0, 1, 5}, 5), 0.5 + 0.5 / 4 + 0.5, kTiny);
  EXPECT_NEAR(toy.term(Penalty::kDoubledPath, {0, 1, 2}, 5), 0.5 / 4 + 0.5, kTiny);
  EXPECT_EQ(toy.term(Penalty::kDoubledPath, {0, 1, 5}, 1), 0);  // The end at the parent does not count.
  toy.graph.spheres[2].radius = 0.015;
  EXPECT_EQ(toy.term(Penalty::kDoubledPath, {0, 1, 5}, 5), PenaltyModel::kRejected);
}

TEST(Penalties, FootHeight) {
  Toy toy;
  EXPECT_NEAR(toy.term(Penalty::kFootHeight, {0, 1, 5, 3}, 4), 0, kTiny);
  toy.only(Penalty::kFootHeight);
  EXPECT_NEAR(toy.term(Penalty::kFootHeight, {0, 1, 5, 3}, 5), 0.5, kTiny);
  EXPECT_EQ(toy.term(Penalty::kFootHeight, {0, 1, 5}, 3), 0);  // A hand is no foot.
}

TEST(Penalties, ZeroLength) {
  EXPECT_EQ(Toy().term(Penalty::kZeroLength, {0}, 0), 1);
  EXPECT_EQ(Toy().term(Penalty::kZeroLength, {0}, 1), 0);
  // Length then has the play alone, 0.14; directions count as right.
  EXPECT_NEAR(Toy().term(Penalty::kLength, {0}, 0), 6.405248, 1e-5);
  EXPECT_EQ(Toy().term(Penalty::kGlobalDirection, {0}, 0), 0);
  EXPECT_EQ(Toy().term(Penalty::kLocalDirection, {0}, 0), 0);
}

TEST(Penalties, LocalDirection) {
  Toy toy;
  EXPECT_NEAR(toy.term(Penalty::kLocalDirection, {0, 1}, 5), 0, kTiny);
  // The way from the hip over chest and elbow is halved at (0.1, 0.2): the first piece has cosine 1/√5 with the bone.
  EXPECT_NEAR(toy.term(Penalty::kLocalDirection, {0, 0}, 5), 50 * 0.04 * std::pow(1 - 1 / std::sqrt(5.0), 2), 1e-5);
  // A bone at right angles: 50 · 0.04 · 1.
  toy.reduced.joints[2].bones[1] = {0, 0.2, 0};
  EXPECT_NEAR(toy.term(Penalty::kLocalDirection, {0, 1}, 5), 2, 1e-5);
  // Cosine −¼: the ramp stands at 3.5. A short bone, so that it is not rejected.
  toy.reduced.joints[2].bones[1] = 0.05 * Vec3(-0.25, std::sqrt(1 - 0.0625), 0);
  EXPECT_NEAR(toy.term(Penalty::kLocalDirection, {0, 1}, 5), 50 * 0.0025 * std::pow(1.25 * 3.5, 2), 1e-4);
  toy.reduced.joints[2].bones[1] = {-0.2, 0, 0};
  EXPECT_EQ(toy.term(Penalty::kLocalDirection, {0, 1}, 5), PenaltyModel::kRejected);
}

TEST(Penalties, Extremity) {
  Toy toy;
  EXPECT_EQ(toy.term(Penalty::kExtremity, {0, 1}, 2), 1);
  EXPECT_EQ(toy.term(Penalty::kExtremity, {0, 1}, 5), 0);
  EXPECT_EQ(toy.term(Penalty::kExtremity, {0}, 1), 0);  // Not a leaf.
  toy.graph.spheres[5].radius = 0.02;                   // Too thin to lead on.
  EXPECT_EQ(toy.term(Penalty::kExtremity, {0, 1}, 2), 0);
}

TEST(Penalties, Disjointness) {
  Toy toy;
  EXPECT_EQ(toy.term(Penalty::kDisjointness, {0, 1, 5}, 3), 0);
  toy.only(Penalty::kDisjointness);
  // Elbow and hand of one arm: (0.2 + 0.4 + 0.09) / (0.2 + 0.09) = 2.38.
  EXPECT_EQ(toy.term(Penalty::kDisjointness, {0, 1, 5}, 2), 1);
  EXPECT_EQ(toy.term(Penalty::kDisjointness, {0, 1, 5}, 0), 0);
}

TEST(Penalties, UnreachableSpheresAreRejectedWhateverTheWeights) {
  std::vector<Sphere> spheres = toy_spheres();
  spheres.push_back({{0.1, 1, 0}, 0.09});
  Toy toy;
  toy.graph = test::toy_graph(spheres, kToyEdges);
  toy.weights.gamma.fill(0);
  const PenaltyModel model(toy.graph, toy.reduced, Mat3::Identity(), toy.weights);
  EXPECT_FALSE(model.terms(Match{0}, 6));
  EXPECT_TRUE(model.terms(Match{0}, 4));
  EXPECT_EQ(model.body().size(), 6U);
  for (Index j = 0; j < 5; ++j) EXPECT_EQ(std::count(model.candidates(j).begin(), model.candidates(j).end(), 6U), 0);
}

TEST(Penalties, CandidatesFitTheKindOfJoint) {
  Toy toy;
  toy.reduced.joints[0].fat = true;
  const PenaltyModel model(toy.graph, toy.reduced, Mat3::Identity(), {}, 2);
  const auto is = [&](Index joint, std::vector<Index> expected) {
    const std::span<const Index> found = model.candidates(joint);
    return std::vector<Index>(found.begin(), found.end()) == expected;
  };
  EXPECT_TRUE(is(0, {0, 1}));
  EXPECT_TRUE(is(1, {0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(is(2, {1, 3, 4, 5}));  // The chest too: nothing goes on upwards from it.
}

TEST(Penalties, FixedAndMovingPartsSumToTheTerms) {
  const Toy toy;
  const PenaltyModel model(toy.graph, toy.reduced);
  int compared = 0;
  for (const Match& match : {Match{0}, Match{0, 1}, Match{0, 1, 5}, Match{0, 1, 2}, Match{0, 0}, Match{0, 1, 5, 3}}) {
    PenaltyModel::Placed placed{match, {}};
    model.mark_used(placed);
    const auto joint = static_cast<Index>(match.size());
    for (Index v = 0; v < 6; ++v) {
      const auto terms = model.terms(match, v);
      const double split =
          model.fixed(joint, match[toy.reduced.joints[joint].parent], v, 1) + model.moving(placed, joint, v, 1);
      if (!terms) {
        EXPECT_GE(split, 1);
        continue;
      }
      double sum = 0;
      for (const double term : *terms) sum += term;
      EXPECT_NEAR(split, sum, 1e-12);
      ++compared;
    }
  }
  EXPECT_GT(compared, 6);
}

}  // namespace
}  // namespace sinew::rigging
