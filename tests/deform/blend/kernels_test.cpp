// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/blend/kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "sinew/core/angles.h"
#include "sinew/core/isa.h"
#include "sinew/core/math.h"
#include "sinew/core/rotation.h"
#include "tests/deform/every_isa.h"

namespace sinew::deform {
namespace {

// Positions are within a few units of the origin; single precision resolves them to 2e-7. Each kernel adds up some
// twenty products.
constexpr double kTolerance = 4e-6;

constexpr std::size_t kBlocks = 3, kSlots = 5, kVertices = 2 * kBlockWidth + 5;

double random_number(std::mt19937& rng) { return std::uniform_real_distribution<double>(-1, 1)(rng); }

Vec3 random_point(std::mt19937& rng) {
  const double x = random_number(rng), y = random_number(rng), z = random_number(rng);
  return {x, y, z};
}

using Matrix34 = Eigen::Matrix<double, 3, 4>;

Matrix34 matrix_at(const float* rows) {
  Matrix34 m;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 4; ++c) m(r, c) = rows[4 * r + c];
  return m;
}

Vec3 vertex_at(const std::vector<float>& values, std::size_t i) {
  return {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
}

/// Three blocks with different numbers of joints: consecutive vertices, vertices in reverse order, and five vertices
/// whose last one fills the lanes up.
struct Scene {
  std::vector<SkinBlock> blocks = std::vector<SkinBlock>(kBlocks);
  std::vector<std::uint32_t> slots = {0, 1, 2, 3, 4, 2, 4, 0};
  std::vector<std::uint32_t> vertices, runs = {0, 1, 2};
  std::vector<Lanes> weights, rest_positions, rest_normals, shares, gradients, twist_normals;
  std::vector<float> matrices, dual_quaternions, positions, normals;
  std::vector<TwistRun> twists = std::vector<TwistRun>(kBlocks);
  BlendJob job;

  Scene() {
    std::mt19937 rng(7);
    const std::uint16_t counts[kBlocks] = {1, 4, 3};
    for (std::size_t b = 0, slot = 0; b < kBlocks; slot += counts[b], ++b) add_block(rng, b, slot, counts[b]);
    for (std::size_t s = 0; s < kSlots; ++s) add_slot(rng);
    const double turns[kBlocks] = {0, 0.37, 4321.123456};
    for (std::size_t b = 0; b < kBlocks; ++b) {
      const auto whole = static_cast<float>(turns[b]);
      for (float& m : twists[b].matrix) m = static_cast<float>(random_number(rng));
      twists[b].turns = whole;
      twists[b].turns_rest = static_cast<float>(turns[b] - static_cast<double>(whole));
      twists[b].angle_rad = static_cast<float>(2 * kPi * std::min(turns[b], 1.0));
    }
    positions.assign(3 * kVertices, NAN);
    normals.assign(3 * kVertices, NAN);
    job.blocks = blocks.data();
    job.block_count = kBlocks;
    job.slot_lists = slots.data();
    job.weights = weights.data();
    job.rest_positions = rest_positions.data();
    job.rest_normals = rest_normals.data();
    job.scattered = vertices.data();
    job.origin[0] = 0.5F, job.origin[1] = -0.25F, job.origin[2] = 0.125F;
    job.size = 1.5F;
    job.matrices = matrices.data();
    job.runs = runs.data();
    job.twists = twists.data();
    job.twist_shares = shares.data();
    for (std::size_t b = 0; b < kBlocks; ++b)
      for (const std::vector<Lanes>* const from : {&rest_normals, &gradients})
        for (std::size_t c = 0; c < 3; ++c) twist_normals.push_back((*from)[3 * b + c]);
    job.twist_normals = twist_normals.data();
    job.positions = positions.data();
    job.normals = normals.data();
  }

  void add_block(std::mt19937& rng, std::size_t b, std::size_t slot, std::uint16_t count) {
    const auto vertex_count = static_cast<std::uint8_t>(std::min(kBlockWidth, kVertices - b * kBlockWidth));
    blocks[b] = {static_cast<std::uint32_t>(slot),
                 static_cast<std::uint32_t>(weights.size()),
                 static_cast<std::uint32_t>(b * kBlockWidth),
                 count,
                 vertex_count,
                 b == 0};
    for (std::size_t i = 0; i < kBlockWidth; ++i) {
      const std::size_t lane = std::min<std::size_t>(i, vertex_count - 1U);
      vertices.push_back(static_cast<std::uint32_t>(b * kBlockWidth + (b == 1 ? kBlockWidth - 1 - lane : lane)));
    }
    std::vector<Lanes> rows(count);
    for (std::size_t i = 0; i < kBlockWidth; ++i) {
      double sum = 0;
      std::vector<double> row;
      for (std::size_t k = 0; k < count; ++k) row.push_back(1.1 + random_number(rng)), sum += row.back();
      for (std::size_t k = 0; k < count; ++k)
        rows[k].at[i] = i < vertex_count ? static_cast<float>(row[k] / sum) : rows[k].at[i - 1];
    }
    weights.insert(weights.end(), rows.begin(), rows.end());
    const auto add = [&](std::vector<Lanes>& to) {
      Lanes lanes;
      for (float& x : lanes.at) x = static_cast<float>(random_number(rng));
      for (std::size_t i = vertex_count; i < kBlockWidth; ++i) lanes.at[i] = lanes.at[vertex_count - 1U];
      to.push_back(lanes);
    };
    for (int axis = 0; axis < 3; ++axis) add(rest_positions), add(rest_normals), add(gradients);
    add(shares);
  }

  void add_slot(std::mt19937& rng) {
    for (int i = 0; i < 12; ++i) matrices.push_back(static_cast<float>(random_number(rng)));
    // The real part a rotation; the dual part half the translation times it.
    const double w = random_number(rng);
    const Vec3 v = random_point(rng), t = 0.3 * random_point(rng);
    const Quat q = Quat(w, v.x(), v.y(), v.z()).normalized();
    const Quat dual = Quat(0, t.x() / 2, t.y() / 2, t.z() / 2) * q;
    for (const double x : {q.w(), q.x(), q.y(), q.z(), dual.w(), dual.x(), dual.y(), dual.z()})
      dual_quaternions.push_back(static_cast<float>(x));
  }

  Vec3 lane_of(const std::vector<Lanes>& lanes, std::size_t block, std::size_t lane) const {
    return {lanes[3 * block].at[lane], lanes[3 * block + 1].at[lane], lanes[3 * block + 2].at[lane]};
  }

  /// Calls f(block, lane, vertex) for each vertex once.
  template <class F>
  void for_each_vertex(F&& f) const {
    for (std::size_t b = 0; b < kBlocks; ++b)
      for (std::size_t lane = 0; lane < blocks[b].vertex_count; ++lane) f(b, lane, vertices[b * kBlockWidth + lane]);
  }

  double weight(std::size_t block, std::size_t k, std::size_t lane) const {
    return weights[blocks[block].first_weight + k].at[lane];
  }
  std::size_t slot(std::size_t block, std::size_t k) const { return slots[blocks[block].first_slot + k]; }

  Matrix34 blended(std::size_t block, std::size_t lane) const {
    Matrix34 sum = Matrix34::Zero();
    for (std::size_t k = 0; k < blocks[block].slot_count; ++k)
      sum += weight(block, k, lane) * matrix_at(matrices.data() + 12 * slot(block, k));
    return sum;
  }

  Vec3 in_place(const Vec3& v) const { return job.size * v + Vec3(job.origin[0], job.origin[1], job.origin[2]); }
};

Vec3 through(const Matrix34& m, const Vec3& v) { return m.leftCols<3>() * v + m.col(3); }

Mat3 cofactors(const Mat3& m) {
  Mat3 c;
  for (int i = 0; i < 3; ++i) c.col(i) = m.col((i + 1) % 3).cross(m.col((i + 2) % 3));
  return c;
}

class BlendKernels : public testing::EveryIsa {};

TEST_P(BlendKernels, LinearBlendingIsTheFormula) {
  for (const bool by_cofactors : {false, true}) {
    Scene scene;
    scene.job.cofactor_normals = by_cofactors;
    blend_linear(scene.job, 0, kBlocks);
    scene.for_each_vertex([&](std::size_t b, std::size_t lane, std::size_t vertex) {
      const Matrix34 m = scene.blended(b, lane);
      const Mat3 linear = m.leftCols<3>();
      const Vec3 n = (by_cofactors ? cofactors(linear) : linear) * scene.lane_of(scene.rest_normals, b, lane);
      const Vec3 expected = scene.in_place(through(m, scene.lane_of(scene.rest_positions, b, lane)));
      EXPECT_LT((vertex_at(scene.positions, vertex) - expected).norm(), kTolerance);
      EXPECT_LT((vertex_at(scene.normals, vertex) - n.normalized()).norm(), 10 * kTolerance);
    });
  }
}

TEST_P(BlendKernels, DualQuaternionsAreTheFormula) {
  Scene scene;
  scene.job.matrices = nullptr;
  scene.job.dual_quaternions = scene.dual_quaternions.data();
  blend_dual_quaternions(scene.job, 0, kBlocks);
  scene.for_each_vertex([&](std::size_t b, std::size_t lane, std::size_t vertex) {
    using Vec8 = Eigen::Matrix<double, 8, 1>;
    const auto entry = [&](std::size_t k) {
      return Vec8(Eigen::Map<const Eigen::Matrix<float, 8, 1>>(scene.dual_quaternions.data() + 8 * scene.slot(b, k))
                      .cast<double>());
    };
    std::size_t heaviest = 0;
    for (std::size_t k = 1; k < scene.blocks[b].slot_count; ++k)
      if (scene.weight(b, k, lane) > scene.weight(b, heaviest, lane)) heaviest = k;
    Vec8 sum = Vec8::Zero();
    for (std::size_t k = 0; k < scene.blocks[b].slot_count; ++k) {
      const bool opposite = entry(k).head<4>().dot(entry(heaviest).head<4>()) < -1e-6;
      sum += (opposite ? -1 : 1) * scene.weight(b, k, lane) * entry(k);
    }
    sum /= sum.head<4>().norm();
    const Quat q(sum[0], sum[1], sum[2], sum[3]);
    const Vec3 translation = 2 * (Quat(sum[4], sum[5], sum[6], sum[7]) * q.conjugate()).vec();
    const Vec3 v = scene.lane_of(scene.rest_positions, b, lane), n = scene.lane_of(scene.rest_normals, b, lane);
    EXPECT_LT((vertex_at(scene.positions, vertex) - scene.in_place(q * v + translation)).norm(), kTolerance);
    EXPECT_LT((vertex_at(scene.normals, vertex) - q * n).norm(), kTolerance);
  });
}

TEST_P(BlendKernels, ThousandsOfTurnsAreAsExactAsNone) {
  Scene scene;
  scene.job.normals = nullptr;
  blend_twisted(scene.job, 0, kBlocks);
  scene.for_each_vertex([&](std::size_t b, std::size_t lane, std::size_t vertex) {
    const TwistRun& run = scene.twists[b];
    const double turns = static_cast<double>(run.turns) + static_cast<double>(run.turns_rest);
    const double angle = 2 * kPi * std::remainder(turns * static_cast<double>(scene.shares[b].at[lane]), 1.0);
    const Vec3 v = Eigen::AngleAxisd(angle, Vec3::UnitZ()) * scene.lane_of(scene.rest_positions, b, lane);
    const Vec3 expected = scene.in_place(through(scene.blended(b, lane), through(matrix_at(run.matrix), v)));
    EXPECT_LT((vertex_at(scene.positions, vertex) - expected).norm(), kTolerance) << turns;
  });
}

// Rotations with stretches of up to a thousand to one on either side, mirrored pairs too; the last ones have no turn.
TEST_P(BlendKernels, NearestTurnsAreThePolarRotations) {
  constexpr std::size_t kPairs = 24;
  std::mt19937 rng(5);
  std::vector<Mat3> from, to;
  const auto any = [&](double stretch) {
    const Vec3 v = random_point(rng), s = random_point(rng);
    const Mat3 turn = Eigen::AngleAxisd(3 * random_number(rng), v.normalized()).toRotationMatrix();
    const Mat3 basis = Eigen::AngleAxisd(3 * random_number(rng), s.normalized()).toRotationMatrix();
    const Vec3 factors(std::exp(stretch * s.x()), std::exp(stretch * s.y()), std::exp(stretch * s.z()));
    return Mat3(turn * basis * factors.asDiagonal() * basis.transpose());
  };
  for (std::size_t i = 0; i < kPairs; ++i) {
    const double stretch = i < 4 ? 0 : i < 12 ? 0.3 : 1.7;
    from.push_back(1e-3 * any(stretch));
    to.push_back(50 * any(stretch));
    if (i % 5 == 4) from[i].col(0) *= -1, to[i].col(1) *= -1;
  }
  to[kPairs - 1].col(2) *= -1;
  to[kPairs - 2].col(0).setZero();
  from[kPairs - 3].col(0) = from[kPairs - 3].col(1);
  std::vector<double> values(28 * kPairs);
  double *const a = values.data(), *const b = a + 9 * kPairs, *const turn = b + 9 * kPairs;
  for (std::size_t i = 0; i < kPairs; ++i)
    for (std::size_t e = 0; e < 9; ++e) {
      a[e * kPairs + i] = from[i](static_cast<int>(e / 3), static_cast<int>(e % 3));
      b[e * kPairs + i] = to[i](static_cast<int>(e / 3), static_cast<int>(e % 3));
    }
  nearest_turns({kPairs, a, b, turn, turn + 9 * kPairs});
  for (std::size_t i = 0; i < kPairs; ++i) {
    EXPECT_EQ(turn[9 * kPairs + i], i + 3 < kPairs ? 1.0 : 0.0) << i;
    if (i + 3 >= kPairs) continue;
    Mat3 found;
    for (std::size_t e = 0; e < 9; ++e) found(static_cast<int>(e / 3), static_cast<int>(e % 3)) = turn[e * kPairs + i];
    EXPECT_LT((found - polar(from[i].inverse() * to[i]).rotation).norm(), 1e-12) << i;
  }
}

// A closed ring of points around each of which two are neighbours, and three factors to turn edges into tangents.
struct Ring {
  static constexpr std::uint32_t kPoints = 21;
  std::vector<std::uint32_t> offsets = {0}, neighbours;
  std::vector<float> keep, share, tangents;
  std::vector<Point4> points;
  MushRings rings;

  Ring() {
    std::mt19937 rng(11);
    for (std::uint32_t i = 0; i < kPoints; ++i) {
      for (const std::uint32_t step : {1U, 2U, 5U}) neighbours.push_back((i + step) % kPoints);
      offsets.push_back(static_cast<std::uint32_t>(neighbours.size()));
      keep.push_back(0.4F);
      share.push_back(0.2F);
      for (int k = 0; k < 6; ++k) tangents.push_back(static_cast<float>(random_number(rng)));
      const Vec3 p = random_point(rng);
      points.push_back({{static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z()), 0}});
    }
    rings = {offsets.data(), neighbours.data(), keep.data(), share.data(), tangents.data()};
  }

  Vec3 at(std::size_t i) const { return {points[i].at[0], points[i].at[1], points[i].at[2]}; }
};

TEST_P(BlendKernels, SmoothingIsTheFormula) {
  const Ring ring;
  std::vector<Point4> after(Ring::kPoints);
  smooth_points(ring.rings, ring.points.data(), after.data(), 0, Ring::kPoints);
  for (std::uint32_t i = 0; i < Ring::kPoints; ++i) {
    Vec3 expected = static_cast<double>(ring.keep[i]) * ring.at(i);
    for (std::uint32_t k = ring.offsets[i]; k < ring.offsets[i + 1]; ++k)
      expected += static_cast<double>(ring.share[i]) * ring.at(ring.neighbours[k]);
    const Vec3 found(after[i].at[0], after[i].at[1], after[i].at[2]);
    EXPECT_LT((found - expected).norm(), kTolerance);
  }
}

TEST_P(BlendKernels, FramesAreTheFormula) {
  const Ring ring;
  std::vector<MushFrame> frames(Ring::kPoints);
  mush_frames(ring.rings, ring.points.data(), frames.data(), 0, Ring::kPoints);
  for (std::uint32_t i = 0; i < Ring::kPoints; ++i) {
    Vec3 t = Vec3::Zero(), u = Vec3::Zero();
    for (std::uint32_t k = ring.offsets[i]; k < ring.offsets[i + 1]; ++k) {
      const Vec3 edge = ring.at(ring.neighbours[k]) - ring.at(i);
      t += static_cast<double>(ring.tangents[2 * k]) * edge;
      u += static_cast<double>(ring.tangents[2 * k + 1]) * edge;
    }
    const Vec3 e0 = t.normalized(), e2 = e0.cross(u.normalized()).normalized(), e1 = e2.cross(e0);
    Mat3 found;
    for (int k = 0; k < 9; ++k) found(k % 3, k / 3) = frames[i].at[k];
    Mat3 expected;
    expected << e0, e1, e2;
    EXPECT_LT((found - expected).norm(), 10 * kTolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(On, BlendKernels, ::testing::ValuesIn(supported_isas()), testing::isa_test_name);

#if defined(__x86_64__)
TEST(SupportedIsas, AreThoseOfHighway) {
  const std::vector<std::pair<Isa, std::int64_t>> targets = {
      {Isa::kSsse3, HWY_SSSE3}, {Isa::kSse4, HWY_SSE4}, {Isa::kAvx2, HWY_AVX2}, {Isa::kAvx3, HWY_AVX3}};
  for (const auto& [isa, target] : targets) {
    const auto& ours = supported_isas();
    EXPECT_EQ(std::find(ours.begin(), ours.end(), isa) != ours.end(), (hwy::SupportedTargets() & target) != 0)
        << isa_name(isa);
  }
}
#endif

}  // namespace
}  // namespace sinew::deform
