// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/refinement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/geometry/spatial/segment.h"
#include "sinew/rigging/embed/reduction.h"
#include "tests/rigging/toy_graph.h"

namespace sinew::rigging {
namespace {

using geometry::Random;

/// A body of capsules round the bones of a template, and samples along their axes.
struct CapsuleBody {
  Template human = test::human_of_18();
  double scale = template_scale(human);
  std::vector<Vec3> truth;
  Interior interior;
  std::vector<MedialSample> samples;

  explicit CapsuleBody(const Mat3& turn = Mat3::Identity(), double radius = 0.03) {
    for (const Template::Joint& joint : human.joints) {
      truth.push_back(turn.transpose() * Vec3(scale * joint.position - Vec3(0, 0.35, 0)) + Vec3::Constant(0.5));
    }
    DistanceField& field = interior.depth;
    field.cell = 0.02;
    field.samples = {51, 51, 51};
    field.values.resize(51 * 51 * 51);
    for (std::size_t i = 0; i < field.values.size(); ++i) {
      const Vec3 p =
          0.02 * Vec3(static_cast<double>(i % 51), static_cast<double>(i / 51 % 51), static_cast<double>(i / 2601));
      double nearest = 10;
      for (std::size_t j = 1; j < truth.size(); ++j) {
        nearest = std::min(nearest, geometry::segment_distance(p, truth[human.joints[j].parent], truth[j]));
      }
      field.values[i] = static_cast<float>(nearest - radius);
    }
    for (std::size_t j = 1; j < truth.size(); ++j) {
      for (int k = 0; k <= 40; ++k)
        samples.push_back({truth[j] + k / 40.0 * (truth[human.joints[j].parent] - truth[j]), radius});
    }
  }

  std::vector<Vec3> shaken(double by, std::uint64_t seed) const {
    Random random(seed);
    std::vector<Vec3> places = truth;
    for (Vec3& place : places) {
      for (int a = 0; a < 3; ++a) place[a] += by * (2 * random.uniform() - 1);
    }
    return places;
  }
};

TEST(Refinement, GradientAgreesWithDifferencesAwayFromKinks) {
  const Mat3 turn = Eigen::AngleAxisd(0.4, Vec3(1, -2, 1).normalized()).toRotationMatrix();
  const CapsuleBody thin(turn), thick(turn, 0.08);  // Of the thick one the depth decides.
  RefinementOptions each[6];
  for (int k = 0; k < 4; ++k)
    each[k] = {10, k == 0 ? 15000.0 : 0, k == 1 ? 0.25 : 0, k == 2 ? 2.0 : 0, k == 3 ? 1.0 : 0};
  int checked = 0, all = 0;
  for (const RefinementOptions& options : each) {
    const CapsuleBody& body = &options == &each[5] ? thick : thin;
    const RefinementObjective objective(body.human, body.interior, body.samples, turn, body.scale, options);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      // The last one leaves the grid.
      std::vector<Vec3> places = body.shaken(seed < 3 ? 0.04 : 0.5, seed), gradient;
      EXPECT_EQ(objective.value(places, gradient), objective.value(places));
      for (std::size_t j = 0; j < places.size(); ++j) {
        for (int a = 0; a < 3; ++a, ++all) {
          const double h = 1e-7, at = places[j][a], here = objective.value(places);
          places[j][a] = at + h;
          const double above = objective.value(places);
          places[j][a] = at - h;
          const double below = objective.value(places);
          places[j][a] = at;
          const double forward = (above - here) / h, backward = (here - below) / h;
          const double size = std::max({1.0, std::abs(forward), std::abs(backward)});
          if (std::abs(forward - backward) > 1e-3 * size) continue;  // A kink or a jump.
          ++checked;
          EXPECT_NEAR(gradient[j][a], 0.5 * (forward + backward), 2e-4 * size) << j << ' ' << a << ' ' << seed;
        }
      }
    }
  }
  EXPECT_GT(checked, all * 8 / 10);
}

TEST(Refinement, SurfaceTermIsWhatItsDefinitionSays) {
  for (const double radius : {0.03, 0.08}) {
    const CapsuleBody body(Mat3::Identity(), radius);
    RefinementOptions options;
    options.length = options.angle = options.symmetry = 0;
    const RefinementObjective objective(body.human, body.interior, body.samples, Mat3::Identity(), body.scale, options);
    for (const double by : {0.02, 0.1, 0.6}) {
      const std::vector<Vec3> places = body.shaken(by, 5);
      double sum = 0;
      for (std::size_t j = 1; j < places.size(); ++j) {
        for (int k = 0; k < 10; ++k) {
          const Vec3 p = places[j] + k / 9.0 * (places[body.human.joints[j].parent] - places[j]);
          double s = 0.001 + std::max(0.0, 0.05 + geometry::sample(body.interior.depth, p));
          for (const MedialSample& sample : body.samples) s = std::min(s, (sample.point - p).norm());
          if (s > 0.003) sum += s * s / 10;
        }
      }
      EXPECT_NEAR(objective.value(places), 15000 * sum, 1e-9 * 15000 * sum);
    }
  }
}

TEST(Refinement, PartsSumToTheWhole) {
  const CapsuleBody body;
  const RefinementObjective objective(body.human, body.interior, body.samples, Mat3::Identity(), body.scale);
  ASSERT_EQ(objective.bones().size(), 17U);
  const std::vector<Vec3> places = body.shaken(0.05, 3);
  double sum = 0;
  for (Index b = 0; b < 17; ++b) sum += objective.value(places, std::span<const Index>(&b, 1));
  EXPECT_NEAR(sum, objective.value(places), 1e-9);
  // What a bone does not touch does not feel it.
  for (const RefinementObjective::Bone& bone : objective.bones()) {
    std::vector<Vec3> moved = places;
    moved[bone.joint] += Vec3(0.01, 0.02, 0.03);
    moved[bone.parent] += Vec3(-0.02, 0.01, 0.03);
    const double whole = objective.value(moved) - objective.value(places);
    EXPECT_NEAR(whole, objective.value(moved, bone.touched) - objective.value(places, bone.touched), 1e-9);
  }
}

TEST(Refinement, NeverRaisesTheObjective) {
  const CapsuleBody body;
  const RefinementObjective objective(body.human, body.interior, body.samples, Mat3::Identity(), body.scale);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<Vec3> places = body.shaken(0.02 * static_cast<double>(seed), seed);
    RefinementOptions one;
    one.rounds = 1;
    double last = objective.value(places);
    for (int round = 0; round < 4; ++round) {
      const Refined refined = refine(objective, places, one);
      EXPECT_EQ(refined.before, last);
      EXPECT_LE(refined.after, refined.before);
      EXPECT_EQ(refined.after, objective.value(refined.places));
      last = refined.after;
      places = refined.places;
    }
    EXPECT_LT(last, 0.8 * objective.value(body.shaken(0.02 * static_cast<double>(seed), seed)));
  }
}

