// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/biharmonic/distance.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <random>

#include "sinew/core/angles.h"
#include "sinew/core/parallel.h"
#include "sinew/core/rotation.h"
#include "sinew/transfer/biharmonic/shell.h"
#include "tests/support/made_human.h"

namespace sinew::transfer {
namespace {

using geometry::TriangleSurface;

TriangleSurface icosphere(int rounds) {
  const double t = (1 + std::sqrt(5.0)) / 2;
  TriangleSurface s{{{-1, t, 0},
                     {1, t, 0},
                     {-1, -t, 0},
                     {1, -t, 0},
                     {0, -1, t},
                     {0, 1, t},
                     {0, -1, -t},
                     {0, 1, -t},
                     {t, 0, -1},
                     {t, 0, 1},
                     {-t, 0, -1},
                     {-t, 0, 1}},
                    {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                     {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                     {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};
  for (int i = 0; i < rounds; ++i) {
    std::map<std::pair<Index, Index>, Index> middles;
    const auto middle = [&](Index a, Index b) {
      const auto [at, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<Index>(s.positions.size()));
      if (is_new) s.positions.push_back((s.positions[a] + s.positions[b]) / 2);
      return at->second;
    };
    std::vector<std::array<Index, 3>> fine;
    for (const auto& f : s.triangles) {
      const Index a = middle(f[0], f[1]), b = middle(f[1], f[2]), c = middle(f[2], f[0]);
      fine.insert(fine.end(), {{f[0], a, c}, {f[1], b, a}, {f[2], c, b}, {a, b, c}});
    }
    s.triangles = std::move(fine);
  }
  for (Vec3& p : s.positions) p.normalize();
  return s;
}

Index opposite(const TriangleSurface& s, Index vertex) {
  Index far = 0;
  for (Index v = 0; v < s.positions.size(); ++v)
    if (s.positions[v].dot(s.positions[vertex]) < s.positions[far].dot(s.positions[vertex])) far = v;
  return far;
}

/// d² on the unit sphere by its series.
double sphere_distance(double cosine) {
  double sum = 0, before = 1, now = cosine;  // Legendre's polynomials.
  for (int l = 1; l < 2000; ++l) {
    sum += (2 * l + 1) * (1 - now) / (2 * kPi * l * l * (l + 1.0) * (l + 1.0));
    const double next = ((2 * l + 1) * cosine * now - l * before) / (l + 1);
    before = now, now = next;
  }
  return std::sqrt(sum);
}

TEST(BiharmonicDistance, OppositePointsOfASphereAreApartByTheRootOfPiByTwelve) {
  const double truth = std::sqrt(kPi / 12);
  double previous = 0;
  for (const int rounds : {3, 4}) {
    const TriangleSurface s = icosphere(rounds);
    const double d = exact_distances(s, std::array<Index, 1>{0})(opposite(s, 0), 0);
    if (rounds == 4) {
      EXPECT_NEAR(d, truth, 1e-3);
      EXPECT_LT(std::abs(d - truth), 0.3 * previous) << "second order";
    }
    previous = std::abs(d - truth);
  }
}

TEST(BiharmonicDistance, TheWholeProfileOfASphereFollowsItsSeries) {
  const TriangleSurface s = icosphere(4);
  const Eigen::MatrixXd exact = exact_distances(s, std::array<Index, 1>{0});
  for (Index v = 0; v < s.positions.size(); v += 7) {
    const double cosine = s.positions[v].dot(s.positions[0]);
    if (cosine > std::cos(radians(20))) continue;
    // Edges are 4° long, which near the source is a good part of the distance.
    EXPECT_NEAR(exact(v, 0) / sphere_distance(cosine), 1, cosine > std::cos(radians(60)) ? 0.015 : 0.005) << v;
  }
}

TEST(LaplacianSpectrum, ModesOfASphereHaveTheKnownValuesAndAreOrthonormal) {
  const TriangleSurface s = icosphere(3);
  const Spectrum spectrum = laplacian_spectrum(s, 60);
  for (int l = 1, k = 0; l <= 4; ++l)
    for (int m = 0; m < 2 * l + 1; ++m, ++k)
      EXPECT_NEAR(spectrum.values[static_cast<std::size_t>(k)] / (l * (l + 1)), 1, 0.06) << k;
  const Eigen::Map<const Eigen::VectorXd> mass(spectrum.mass.data(), static_cast<Eigen::Index>(spectrum.mass.size()));
  const Eigen::MatrixXd product = spectrum.modes.transpose() * mass.asDiagonal() * spectrum.modes;
  EXPECT_LT((product - Eigen::MatrixXd::Identity(product.rows(), product.cols())).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(BiharmonicDistance, IsAMetricThatScalesWithTheSizeAndIgnoresMotion) {
  TriangleSurface s = icosphere(2);
  std::mt19937 random(7);
  for (Vec3& p : s.positions) p = (1 + 0.2 * std::sin(3 * p.x() + p.y())) * p + 0.3 * p.z() * p.z() * Vec3::UnitX();
  std::vector<Index> all(s.positions.size());
  for (Index v = 0; v < all.size(); ++v) all[v] = v;
  const Eigen::MatrixXd d = exact_distances(s, all);
  EXPECT_LT((d - d.transpose()).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT(d.diagonal().maxCoeff(), 1e-6);
  std::uniform_int_distribution<Index> pick(0, static_cast<Index>(all.size() - 1));
  for (int i = 0; i < 100000; ++i) {
    const Index a = pick(random), b = pick(random), c = pick(random);
    ASSERT_LE(d(a, c), d(a, b) + d(b, c) + 1e-7);
  }
  TriangleSurface moved = s;
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  for (Vec3& p : moved.positions) p = 2.5 * (turn * p) + Vec3(1, -4, 2);
  const Eigen::MatrixXd after = exact_distances(moved, std::array<Index, 2>{3, 11});
  EXPECT_LT((after.col(0) - 2.5 * d.col(3)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(BiharmonicDistance, ModesGiveFarDistancesWithinOneAndAHalfPercent) {
  const MainShell shell = main_shell(test::made_human("a", 2500).rig.mesh);
  const std::array<Index, 3> sources = {0, 100, 700};
  const Eigen::MatrixXd exact = exact_distances(shell.surface, sources);
  const Eigen::MatrixXd spectral = spectral_distances(laplacian_spectrum(shell.surface, 128), sources);
  double sum = 0;
  Index count = 0;
  for (Eigen::Index c = 0; c < exact.cols(); ++c)
    for (Eigen::Index v = 0; v < exact.rows(); ++v) {
      if (exact(v, c) < 0.3 * exact.col(c).maxCoeff()) continue;
      sum += std::abs(spectral(v, c) / exact(v, c) - 1), ++count;
    }
  EXPECT_LT(sum / count, 0.015);
}

TEST(LaplacianSpectrum, TheSameBytesForAnyNumberOfThreadsAndThroughBytes) {
  const TriangleSurface s = icosphere(2);
  set_thread_count(1);
  const Spectrum one = laplacian_spectrum(s, 30);
  set_thread_count(0);
  const Spectrum many = laplacian_spectrum(s, 30);
  EXPECT_TRUE(one.modes == many.modes);
  const std::vector<std::byte> bytes = spectrum_bytes(one);
  const auto back = spectrum_from_bytes(bytes, one.vertex_count, 30);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->values, one.values);
  EXPECT_LT((back->modes - one.modes).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_FALSE(spectrum_from_bytes(bytes, one.vertex_count + 1, 30).has_value());
  EXPECT_FALSE(spectrum_from_bytes({bytes.data(), bytes.size() - 1}, one.vertex_count, 30).has_value());
}

TEST(LaplacianSpectrum, SeparatePiecesAreRefused) {
  TriangleSurface two = icosphere(1);
  const TriangleSurface other = two;
  const auto first = static_cast<Index>(two.positions.size());
  for (const Vec3& p : other.positions) two.positions.push_back(p + Vec3(5, 0, 0));
  for (const auto& t : other.triangles) two.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  EXPECT_THROW(laplacian_spectrum(two, 10), Error);
}

}  // namespace
}  // namespace sinew::transfer
