// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/measure/shape.h"

namespace sinew::measure {

/// How far the skin stands out near one joint.
struct JointBulge {
  Index joint = kNone;
  double bulge = 0;      ///< Largest d'/d − 1, at least 0.
  Index vertex = kNone;  ///< Where.
  Index vertices = 0;    ///< How many were compared.
};

/// The bulge of bent joints: how much farther a vertex lies from the bones than at rest. For every joint that a bone
/// leads to: the vertices of the near halves of the bones that meet there, d their distance to the nearest of these
/// bones at rest and d' in the other shape. Vertices nearer than half the mean distance (ends of limbs) are left out:
/// there the quotient says nothing. Dual quaternions swell at elbows where linear blending shrinks; volume and sections
/// alone would hide it.
class JointBulges {
 public:
  /// Linear in the vertices. \pre `bound` and `limbs` are the skeleton's.
  JointBulges(const Skeleton& skeleton, const Shape& bound, const Limbs& limbs);

  /// One for each joint with vertices to compare, by joint. Linear; the same for any number of threads.
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
