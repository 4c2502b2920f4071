// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/deform/implicit/joint_shape/open_part.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sinew/deform/bind_frames.h"
#include "sinew/deform/implicit/part_bones.h"
#include "sinew/shapes/kinds.h"

namespace sinew::deform {
namespace {

/// A made character that was cut into parts.
struct CutCharacter {
  explicit CutCharacter(const char* kind, int vertices, double round_to = 0) {
    shapes::MakeOptions options;
    options.vertices = vertices;
    rig = shapes::make(kind, options).made.character.rig;
    bind = bind_frames(rig);
    surface = make_skin_surface(rig);
    if (round_to > 0) round_weights(round_to);
    partition = make_partition(surface, rig.skeleton, 0.75);
    bones = bones_of_parts(partition, surface, rig.skeleton, bind);
    const PartCutter cutter(surface, partition, bones, bind);
    for (Index p = 0; p < partition.parts.size(); ++p) parts.push_back(cutter.cut(p));
  }

  /// As if painted in steps: many vertices have equal weights of two joints.
  void round_weights(double step) {
    for (auto& row : surface.rows) {
      float sum = 0;
      for (Influence& influence : row) {
        influence.weight = static_cast<float>(step * std::round(static_cast<double>(influence.weight) / step));
        sum += influence.weight;
      }
      for (Influence& influence : row)
        if (sum > 0) influence.weight /= sum;
    }
  }

  Index part(const char* joint) const {
    const Index found = rig.skeleton.find(joint);
    return found == kNone ? kNone : partition.part_of_joint[found];
  }

  Rig rig;
  std::vector<Mat4> bind;
  SkinSurface surface;
  Partition partition;
  std::vector<PartBones> bones;
  std::vector<ClosedPart> parts;
};

TEST(PartCutter, BordersOfACoarseBodyPassNoVertexTwiceAndHaveNoEdgeWithoutLength) {
  for (const double round_to : {0.0, 0.25}) {
    const CutCharacter cut("human", 900, round_to);
    std::size_t at_joints = 0;
    for (const ClosedPart& part : cut.parts)
      for (const PartHole& hole : part.holes) {
        if (!hole.at_joint()) continue;
        ++at_joints;
        EXPECT_EQ(std::set<Index>(hole.loop.begin(), hole.loop.end()).size(), hole.loop.size());
        for (std::size_t i = 0; i < hole.loop.size(); ++i) {
          const Vec3 &a = part.positions[hole.loop[i]], &b = part.positions[hole.loop[(i + 1) % hole.loop.size()]];
          EXPECT_GT((b - a).norm(), 1e-3 * hole.radius);
        }
      }
    EXPECT_GT(at_joints, 30u);
  }
}

TEST(PartCutter, KeepsTheVerticesOfTheSkin) {
  const CutCharacter cut("human", 900);
  std::size_t own = 0, between = 0;
  for (const ClosedPart& part : cut.parts)
    for (Index v = 0; v < part.fixed_vertices; ++v) {
      if (part.source[v] == kNone) {
        ++between;
        continue;
      }
      ++own;
      EXPECT_EQ(part.positions[v], cut.surface.positions[part.source[v]]);
    }
  EXPECT_GT(own, 400u);
  EXPECT_GT(between, 100u);
}

TEST(PartCutter, GivesEveryNeighbourABorderOfItsOwnAlsoOnACoarseMesh) {
  const CutCharacter cut("human", 900);
  for (const char* joint : {"LeftUpperArm", "LeftForearm", "LeftShin", "RightShin", "LeftThigh"}) {
    const Index p = cut.part(joint);
    ASSERT_NE(p, kNone) << joint;
    std::size_t neighbours = 1;
    for (const Partition::Part& other : cut.partition.parts) neighbours += other.parent == p ? 1 : 0;
    EXPECT_EQ(own_borders(cut.parts[p]), neighbours) << joint;
  }
}

TEST(PartCutter, TakesASmallerMarginOnlyWhereThatFindsMoreBorders) {
  // With fingers that share most of their weight with the hand, no finger is a tube at the usual margin.
  const CutCharacter cut("hand", 1500);
  double least = 1;
  for (const ClosedPart& part : cut.parts)
    if (!part.empty()) least = std::min(least, part.margin);
  EXPECT_LE(least, 0.5);
  for (std::size_t p = 0; p < cut.parts.size(); ++p)
    if (!cut.parts[p].empty()) {
      EXPECT_LE(cut.parts[p].margin, std::max(0.0, 2 * cut.partition.parts[p].threshold - 1));
    }
}

}  // namespace
}  // namespace sinew::deform
