// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Constraints are taken one after the other, so that their order shows in the result: how much, on the bar of the check
// run?

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sinew/core/angles.h"
#include "sinew/deform/pbd/pbd_system.h"
#include "sinew/geometry/spatial/random.h"
#include "sinew/geometry/voxels/tets.h"
#include "sinew/lab/pbd/cylinder.h"

namespace sinew::deform {
namespace {

using namespace sinew::lab;

/// A random order of the numbers below `count`.
std::vector<Index> shuffled(std::size_t count, geometry::Random& dice) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[dice.below(static_cast<Index>(i))]);
  return order;
}

/// The same body with other numbers for its particles (`old_of`: per new number the old one) and tetrahedra.
PbdBody renumbered(const PbdBody& body, const std::vector<Index>& old_of, geometry::Random& dice) {
  PbdBody other = body;
  std::vector<Index> new_of(old_of.size());
  for (Index p = 0; p < old_of.size(); ++p) {
    const Index old = old_of[p];
    new_of[old] = p;
    other.tets.positions[p] = body.tets.positions[old];
    other.mass[p] = body.mass[old];
    other.free[p] = body.free[old];
    other.owner[p] = body.owner[old];
    other.anchors[p] = body.anchors[old];
  }
  const std::vector<Index> tets = shuffled(body.tets.tets.size(), dice);
  for (std::size_t t = 0; t < tets.size(); ++t) {
    std::array<Index, 4> tet = body.tets.tets[tets[t]];
    // Three corners in a circle and two pairs swapped: any of the twelve orders that keep the volume's sign.
    std::rotate(tet.begin(), tet.begin() + dice.below(3), tet.begin() + 3);
    if (const Index pair = dice.below(4); pair > 0) {
      std::swap(tet[0], tet[pair]);
      std::swap(tet[pair == 1 ? 2 : 1], tet[pair == 3 ? 2 : 3]);
    }
    for (Index& v : tet) v = new_of[v];
    other.tets.tets[t] = tet;
  }
  return other;
}

std::vector<Vec3f> relaxed(const PbdBody& body, PbdMaterial material, const Vec3& axis, double angle_rad) {
  PbdSettings settings;
  settings.material = material;
  const PbdSystem system(body, settings);
  PbdSystem::Scratch scratch;
  std::vector<Vec3f> positions = blended_cylinder(body, axis, angle_rad), corrections(positions.size());
  const PbdSystem::Outcome outcome = system.solve(scratch, positions, cylinder_motions(axis, angle_rad), corrections);
  EXPECT_EQ(outcome.islands_given_up, 0U);
  for (std::size_t p = 0; p < positions.size(); ++p) positions[p] += corrections[p];
  return positions;
}

double mean_edge(const TetMesh& mesh) {
  double sum = 0;
  for (const auto& tet : mesh.tets)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = i + 1; j < 4; ++j) sum += (mesh.positions[tet[i]] - mesh.positions[tet[j]]).norm();
  return sum / (6 * static_cast<double>(mesh.tets.size()));
}

TEST(PbdOrder, OtherNumbersForParticlesAndTetrahedraChangeLittle) {
  const PbdBody body = pbd_cylinder();
  const double edge = mean_edge(body.tets);
  struct Turn {
    Vec3 axis;
    double degrees;
  };
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    geometry::Random dice(seed);
    const std::vector<Index> old_of = shuffled(body.tets.positions.size(), dice);
    const PbdBody other = renumbered(body, old_of, dice);
    ASSERT_TRUE(validate(other.tets).empty());
    for (const Turn& turn : {Turn{Vec3::UnitX(), 120}, Turn{Vec3::UnitZ(), 90}})
      for (const PbdMaterial material : {PbdMaterial::kSprings, PbdMaterial::kCorotated}) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << turn.degrees << " degrees, "
                                          << (material == PbdMaterial::kSprings ? "springs" : "corotated"));
        const double angle = radians(turn.degrees);
        const std::vector<Vec3f> here = relaxed(body, material, turn.axis, angle),
                                 there = relaxed(other, material, turn.axis, angle);
        double squares = 0, count = 0;
        for (std::size_t p = 0; p < there.size(); ++p) {
          if (other.free[p] == 0) continue;
          squares += static_cast<double>((there[p] - here[old_of[p]]).squaredNorm());
          count += 1;
        }
        ASSERT_GT(count, 0);
        const double apart = std::sqrt(squares / count) / edge;
        const double volume = cylinder_state(body, here).volume, volume_there = cylinder_state(other, there).volume;
        EXPECT_LE(apart, 0.25);
        EXPECT_GT(apart, 0);  // Else the order was not changed.
        EXPECT_NEAR(volume_there, volume, 0.03);
      }
  }
}

}  // namespace
}  // namespace sinew::deform
