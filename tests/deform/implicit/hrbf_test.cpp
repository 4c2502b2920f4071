// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/hrbf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sinew/core/angles.h"

namespace sinew::deform {
namespace {

/// Samples of a smooth blob: a ball whose radius varies with the direction.
std::vector<SurfaceSample> blob(unsigned seed, int count, double scale) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  const Vec3 wave = 2 * Vec3(any(rng), any(rng), any(rng)), shift = 10 * scale * Vec3(any(rng), any(rng), any(rng));
  const auto radius = [&](const Vec3& u) { return 1 + 0.2 * std::sin(wave.dot(u)); };
  std::vector<SurfaceSample> samples;
  for (int i = 0; i < count; ++i) {
    // A spiral over the sphere.
    const double z = 1 - 2 * (i + 0.5) / count, angle = i * kPi * (3 - std::sqrt(5.0)), r = std::sqrt(1 - z * z);
    const Vec3 u(r * std::cos(angle), r * std::sin(angle), z);
    // The gradient of |x| − radius(x / |x|) at the surface.
    const Vec3 turn = 0.2 * std::cos(wave.dot(u)) * (wave - wave.dot(u) * u) / radius(u);
    samples.push_back({shift + scale * radius(u) * u, (u - turn).normalized()});
  }
  return samples;
}

TEST(Hrbf, PassesThroughItsSamplesWithTheirNormalsAtAnyScale) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const double scale = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 0.01 : 100;
    const auto samples = blob(seed, 50 + static_cast<int>(seed), scale);
    const Hrbf hrbf = Hrbf::fit(samples);
    ASSERT_TRUE(hrbf.ok());
    for (const SurfaceSample& sample : samples) {
      const Hrbf::Value value = hrbf.evaluate(sample.point);
      EXPECT_LT(std::abs(value.value), 1e-8 * hrbf.scale());
      EXPECT_LT((value.gradient - sample.normal).norm(), 1e-6);
    }
    EXPECT_LT(hrbf.evaluate(hrbf.center()).value, 0);
    EXPECT_GT(hrbf.evaluate(hrbf.center() + Vec3(3 * scale, 0, 0)).value, 0);
  }
}

TEST(Hrbf, GradientIsThatOfCentralDifferencesAlsoBesideACentre) {
  const auto samples = blob(7, 80, 1);
  const Hrbf hrbf = Hrbf::fit(samples);
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 1000; ++i) {
    Vec3 x = hrbf.center() + Vec3(normal(rng), normal(rng), normal(rng));
    if (i % 4 == 0) x = samples[static_cast<std::size_t>(i) % samples.size()].point + Vec3(1e-7, 0, 0);
    const double h = 1e-5 * hrbf.scale();
    const Hrbf::Value value = hrbf.evaluate(x);
    Vec3 differences;
    for (int axis = 0; axis < 3; ++axis)
      differences[axis] =
          (hrbf.evaluate(x + h * Vec3::Unit(axis)).value - hrbf.evaluate(x - h * Vec3::Unit(axis)).value) / (2 * h);
    EXPECT_LT((differences - value.gradient).norm(), 1e-5 * std::max(1.0, value.gradient.norm()));
  }
}

TEST(Hrbf, CoincidingSamplesAreReported) {
  auto samples = blob(1, 20, 1);
  samples.push_back(samples.front());
  samples.back().normal = Vec3::UnitX();
  EXPECT_FALSE(Hrbf::fit(samples).ok());
}

}  // namespace
}  // namespace sinew::deform
