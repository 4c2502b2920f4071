// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/pbd/pbd_kernels.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <vector>

#include "sinew/core/rotation.h"
#include "sinew/geometry/spatial/random.h"
#include "tests/deform/every_isa.h"
#include "tests/deform/pbd/plain_constraints.h"

namespace sinew::deform {
namespace {

Vec3 position_of(const PbdParticle& p) { return {p.x, p.y, p.z}; }

/// Two groups of tetrahedra that share no corner, all but one filled.
class Groups : public testing::EveryIsa {
 protected:
  static constexpr std::size_t kTets = 2 * kPbdWidth - 1;

  Groups() {
    geometry::Random dice(19);
    const auto point = [&] { return Vec3(dice.uniform(), dice.uniform(), dice.uniform()); };
    const auto fill = static_cast<std::uint32_t>(4 * kTets);
    corners.assign(2 * 4 * kPbdWidth, fill);
    volume.assign(2 * kPbdWidth, 0);
    shares.assign(2 * 4 * kPbdWidth, 0.25F);
    distances.assign(2 * 4 * kPbdWidth, 0);
    inverse.assign(2 * 9 * kPbdWidth, 0);
    compliance.assign(2 * kPbdWidth, 0.5F);
    lambda.assign(2 * kPbdWidth, 0);
    turn.assign(2 * 4 * kPbdWidth, 0);
    for (std::size_t t = 0; t < kTets; ++t) {
      const std::size_t group = t / kPbdWidth, lane = t % kPbdWidth;
      TetCorners rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
      for (Vec3& p : rest) p += 0.3 * point();
      Mat3 edges;
      edges << rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0];
      const Mat3 inverse_rest = edges.inverse();
      TetNumbers share{};
      Vec3 middle = Vec3::Zero();
      for (std::size_t c = 0; c < 4; ++c)
        share[c] = 0.1 + 0.1 * static_cast<double>(c + 1), middle += share[c] * rest[c];
      for (std::size_t c = 0; c < 4; ++c) {
        const std::size_t at = (group * 4 + c) * kPbdWidth + lane;
        corners[at] = static_cast<std::uint32_t>(4 * t + c);
        shares[at] = static_cast<float>(share[c]);
        distances[at] = static_cast<float>((rest[c] - middle).norm());
        const Vec3 now = Eigen::AngleAxisd(0.3, Vec3::UnitX()) * rest[c] + 0.25 * point();
        particles.push_back({static_cast<float>(now.x()), static_cast<float>(now.y()), static_cast<float>(now.z()),
                             c == 1 && t % 3 == 0 ? 0.0F : static_cast<float>(0.4 / share[c])});
      }
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
          inverse[(group * 9 + static_cast<std::size_t>(3 * row + column)) * kPbdWidth + lane] =
              static_cast<float>(inverse_rest(row, column));
      volume[group * kPbdWidth + lane] = static_cast<float>(edges.determinant() / 6);
    }
    for (std::size_t lane = 0; lane < 2 * kPbdWidth; ++lane)
      turn[(lane / kPbdWidth * 4 + 3) * kPbdWidth + lane % kPbdWidth] = 1;
    particles.push_back({0, 0, 0, 0});
    tets = {corners.data(), volume.data(), shares.data(), distances.data(), inverse.data(), compliance.data(),
            lambda.data(),  turn.data(),   1e-6F,         100.0F,           true,           30};
  }

  struct One {
    TetCorners x;
    TetNumbers w{}, share{}, distance{};
    Mat3 inverse;
    double volume = 0;
  };
  One one(std::size_t t) const {
    const std::size_t group = t / kPbdWidth, lane = t % kPbdWidth;
    One result;
    for (std::size_t c = 0; c < 4; ++c) {
      const std::size_t at = (group * 4 + c) * kPbdWidth + lane;
      result.x[c] = position_of(particles[corners[at]]);
      result.w[c] = particles[corners[at]].w;
      result.share[c] = shares[at];
      result.distance[c] = distances[at];
    }
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column)
        result.inverse(row, column) =
            inverse[(group * 9 + static_cast<std::size_t>(3 * row + column)) * kPbdWidth + lane];
    result.volume = volume[group * kPbdWidth + lane];
    return result;
  }

  template <class Energy>
  void expect_like(const std::vector<PbdParticle>& after, const Energy& energy) const {
    for (std::size_t t = 0; t < kTets; ++t) {
      One tet = one(t);
      energy(tet);
      const auto moves = projection(volume_constraint(tet.x, tet.volume), tet.w);
      for (std::size_t c = 0; c < 4; ++c)
        EXPECT_LT((position_of(after[4 * t + c]) - (tet.x[c] + moves[c])).norm(), 2e-5) << t << " " << c;
    }
    EXPECT_EQ(position_of(after.back()), Vec3(0, 0, 0));
  }

