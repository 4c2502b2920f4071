// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#include "sinew/transfer/match/pair_carriers.h"

namespace sinew::transfer {

std::vector<Index> pair_of_joints(const Skeleton& reference, const Correspondence& correspondence) {
  std::vector<Index> of_joint(reference.joints.size(), kNone);
  for (Index p = 0; p < correspondence.pairs.size(); ++p) of_joint[correspondence.pairs[p].reference] = p;
  for (Index j = 0; j < of_joint.size(); ++j)
    if (const Index parent = reference.joints[j].parent; of_joint[j] == kNone && parent != kNone)
      of_joint[j] = of_joint[parent];
  for (Index& pair : of_joint)
    if (pair == kNone) pair = 0;
  return of_joint;
}

}  // namespace sinew::transfer
