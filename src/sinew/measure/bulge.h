// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/measure/shape.h"

namespace sinew::measure {

/// The bulge of the skin near one joint.
struct JointBulge {
  Index joint = kNone;
  double bulge = 0;      ///< Largest d'/d − 1, at least 0.
  Index vertex = kNone;  ///< The vertex with the largest bulge.
  Index vertices = 0;    ///< Number of compared vertices.
};

/// Measures the bulge of bent joints: how much farther vertices are from the bones than at rest. For every joint at the
/// end of a bone, it considers the vertices of the adjacent halves of the bones that meet there. d is their distance to
/// the nearest of these bones at rest, and d' the distance in the other shape. Vertices nearer than half the mean
/// distance (ends of limbs) are ignored, because the quotient is meaningless there. Dual quaternions swell at elbows
/// where linear blending shrinks; volume and sections alone would hide that.
class JointBulges {
 public:
  /// Linear in the vertices. \pre `bound` and `limbs` are the skeleton's.
  JointBulges(const Skeleton& skeleton, const Shape& bound, const Limbs& limbs);

  /// Returns one entry for each joint with vertices to compare, sorted by joint. The cost is linear. The result is the
  /// same for any number of threads.
  std::vector<JointBulge> measure(const Shape& posed) const;

 private:
  struct Group {
    Index joint = kNone;
    std::vector<Index> bones;
    std::vector<Index> vertices;
    std::vector<double> distances;
  };
  Skeleton skeleton_;
  std::vector<Segmentation::Segment> bones_;
  std::vector<Group> groups_;
};

}  // namespace sinew::measure