  std::vector<PbdParticle> particles;
  std::vector<std::uint32_t> corners;
  std::vector<float> volume, shares, distances, inverse, compliance, lambda, turn;
  PbdTets tets;
};

TEST_P(Groups, SpringsAreThoseOfThePlainProjection) {
  std::vector<PbdParticle> after = particles;
  project_springs(after.data(), tets, 0, 2);
  expect_like(after, [](One& tet) {
    double multiplier = 0;
    const auto moves = compliant_projection(spring_constraint(tet.x, tet.share, tet.distance), tet.w, 0.5, multiplier);
    for (std::size_t c = 0; c < 4; ++c) tet.x[c] += moves[c];
  });
}

TEST_P(Groups, CorotatedTetsAreThoseOfThePlainProjection) {
  std::vector<PbdParticle> after = particles;
  project_corotated(after.data(), tets, 0, 2);
  expect_like(after, [](One& tet) {
    double multiplier = 0;
    const auto moves = compliant_projection(corotated_constraint(tet.x, tet.inverse), tet.w, 0.5, multiplier);
    for (std::size_t c = 0; c < 4; ++c) tet.x[c] += moves[c];
  });
}

TEST_P(Groups, NoCornerMovesFartherThanAllowed) {
  std::vector<PbdParticle> after = particles;
  tets.longest_step = 0.01F;
  project_springs(after.data(), tets, 0, 2);
  for (std::size_t p = 0; p < particles.size(); ++p)
    EXPECT_LT((position_of(after[p]) - position_of(particles[p])).norm(), 0.0201);
}

class PbdEdgesKernel : public testing::EveryIsa {};
class PbdBindsKernel : public testing::EveryIsa {};

TEST_P(PbdEdgesKernel, IsThePlainProjectionAndLeavesHeldParticles) {
  geometry::Random dice(23);
  std::vector<PbdParticle> particles;
  std::vector<std::uint32_t> a, b;
  std::vector<float> length;
  for (std::uint32_t i = 0; i < kPbdWidth; ++i) {
    for (int k = 0; k < 2; ++k)
      particles.push_back({static_cast<float>(dice.uniform()), static_cast<float>(dice.uniform()),
                           static_cast<float>(dice.uniform()),
                           i == 2 || (i == 3 && k == 0) ? 0.0F : 0.5F + static_cast<float>(k)});
    a.push_back(2 * i);
    b.push_back(2 * i + 1);
    length.push_back(0.5F);
  }
  std::vector<PbdParticle> after = particles;
  project_edges(after.data(), {a.data(), b.data(), length.data()}, 0, kPbdWidth, 0.7F);
  for (std::size_t i = 0; i < kPbdWidth; ++i) {
    const Vec3 p = position_of(particles[2 * i]), q = position_of(particles[2 * i + 1]);
    const auto moves = projection(edge_constraint(p, q, 0.5), {particles[2 * i].w, particles[2 * i + 1].w, 0, 0});
    // One that is too short has no firm direction: its step shrinks with it.
    const double share = 0.7 * std::min(1.0, (p - q).norm() / 0.5);
    EXPECT_LT((position_of(after[2 * i]) - (p + share * moves[0])).norm(), 1e-6);
    EXPECT_LT((position_of(after[2 * i + 1]) - (q + share * moves[1])).norm(), 1e-6);
  }
}

TEST_P(PbdBindsKernel, PullsParticlesToTheirDistanceFromPoints) {
  std::vector<PbdParticle> particles;
  std::vector<std::uint32_t> which;
  std::vector<float> anchors(3 * kPbdWidth, 0.5F), distance;
  for (std::uint32_t i = 0; i < kPbdWidth; ++i) {
    particles.push_back({0.5F + 0.1F * static_cast<float>(i + 1), 0.5F, 0.5F, i == 4 ? 0.0F : 1.0F});
    which.push_back(i);
    distance.push_back(i == 5 ? 0.0F : 0.3F);
  }
  std::vector<PbdParticle> after = particles;
  project_binds(after.data(), {which.data(), anchors.data(), distance.data()}, 0, kPbdWidth, 0.5F);
  for (std::uint32_t i = 0; i < kPbdWidth; ++i) {
    const float before = 0.1F * static_cast<float>(i + 1);
    const float share = 0.5F * std::min(1.0F, before / 0.3F);
    EXPECT_NEAR(after[i].x - 0.5F, i == 4 || i == 5 ? before : before + share * (0.3F - before), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(On, Groups, ::testing::ValuesIn(supported_isas()), testing::isa_test_name);
INSTANTIATE_TEST_SUITE_P(On, PbdEdgesKernel, ::testing::ValuesIn(supported_isas()), testing::isa_test_name);
INSTANTIATE_TEST_SUITE_P(On, PbdBindsKernel, ::testing::ValuesIn(supported_isas()), testing::isa_test_name);

}  // namespace
}  // namespace sinew::deform
