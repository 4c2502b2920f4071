// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/core/joint_steps.h"

namespace sinew {

JointSteps::JointSteps(const Skeleton& skeleton) {
  // Parents come before their children.
  for (const Joint& joint : skeleton.joints) {
    parent_.push_back(joint.parent);
    depth_.push_back(joint.parent == kNone ? 0 : depth_[joint.parent] + 1);
  }
}

int JointSteps::between(Index a, Index b) const {
  int steps = 0;
  for (; a != b; ++steps) {
    const bool from_a = b == kNone || (a != kNone && depth_[a] >= depth_[b]);
    Index& deeper = from_a ? a : b;
    deeper = parent_[deeper];
  }
  return steps;
}

}  // namespace sinew
