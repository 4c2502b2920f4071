// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_projections.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <functional>

#include "sinew/geometry/spatial/random.h"
#include "tests/deform/pbd/plain_constraints.h"

namespace sinew::deform {
namespace {

/// A random tetrahedron at rest and the same deformed.
struct RandomTet {
  TetCorners rest, now;
  TetNumbers masses{}, inverse_masses{}, shares{}, distances{};
  Mat3 inverse_rest = Mat3::Identity();
  double volume = 0;
};

RandomTet random_tet(geometry::Random& dice) {
  RandomTet tet;
  const auto point = [&] { return Vec3(dice.uniform(), dice.uniform(), dice.uniform()); };
  Mat3 edges;
  do {
    for (Vec3& p : tet.rest) p = point();
    edges << tet.rest[1] - tet.rest[0], tet.rest[2] - tet.rest[0], tet.rest[3] - tet.rest[0];
  } while (std::abs(edges.determinant()) < 0.05);
  if (edges.determinant() < 0) std::swap(tet.rest[2], tet.rest[3]), edges.col(1).swap(edges.col(2));
  tet.volume = edges.determinant() / 6;
  tet.inverse_rest = edges.inverse();
  double all = 0;
  for (double& m : tet.masses) m = 0.5 + dice.uniform(), all += m;
  Vec3 middle = Vec3::Zero();
  for (std::size_t i = 0; i < 4; ++i) {
    tet.inverse_masses[i] = 1 / tet.masses[i];
    tet.shares[i] = tet.masses[i] / all;
    middle += tet.shares[i] * tet.rest[i];
    tet.now[i] = tet.rest[i] + 0.3 * (point() - Vec3::Constant(0.5));
  }
  for (std::size_t i = 0; i < 4; ++i) tet.distances[i] = (tet.rest[i] - middle).norm();
  return tet;
}

using Constraint = std::function<PbdConstraint(const RandomTet&, const TetCorners&)>;

const std::vector<std::pair<const char*, Constraint>>& constraints() {
  static const std::vector<std::pair<const char*, Constraint>> all = {
      {"edge", [](const RandomTet&, const TetCorners& x) { return edge_constraint(x[0], x[1], 0.6); }},
      {"volume", [](const RandomTet& t, const TetCorners& x) { return volume_constraint(x, t.volume); }},
      {"springs", [](const RandomTet& t, const TetCorners& x) { return spring_constraint(x, t.shares, t.distances); }},
      {"printed, whole gradient",
       [](const RandomTet& t, const TetCorners& x) {
         return printed_spring_constraint(x, t.shares, t.distances, 3, true);
       }},
      {"corotated", [](const RandomTet& t, const TetCorners& x) { return corotated_constraint(x, t.inverse_rest); }}};
  return all;
}

TEST(PbdProjections, GradientsAreThoseOfFiniteDifferences) {
  geometry::Random dice(3);
  for (int round = 0; round < 1000; ++round) {
    const RandomTet tet = random_tet(dice);
    for (const auto& [name, constraint] : constraints()) {
      const PbdConstraint c = constraint(tet, tet.now);
      double scale = 0, worst = 0;
      for (std::size_t i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
          constexpr double kStep = 1e-6;
          TetCorners up = tet.now, down = tet.now;
          up[i][k] += kStep, down[i][k] -= kStep;
          const double slope = (constraint(tet, up).value - constraint(tet, down).value) / (2 * kStep);
          scale = std::max(scale, std::abs(slope));
          worst = std::max(worst, std::abs(slope - c.gradients[i][k]));
        }
      EXPECT_LT(worst, 1e-6 * std::max(scale, 1.0)) << name << " " << round;
    }
  }
}

// Nothing inside a body can move its centre of mass.
TEST(PbdProjections, MoveNoCentreOfMass) {
  geometry::Random dice(5);
  for (int round = 0; round < 200; ++round) {
    const RandomTet tet = random_tet(dice);
    for (const auto& [name, constraint] : constraints()) {
      const auto moves = projection(constraint(tet, tet.now), tet.inverse_masses);
      Vec3 sum = Vec3::Zero();
      for (std::size_t i = 0; i < 4; ++i) sum += tet.masses[i] * moves[i];
      EXPECT_LT(sum.norm(), 1e-12) << name;
    }
  }
}

TEST(PbdProjections, TheGradientAsPrintedDrifts) {
  geometry::Random dice(5);
  const RandomTet tet = random_tet(dice);
  const auto moves =
      projection(printed_spring_constraint(tet.now, tet.shares, tet.distances, 1, false), tet.inverse_masses);
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < 4; ++i) sum += tet.masses[i] * moves[i];
  EXPECT_GT(sum.norm(), 1e-6);
}

// The paper's Eq. 11: stiffness cancels. By compliance it does not.
TEST(PbdProjections, StiffnessAsPrintedHasNoEffectAndByComplianceHas) {
  geometry::Random dice(7);
  for (int round = 0; round < 50; ++round) {
    const RandomTet tet = random_tet(dice);
    const auto printed = [&](double k) {
      return projection(printed_spring_constraint(tet.now, tet.shares, tet.distances, k, true), tet.inverse_masses);
    };
    const auto soft = printed(1), stiff = printed(100);
    const PbdConstraint c = spring_constraint(tet.now, tet.shares, tet.distances);
    double first = 0, second = 0;
    const auto yielding = compliant_projection(c, tet.inverse_masses, 1, first);
    const auto rigid = compliant_projection(c, tet.inverse_masses, 0.01, second);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_LT((soft[i] - stiff[i]).norm(), 1e-9);
      EXPECT_GT(rigid[i].norm(), 1.3 * yielding[i].norm());
    }
  }
}

// Corners of a regular tetrahedron laid flat on a rectangle in the circle of their distance from the middle.
TEST(PbdProjections, SpringsDoNotSeeAFlatTetrahedronAndCorotatedDoes) {
  RandomTet tet;
  tet.rest = {Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1), Vec3(-1, -1, 1)};
  tet.shares.fill(0.25);
  tet.distances.fill(std::sqrt(3.0));
  Mat3 edges;
  edges << tet.rest[1] - tet.rest[0], tet.rest[2] - tet.rest[0], tet.rest[3] - tet.rest[0];
  tet.inverse_rest = edges.inverse();
  for (const double angle : {0.4, 0.8, 1.2}) {
    const double x = std::sqrt(3.0) * std::cos(angle), y = std::sqrt(3.0) * std::sin(angle);
    const TetCorners flat = {Vec3(x, y, 0), Vec3(x, -y, 0), Vec3(-x, y, 0), Vec3(-x, -y, 0)};
    EXPECT_LT(spring_constraint(flat, tet.shares, tet.distances).value, 1e-12);
    EXPECT_GT(corotated_constraint(flat, tet.inverse_rest).value, 0.5);
  }
}

TEST(PbdProjections, ARigidMotionCostsNothing) {
  geometry::Random dice(11);
  const RandomTet tet = random_tet(dice);
  TetCorners moved;
  const Quat turn(Eigen::AngleAxisd(2.1, Vec3(1, 2, -1).normalized()));
  for (std::size_t i = 0; i < 4; ++i) moved[i] = turn * tet.rest[i] + Vec3(3, 1, -2);
  EXPECT_NEAR(volume_constraint(moved, tet.volume).value, 0, 1e-13);
  EXPECT_NEAR(spring_constraint(moved, tet.shares, tet.distances).value, 0, 1e-13);
  EXPECT_NEAR(corotated_constraint(moved, tet.inverse_rest).value, 0, 1e-13);
}

}  // namespace
}  // namespace sinew::deform
