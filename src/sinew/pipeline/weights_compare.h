// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <string>
#include <vector>

#include "sinew/core/rig.h"
#include "sinew/measure/weight_agreement.h"

namespace sinew::pipeline {

/// How the weights of one joint changed.
struct JointChange {
  Index joint = kNone;
  Index vertices = 0;  ///< Vertices whose weight of this joint changed by more than 1e-4.
  double before = 0;   ///< Sum of its weights.
  double after = 0;
  double largest = 0;  ///< Largest change on one vertex.
};

struct WeightChanges {
  Index vertices = 0;               ///< Vertices whose row changed.
  Index added = 0;                  ///< Of these, vertices that had no row before.
  std::vector<JointChange> joints;  ///< Joints whose weights changed, most vertices first.
};

/// Compares two sets of rows. Sums that differ from 1 by no more than a hundredth, as those of integer weights in files
/// do, do not count as changes.
WeightChanges weight_changes(const SkinWeights& before, const SkinWeights& after, Index joint_count);

/// How well two copies of a character agree, joint by joint. Joints are matched by name.
struct WeightComparison {
  measure::WeightAgreement all;
  struct PerJoint {
    std::string name;
    double half_l1 = 0;   ///< ½ Σ |a − b| over all vertices.
    Index dominates = 0;  ///< Vertices whose strongest joint it is, in the first set.
    Index same = 0;       ///< Of these, in the other set as well.
  };
  std::vector<PerJoint> joints;        ///< Joints that either set weights, largest difference first.
  std::vector<std::string> unmatched;  ///< Joints weighted in the other file that this one does not have.
};

/// Vertices are matched by `same_vertices`. \throws Error as that does.
WeightComparison compare_weights(const Rig& rig, const Rig& other);

}  // namespace sinew::pipeline
