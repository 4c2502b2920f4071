// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/rigging/embed/medial.h"

#include <gtest/gtest.h>

#include "sinew/geometry/spatial/distance_field.h"
#include "sinew/shapes/kinds.h"
#include "tests/geometry/field_meshes.h"

namespace sinew::rigging {
namespace {

using namespace sinew::test;

const Mat3 kTurn = Eigen::AngleAxisd(0.7, Vec3(1, 2, -0.5).normalized()).toRotationMatrix();

Mesh turned(Mesh mesh, const Mat3& by) {
  for (Vec3& p : mesh.positions) p = by * p;
  return mesh;
}

// In cells, from each sample to the nearest of its shape's medial points; `distance` is in model space.
template <class Distance>
double farthest(const Interior& inside, const std::vector<MedialSample>& samples, Distance&& distance) {
  double most = 0;
  for (const MedialSample& sample : samples)
    most = std::max(most, distance(inside.to_model(sample.point)) * inside.scale / inside.voxels.cell);
  return most;
}

TEST(Medial, SamplesOfACapsuleLieOnItsAxisAndLeaveNoGap) {
  for (const Mat3& turn : {Mat3(Mat3::Identity()), kTurn})
    for (const double radius : {0.06, 0.2, 0.5}) {
      const Interior inside = interior(turned(capsule(0.8, radius), turn), {.resolution = 120});
      const std::vector<MedialSample> samples = medial_samples(inside, {.enough = 0});
      const auto on_axis = [&](const Vec3& p) { return capsule_distance(turn.transpose() * p, 0.8, 0); };
      EXPECT_LT(farthest(inside, samples, on_axis), 1.33) << radius;
      for (double y = -0.8; y <= 0.8; y += 0.01) {
        const Vec3 p = inside.to_unit(turn * Vec3(0, y, 0));
        double nearest = 1;
        for (const MedialSample& sample : samples) nearest = std::min(nearest, (sample.point - p).norm());
        EXPECT_LT(nearest, 2 * inside.voxels.cell) << radius << " " << y;
      }
      for (const MedialSample& sample : samples)
        EXPECT_NEAR(sample.depth, radius * inside.scale, 1.4 * inside.voxels.cell);
    }
}

TEST(Medial, SamplesOfABoxAreEquallyFarFromTwoSides) {
  const Vec3 half(1, 0.7, 0.3);
  Mesh box = cube();
  for (Vec3& p : box.positions) p = (2 * p - Vec3::Ones()).cwiseProduct(half);
  for (const Mat3& turn : {Mat3(Mat3::Identity()), kTurn})
    for (const double angle : {120.0, 90.0}) {
      const Interior inside = interior(turned(box, turn), {.resolution = 100});
      const std::vector<MedialSample> samples = medial_samples(inside, {.angle_deg = angle, .enough = 0});
      EXPECT_GT(samples.size(), 1000U);
      const double most = farthest(inside, samples, [&](const Vec3& p) {
        const Vec3 q = turn.transpose() * p;
        std::array<double, 6> sides;
        for (int k = 0; k < 3; ++k) {
          sides[static_cast<std::size_t>(2 * k)] = half[k] - q[k];
          sides[static_cast<std::size_t>(2 * k + 1)] = half[k] + q[k];
        }
        std::sort(sides.begin(), sides.end());
        return 0.5 * (sides[1] - sides[0]);  // At least the way to the sheet between the two.
      });
      EXPECT_LT(most, 1.5) << angle;
      // Sides at a right angle make none, or few where they are a couple of voxels away and their steps look like more:
      // the middle sheet has samples, the four that run to the edges have not.
      std::size_t off = 0;
      for (const MedialSample& sample : samples)
        off += std::abs((turn.transpose() * inside.to_model(sample.point)).z()) * inside.scale > inside.voxels.cell;
      if (angle == 120) {
        EXPECT_LT(off, samples.size() / 40);
      }
    }
}

TEST(Medial, SamplesOfATorusLieOnItsCoreAndThoseOfABallInItsMiddle) {
  const Interior ring = interior(turned(torus(1, 0.3), kTurn), {.resolution = 120});
  const std::vector<MedialSample> core = medial_samples(ring);
  EXPECT_GT(core.size(), 300U);
  EXPECT_LT(farthest(ring, core, [](const Vec3& p) { return torus_distance(kTurn.transpose() * p, 1, 0); }), 1.2);

  const Interior ball = interior(sphere(64, 96, Vec3(0.01, 0.02, 0.03)), {.resolution = 100});
  const std::vector<MedialSample> middle = medial_samples(ball, {.enough = 0});
  EXPECT_FALSE(middle.empty());
  EXPECT_LT(farthest(ball, middle, [](const Vec3& p) { return (p - Vec3(0.01, 0.02, 0.03)).norm(); }), 1.5);
}

TEST(Medial, ASmoothSurfaceHasNoSampleNearIt) {
  // Three different axes: the medial set is a disc well inside.
  Mesh mesh = sphere(96, 128);
  for (Vec3& p : mesh.positions) p = kTurn * p.cwiseProduct(Vec3(1, 0.8, 0.5));
  const Interior inside = interior(mesh, {.resolution = 160});
  for (const double angle : {120.0, 90.0})
    for (const MedialSample& sample : medial_samples(inside, {.angle_deg = angle, .enough = 0})) {
      const Vec3 q = kTurn.transpose() * inside.to_model(sample.point);
      EXPECT_LT(std::abs(q.z()) * inside.scale, 1.2 * inside.voxels.cell);
      EXPECT_LT(q.norm(), 0.8);
      EXPECT_GT(sample.depth, 0.2 * inside.scale);
    }
}

TEST(Medial, TooFewSamplesMakeTheAngleARightOne) {
  const Interior inside = interior(turned(cube(), kTurn), {.resolution = 60});
  const auto wide = medial_samples(inside, {.angle_deg = 120, .enough = 0});
  const auto narrow = medial_samples(inside, {.angle_deg = 90, .enough = 0});
  EXPECT_LT(wide.size(), narrow.size());
  const auto few = medial_samples(inside, {.angle_deg = 120, .enough = static_cast<int>(wide.size()) + 1});
  EXPECT_EQ(few.size(), narrow.size());
  const auto enough = medial_samples(inside, {.angle_deg = 120, .enough = static_cast<int>(wide.size())});
  EXPECT_EQ(enough.size(), wide.size());
}

TEST(Medial, SamplesComeByFallingDepthAndDeeperThanAsked) {
  const Interior inside = interior(joined(torus(1, 0.3), cube()), {.resolution = 80});
  const std::vector<MedialSample> samples = medial_samples(inside, {.least_depth = 0.03});
  ASSERT_GT(samples.size(), 100U);
  for (std::size_t i = 1; i < samples.size(); ++i) EXPECT_GE(samples[i - 1].depth, samples[i].depth);
  EXPECT_GT(samples.back().depth, 0.03);
}

TEST(Medial, AreTheSameForAnyNumberOfThreads) {
  const Interior inside = interior(joined(torus(1, 0.3), cube()), {.resolution = 80});
  const auto run = [&](int count) {
    const Threads threads(count);
    return medial_samples(inside);
  };
  const std::vector<MedialSample> one = run(1), two = run(2);
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].point, two[i].point);
    EXPECT_EQ(one[i].depth, two[i].depth);
  }
}

TEST(Medial, JointsOfAMadeHumanHaveASampleWithinTheBodysThickness) {
  const shapes::Finished human = shapes::make("human", {});
  const Rig& rig = human.made.character.rig;
  const Interior inside = interior(rig.mesh);
  const std::vector<MedialSample> samples = medial_samples(inside);
  const std::vector<Mat4> rest = rest_matrices(rig.skeleton);
  int looked_at = 0;
  for (const auto& joint : human.made.template_joints) {
    const Vec3 p = inside.to_unit(rest[joint.joint].topRightCorner<3, 1>());
    if (-geometry::sample(inside.depth, p) < 0.012) continue;  // Fingers.
    ++looked_at;
    double best = 1;
    for (const MedialSample& sample : samples) best = std::min(best, (sample.point - p).norm() / sample.depth);
    EXPECT_LT(best, 1) << joint.name;
  }
  EXPECT_GT(looked_at, 15);
}

}  // namespace
}  // namespace sinew::rigging
