// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "sinew/binding/subject.h"
#include "sinew/transfer/rays/guide_weights.h"

namespace sinew::test {

/// Guide weights from straight distances to the bones: exact. Ends as `binding::bone_tree` has them.
inline SkinWeights straight_guide(const transfer::TransferBody& side, const transfer::Correspondence& correspondence,
                                  bool of_reference, const transfer::GuideFalloff& options = {}) {
  const std::vector<transfer::JointPair>& pairs = correspondence.pairs;
  const std::vector<char> ends =
      transfer::known_ends(of_reference ? &side : nullptr, of_reference ? nullptr : &side, pairs);
  const transfer::PairedBody body = transfer::paired_body(side, pairs, of_reference, ends);
  const binding::BoneTree tree = binding::bone_tree(body.subject(side.mesh));
  std::vector<Index> columns;
  for (const Index joint : tree.joints)
    if (!tree.outgoing[joint].empty()) columns.push_back(joint);
  return transfer::guide_weights(
      side.mesh, columns,
      [&](Index vertex) {
        std::vector<float> row;
        for (const Index joint : columns) {
          double nearest = std::numeric_limits<double>::infinity();
          for (const Index bone : tree.outgoing[joint])
            nearest =
                std::min(nearest, binding::closest_on_bone(tree.bones[bone], side.mesh.positions[vertex]).distance);
          row.push_back(static_cast<float>(nearest));
        }
        return row;
      },
      body.unit, options);
}

}  // namespace sinew::test
