// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/field_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sinew/core/angles.h"

namespace sinew::deform {
namespace {

/// The side of a cylinder of radius 1 along x.
std::vector<SurfaceSample> cylinder() {
  std::vector<SurfaceSample> samples;
  for (int ring = 0; ring < 8; ++ring)
    for (int k = 0; k < 12; ++k) {
      const double angle = kTwoPi * (k + 0.5 * (ring % 2)) / 12;
      const Vec3 out(0, std::cos(angle), std::sin(angle));
      samples.push_back({Vec3(-2 + 4.0 * ring / 7, 0, 0) + out, out});
    }
  return samples;
}

std::vector<Vec3> points_of(const std::vector<SurfaceSample>& samples) {
  std::vector<Vec3> points;
  for (const SurfaceSample& sample : samples) points.push_back(sample.point);
  return points;
}

struct Errors {
  double value = 0, angle_rad = 0;
  int count = 0;
};

/// Against the function itself, near its surface.
Errors errors(const Hrbf& function, const FieldGrid& grid) {
  std::mt19937 rng(2);
  std::uniform_real_distribution<double> any(-1, 1);
  Errors worst;
  const auto& layout = grid.layout();
  for (int i = 0; i < 5000; ++i) {
    const Vec3 x(3 * any(rng), 1.6 * any(rng), 1.6 * any(rng));
    const Hrbf::Value exact = function.evaluate(x);
    if (std::abs(exact.value) > 0.5 * static_cast<double>(grid.radius())) continue;
    FieldGrid::Node found;
    const Vec3 cells = layout.axes.transpose() * (x - layout.origin) / layout.cell;
    if (!grid.look_up(cells.cast<float>(), found)) {
      ADD_FAILURE() << "outside of the box";
      continue;
    }
    const Vec3 gradient = layout.axes * Vec3(found[0], found[1], found[2]);
    ++worst.count;
    worst.value = std::max(worst.value, std::abs(exact.value - static_cast<double>(found[3])));
    worst.angle_rad =
        std::max(worst.angle_rad, std::atan2(gradient.cross(exact.gradient).norm(), gradient.dot(exact.gradient)));
  }
  return worst;
}

TEST(FieldGrid, IsCloseToTheFunctionAndCloserOnAFinerGrid) {
  const auto samples = cylinder();
  const Hrbf function = Hrbf::fit(samples);
  const Mat3 axes = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const FieldGrid coarse = FieldGrid::sample(function, points_of(samples), axes, 1, 8000);
  const FieldGrid fine = FieldGrid::sample(function, points_of(samples), axes, 1, 64000);
  const Errors at_coarse = errors(function, coarse), at_fine = errors(function, fine);
  EXPECT_GT(at_fine.count, 1000);
  EXPECT_LT(at_fine.value, 1e-3);
  EXPECT_LT(at_fine.angle_rad, radians(2));
  EXPECT_GT(at_coarse.value / at_fine.value, 3);
}

TEST(FieldGrid, CoversTheSupportAndIsZeroOutside) {
  const auto samples = cylinder();
  const Hrbf function = Hrbf::fit(samples);
  const FieldGrid grid = FieldGrid::sample(function, points_of(samples), Mat3::Identity(), 1, 24000);
  FieldGrid::Node node;
  EXPECT_FALSE(grid.look_up(Vec3f(-0.1F, 5, 5), node));
  const auto& n = grid.layout().nodes;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i)
        if (i == 0 || j == 0 || k == 0 || i == n[0] - 1 || j == n[1] - 1 || k == n[2] - 1) {
          EXPECT_GE(grid.nodes()[static_cast<std::size_t>((k * n[1] + j) * n[0] + i)][3], grid.radius());
        }
}

/// The greatest distance from the x axis of a node inside.
double widest_inside(const FieldGrid& grid) {
  const auto& layout = grid.layout();
  double widest = 0;
  std::size_t n = 0;
  for (int k = 0; k < layout.nodes[2]; ++k)
    for (int j = 0; j < layout.nodes[1]; ++j)
      for (int i = 0; i < layout.nodes[0]; ++i)
        if (grid.nodes()[n++][3] < 0) widest = std::max(widest, layout.position(i, j, k).tail<2>().norm());
  return widest;
}

TEST(FieldGrid, EndsAtItsEnvelopeWhereThePartIsOpen) {
  // The upper half of a cylinder is open below.
  std::vector<SurfaceSample> half;
  for (const SurfaceSample& sample : cylinder())
    if (sample.normal.y() > 0.3) half.push_back(sample);
  const Hrbf function = Hrbf::fit(half);
  ASSERT_TRUE(function.ok());
  const PartEnvelope envelope{{{Vec3(-2, 0, 0), Vec3(2, 0, 0)}}, 1.3};
  const FieldGrid open = FieldGrid::sample(function, points_of(half), Mat3::Identity(), 1, 24000);
  const FieldGrid closed = FieldGrid::sample(function, points_of(half), Mat3::Identity(), 1, 24000, envelope);
  EXPECT_GT(widest_inside(open), 1.4);
  EXPECT_LE(widest_inside(closed), 1.3);
}

/// How far along x the nodes inside go.
double farthest_inside(const FieldGrid& grid) {
  double farthest = -10;
  const FieldGrid::Layout& layout = grid.layout();
  std::size_t n = 0;
  for (int k = 0; k < layout.nodes[2]; ++k)
    for (int j = 0; j < layout.nodes[1]; ++j)
      for (int i = 0; i < layout.nodes[0]; ++i)
        if (grid.nodes()[n++][3] < 0) farthest = std::max(farthest, layout.position(i, j, k).x());
  return farthest;
}

TEST(FieldGrid, EndsWithinABallBeyondAJoint) {
  // A piece of skin that covers only the beginning of a bone goes on to the end of the envelope.
  std::vector<SurfaceSample> half;
  for (const SurfaceSample& sample : cylinder())
    if (sample.normal.y() > 0.3 && sample.point.x() < 0.6) half.push_back(sample);
  const Hrbf function = Hrbf::fit(half);
  ASSERT_TRUE(function.ok());
  PartEnvelope envelope{{{Vec3(-2, 0, 0), Vec3(0, 0, 0)}}, 2};
  const FieldGrid open = FieldGrid::sample(function, points_of(half), Mat3::Identity(), 1, 24000, envelope);
  envelope.ends = {{Vec3::Zero(), Vec3::UnitX(), 1.1}};
  const FieldGrid ended = FieldGrid::sample(function, points_of(half), Mat3::Identity(), 1, 24000, envelope);
  EXPECT_GT(farthest_inside(open), 1.3);
  EXPECT_LE(farthest_inside(ended), 1.1);
  // On the part's own side everything stays.
  EXPECT_GT(widest_inside(ended), 0.8 * widest_inside(open));
}

TEST(PartEnvelope, EndsHaveNoStepsAndTheirGradients) {
  const PartEnvelope::End end{Vec3(1, 2, 3), Vec3(1, 1, 0).normalized(), 0.7};
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> any(-2, 2);
  for (int i = 0; i < 300; ++i) {
    const Vec3 x = end.point + Vec3(any(rng), any(rng), any(rng)), gradient = end.gradient(x);
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 step = 1e-6 * Vec3::Unit(axis);
      EXPECT_NEAR((end.outside(x + step) - end.outside(x - step)) / 2e-6, gradient[axis], 1e-4);
    }
  }
  EXPECT_NEAR(end.outside(end.point + 2 * end.outward), 1.3, 1e-12);
  EXPECT_NEAR(end.outside(end.point - 2 * end.outward), -2.7, 1e-12);
}

}  // namespace
}  // namespace sinew::deform
