// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/particles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sinew/core/angles.h"
#include "sinew/deform/implicit/joint_shape/closure.h"
#include "tests/deform/implicit/joint_shape/parts.h"

namespace sinew::deform {
namespace {

std::vector<Particle> random_particles(unsigned seed, std::size_t count) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<Particle> particles;
  for (std::size_t i = 0; i < count; ++i)
    particles.push_back({Vec3(any(rng), any(rng), any(rng)), 0.5 + std::abs(any(rng))});
  return particles;
}

TEST(Particles, GradientIsThatOfTheEnergy) {
  const double alpha = 0.6, h = 1e-6;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto particles = random_particles(seed, 12);
    const Vec3 p = particles[3].position;
    const Vec3 gradient = particle_gradient(particles, p, alpha, 3);
    for (int axis = 0; axis < 3; ++axis) {
      const double slope = (particle_energy(particles, p + h * Vec3::Unit(axis), alpha, 3) -
                            particle_energy(particles, p - h * Vec3::Unit(axis), alpha, 3)) /
                           (2 * h);
      // Beyond the cutoff of 3.5 α the bell is below 5e-6.
      EXPECT_NEAR(gradient[axis], slope, 1e-6) << seed;
    }
  }
}

TEST(Particles, BellFallsToATenthAtTheSpacing) {
  const ParticleScale scale = particle_scale(2.5, 500);
  const std::vector<Particle> one = {{Vec3::Zero(), 1}};
  const double at_zero = particle_energy(one, Vec3::Zero(), scale.alpha, 1);
  EXPECT_NEAR(particle_energy(one, Vec3(scale.spacing, 0, 0), scale.alpha, 1) / at_zero, 0.1, 1e-12);
}

TEST(Particles, EnergyOfAHexagonalPatchIsItsSum) {
  const ParticleScale scale = particle_scale(1, 500);
  std::vector<Particle> patch;
  std::size_t middle = 0;
  double sum = 0;
  for (int i = -9; i <= 9; ++i)
    for (int j = -9; j <= 9; ++j) {
      const Vec3 p = scale.spacing * Vec3(i + 0.5 * j, std::sqrt(0.75) * j, 0);
      if (i == 0 && j == 0) middle = patch.size();
      else sum += std::pow(0.1, (p / scale.spacing).squaredNorm()) / std::sqrt(2 * kPi);
      patch.push_back({p, 1});
    }
  EXPECT_NEAR(particle_energy(patch, Vec3::Zero(), scale.alpha, middle), sum, 1e-4);
  EXPECT_NEAR(sum, 0.242, 1e-3);
}

TEST(Particles, MoveApartWhenTheyStepAgainstTheGradient) {
  // Two on a unit sphere; the printed update adds the gradient and brings them together.
  for (const double sign : {-1.0, 1.0}) {
    std::vector<Particle> two = {{Vec3(0, 0, 1), 1}, {Vec3(0.5, 0, std::sqrt(0.75)), 1}};
    const double alpha = 0.7;
    double distance = (two[0].position - two[1].position).norm();
    bool grows = true;
    for (int step = 0; step < 30; ++step) {
      std::vector<Vec3> next;
      for (std::size_t i = 0; i < 2; ++i) {
        const Vec3 n = two[i].position.normalized(), g = particle_gradient(two, two[i].position, alpha, i);
        next.push_back((two[i].position + sign * alpha * alpha * (g - n.dot(g) * n)).normalized());
      }
      two[0].position = next[0], two[1].position = next[1];
      const double now = (two[0].position - two[1].position).norm();
      grows = grows && now >= distance - 1e-12;
      distance = now;
    }
    EXPECT_EQ(grows, sign < 0);
  }
}

TEST(Particles, FillTheHoleOfATubeEvenly) {
  const test_parts::Tube tube;
  const ClosedPart part = test_parts::open_tube(tube, Vec3::UnitX());
  const Hrbf function = test_parts::tube_function(part, tube, Vec3::UnitX());
  ASSERT_TRUE(function.ok());
  const ParticleHole hole = particle_hole(part, part.holes[0], {});
  const ParticleResult result = spread_particles(function, hole, {}, 7);
  EXPECT_TRUE(result.settled);
  EXPECT_GT(result.particles.size(), 60u);
  EXPECT_LT(result.particles.size(), 400u);
  const double spacing = particle_scale(hole.radius, 500).spacing;
  for (std::size_t i = 0; i < result.particles.size(); ++i) {
    EXPECT_LT(std::abs(function.evaluate(result.particles[i]).value), 1e-4 * spacing);
    double nearest = 1e9;
    for (std::size_t j = 0; j < result.particles.size(); ++j)
      if (i != j) nearest = std::min(nearest, (result.particles[i] - result.particles[j]).norm());
    EXPECT_GT(nearest, 0.5 * spacing);
    EXPECT_LT(nearest, 2 * spacing);
  }
}

TEST(Particles, OfThePrintedLoopAllVanishAtOnce) {
  const ClosedPart part = test_parts::open_tube({}, Vec3::UnitX());
  const LiteralParticles literal = literal_particles(particle_hole(part, part.holes[0], {}), {});
  EXPECT_EQ(literal.started, 48u);
  EXPECT_EQ(literal.left, 0u);
}

}  // namespace
}  // namespace sinew::deform
