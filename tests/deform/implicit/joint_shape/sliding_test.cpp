// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/sliding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "sinew/core/angles.h"
#include "sinew/deform/implicit/joint_shape/closure.h"
#include "sinew/deform/implicit/joint_shape/fairing.h"
#include "sinew/deform/implicit/joint_shape/joint_shape.h"
#include "sinew/deform/implicit/joint_shape/refit.h"
#include "tests/deform/implicit/joint_shape/parts.h"

namespace sinew::deform {
namespace {

using test_parts::open_tube;
using test_parts::Tube;
using test_parts::tube_function;

/// Two tubes that meet at the origin.
struct Elbow {
  Elbow(const Tube& upper, const Tube& lower)
      : parts{open_tube(upper, Vec3::UnitX(), 1), open_tube(lower, -Vec3::UnitX(), 0)},
        functions{tube_function(parts[0], upper, Vec3::UnitX()), tube_function(parts[1], lower, -Vec3::UnitX())} {
    for (std::size_t p = 0; p < 2; ++p) {
      close_holes(parts[p], functions[p], {}, 3 + p);
      fair_distances(parts[p], 0);
      for (const ClosureVertex& vertex : parts[p].closure) faired[p].push_back(vertex.distance);
    }
  }
  JointSide side(std::size_t p) { return {&parts[p], &functions[p], 0, 0}; }
  std::vector<double> distances(std::size_t p) const {
    std::vector<double> result;
    for (const ClosureVertex& vertex : parts[p].closure) result.push_back(vertex.distance);
    return result;
  }
  /// Fits the parts to each other in turns.
  void fit(int turns, const std::vector<Mat3>& rotations, const SlidingOptions& options) {
    std::vector<Mat3> inverse;
    for (const Mat3& r : rotations) inverse.push_back(r.transpose());
    for (int turn = 0; turn < turns; ++turn) {
      slide(parts[0], slide_targets(side(0), side(1), rotations, options), faired[0], options);
      slide(parts[1], slide_targets(side(1), side(0), inverse, options), faired[1], options);
    }
  }

  std::array<ClosedPart, 2> parts;
  std::array<Hrbf, 2> functions;
  std::array<std::vector<double>, 2> faired;
};

std::vector<Mat3> bends(int count = 20, double from = 0, double to = 140) {
  return rotations_of({{{Vec3::UnitZ(), radians(from), radians(to)}}, ""}, count);
}

Elbow random_elbow(unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> any(0, 1);
  Tube upper, lower;
  upper.radius = 0.6 + 0.4 * any(rng), lower.radius = 0.6 + 0.4 * any(rng);
  upper.flat = 1 + 0.15 * any(rng), lower.flat = 1 + 0.15 * any(rng);
  upper.cut = 0.3 + 0.4 * any(rng), lower.cut = 0.3 + 0.4 * any(rng);
  return {upper, lower};
}

/// How far the closure of one part protrudes from the other, by rays against every triangle; shares nothing with the
/// library but the data.
double protrusion(const ClosedPart& part, const ClosedPart& other, const std::vector<Mat3>& rotations) {
  double sum = 0;
  for (const Mat3& rotation : rotations)
    for (const ClosureVertex& vertex : part.closure) {
      if (!vertex.beyond) continue;
      const Vec3 direction = rotation.transpose() * vertex.along;
      double farthest = -1;
      bool closes = false;
      for (const auto& t : other.triangles) {
        const Vec3 a = other.positions[t[0]], ab = other.positions[t[1]] - a, ac = other.positions[t[2]] - a;
        const Vec3 h = direction.cross(ac);
        const double det = ab.dot(h);
        if (std::abs(det) < 1e-14) continue;
        const double u = -a.dot(h) / det;
        const Vec3 q = (-a).cross(ab);
        const double v = direction.dot(q) / det, distance = ac.dot(q) / det;
        if (u < 0 || v < 0 || u + v > 1 || distance <= 0 || distance > 3 || distance <= farthest) continue;
        closes = t[0] >= other.fixed_vertices || t[1] >= other.fixed_vertices || t[2] >= other.fixed_vertices;
        farthest = distance;
        if (closes)
          farthest = (1 - u - v) * other.positions[t[0]].norm() + u * other.positions[t[1]].norm() +
                     v * other.positions[t[2]].norm();
      }
      if (farthest > 0 && closes) sum += std::max(0.0, vertex.distance - 1.01 * farthest);
    }
  return sum;
}

double protrusion_of(const Elbow& elbow, const std::vector<Mat3>& rotations) {
  std::vector<Mat3> inverse;
  for (const Mat3& r : rotations) inverse.push_back(r.transpose());
  return protrusion(elbow.parts[0], elbow.parts[1], rotations) + protrusion(elbow.parts[1], elbow.parts[0], inverse);
}

TEST(Sliding, TargetsAreThoseOfACapsule) {
  Tube tube;
  tube.around = 80;
  Elbow elbow(tube, tube);  // Both ends are half spheres about the joint; the lower tube is along +x.
  const auto rotations = bends();
  const SlideTargets targets = slide_targets(elbow.side(0), elbow.side(1), rotations, {});
  ASSERT_FALSE(targets.vertices.empty());
  std::size_t found = 0;
  for (std::size_t i = 0; i < targets.vertices.size(); ++i)
    for (std::size_t r = 0; r < rotations.size(); ++r) {
      const double limit = targets.limit(i, r);
      if (limit == std::numeric_limits<double>::infinity()) continue;
      ++found;
      const double inwards = (rotations[r].transpose() * elbow.parts[0].closure[targets.vertices[i]].along).x();
      const double capsule = inwards <= 0 ? tube.radius : tube.radius / std::sqrt(1 - inwards * inwards);
      EXPECT_NEAR(limit, capsule, 0.005 * capsule);
    }
  EXPECT_GT(found, targets.limits.size() / 4);
}

TEST(Sliding, EqualHalfSpheresDoNotMove) {
  Elbow elbow({}, {});
  const auto before = elbow.distances(0);
  EXPECT_EQ(joint_bulge(elbow.side(0), elbow.side(1), bends(), {}), 0);
  elbow.fit(3, bends(), {});
  EXPECT_EQ(elbow.distances(0), before);
}

TEST(Sliding, NeverMovesOutwardsNorBelowTargetsAndFloor) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Elbow elbow = random_elbow(seed);
    const SlidingOptions options;
    const SlideTargets targets = slide_targets(elbow.side(0), elbow.side(1), bends(), options);
    const auto before = elbow.distances(0);
    slide(elbow.parts[0], targets, elbow.faired[0], options);
    const auto after = elbow.distances(0);
    for (std::size_t i = 0; i < after.size(); ++i) {
      EXPECT_LE(after[i], before[i]);
      EXPECT_GE(after[i], std::min(before[i], options.floor * elbow.faired[0][i]) - 1e-12);
    }
    for (std::size_t k = 0; k < targets.vertices.size(); ++k) {
      double least = before[targets.vertices[k]];
      for (std::size_t r = 0; r < targets.rotations; ++r) least = std::min(least, targets.limit(k, r));
      EXPECT_GE(after[targets.vertices[k]], least - 1e-12);
    }
    // Again changes nothing.
    const ClosedPart once = elbow.parts[0];
    slide(elbow.parts[0], targets, elbow.faired[0], options);
    EXPECT_EQ(elbow.parts[0].positions, once.positions);
  }
}