TEST(Refinement, BringsShakenJointsBackIntoTheBody) {
  const CapsuleBody body;
  const RefinementObjective objective(body.human, body.interior, body.samples, Mat3::Identity(), body.scale);
  const std::vector<Vec3> shaken = body.shaken(0.06, 11);
  const Refined refined = refine(objective, shaken);
  int outside_before = 0, outside = 0;
  for (std::size_t j = 0; j < shaken.size(); ++j) {
    outside_before += geometry::sample(body.interior.depth, shaken[j]) > 0;
    outside += geometry::sample(body.interior.depth, refined.places[j]) > 0;
  }
  EXPECT_GT(outside_before, 4);
  EXPECT_EQ(outside, 0);
}

TEST(Refinement, IgnoresJointsThatTakeNoPart) {
  CapsuleBody body;
  body.human.joints[test::joint_named(body.human, "LeftShoulder")].placement = Template::Placement::kDerived;
  const RefinementObjective objective(body.human, body.interior, body.samples, Mat3::Identity(), body.scale);
  EXPECT_EQ(objective.bones().size(), 16U);
  std::vector<Vec3> places = body.shaken(0.03, 2), gradient;
  const double value = objective.value(places, gradient);
  const Index left_out = test::joint_named(body.human, "LeftShoulder");
  EXPECT_EQ(gradient[left_out], Vec3::Zero());
  places[left_out] += Vec3(1, 1, 1);
  EXPECT_EQ(objective.value(places), value);
}

TEST(Refinement, IsTheSameForAnyNumberOfThreads) {
  const CapsuleBody body;
  const RefinementObjective objective(body.human, body.interior, body.samples, Mat3::Identity(), body.scale);
  set_thread_count(1);
  const Refined one = refine(objective, body.shaken(0.05, 4));
  set_thread_count(2);
  const Refined two = refine(objective, body.shaken(0.05, 4));
  set_thread_count(0);
  EXPECT_EQ(one.places, two.places);
  EXPECT_EQ(one.after, two.after);
}

}  // namespace
}  // namespace sinew::rigging
