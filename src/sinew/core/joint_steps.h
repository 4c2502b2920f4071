// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <vector>

#include "sinew/core/skeleton.h"

namespace sinew {

/// How far joints are apart in the hierarchy.
class JointSteps {
 public:
  explicit JointSteps(const Skeleton& skeleton);

  /// The number of bones between two joints: 1 for a joint and its parent, 0 for one joint. Joints below different
  /// roots count as if the roots had one parent. The cost is linear in the depth.
  int between(Index a, Index b) const;

 private:
  std::vector<Index> parent_;
  std::vector<int> depth_;  ///< 0 for a root.
};

}  // namespace sinew