TEST(Sliding, ByPicksAgreesWithItsLimitAndItsEnergyOnlyFalls) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Elbow closed = random_elbow(seed), picked = closed;
    SlidingOptions options;
    options.floor = 0;  // Vertices at the floor keep their energy, and the loop would end before the others arrive.
    const SlideTargets targets = slide_targets(closed.side(0), closed.side(1), bends(), options);
    slide(closed.parts[0], targets, closed.faired[0], options);
    const auto history = slide_by_picks(picked.parts[0], targets, picked.faired[0], options, seed);
    for (std::size_t i = 1; i < history.size(); ++i) EXPECT_LE(history[i], history[i - 1] + 1e-12);
    const auto a = closed.distances(0), b = picked.distances(0);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 0.02 * closed.side(0).radius()) << seed;
  }
}

TEST(Sliding, RemovesTheBulgeOnOtherRotationsAlsoAfterTheSecondFairing) {
  double before = 0, after = 0, without = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Elbow elbow = random_elbow(seed);
    const auto held_out = rotations_of({{{Vec3::UnitZ(), 0, radians(140)}}, ""}, 20, true);
    const double start = protrusion_of(elbow, held_out);
    const Elbow faired = elbow;
    elbow.fit(3, bends(), {});
    const std::array slid = {elbow.distances(0), elbow.distances(1)};
    // Over fewer rings where four bring back too much.
    for (int rings = 4; rings >= 1; --rings) {
      for (std::size_t p = 0; p < 2; ++p) {
        for (std::size_t i = 0; i < elbow.parts[p].closure.size(); ++i) {
          const double share = slid_share(elbow.parts[p].closure[i].ring, rings);
          elbow.parts[p].closure[i].distance = (1 - share) * elbow.faired[p][i] + share * slid[p][i];
        }
        elbow.parts[p].place();
      }
      if (joint_bulge(elbow.side(0), elbow.side(1), bends(), {}) * elbow.side(0).radius() < 0.03 * start) break;
    }
    before += start, after += protrusion_of(elbow, held_out);
    without += protrusion_of(faired, held_out);
  }
  EXPECT_GT(before, 1);  // There is something to remove.
  EXPECT_LE(after, 0.1 * before);
  EXPECT_GT(without, 0.1 * before);  // Not sliding does not do it.
}

TEST(Sliding, DoesNotShrinkPartsTurnByTurn) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    Elbow three = random_elbow(seed), twelve = three;
    three.fit(3, bends(), {});
    twelve.fit(12, bends(), {});
    for (std::size_t p = 0; p < 2; ++p) {
      const auto a = three.distances(p), b = twelve.distances(p);
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_GE(b[i], 0.9 * a[i]) << seed;
    }
  }
}

TEST(Refit, SurfaceOfTheFunctionIsTheClosure) {
  Elbow elbow = random_elbow(2);
  elbow.fit(3, bends(), {});
  std::vector<Index> all;
  for (Index t = 0; t < elbow.parts[0].triangles.size(); ++t) all.push_back(t);
  auto samples = closed_samples(elbow.parts[0], all, 150, {}, 1);
  EXPECT_GT(samples.size(), 100u);
  const Hrbf function = Hrbf::fit(samples);
  ASSERT_TRUE(function.ok());
  const double radius = elbow.side(0).radius(), error = refit_error(function, elbow.parts[0], 0);
  const auto more = samples_where_off(function, elbow.parts[0], 0, samples, 0.01 * radius, 60);
  samples.insert(samples.end(), more.begin(), more.end());
  const Hrbf better = Hrbf::fit(samples);
  ASSERT_TRUE(better.ok());
  EXPECT_LE(refit_error(better, elbow.parts[0], 0), error);
  EXPECT_LT(refit_error(better, elbow.parts[0], 0), 0.02 * radius);
}

}  // namespace
}  // namespace sinew::deform
