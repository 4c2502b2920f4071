// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What each constraint of `PbdSystem` does, alone and among the others, on the bar of the check run.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "sinew/core/angles.h"
#include "sinew/core/rotation.h"
#include "sinew/deform/pbd/pbd_system.h"
#include "sinew/geometry/voxels/tets.h"
#include "sinew/lab/pbd/cylinder.h"

namespace sinew::deform {
namespace {

using namespace sinew::lab;

struct Turn {
  const char* name;
  Vec3 axis;
  double degrees;
};
const std::array<Turn, 2> kTurns = {{{"twist", Vec3::UnitX(), 120}, {"bend", Vec3::UnitZ(), 90}}};

const PbdBody& bar() {
  static const PbdBody body = pbd_cylinder();
  return body;
}

PbdSettings all_off() {
  PbdSettings settings;
  settings.stretch = settings.bind = settings.volume = settings.energy = 0;
  return settings;
}

std::vector<Vec3f> corrections_of(const PbdSettings& settings, const Turn& turn) {
  const PbdSystem system(bar(), settings);
  PbdSystem::Scratch scratch;
  const std::vector<Vec3f> positions = blended_cylinder(bar(), turn.axis, radians(turn.degrees));
  std::vector<Vec3f> corrections(positions.size());
  system.solve(scratch, positions, cylinder_motions(turn.axis, radians(turn.degrees)), corrections);
  return corrections;
}

/// Root mean square errors of what may move, in cells or relative to rest.
struct ConstraintErrors {
  double length = 0, bone_distance = 0, volume = 0, shape = 0, springs = 0;
};

double root_mean(double sum, std::size_t count) { return std::sqrt(sum / static_cast<double>(count)); }

ConstraintErrors errors_of(const std::vector<Vec3f>& positions, const Turn& turn) {
  const PbdBody& body = bar();
  const auto at = [&](Index p) { return Vec3(positions[p].cast<double>()); };
  ConstraintErrors sums;
  std::set<std::pair<Index, Index>> edges;
  std::size_t tets = 0;
  for (Index t = 0; t < body.tets.tets.size(); ++t) {
    const auto& tet = body.tets.tets[t];
    if (std::none_of(tet.begin(), tet.end(), [&](Index v) { return body.free[v] != 0; })) continue;
    ++tets;
    Mat3 rest, now;
    Vec3 rest_middle = Vec3::Zero(), middle = Vec3::Zero();
    double mass = 0;
    for (const Index v : tet) {
      mass += body.mass[v];
      rest_middle += body.mass[v] * body.tets.positions[v];
      middle += body.mass[v] * at(v);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      if (i > 0) {
        rest.col(static_cast<Eigen::Index>(i) - 1) = body.tets.positions[tet[i]] - body.tets.positions[tet[0]];
        now.col(static_cast<Eigen::Index>(i) - 1) = at(tet[i]) - at(tet[0]);
      }
      sums.springs += std::pow(
          ((at(tet[i]) - middle / mass).norm() - (body.tets.positions[tet[i]] - rest_middle / mass).norm()) / body.cell,
          2);
      for (std::size_t j = i + 1; j < 4; ++j) edges.insert({std::min(tet[i], tet[j]), std::max(tet[i], tet[j])});
    }
    sums.volume += std::pow(now.determinant() / rest.determinant() - 1, 2);
    const Mat3 gradient = now * rest.inverse();
    sums.shape += (gradient - polar(gradient).rotation).squaredNorm();
  }
  for (const auto& [a, b] : edges)
    sums.length +=
        std::pow(((at(a) - at(b)).norm() - (body.tets.positions[a] - body.tets.positions[b]).norm()) / body.cell, 2);
  const std::vector<Mat4> motions = cylinder_motions(turn.axis, radians(turn.degrees));
  std::size_t bound = 0;
  for (Index p = 0; p < positions.size(); ++p) {
    const PbdBody::Anchor& anchor = body.anchors[p];
    if (body.free[p] == 0 || anchor.joint == kNone) continue;
    ++bound;
    const Vec3 foot = transform_point(motions[anchor.joint], anchor.point);
    sums.bone_distance += std::pow(((at(p) - foot).norm() - anchor.distance) / body.cell, 2);
  }
  return {root_mean(sums.length, edges.size()), root_mean(sums.bone_distance, bound), root_mean(sums.volume, tets),
          root_mean(sums.shape, tets), root_mean(sums.springs, 4 * tets)};
}

ConstraintErrors blended_errors(const Turn& turn) {
  return errors_of(blended_cylinder(bar(), turn.axis, radians(turn.degrees)), turn);
}

std::vector<Vec3f> solved(const PbdSettings& settings, const Turn& turn) {
  std::vector<Vec3f> positions = blended_cylinder(bar(), turn.axis, radians(turn.degrees));
  const std::vector<Vec3f> corrections = corrections_of(settings, turn);
  for (std::size_t p = 0; p < positions.size(); ++p) positions[p] += corrections[p];
  return positions;
}

ConstraintErrors solved_errors(const PbdSettings& settings, const Turn& turn) {
  return errors_of(solved(settings, turn), turn);
}

TEST(PbdConstraints, WithAllOfThemOffNothingMoves) {
  for (const Turn& turn : kTurns)
    for (const Vec3f& correction : corrections_of(all_off(), turn)) ASSERT_EQ(correction, Vec3f(Vec3f::Zero()));
}

TEST(PbdConstraints, StretchAloneBringsLengthsOfEdgesBack) {
  PbdSettings settings = all_off();
  for (const Turn& turn : kTurns) {
    settings.stretch = 0.5;
    const double half = solved_errors(settings, turn).length;
    settings.stretch = 0.9;
    EXPECT_LT(half, 0.9 * blended_errors(turn).length) << turn.name;
    EXPECT_LT(solved_errors(settings, turn).length, half) << turn.name;
  }
}

TEST(PbdConstraints, BoneDistanceAloneBringsDistancesFromTheBoneBack) {
  PbdSettings settings = all_off();
  for (const Turn& turn : kTurns) {
    settings.bind = 0.5;
    const double blended = blended_errors(turn).bone_distance;
    // Not to the letter: steps of points that are too near to the bone are shorter, so that none is flung across it.
    const double half = solved_errors(settings, turn).bone_distance;
    EXPECT_GT(half, 0.45 * blended) << turn.name;
    EXPECT_LT(half, 0.7 * blended) << turn.name;
    settings.bind = 0.9;
    EXPECT_LT(solved_errors(settings, turn).bone_distance, 0.5 * half) << turn.name;
  }
}

TEST(PbdConstraints, VolumeAloneBringsVolumesOfTetrahedraBack) {
  PbdSettings settings = all_off();
  for (const Turn& turn : kTurns) {
    settings.volume = 0.5;
    const double half = solved_errors(settings, turn).volume;
    settings.volume = 1;
    EXPECT_LT(half, 0.9 * blended_errors(turn).volume) << turn.name;
    EXPECT_LT(solved_errors(settings, turn).volume, 0.7 * half) << turn.name;
  }
}

TEST(PbdConstraints, EnergyAloneBringsShapesOfTetrahedraBack) {
  PbdSettings settings = all_off();
  for (const Turn& turn : kTurns) {
    settings.energy = 1;
    settings.material = PbdMaterial::kCorotated;
    EXPECT_LT(solved_errors(settings, turn).shape, 0.9 * blended_errors(turn).shape) << turn.name;
    settings.material = PbdMaterial::kSprings;
    EXPECT_LT(solved_errors(settings, turn).springs, 0.9 * blended_errors(turn).springs) << turn.name;
  }
}

TEST(PbdConstraints, EachOfThemIsMissedAmongTheOthers) {
  for (const Turn& turn : kTurns) {
    const ConstraintErrors all = solved_errors({}, turn);
    PbdSettings settings;
    settings.stretch = 0;
    EXPECT_GT(solved_errors(settings, turn).length, 1.02 * all.length) << turn.name;
    settings = {};
    settings.bind = 0;
    EXPECT_GT(solved_errors(settings, turn).bone_distance, 1.1 * all.bone_distance) << turn.name;
    settings = {};
    settings.volume = 0;
    EXPECT_GT(solved_errors(settings, turn).volume, 1.5 * all.volume) << turn.name;
    settings = {};
    settings.energy = 0;
    EXPECT_GT(solved_errors(settings, turn).shape, 1.02 * all.shape) << turn.name;
  }
}

TEST(PbdConstraints, SweepsBringTheVolumeBackThatBlendingLoses) {
  for (const Turn& turn : kTurns) {
    const double blended = cylinder_state(bar(), blended_cylinder(bar(), turn.axis, radians(turn.degrees))).volume;
    const auto recovered = [&](int sweeps, PbdMaterial material) {
      PbdSettings settings;
      settings.sweeps = sweeps;
      settings.material = material;
      return (cylinder_state(bar(), solved(settings, turn)).volume - blended) / (1 - blended);
    };
    for (const PbdMaterial material : {PbdMaterial::kCorotated, PbdMaterial::kSprings}) {
      const double one = recovered(1, material), ten = recovered(10, material);
      EXPECT_LT(one + 0.05, ten) << turn.name;
      EXPECT_GT(ten, std::string(turn.name) == "twist" ? 0.85 : 0.5) << turn.name;
    }
  }
}

// With an energy in all sweeps, a stiffness of 10 kept 0.943 of the twisted bar.
TEST(PbdConstraints, AStiffMaterialLeavesTheLastSweepsToVolume) {
  PbdSettings settings;
  settings.energy = 10;
  EXPECT_GT(cylinder_state(bar(), solved(settings, kTurns[0])).volume, 0.94);
  settings.volume = 0;  // Alone it has all of them.
  EXPECT_LT(cylinder_state(bar(), solved(settings, kTurns[0])).volume, 0.94);
}

TEST(PbdConstraints, AStifferJointKeepsTheShapesOfItsTetrahedra) {
  const Turn& bend = kTurns[1];
  const auto shape_of_second = [&](double factor) {
    PbdSettings settings;
    settings.joint_stiffness = {1, factor};
    const std::vector<Vec3f> positions = solved(settings, bend);
    double sum = 0;
    for (const auto& tet : bar().tets.tets) {
      if (std::any_of(tet.begin(), tet.end(), [&](Index v) { return bar().owner[v] != 1 || bar().free[v] == 0; }))
        continue;
      Mat3 rest, now;
      for (std::size_t i = 1; i < 4; ++i) {
        rest.col(static_cast<Eigen::Index>(i) - 1) = bar().tets.positions[tet[i]] - bar().tets.positions[tet[0]];
        now.col(static_cast<Eigen::Index>(i) - 1) = (positions[tet[i]] - positions[tet[0]]).cast<double>();
      }
      const Mat3 gradient = now * rest.inverse();
      sum += (gradient - polar(gradient).rotation).squaredNorm();
    }
    return sum;
  };
  const double soft = shape_of_second(0.01), usual = shape_of_second(1), stiff = shape_of_second(20);
  EXPECT_LT(stiff, 0.98 * usual);
  EXPECT_LT(usual, 0.98 * soft);
}

}  // namespace
}  // namespace sinew::deform
